"""States of requests, modifications and pushes, which step may follow which, and the stage in which a client sees a request.

A package of its own below everything that plans: the rows know their states, and a command that asks one row does not load
the planner.
"""

from provisioning.pipeline.states.stages import FINAL, Stage, stage_of
from provisioning.pipeline.states.transitions import (
    MODIFICATION_TRANSITIONS,
    OPEN_MODIFICATIONS,
    PUSH_TRANSITIONS,
    REQUEST_TRANSITIONS,
    SENDING,
    UNSURE,
    ChangeState,
    ModificationState,
    PushState,
    RequestState,
    change_state,
)

__all__ = [
    "FINAL",
    "MODIFICATION_TRANSITIONS",
    "OPEN_MODIFICATIONS",
    "PUSH_TRANSITIONS",
    "REQUEST_TRANSITIONS",
    "SENDING",
    "UNSURE",
    "ChangeState",
    "ModificationState",
    "PushState",
    "RequestState",
    "Stage",
    "change_state",
    "stage_of",
]
