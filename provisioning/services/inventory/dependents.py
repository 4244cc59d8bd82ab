"""What depends on something that is to be retired: named, with what has to be done first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q, QuerySet

from inventory.models import AccessLink, CoreLink, Interface, LineCard, Nren, Peering, Router
from provisioning.errors import Conflict
from provisioning.models import (
    ApiToken,
    LedgerEntry,
    Membership,
    Ownership,
    PremiumRequest,
    RouterPush,
)
from provisioning.pipeline.states import SENDING, PushState, RequestState
from provisioning.pipeline.topology import slot_of
from provisioning.services import clock
from provisioning.services.inventory.staying import not_known, open_at
from provisioning.services.topology.parting import ends_of

NAMED: Final = 20
"""Rows that one obstacle names; the others are counted."""

_LIVING = (RequestState.SUBMITTED, RequestState.HELD, RequestState.ADMITTED, RequestState.ACTIVE)
_MAY_GO_OUT = (PushState.PLANNED, PushState.APPROVED, *SENDING)
_OPEN = (*_MAY_GO_OUT, PushState.UNKNOWN)


@dataclass(frozen=True)
class Named:
    """One thing by its model's name, its key and what people call it."""

    kind: str
    key: int
    label: str


@dataclass(frozen=True)
class Obstacle:
    """Why something is not retired: what is there, the first of it, how many more, and what is done about it."""

    what: str
    named: tuple[Named, ...]
    more: int
    step: str

    def __str__(self) -> str:
        names = ", ".join(each.label for each in self.named)
        return f"{self.what}: {names}{f' and {self.more} more' if self.more else ''}. {self.step}"


class StillNeeded(Conflict):
    """Something depends on what was to be retired; ``obstacles`` says what and what is done first."""

    code = "still-needed"

    def __init__(self, name: str, obstacles: Sequence[Obstacle]) -> None:
        self.obstacles = tuple(obstacles)
        super().__init__(
            f"{name} is still needed. {' '.join(map(str, obstacles))} Nothing was written.",
            obstacles=[
                {
                    "what": each.what,
                    "named": [one.label for one in each.named],
                    "more": each.more,
                    "step": each.step,
                }
                for each in obstacles
            ],
        )


def obstacles_to_retiring(row: object, *, gone: bool = False) -> tuple[Obstacle, ...]:
    """What keeps this from being retired, in the order in which it is done; empty when nothing does.

    With ``gone`` the box of a router is there no more, or the interfaces of a link go with it: what of ours is there, or was
    left half way, keeps nobody.
    """
    found = _OF[type(row)](row, gone)
    return tuple(each for each in found if each is not None)


def refuse_needed(row: Any, *, gone: bool = False) -> None:
    """Raise StillNeeded where something depends on it."""
    if found := obstacles_to_retiring(row, gone=gone):
        raise StillNeeded(str(row), found)


def _obstacle(
    what: str, kind: str, rows: QuerySet[Any, Any], label: Callable[[Any], tuple[int, str]], step: str
) -> Obstacle | None:
    """The first of these rows by name; the others are counted, and not read."""
    first = list(rows[: NAMED + 1])
    if not first:
        return None
    more = 0 if len(first) <= NAMED else rows.count() - NAMED
    return Obstacle(what, tuple(Named(kind, *label(row)) for row in first[:NAMED]), more, step)


def _request(key: int) -> tuple[int, str]:
    return key, f"PIP-{key}"


def _pair(row: tuple[int, str]) -> tuple[int, str]:
    return row


def _requests(what: str, where: Q, step: str) -> Obstacle | None:
    rows = PremiumRequest.objects.filter(where).order_by("pk").values_list("pk", flat=True)
    return _obstacle(what, "PremiumRequest", rows, _request, step)


def _asked(where: Q) -> list[Obstacle | None]:
    undecided = (RequestState.SUBMITTED, RequestState.HELD)
    granted = (RequestState.ADMITTED, RequestState.ACTIVE)
    return [
        _requests("Not decided", where & Q(state__in=undecided), "Refuse them, or have them withdrawn."),
        _requests(
            "Granted",
            where & Q(state__in=granted),
            "Withdraw them or end them early; a change of their routers takes them off.",
        ),
    ]


def _charges(names: Collection[str]) -> Obstacle | None:
    """Without requests that are not over and end on the link itself: those are named as such."""
    ends = Q(request__source_link__name__in=names) | Q(request__destination_link__name__in=names)
    rows = (
        LedgerEntry.objects.filter(link__in=names, released_at=None)
        .exclude(ends, request__state__in=_LIVING)
        .order_by("request")
        .values_list("request_id", flat=True)
        .distinct()
    )
    return _obstacle(
        "Charged to it",
        "PremiumRequest",
        rows,
        _request,
        "A charge ends when its request is over and its routers were seen without it, or when its move is over.",
    )


def pushes_on(routers: Collection[int], states: Collection[PushState] = _OPEN) -> Obstacle | None:
    """Return the pushes of these routers that are in one of these states, by default all that have not ended."""
    rows = RouterPush.objects.filter(router__in=routers, state__in=states).order_by("pk")
    return _obstacle(
        "Pushes that have not ended",
        "RouterPush",
        rows.select_related("router", "change"),
        lambda push: (push.pk, f"{push.change.reference} on {push.router.name}"),
        "Cancel them, or let them end.",
    )


