"""The two axes of state, promise and deployment, and which step may follow which (architecture.md, Promises).

The tables are data: `services.transitions` moves a row only along them, in one conditional UPDATE.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum


class RequestState(StrEnum):
    """What was promised to the NREN. ACTIVE, COMPLETED and NEVER_PROVIDED are claims about what was seen on routers."""

    SUBMITTED = "SUBMITTED"
    HELD = "HELD"
    ADMITTED = "ADMITTED"
    REFUSED = "REFUSED"
    ACTIVE = "ACTIVE"
    WITHDRAWN = "WITHDRAWN"
    EXPIRED = "EXPIRED"
    COMPLETED = "COMPLETED"
    NEVER_PROVIDED = "NEVER_PROVIDED"


class ModificationState(StrEnum):
    """Where a change of a granted request stands. IN_FORCE is a claim about what was seen on routers."""

    PROPOSED = "PROPOSED"
    ADMITTED = "ADMITTED"
    IN_FORCE = "IN_FORCE"
    REFUSED = "REFUSED"
    WITHDRAWN = "WITHDRAWN"
    LAPSED = "LAPSED"


class PushState(StrEnum):
    """Where the deployment of one plan on one router stands."""

    PLANNED = "PLANNED"
    APPROVED = "APPROVED"
    PUSHING = "PUSHING"
    PUSHED = "PUSHED"
    VERIFIED = "VERIFIED"
    FAILED = "FAILED"
    UNKNOWN = "UNKNOWN"
    ROLLED_BACK = "ROLLED_BACK"
    STALE = "STALE"
    CANCELLED = "CANCELLED"


class ChangeState(StrEnum):
    """What a Change says of all its routers together; derived, never stored as truth.

    PLANNING is one that somebody asked for and whose routers are still being read.
    """

    PLANNING = "PLANNING"
    PLANNED = "PLANNED"
    APPROVED = "APPROVED"
    PUSHING = "PUSHING"
    PUSHED = "PUSHED"
    VERIFIED = "VERIFIED"
    FAILED = "FAILED"
    UNKNOWN = "UNKNOWN"
    ROLLED_BACK = "ROLLED_BACK"
    STALE = "STALE"
    CANCELLED = "CANCELLED"
    PARTIAL = "PARTIAL"


# In one order: an index of the pushes that are unsure is found by a database only where its condition is spelt like that.
SENDING = (PushState.PUSHING, PushState.PUSHED)
"""A worker sends its lines, or has sent them and reads; where that worker died, the push broke off in the middle."""
UNSURE = (*SENDING, PushState.UNKNOWN)
"""What a push in one of these has left on its router nobody has seen. `started_at` says whether it has begun at all."""

_R = RequestState
REQUEST_TRANSITIONS: Mapping[RequestState, frozenset[RequestState]] = {
    _R.SUBMITTED: frozenset({_R.HELD, _R.ADMITTED, _R.REFUSED, _R.WITHDRAWN, _R.EXPIRED}),
    _R.HELD: frozenset({_R.SUBMITTED, _R.ADMITTED, _R.REFUSED, _R.WITHDRAWN, _R.EXPIRED}),
    _R.ADMITTED: frozenset({_R.ACTIVE, _R.WITHDRAWN, _R.EXPIRED}),
    _R.ACTIVE: frozenset({_R.WITHDRAWN, _R.EXPIRED}),
    # Capacity stays charged until the reservation is seen gone; only then is it COMPLETED.
    # What was granted and never seen on its ingress ends apart from what was served.
    _R.WITHDRAWN: frozenset({_R.COMPLETED, _R.NEVER_PROVIDED}),
    _R.EXPIRED: frozenset({_R.COMPLETED, _R.NEVER_PROVIDED}),
    # Who takes one of the offers asks again, for that, under the same number.
    _R.REFUSED: frozenset({_R.SUBMITTED}),
    _R.COMPLETED: frozenset(),
    _R.NEVER_PROVIDED: frozenset(),
}

_M = ModificationState
OPEN_MODIFICATIONS = (_M.PROPOSED, _M.ADMITTED)
MODIFICATION_TRANSITIONS: Mapping[ModificationState, frozenset[ModificationState]] = {
    # IN_FORCE straight from PROPOSED: no router has to hold anything else for it.
    _M.PROPOSED: frozenset({_M.ADMITTED, _M.IN_FORCE, _M.REFUSED, _M.WITHDRAWN, _M.LAPSED}),
    # Charged by the larger of old and new until a router was seen with it; LAPSED: the request ended first.
    _M.ADMITTED: frozenset({_M.IN_FORCE, _M.WITHDRAWN, _M.LAPSED}),
    _M.IN_FORCE: frozenset(),
    _M.REFUSED: frozenset(),
    _M.WITHDRAWN: frozenset(),
    _M.LAPSED: frozenset(),
}

_P = PushState
PUSH_TRANSITIONS: Mapping[PushState, frozenset[PushState]] = {
    # VERIFIED straight from PLANNED or APPROVED: an empty plan is decided by reading alone.
    _P.PLANNED: frozenset({_P.APPROVED, _P.VERIFIED, _P.STALE, _P.CANCELLED, _P.UNKNOWN}),
    _P.APPROVED: frozenset({_P.PUSHING, _P.VERIFIED, _P.STALE, _P.FAILED, _P.CANCELLED, _P.UNKNOWN}),
    # STALE from PUSHING: the last look before the router's own first line found it moved.
    _P.PUSHING: frozenset({_P.PUSHED, _P.FAILED, _P.UNKNOWN, _P.ROLLED_BACK, _P.STALE}),
    _P.PUSHED: frozenset({_P.VERIFIED, _P.FAILED, _P.UNKNOWN, _P.ROLLED_BACK}),
    # A successor reads the router first, then sends the approved remainder or the undo, nothing else.
    _P.UNKNOWN: frozenset(
        {_P.PUSHING, _P.PUSHED, _P.VERIFIED, _P.FAILED, _P.ROLLED_BACK, _P.STALE, _P.CANCELLED}
    ),
    _P.FAILED: frozenset({_P.ROLLED_BACK, _P.UNKNOWN, _P.CANCELLED}),
    _P.VERIFIED: frozenset({_P.ROLLED_BACK}),
    _P.ROLLED_BACK: frozenset(),
    _P.STALE: frozenset({_P.CANCELLED}),
    _P.CANCELLED: frozenset(),
}

# States in which a router holds what its plan wanted; and those in which nothing more will happen.
_DONE = frozenset({_P.PUSHED, _P.VERIFIED})
_ENDED_WITHOUT = frozenset({_P.FAILED, _P.ROLLED_BACK, _P.STALE, _P.CANCELLED})


def change_state(push_states: Iterable[PushState | str]) -> ChangeState:
    """Return what a Change is, from its routers: the most alarming truth wins, PARTIAL when some hold it and some do not.

    A change without routers is VERIFIED: there was nothing to do and nothing is left to do.
    """
    states = frozenset(PushState(state) for state in push_states)
    if not states:
        return ChangeState.VERIFIED
    if len(states) == 1:
        return ChangeState(next(iter(states)).value)
    if _P.UNKNOWN in states:
        return ChangeState.UNKNOWN
    if _P.PUSHING in states:
        return ChangeState.PUSHING
    if states & _DONE:
        if states <= _DONE:
            return ChangeState.PUSHED
        return ChangeState.PARTIAL if states & _ENDED_WITHOUT else ChangeState.PUSHING
    for state in (_P.FAILED, _P.STALE, _P.ROLLED_BACK, _P.PLANNED, _P.APPROVED):
        if state in states:
            return ChangeState(state.value)
    return ChangeState.CANCELLED
