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
from provisioning.selectors.ledger import overlapping

_FIELDS = ("request_id", "request__service_class", "request__bucket_bytes", "start", "end")


def shared_buckets(
    slss: Iterable[Sls], *, now: datetime, except_requests: Collection[int] = ()
) -> tuple[SharedBucket, ...]:
    """The buckets of everybody who is charged inwards on the source links of ``slss`` while their windows last.

    Rows as values, of those windows alone. What is over and was not yet seen gone counts on without an end, a hold until it
    lapses, as in the ledger.
    """
    found: set[tuple[int, str, str, int, TimeWindow]] = set()
    for link, window in {(sls.source_link, sls.window) for sls in slss}:
        rows = LedgerEntry.objects.order_by().filter(link=link, direction=Direction.IN.value)
        rows = rows.filter(Q(hold=None) | Q(lapses_at__gt=now), released_at=None)
        if except_requests:
            rows = rows.exclude(request_id__in=except_requests)
        for pk, service, size, start, end in overlapping(rows, window, now).values_list(*_FIELDS):
            over = end is not None and end <= now
            found.add((pk, link, service, size, TimeWindow(start, None if over else end)))
    return tuple(SharedBucket(link, service, size, window) for _, link, service, size, window in found)
