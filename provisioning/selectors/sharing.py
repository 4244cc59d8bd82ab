"""The token buckets of what enters over a link, for admission to judge those that share a policer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime

from django.db import connection

from provisioning.pipeline.admission import SharedBucket
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import Direction
from provisioning.pipeline.units import TimeWindow, covering
from provisioning.selectors.courses import bucket_courses
from provisioning.selectors.ledger import counting, overlapping, window_of

_FIELDS = ("request_id", "request__service_class", "request__bucket_bytes", "start", "end")


def shared_buckets(
    slss: Iterable[Sls], *, now: datetime, except_requests: Collection[int] = ()
) -> tuple[SharedBucket, ...]:
    """The buckets of everybody who is charged inwards on the source links of ``slss`` while their windows last.

    Of those windows alone; what counts is the ledger's rule. On PostgreSQL those of a class are added up, one for each stretch
    of time.
    """
    read = _added_up if connection.vendor == "postgresql" else _each
    windows: dict[str, list[TimeWindow]] = {}
    for sls in slss:
        windows.setdefault(sls.source_link, []).append(sls.window)
    return tuple(
        bucket
        for link, asked in windows.items()
        for bucket in read(link, covering(asked), now, except_requests)
    )


def _added_up(link: str, window: TimeWindow, now: datetime, own: Collection[int]) -> Iterator[SharedBucket]:
    for service, steps in bucket_courses(now=now, link=link, within=window, except_requests=own).items():
        for place, (start, size) in enumerate(steps):
            if size:
                end = steps[place + 1][0] if place + 1 < len(steps) else None
                yield SharedBucket(link, service, size, TimeWindow(start, end))


def _each(link: str, window: TimeWindow, now: datetime, own: Collection[int]) -> Iterator[SharedBucket]:
    rows = counting(now).filter(link=link, direction=Direction.IN.value)
    if own:
        rows = rows.exclude(request_id__in=own)
    for _pk, service, size, start, end in set(overlapping(rows, window, now).values_list(*_FIELDS)):
        yield SharedBucket(link, service, size, window_of(start, end, now))
