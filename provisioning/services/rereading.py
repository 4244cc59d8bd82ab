"""Which routers are to be read again for drift: spread over time, and seldom where nothing changes."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db.models import F, Q, QuerySet

from provisioning.models import RouterSync, SyncState, TopologyVersion

SLOTS: Final = 8
"""Routers that were read together, after an import say, come apart: each is read a part of the last fifth of its time early."""
EARLY: Final = 0.2
QUIET: Final = (timedelta(days=1), timedelta(days=7))
"""In sync and the same for so long, a router is read half as seldom as it may be; and as seldom."""


def due(now: datetime) -> QuerySet[RouterSync]:
    """The routers that were not read for so long, the longest first. One that differs or is not known, or was not read since the
    network became another one, is never left for longer than `VERIFY_SECONDS`; one that stays the same for up to
    `VERIFY_STEADY_FACTOR` times that.
    """
    every = timedelta(seconds=settings.VERIFY_SECONDS)
    longest = max(1.0, settings.VERIFY_STEADY_FACTOR)
    day, week = (now - each for each in QUIET)
    newest = TopologyVersion.objects.order_by("-pk").values_list("created_at", flat=True).first()
    steady = Q(state=SyncState.IN_SYNC) & (Q() if newest is None else Q(checked_at__gte=newest))
    times = (
        (~steady | Q(same_since=None) | Q(same_since__gt=day), 1.0),
        (steady & Q(same_since__lte=day, same_since__gt=week), max(1.0, longest / 2)),
        (steady & Q(same_since__lte=week), longest),
    )
    late = Q(pk__in=[])
    for which, factor in times:
        for slot in range(SLOTS):
            before = now - every * factor * (1 - EARLY * slot / SLOTS)
            late |= which & Q(slot=slot, checked_at__lt=before)
    rows = RouterSync.objects.filter(router__retired_at=None).annotate(slot=F("router_id") % SLOTS)
    return rows.filter(late).order_by("checked_at")


def is_any(now: datetime) -> bool:
    """Whether a router was read so long ago that it may be one of those: most times that somebody looks none was."""
    soonest = now - timedelta(seconds=settings.VERIFY_SECONDS) * (1 - EARLY)
    return RouterSync.objects.filter(checked_at__lt=soonest).exists()
