"""A copy of everything the service knows in one file, and the way from that file back to a service that answers."""

from provisioning.services.backups.answering import answers
from provisioning.services.backups.file import BadBackup, Manifest, opened
from provisioning.services.backups.restoring import Restored, restore
from provisioning.services.backups.safe import resume_pushing
from provisioning.services.backups.writing import backup

__all__ = ["BadBackup", "Manifest", "Restored", "answers", "backup", "opened", "restore", "resume_pushing"]
