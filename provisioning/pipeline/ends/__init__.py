"""Every end of a push, what it means, and what a person does next.

A package of its own below everything that plans: whoever tells of an end does not load the planner.
"""

from provisioning.pipeline.ends.table import (
    ENDS,
    INTERRUPTED,
    KEPT_BACK,
    LEFT_OUT,
    NOT_READ,
    NOT_STARTED,
    PARTIAL,
    SAVE_REFUSED,
    SAVES,
    End,
    end_of,
)
from provisioning.pipeline.ends.verbs import DEEDS, Deed, Verb

__all__ = [
    "DEEDS",
    "ENDS",
    "INTERRUPTED",
    "KEPT_BACK",
    "LEFT_OUT",
    "NOT_READ",
    "NOT_STARTED",
    "PARTIAL",
    "SAVES",
    "SAVE_REFUSED",
    "Deed",
    "End",
    "Verb",
    "end_of",
]
