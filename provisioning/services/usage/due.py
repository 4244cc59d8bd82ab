"""Whose counters are to be read, and when: each router on its own moment, that not all are asked at once."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from inventory.models import Router
from provisioning.models import CounterLook, RouterLease, RouterSync

AT_ONCE = 1000
SLACK = timedelta(seconds=60)


def begin_counting(now: datetime) -> None:
    """Let routers that were read once be counted too, each from its own moment within the next `USAGE_SECONDS` on."""
    new = Router.objects.filter(
        Exists(RouterSync.objects.filter(router=OuterRef("pk"), checked_at__isnull=False)),
        ~Exists(CounterLook.objects.filter(router=OuterRef("pk"))),
    )
    rows = [
        CounterLook(router_id=pk, due_at=now + timedelta(seconds=place_of(name) * settings.USAGE_SECONDS))
        for pk, name in new.order_by("pk").values_list("pk", "name")[:AT_ONCE]
    ]
    if rows:
        CounterLook.objects.bulk_create(rows, ignore_conflicts=True)


def due(now: datetime) -> QuerySet[CounterLook]:
    """The looks that are due, the longest due first, but those of routers that are being written to: a router has few lines to
    log in by, and a push goes first. One that is due later than a whole beat from now was put off by another beat, or by a
    clock that was wrong.
    """
    written_to = RouterLease.objects.filter(until__gt=now, router=OuterRef("router"))
    beat = timedelta(seconds=settings.USAGE_SECONDS)
    late = Q(due_at__lte=now) | Q(due_at__gt=now + beat + SLACK)
    return (
        CounterLook.objects.filter(late, router__retired_at=None)
        .exclude(Exists(written_to))
        .order_by("due_at", "pk")
    )


def next_due(last: datetime, now: datetime) -> datetime:
    """When what was due at `last` is due again: on its own beat, however late it was read, and within one of them."""
    beat = timedelta(seconds=settings.USAGE_SECONDS)
    missed = max((now - last) // beat, 0) if beat else 0
    return min(last + beat * (missed + 1), now + beat)


def place_of(router: str) -> float:
    """Where in the interval a router is counted, 0 to 1: by its name, the same in every process."""
    return int.from_bytes(hashlib.sha256(router.encode()).digest()[:4], "big") / 256**4
