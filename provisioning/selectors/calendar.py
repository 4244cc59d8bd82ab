"""Who has, or asks for, a reservation between two moments: everybody, of an NREN, on a link, or at a router."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Final

from django.db.models import F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Greatest

from inventory.models import AccessLink, CoreLink, Nren, Peering, Router
from provisioning.errors import InvalidInput
from provisioning.models import Actor, LedgerEntry, Modification, PremiumRequest
from provisioning.pipeline.states import RequestState
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors import requests

STANDING: Final = (
    RequestState.SUBMITTED,
    RequestState.HELD,
    RequestState.ADMITTED,
    RequestState.ACTIVE,
    RequestState.EXPIRED,
    RequestState.COMPLETED,
)
"""The states of what is or was promised, or may yet be: what was refused, taken back or never provided affects nobody."""


def between(
    actor: Actor,
    window: TimeWindow,
    *,
    nren: str = "",
    link: str = "",
    router: str = "",
    states: Collection[RequestState] = STANDING,
) -> QuerySet[PremiumRequest]:
    """The requests ``actor`` may see whose window overlaps this one, by when they begin.

    On an access link are those that enter or leave there; on a core link or a peering those that are charged to it and were not
    seen gone. At a router are both. Of one name are all rows that have it or had it: what was retired had reservations, and who
    subscribed to its calendar is told so still. Raises InvalidInput for a link, router or NREN that never was.
    """
    rows = requests.within(requests.for_actor(actor), window).filter(state__in=[str(each) for each in states])
    if nren:
        rows = rows.filter(_of(nren))
    if link:
        rows = rows.filter(_on(link, window))
    if router:
        rows = rows.filter(_at(router, window))
    return rows.order_by("start", "pk")


def _of(name: str) -> Q:
    keys = list(Nren.every.filter(name=name).values_list("pk", flat=True))
    if not keys:
        raise InvalidInput(f"there is no NREN “{name:.80}”", field="nren")
    return Q(nren__in=keys) | Q(receiving_nren__in=keys)


def _on(name: str, window: TimeWindow) -> Q:
    access = list(AccessLink.every.filter(name=name).values_list("pk", flat=True))
    if access:
        return Q(source_link__in=access) | Q(destination_link__in=access)
    if not any(rows.filter(name=name).exists() for rows in (CoreLink.every, Peering.every)):
        raise InvalidInput(f"there is no link “{name:.200}”", field="link")
    return Q(pk__in=_charged([name], window))


def _at(name: str, window: TimeWindow) -> Q:
    keys = list(Router.every.filter(name=name).values_list("pk", flat=True))
    if not keys:
        raise InvalidInput(f"there is no router “{name:.80}”", field="router")
    access = list(AccessLink.every.filter(interface__router__in=keys).values_list("pk", flat=True))
    core = CoreLink.every.filter(Q(a_interface__router__in=keys) | Q(z_interface__router__in=keys))
    links = {
        *core.values_list("name", flat=True),
        *Peering.every.filter(interface__router__in=keys).values_list("name", flat=True),
    }
    return Q(source_link__in=access) | Q(destination_link__in=access) | Q(pk__in=_charged(links, window))


def _charged(links: Collection[str], window: TimeWindow) -> QuerySet[LedgerEntry]:
    """The keys of the requests that are charged to these links in a window."""
    rows = LedgerEntry.objects.order_by().filter(link__in=links, released_at=None)
    rows = rows.filter(Q(end=None) | Q(end__gt=window.start))
    if window.end is not None:
        rows = rows.filter(start__lt=window.end)
    return rows.values("request")  # type: ignore[return-value]


def with_last_change(rows: QuerySet[PremiumRequest]) -> QuerySet[PremiumRequest]:
    """These requests, each with ``changed_at``: when its state became another, or a modification came in force."""
    changed = Modification.objects.filter(request=OuterRef("pk"), in_force_at__isnull=False).order_by()
    last = changed.values("request").annotate(last=Max("in_force_at")).values("last")
    return rows.annotate(
        changed_at=Greatest(F("state_changed_at"), Coalesce(Subquery(last), F("state_changed_at")))
    )


def shown_from(now: datetime) -> datetime:
    """The first instant of the day: what a calendar that somebody subscribes to is reckoned from, the same all day."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0)
