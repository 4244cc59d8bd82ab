"""The requests of a series: who may see and decide them, read or locked together, occurrence by occurrence."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from itertools import groupby

from django.db.models import Q, QuerySet

from provisioning.errors import NotPermitted, NotVisible, StaleState
from provisioning.models import Actor, PremiumRequest, Series
from provisioning.pipeline.change import RequestState
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
    """Raise NotVisible or NotPermitted unless ``actor`` is a named member of the NOC, and not who submitted it."""
    must_see(actor, series)
    if actor.user_id is None or not actor.is_noc:
        raise NotPermitted("Series are decided by a named member of the NOC.")
    if series.submitted_by_id == actor.user_id:
        raise NotPermitted(
            f"{series.reference} was submitted by you: somebody else of the NOC decides about it."
        )


def may_change(actor: Actor, series: Series, deed: str) -> None:
    """Raise NotVisible, or NotPermitted unless ``actor`` acts for the NREN that asked or is the NOC; ``deed`` as in "changed"."""
    must_see(actor, series)
    if actor.user_id is None or not (actor.is_noc or series.nren_id in actor.nren_ids):
        raise NotPermitted(f"A series is {deed} by the NREN that asked for it, or by the NOC.")


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
