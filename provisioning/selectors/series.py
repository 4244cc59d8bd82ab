"""Series as people may see them, and where their occurrences stand."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Count, Max, Min, Q, QuerySet

from provisioning.errors import NotVisible
from provisioning.models import Actor, PremiumRequest, Series


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


def spans_of(series: Collection[int]) -> dict[int, tuple[object, object]]:
    """When the first request of each of these series begins, and when the last ends."""
    rows = PremiumRequest.objects.filter(series__in=list(series)).order_by()
    found = rows.values_list("series").annotate(Min("start"), Max("end"))
    return {key: (first, last) for key, first, last in found}
