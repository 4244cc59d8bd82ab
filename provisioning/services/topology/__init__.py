"""The network as it changes: versions, charges that follow their paths, and the end of a move."""

from provisioning.services.topology.ending import end_due, moving, path_moved
from provisioning.services.topology.links import declare
from provisioning.services.topology.moving import Moved
from provisioning.services.topology.versions import (
    Renewal,
    known,
    notice,
    notice_changed,
    notice_shown,
    renew,
)

__all__ = [
    "Moved",
    "Renewal",
    "declare",
    "end_due",
    "known",
    "moving",
    "notice",
    "notice_changed",
    "notice_shown",
    "path_moved",
    "renew",
]
