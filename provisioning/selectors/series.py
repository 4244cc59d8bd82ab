"""Series as people may see them, and where their occurrences stand."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Max, Min, Q, QuerySet
from django.db.models.functions import Coalesce

from provisioning.errors import NotVisible
from provisioning.models import Actor, PremiumRequest, Series
from provisioning.pipeline.states import RequestState

LIVE = (RequestState.SUBMITTED, RequestState.HELD, RequestState.ADMITTED, RequestState.ACTIVE)
"""The states of an occurrence that is to come, or under way, where its window is not over."""


def for_actor(actor: Actor) -> QuerySet[Series]:
    """The series ``actor`` may see: the NOC and auditors all, an NREN those it asked for and those it receives."""
    rows = Series.objects.select_related("nren", "receiving_nren", "submitted_by")
    if actor.sees_everything:
        return rows
    return rows.filter(Q(nren_id__in=actor.nren_ids) | Q(receiving_nren_id__in=actor.nren_ids))


def visible(actor: Actor, pk: int) -> Series:
    """The series with that key; raises NotVisible alike for "there is none" and "it is somebody else's"."""
    found = for_actor(actor).filter(pk=pk).first()
    if found is None:
        raise NotVisible("There is no such series, or it is not yours to see.")
    return found


def standing_of(series: Collection[int]) -> dict[int, dict[str, int]]:
    """How many requests of each of these series (their keys) are in which state."""
    rows = PremiumRequest.objects.filter(series__in=list(series)).order_by()
    found: dict[int, dict[str, int]] = {key: {} for key in series}
    for key, state, count in rows.values_list("series", "state").annotate(Count("pk")):
        found[key][state] = count
    return found


def one_row_each(rows: QuerySet[PremiumRequest], *, now: datetime) -> QuerySet[PremiumRequest]:
    """`rows`, and of each series one alone: of those among them what is under way or next, else the last."""
    next_one = Min("pk", filter=_to_come(now))  # keys go up with time within a series
    of_series = rows.filter(series__isnull=False).order_by().select_related(None).values("series")
    return rows.filter(
        Q(series=None) | Q(pk__in=of_series.annotate(shown=Coalesce(next_one, Max("pk"))).values("shown"))
    )


@dataclass(frozen=True)
class Occurrences:
    """How many occurrences of a series are in which state, and how many are under way or to come; both ways are one."""

    states: dict[str, int]
    to_come: int


def occurrences_of(series: Collection[int], *, now: datetime) -> dict[int, Occurrences]:
    """That of each of these series (their keys), in one query."""
    rows = PremiumRequest.objects.filter(
        Q(twin=None) | Q(pk__lt=F("twin")), series__in=list(series)
    ).order_by()
    found = {key: Occurrences({}, 0) for key in series}
    counted = rows.values_list("series", "state").annotate(
        many=Count("pk"), left=Count("pk", filter=_to_come(now))
    )
    for key, state, count, to_come in counted:
        before = found[key]
        found[key] = Occurrences({**before.states, state: count}, before.to_come + to_come)
    return found


def _to_come(now: datetime) -> Q:
    return Q(state__in=[str(state) for state in LIVE]) & (Q(end=None) | Q(end__gt=now))


def spans_of(series: Collection[int]) -> dict[int, tuple[object, object]]:
    """When the first request of each of these series begins, and when the last ends."""
    rows = PremiumRequest.objects.filter(series__in=list(series)).order_by()
    found = rows.values_list("series").annotate(Min("start"), Max("end"))
    return {key: (first, last) for key, first, last in found}
