"""How a verified change is undone: never by its stored lines, always by changing what the routers are to hold.

What a router holds is worked out from the inventory, the scheme and the reservations that are on. Lines sent against
that would be a difference at the next verification, would show accepted reservations gone, and would be put back by the
next plan. So the way back of a reservation is its withdrawal, that of a baseline another network file, that of a repair
saying that the hand edit was right; each makes a new plan against what runs then, approved like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from provisioning.models import Change, ChangeKind, PremiumRequest
from provisioning.pipeline.states import PushState, RequestState

LIVE = (RequestState.ADMITTED, RequestState.ACTIVE)


@dataclass(frozen=True, slots=True)
class WayBack:
    """One step: `code` is withdraw, modify, removal, undone, ask-again, inventory or adopt; `request` is its id where it
    concerns one.
    """

    code: str
    text: str
    request: int | None = None

    def to_json(self) -> dict[str, str | int | None]:
        """Plain values for the API and for `--json`."""
        return {"code": self.code, "text": self.text, "request": self.request}


def way_back(change: Change) -> tuple[WayBack, ...]:
    """What undoes what this change put on the routers; nothing while none of its lines was verified."""
    sent = [push for push in change.pushes.all() if push.state == PushState.VERIFIED and push.lines]
    if not sent:
        return ()
    routers = ", ".join(sorted({push.router.name for push in sent}))
    steps = [_of_request(change, request) for request in change.requests.all()]
    return (*steps, *_of_kind(change, routers))


def _of_request(change: Change, request: PremiumRequest) -> WayBack:
    name = request.reference
    if request.state in LIVE and str(request.pk) in change.modifies:
        return WayBack(
            "modify",
            f"Modify {name} back to what it was: that is decided on the difference, planned against what runs then, and "
            "approved and pushed like any change.",
            request.pk,
        )
    if request.state in LIVE:
        twin = " The other direction is withdrawn with it." if request.twin_id is not None else ""
        return WayBack(
            "withdraw",
            f"Withdraw {name}: taking it off is planned by itself, against what runs then, and is approved and pushed "
            f"like any change. Its capacity stays charged until it is seen gone.{twin}",
            request.pk,
        )
    if change.kind != ChangeKind.REMOVAL and request.state in (RequestState.WITHDRAWN, RequestState.EXPIRED):
        return WayBack(
            "removal", f"{name} is {request.state.lower()}: taking it off is planned by itself.", request.pk
        )
    if change.kind != ChangeKind.REMOVAL and request.state == RequestState.COMPLETED:
        return WayBack(
            "undone",
            f"{name} was seen gone from the routers: what this change put on is off, nothing is left to undo. It comes "
            "back only as a new request, decided anew.",
            request.pk,
        )
    return WayBack(
        "ask-again",
        f"{name} is {request.state.lower()}: it comes back only as a new request, decided anew, for what was granted to "
        "others since counts.",
        request.pk,
    )


def _of_kind(change: Change, routers: str) -> Iterator[WayBack]:
    if change.kind == ChangeKind.BASELINE:
        yield WayBack(
            "inventory",
            f"What it put on {routers} follows from the network file, the scheme ({change.scheme}) and the templates: "
            "import a network file that says what is right (manage.py import_inventory FILE --dry-run shows the "
            "difference, and which reservations it would break), then plan the routers.",
        )
    elif change.kind == ChangeKind.REPAIR:
        yield WayBack(
            "adopt",
            f"It put back what was edited by hand on {routers}. If the edit was right, say so in the network file and "
            "plan the routers; a policy of another make is taken over with manage.py adopt.",
        )
