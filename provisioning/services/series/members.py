"""The requests of a series: who may see and decide them, read or locked together, occurrence by occurrence."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from itertools import groupby

from django.db.models import Q, QuerySet

from provisioning.errors import NotVisible, StaleState
from provisioning.models import Actor, PremiumRequest, Series, Verb
from provisioning.pipeline.states import RequestState
from provisioning.selectors.authority import permit_named, permit_with, refuse_by, to_deciding
from provisioning.selectors.series import for_actor
from provisioning.services.decisions.each import Group
from provisioning.services.locking import locked

OPEN = (RequestState.SUBMITTED, RequestState.HELD)


def concerned(series: Series) -> list[int]:
    """The NRENs that may see what happens to a series."""
    return [nren for nren in (series.nren_id, series.receiving_nren_id) if nren is not None]


def must_see(actor: Actor, series: Series) -> None:
    """Raise NotVisible unless ``actor`` may see the series."""
    if not for_actor(actor).filter(pk=series.pk).exists():
        raise NotVisible("There is no such series, or it is not yours to see.")


def may_decide(actor: Actor, series: Series) -> None:
    """Raise NotVisible or NotPermitted unless ``actor`` is a named approver of the NOC, and does not stand behind it."""
    must_see(actor, series)
    refuse_by(to_deciding(actor, [series]))
    permit_named(actor, Verb.DECIDE)


def may_change(actor: Actor, series: Series, verb: Verb) -> None:
    """Raise NotVisible, or NotPermitted unless the table gives ``actor`` this verb with the series."""
    must_see(actor, series)
    permit_with(actor, verb, series)


def groups_of(
    series: Series, states: Collection[RequestState] = OPEN, *, now: datetime
) -> list[tuple[PremiumRequest, ...]]:
    """The occurrences in one of ``states`` whose window is not over, in order; of both ways the way out first."""
    return _grouped(_rows(series, states, now))


def locked_groups(
    series: Series, states: Collection[RequestState] = OPEN, *, now: datetime
) -> list[tuple[PremiumRequest, ...]]:
    """As `groups_of`, the rows locked in key order until the transaction ends; raises StaleState when there is none."""
    found = _grouped(locked(_rows(series, states, now)))
    if not found:
        raise StaleState(f"no occurrence of {series.reference} is {' or '.join(states)}")
    return found


def rows_in(groups: Iterable[Group]) -> list[PremiumRequest]:
    """All requests of the occurrences, by key."""
    return sorted((row for group in groups for row in group), key=lambda row: row.pk)


def _rows(series: Series, states: Collection[RequestState], now: datetime) -> QuerySet[PremiumRequest]:
    rows = PremiumRequest.objects.filter(
        Q(end__gt=now) | Q(end=None), series=series, state__in=[str(state) for state in states]
    )
    return rows.select_related("source_link", "destination_link", "nren__domain", "receiving_nren").order_by(
        "pk"
    )


def _grouped(rows: Iterable[PremiumRequest]) -> list[tuple[PremiumRequest, ...]]:
    ordered = sorted(rows, key=lambda row: (row.start, row.pk))
    return [tuple(group) for _start, group in groupby(ordered, key=lambda row: row.start)]
