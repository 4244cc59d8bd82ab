"""The network as it changes: versions, charges that follow their paths, and the end of a move."""

from provisioning.services.topology.capacity import Said, change_capacity, take_back
from provisioning.services.topology.drift import Compared, Drift, compare_paths
from provisioning.services.topology.ending import end_due, moving, path_moved, paths_moved
from provisioning.services.topology.links import declare, declaring
from provisioning.services.topology.recharging import Moved, words
from provisioning.services.topology.versions import (
    Renewal,
    known,
    notice,
    notice_changed,
    notice_shown,
    renew,
)
from provisioning.services.topology.work import Affected, Detour, affected

__all__ = [
    "Affected",
    "Compared",
    "Detour",
    "Drift",
    "Moved",
    "Renewal",
    "Said",
    "affected",
    "change_capacity",
    "compare_paths",
    "declare",
    "declaring",
    "end_due",
    "known",
    "moving",
    "notice",
    "notice_changed",
    "notice_shown",
    "path_moved",
    "paths_moved",
    "renew",
    "take_back",
    "words",
]
