"""The token buckets of what enters over a link, for admission to judge those that share a policer."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db.models import Q

from provisioning.models import LedgerEntry
from provisioning.pipeline.admission import SharedBucket
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import Direction
from provisioning.pipeline.units import TimeWindow

_OF_HOLD = ("hold_id", "hold__service_class", "hold__bucket_bytes")
_OF_RESERVATION = tuple(f"reservation__request_{name}" for name in ("id", "_service_class", "_bucket_bytes"))


def shared_buckets(
    slss: Iterable[Sls], *, now: datetime, except_requests: Collection[int] = ()
) -> tuple[SharedBucket, ...]:
    """The buckets of everybody who is charged inwards on the source links of ``slss`` while their windows last.

    Rows as values, of those windows alone. What is over and was not yet seen gone counts on without an end, a hold until it
    lapses, as in the ledger.
    """
    asked = {(sls.source_link, sls.window) for sls in slss}
    found: set[tuple[int, str, str, int, TimeWindow]] = set()
    for link, window in asked:
        rows = LedgerEntry.objects.filter(link=link, direction=Direction.IN.value, released_at=None)
        rows = rows.filter(Q(hold=None) | Q(lapses_at__gt=now))
        rows = rows.filter(Q(end=None) | Q(end__gt=window.start) | Q(end__lte=now))
        if window.end is not None:
            rows = rows.filter(start__lt=window.end)
        if except_requests:
            rows = rows.exclude(reservation__request_id__in=except_requests)
            rows = rows.exclude(hold_id__in=except_requests)
        named = rows.order_by().values_list(*_OF_RESERVATION, *_OF_HOLD, "start", "end")
        for *held, start, end in named:
            pk, service, size = held[:3] if held[0] is not None else held[3:]
            over = end is not None and end <= now
            found.add((pk, link, service, size, TimeWindow(start, None if over else end)))
    return tuple(SharedBucket(link, service, size, window) for _, link, service, size, window in found)
