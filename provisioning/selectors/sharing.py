"""The token buckets of what enters over a link, for admission to judge those that share a policer."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from provisioning.pipeline.admission import SharedBucket
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import Direction
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.ledger import counting, overlapping, window_of

_FIELDS = ("request_id", "request__service_class", "request__bucket_bytes", "start", "end")


def shared_buckets(
    slss: Iterable[Sls], *, now: datetime, except_requests: Collection[int] = ()
) -> tuple[SharedBucket, ...]:
    """The buckets of everybody who is charged inwards on the source links of ``slss`` while their windows last.

    Rows as values, of those windows alone; what counts is the ledger's rule.
    """
    found: set[tuple[int, str, str, int, TimeWindow]] = set()
    for link, window in {(sls.source_link, sls.window) for sls in slss}:
        rows = counting(now).filter(link=link, direction=Direction.IN.value)
        if except_requests:
            rows = rows.exclude(request_id__in=except_requests)
        for pk, service, size, start, end in overlapping(rows, window, now).values_list(*_FIELDS):
            found.add((pk, link, service, size, window_of(start, end, now)))
    return tuple(SharedBucket(link, service, size, window) for _, link, service, size, window in found)
