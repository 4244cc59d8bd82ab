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
        for holder in ("reservation__request", "hold"):
            named = rows.filter(**{f"{holder}__isnull": False}).order_by()
            for pk, service, size, start, end in named.values_list(
                f"{holder}_id", f"{holder}__service_class", f"{holder}__bucket_bytes", "start", "end"
            ):
                over = end is not None and end <= now
                found.add((pk, link, service, size, TimeWindow(start, None if over else end)))
    return tuple(SharedBucket(link, service, size, window) for _, link, service, size, window in found)
