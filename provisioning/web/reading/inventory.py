"""Rows of the network by kind: the row, its page, what happened to it, and those that are retired."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.core.paginator import Page, Paginator
from django.db.models import Q
from django.urls import reverse

from inventory.models import AccessLink, CoreLink, Interface, Nren, Peering, Router
from provisioning.errors import NotVisible
from provisioning.models import AuditEvent, PremiumRequest
from provisioning.pipeline.states import RequestState
from provisioning.services.inventory import BY_SLUG, KINDS, Kind, Obstacle

EVENTS_OF_A_PAGE: Final = 50


def kind_named(slug: str) -> Kind:
    """Return the kind of that name in an address; raises NotVisible."""
    kind = BY_SLUG.get(slug)
    if kind is None:
        raise NotVisible("There is no such kind of thing.")
    return kind


def row_of(kind: Kind, pk: int, *, retired: bool = False) -> Any:
    """Return a row in use, or with ``retired`` any that ever was; raises NotVisible."""
    model: Any = kind.model
    rows = model.every if retired and hasattr(model, "every") else model.objects
    row = rows.filter(pk=pk).first()
    if row is None:
        raise NotVisible(f"There is no such {kind.spoken}.")
    return row


def page_of_row(row: Any) -> str:
    """Return the address of its page; that of its router where it has none of its own."""
    if isinstance(row, Router):
        return reverse("web:router", args=[row.name])
    views = {Nren: "nren", AccessLink: "link-access", CoreLink: "link-core", Peering: "link-peering"}
    view = views.get(type(row))
    return reverse(f"web:{view}", args=[row.pk]) if view else reverse("web:router", args=[row.router.name])


@dataclass(frozen=True)
class Line:
    """One field of an event: its name, and its text before and after."""

    field: str
    before: str
    after: str


@dataclass(frozen=True)
class Told:
    """An event with what it changed, field by field."""

    event: AuditEvent
    lines: tuple[Line, ...]


def log_of(row: Any, number: str) -> Page[Told]:
    """Return one page of what happened to a row, the newest first."""
    found = AuditEvent.objects.filter(object_type=type(row).__name__, object_id=str(row.pk)).order_by(
        "-chain_index"
    )
    page: Any = Paginator(found, EVENTS_OF_A_PAGE).get_page(number)
    page.object_list = [Told(event, tuple(_lines(event))) for event in page.object_list]
    return page  # type: ignore[no-any-return]


def _lines(event: AuditEvent) -> Iterator[Line]:
    before, after = event.before or {}, event.after or {}
    if not isinstance(before, dict) or not isinstance(after, dict):
        return
    for name in dict.fromkeys([*before, *after]):
        old, new = _spelled(before.get(name)), _spelled(after.get(name))
        if old != new:
            yield Line(name, old, new)


def _spelled(value: object) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


@dataclass(frozen=True)
class Retired:
    """Something that is in use no more: its kind, what it is called, since when, and its page of what happened to it."""

    kind: str
    name: str
    at: datetime
    log: str
    page: str


def retired(text: str) -> list[Retired]:
    """Return all that was retired of which the name holds ``text``, the newest first."""
    found = [
        Retired(
            kind.spoken,
            str(row),
            row.retired_at,
            reverse("web:inventory-log", args=[kind.slug, row.pk]),
            "" if isinstance(row, Interface | Router) else page_of_row(row),
        )
        for kind in KINDS
        if hasattr(kind.model, "every")
        for row in _retired_rows(kind, text)
    ]
    return sorted(found, key=lambda each: each.at, reverse=True)


def _retired_rows(kind: Kind, text: str) -> Any:
    model: Any = kind.model
    rows = model.every.exclude(retired_at=None).filter(name__icontains=text)
    if model is Interface:  # not those that went with their link, or with their router
        rows = rows.filter(
            Q(router__retired_at=None), access_link=None, peering=None, core_link_a=None, core_link_z=None
        ).select_related("router")
    return rows


@dataclass(frozen=True)
class Way:
    """One thing that an obstacle names, and its page; "" where it has none."""

    label: str
    url: str


def router_way(name: str) -> Way:
    """Return the way to a router's page."""
    return Way(name, reverse("web:router", args=[name]))


@dataclass(frozen=True)
class ObstacleShown:
    """What keeps something, with a link to each."""

    what: str
    ways: tuple[Way, ...]
    more: int
    step: str


def shown_obstacles(obstacles: tuple[Obstacle, ...]) -> list[ObstacleShown]:
    """Return obstacles with the addresses of what they name."""
    return [
        ObstacleShown(
            each.what,
            tuple(Way(one.label, _url(one.kind, one.key)) for one in each.named),
            each.more,
            each.step,
        )
        for each in obstacles
    ]


def _url(kind: str, key: int) -> str:
    views = {
        "PremiumRequest": "request",
        "RouterPush": "push",
        "AccessLink": "link-access",
        "CoreLink": "link-core",
        "Peering": "link-peering",
        "ApiToken": "token-revoke",
        "User": "person",
    }
    if kind in views:
        return reverse(f"web:{views[kind]}", args=[key])
    if kind == "Interface":
        return reverse("web:inventory-retire", args=["interface", key])
    return ""


def sending_from(link: AccessLink) -> list[PremiumRequest]:
    """Return the reservations that send from a link and are not over: at most so many as a page of a log has events."""
    standing = (RequestState.ADMITTED, RequestState.ACTIVE)
    return list(
        PremiumRequest.objects.filter(source_link=link, state__in=standing).order_by("pk")[:EVENTS_OF_A_PAGE]
    )
