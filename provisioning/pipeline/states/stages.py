"""One line of stages from the question to its end, for who follows a request and needs neither axis of state in full.

The two axes (`states`) say what was promised and what was done on which router. A client that waits wants one word: whose turn
it is, and whether anything more is to come.
"""

from __future__ import annotations

from enum import StrEnum

from provisioning.pipeline.states.transitions import RequestState


class Stage(StrEnum):
    """How far a request is. From AWAITING_CONSENT to COMPLETED in this order; the others are other ends."""

    AWAITING_CONSENT = "AWAITING_CONSENT"
    AWAITING_DECISION = "AWAITING_DECISION"
    HELD = "HELD"
    SCHEDULED = "SCHEDULED"
    DEPLOYING = "DEPLOYING"
    ACTIVE = "ACTIVE"
    REMOVING = "REMOVING"
    COMPLETED = "COMPLETED"
    REFUSED = "REFUSED"
    WITHDRAWN = "WITHDRAWN"
    LAPSED = "LAPSED"
    NEVER_PROVIDED = "NEVER_PROVIDED"


FINAL = frozenset({Stage.COMPLETED, Stage.WITHDRAWN, Stage.LAPSED, Stage.NEVER_PROVIDED})
"""Nothing more comes. Of REFUSED an offer may still be taken."""

_BY_STATE = {
    RequestState.HELD: Stage.HELD,
    RequestState.REFUSED: Stage.REFUSED,
    RequestState.ACTIVE: Stage.ACTIVE,
    RequestState.COMPLETED: Stage.COMPLETED,
    RequestState.NEVER_PROVIDED: Stage.NEVER_PROVIDED,
}


def stage_of(state: RequestState, *, consent_pending: bool, due: bool, granted: bool) -> Stage:
    """The stage of a request in that state.

    ``due``: its window has begun, or its ingress holds it already. ``granted``: it was admitted, so that lines may be on
    routers and its capacity is charged until they were seen gone.
    """
    match state:
        case RequestState.SUBMITTED:
            return Stage.AWAITING_CONSENT if consent_pending else Stage.AWAITING_DECISION
        case RequestState.ADMITTED:
            return Stage.DEPLOYING if due else Stage.SCHEDULED
        case RequestState.WITHDRAWN | RequestState.EXPIRED if granted:
            return Stage.REMOVING
        case RequestState.WITHDRAWN:
            return Stage.WITHDRAWN
        case RequestState.EXPIRED:
            return Stage.LAPSED
    return _BY_STATE[state]
