"""What depends on something that is to be retired: named, with what has to be done first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q

from inventory.models import AccessLink, CoreLink, Interface, LineCard, Nren, Peering, Router
from provisioning.errors import Conflict
from provisioning.models import ApiToken, LedgerEntry, Membership, Ownership, PremiumRequest, RouterPush
from provisioning.pipeline.states import PushState, RequestState
from provisioning.pipeline.topology import slot_of
from provisioning.services import clock
from provisioning.services.topology.parting import ends_of

NAMED: Final = 20
"""Rows that one obstacle names; the others are counted."""

_LIVING = (RequestState.SUBMITTED, RequestState.HELD, RequestState.ADMITTED, RequestState.ACTIVE)
_OPEN = (PushState.PLANNED, PushState.APPROVED, PushState.PUSHING, PushState.PUSHED, PushState.UNKNOWN)


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

    With ``gone`` the box of a router is there no more: what of ours is on it, or on its way there, keeps nobody.
    """
    found = _OF[type(row)](row, gone)
    return tuple(each for each in found if each is not None)


def refuse_needed(row: Any, *, gone: bool = False) -> None:
    """Raise StillNeeded where something depends on it."""
    if found := obstacles_to_retiring(row, gone=gone):
        raise StillNeeded(str(row), found)


def _obstacle(what: str, kind: str, rows: Iterable[tuple[int, str]], step: str) -> Obstacle | None:
    every = list(rows)
    if not every:
        return None
    named = tuple(Named(kind, key, label) for key, label in every[:NAMED])
    return Obstacle(what, named, len(every) - len(named), step)


def _requests(what: str, where: Q, step: str) -> Obstacle | None:
    rows = PremiumRequest.objects.filter(where).order_by("pk").values_list("pk", flat=True)
    return _obstacle(what, "PremiumRequest", ((pk, f"PIP-{pk}") for pk in rows), step)


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


def _charges(name: str) -> Obstacle | None:
    keys = (
        LedgerEntry.objects.filter(link=name, released_at=None)
        .exclude(request__state__in=_LIVING, request__source_link__name=name)
        .exclude(request__state__in=_LIVING, request__destination_link__name=name)
        .order_by("request")
        .values_list("request_id", flat=True)
        .distinct()
    )
    return _obstacle(
        "Charged to it",
        "PremiumRequest",
        ((pk, f"PIP-{pk}") for pk in keys),
        "A charge ends when its request is over and its routers were seen without it, or when its move is over.",
    )


def _pushes(routers: Sequence[int]) -> Obstacle | None:
    rows = RouterPush.objects.filter(router__in=routers, state__in=_OPEN).order_by("pk")
    found = rows.select_related("router", "change")
    named = ((push.pk, f"{push.change.reference} on {push.router.name}") for push in found)
    return _obstacle("Pushes that have not ended", "RouterPush", named, "Cancel them, or let them end.")


def _of_access_link(link: AccessLink, _gone: bool) -> list[Obstacle | None]:
    ours = Q(source_link=link) | Q(destination_link=link)
    return [*_asked(ours), _charges(link.name), _pushes([link.interface.router_id])]


def _of_peering(peering: Peering, _gone: bool) -> list[Obstacle | None]:
    return [_charges(peering.name), _pushes([peering.interface.router_id])]


def _of_core_link(link: CoreLink, _gone: bool) -> list[Obstacle | None]:
    """What is charged to it moves to other links, as with one that is declared down: only what is being sent keeps it."""
    return [_pushes(sorted({end.router_id for end in ends_of(link).values()}))]


def _links_on(where: Callable[[str], Q]) -> list[Obstacle | None]:
    step = "Retire these links first."
    return [
        _obstacle(what, model.__name__, rows.order_by("name").values_list("pk", "name"), step)
        for what, model, rows in (
            ("Access links", AccessLink, AccessLink.objects.filter(where("interface"))),
            ("Peerings", Peering, Peering.objects.filter(where("interface"))),
            ("Core links", CoreLink, CoreLink.objects.filter(where("a_interface") | where("z_interface"))),
        )
    ]


def _of_interface(interface: Interface, _gone: bool) -> list[Obstacle | None]:
    return [*_links_on(lambda end: Q(**{end: interface.pk})), _pushes([interface.router_id])]


def _of_line_card(card: LineCard, _gone: bool) -> list[Obstacle | None]:
    names = [
        (pk, f"{card.router.name}:{name}")
        for pk, name in Interface.objects.filter(router=card.router_id)
        .order_by("name")
        .values_list("pk", "name")
        if slot_of(name) == card.slot
    ]
    return [_obstacle("Interfaces in its slot", "Interface", names, "Retire these interfaces first.")]


def _of_router(router: Router, gone: bool) -> list[Obstacle | None]:
    found = _links_on(lambda end: Q(**{f"{end}__router": router.pk}))
    if gone:
        return found
    owned = Ownership.objects.filter(router=router).order_by("kind", "name").values_list("kind", "name")
    return [
        *found,
        _pushes([router.pk]),
        _obstacle(
            "Objects of ours that are on it",
            "Router",
            ((router.pk, f"{kind} {name}") for kind, name in owned),
            "Plan its router again once its links are retired: what is not wanted any more is taken off. Or say that the "
            "box is gone.",
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
        _obstacle("Access links", "AccessLink", links, "Retire these links first."),
        _obstacle(
            "Tokens that speak for it",
            "ApiToken",
            ((token.pk, f"{token.name} ({token.prefix})") for token in tokens.order_by("pk")),
            "Revoke them.",
        ),
        _obstacle(
            "People who act for it",
            "User",
            members.values_list("user_id", "user__username"),
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