def obstacles_of_links(links: Sequence[AccessLink]) -> tuple[Obstacle, ...]:
    """Return what is charged to any of these links, and the pushes on their routers that have not ended."""
    found = _charges([link.name for link in links]), pushes_on({link.interface.router_id for link in links})
    return tuple(each for each in found if each is not None)


def _of_access_link(link: AccessLink, gone: bool) -> list[Obstacle | None]:
    ours = Q(source_link=link) | Q(destination_link=link)
    left = [] if gone else _left_open([link.interface], closed=True)
    return [*_asked(ours), _charges([link.name]), pushes_on([link.interface.router_id]), *left]


def _left_open(ends: Collection[Interface], *, closed: bool = False) -> list[Obstacle | None]:
    """Interfaces that stay: their routers are known, and let nobody in there."""
    routers = {end.router_id: end.router for end in ends}
    unknown = [
        Named("Router", pk, f"{row.name} ({why})")
        for pk, row in sorted(routers.items())
        if (why := not_known(row))
    ]
    open_ = [
        Named("Router", end.router_id, f"{end.router.name} {what}")
        for end in ends
        for what in open_at(end, closed=closed)
    ]
    return [
        Obstacle(
            "Nobody knows whether somebody can enter at an interface that stays",
            tuple(unknown),
            0,
            "Have it read. Or its interface goes, too.",
        )
        if unknown
        else None,
        Obstacle(
            "Somebody is let in at an interface that stays", tuple(open_), 0, _CLOSE if closed else _SHUT
        )
        if open_
        else None,
    ]


_CLOSE: Final = (
    "Edit the link to non-participant, plan its router and have that pushed: nothing is let in then. "
    "Or its interface goes, too."
)
_SHUT: Final = "Shut it on its router and have that read: nothing is let in then. Or its interface goes, too."


def _of_peering(peering: Peering, gone: bool) -> list[Obstacle | None]:
    left = [] if gone else _left_open([peering.interface])
    return [_charges([peering.name]), pushes_on([peering.interface.router_id]), *left]


def _of_core_link(link: CoreLink, gone: bool) -> list[Obstacle | None]:
    """What is charged to it moves to other links, as with one that is declared down: only what is being sent keeps it, and what
    enters at an interface that stays.
    """
    ends = list(ends_of(link).values())
    return [pushes_on({end.router_id for end in ends}), *([] if gone else _left_open(ends))]


def _links_on(where: Callable[[str], Q]) -> list[Obstacle | None]:
    step = "Retire these links first."
    return [
        _obstacle(what, model.__name__, rows.order_by("name").values_list("pk", "name"), _pair, step)
        for what, model, rows in (
            ("Access links", AccessLink, AccessLink.objects.filter(where("interface"))),
            ("Peerings", Peering, Peering.objects.filter(where("interface"))),
            ("Core links", CoreLink, CoreLink.objects.filter(where("a_interface") | where("z_interface"))),
        )
    ]


def _of_interface(interface: Interface, _gone: bool) -> list[Obstacle | None]:
    return [*_links_on(lambda end: Q(**{end: interface.pk})), pushes_on([interface.router_id])]


def _of_line_card(card: LineCard, _gone: bool) -> list[Obstacle | None]:
    there = Interface.objects.filter(router=card.router_id)
    keys = [pk for pk, name in there.values_list("pk", "name") if slot_of(name) == card.slot]
    rows = there.filter(pk__in=keys).order_by("name").values_list("pk", "name")
    return [_obstacle("Interfaces in its slot", "Interface", rows, _pair, "Retire these interfaces first.")]


def _of_router(router: Router, gone: bool) -> list[Obstacle | None]:
    found = _links_on(lambda end: Q(**{f"{end}__router": router.pk}))
    if gone:
        return [*found, pushes_on([router.pk], states=_MAY_GO_OUT)]
    owned = Ownership.objects.filter(router=router).order_by("kind", "name").values_list("kind", "name")
    return [
        *found,
        pushes_on([router.pk]),
        _obstacle(
            "Objects of ours that are on it",
            "Router",
            owned,
            lambda row: (router.pk, f"{row[0]} {row[1]}"),
            "Once nothing runs over it say that the box is gone; what stands on it then is nobody's.",
        ),
    ]


def _of_nren(nren: Nren, _gone: bool) -> list[Obstacle | None]:
    links = AccessLink.objects.filter(nren=nren).order_by("name").values_list("pk", "name")
    members = Membership.objects.filter(nren=nren, user__is_active=True).order_by("user__username")
    tokens = ApiToken.objects.filter(
        Q(expires_at=None) | Q(expires_at__gt=clock.now()), nren=nren, revoked_at=None
    )
    return [
        *_asked(Q(nren=nren) | Q(receiving_nren=nren)),
        _obstacle("Access links", "AccessLink", links, _pair, "Retire these links first."),
        _obstacle(
            "Tokens that speak for it",
            "ApiToken",
            tokens.order_by("pk"),
            lambda token: (token.pk, f"{token.name} ({token.prefix})"),
            "Revoke them.",
        ),
        _obstacle(
            "People who act for it",
            "User",
            members.values_list("user_id", "user__username"),
            _pair,
            "Take it from them, or close their accounts.",
        ),
    ]


_OF: Final[dict[type, Callable[[Any, bool], list[Obstacle | None]]]] = {
    AccessLink: _of_access_link,
    Peering: _of_peering,
    CoreLink: _of_core_link,
    Interface: _of_interface,
    LineCard: _of_line_card,
    Router: _of_router,
    Nren: _of_nren,
}
