"""The network as it changes: versions, charges that follow their paths, and the end of a move."""

from provisioning.services.topology.capacity import Said, change_capacity, take_back
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
    "Said",
    "change_capacity",
    "declare",
    "end_due",
    "known",
    "moving",
    "notice",
    "notice_changed",
    "notice_shown",
    "path_moved",
    "renew",
    "take_back",
]
