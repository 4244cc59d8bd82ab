"""What was used between two looks, as rows: as polled, and added to its hour and its day. Inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from inventory.models import Router
from provisioning.models import CounterLook, Span, UsagePeriod, UsageSeries
from provisioning.pipeline.scheme import Telling
from provisioning.pipeline.usage import (
    NUMBERS,
    Count,
    Interval,
    Known,
    Look,
    Place,
    Used,
    UsedClass,
    class_at,
    judge,
    series_of,
    together,
)
from provisioning.services.locking import locked
from provisioning.services.usage.telling import tell

_NAMED = (
    "role", "services", "requests", "reserved_bps", "header_bytes", "sent_bps", "passed_bps", "lost",
    "dropping_since", "quiet_looks", "seen_at",
)  # fmt: skip
Key = tuple[str, str, str, str]


def look_of(row: CounterLook) -> Look | None:
    """The look that a row keeps; None where the router was not counted yet."""
    if row.read_at is None:
        return None
    said = {
        Place(interface, pvc, direction, policy, tuple(classes), copy): count
        for interface, pvc, direction, policy, classes, copy, count in row.counts
    }
    counts = {place: Count.from_json(count) for place, count in said.items() if count is not None}
    return Look(row.read_at, row.up_s, counts, frozenset(said.keys() - counts.keys()))


def written(look: Look) -> list[list[Any]]:
    """The counts of a look as a row keeps them, none of what is missing; `look_of` reads them back."""
    said = {place: count.to_json() for place, count in look.counts.items()}
    return [
        [at.interface, at.pvc, at.direction, at.policy, list(at.classes), at.copy, said.get(at)]
        for at in (*look.counts, *sorted(look.missing))
    ]


def keep(
    router: Router,
    used: Iterable[Used],
    between: Interval,
    at: datetime,
    known: Known,
    requests: Mapping[str, int],
    telling: Telling,
) -> int:
    """Keep what was used on managed interfaces, return how many classes that are. A bounded number of statements.

    The row of the router's counters is locked: nobody else adds to its hours. ``requests`` are keys by reference.
    """
    found: dict[Key, list[Used]] = {}
    classes: dict[Key, UsedClass] = {}
    for each in used:
        held = class_at(each.place, known)
        if held is not None:
            key = series_of(each.place, known)
            found.setdefault(key, []).append(each)
            classes[key] = held
    sums = {key: together(parts) for key, parts in found.items()}
    series, again = _series(router, classes, sums, between, at, requests, telling.quiet_looks)
    by_row = {series[key].pk: each for key, each in sums.items()}
    reserved = {series[key].pk: held.reserved_bps for key, held in classes.items()}
    # What carries no service of the scheme is looked at by the hour: most classes of a network are of that kind.
    served = {series[key].pk for key, held in classes.items() if held.services}
    UsagePeriod.objects.bulk_create(
        [
            _period(pk, Span.POLL, at, each, between, reserved[pk])
            for pk, each in by_row.items()
            if pk in served
        ],
        ignore_conflicts=True,
    )
    for span, begins in ((Span.HOUR, _hour(at)), (Span.DAY, _hour(at).replace(hour=0))):
        _add(span, begins, by_row, between, reserved)
    tell(series.values(), again, telling.drops_percent)
    return len(sums)


def _series(
    router: Router,
    classes: Mapping[Key, UsedClass],
    sums: Mapping[Key, Used],
    between: Interval,
    at: datetime,
    requests: Mapping[str, int],
    quiet_looks: int,
) -> tuple[dict[Key, UsageSeries], list[UsageSeries]]:
    """The row of each class of the router, as it is by now, and those that drop as they did at the look before.

    Of one that is there no longer, or belongs to another link, nothing is dropped. One that drops is over after so many looks
    without a drop, that it does not flap.
    """
    rows, again, changed = {}, [], []
    for row in locked(UsageSeries.objects.filter(router=router).order_by("pk")):
        key = (row.interface, row.pvc, row.direction, row.classes)
        # What was sent over a link stays that link's when its interface is given to another.
        if key in classes and classes[key].link == row.link:
            rows[key] = row
        elif row.requests or row.dropping_since is not None:
            row.requests, row.reserved_bps, row.dropping_since, row.quiet_looks = [], 0, None, 0
            changed.append(row)
    for key in classes.keys() - rows.keys():
        interface, pvc, direction, path = key
        rows[key] = UsageSeries(
            router=router,
            interface=interface,
            pvc=pvc,
            direction=direction,
            classes=path,
            link=classes[key].link,
        )
    began = at - timedelta(seconds=between.seconds or 0)
    for key, row in rows.items():
        held, used = classes[key], sums[key]
        row.role, row.services = held.role.value, list(held.services)
        row.requests = sorted(requests[each] for each in held.requests if each in requests)
        row.reserved_bps, row.header_bytes = held.reserved_bps, held.header_bytes
        verdict = judge(used.count, between.seconds, held.header_bytes, held.reserved_bps)
        row.sent_bps, row.passed_bps, row.lost = verdict.sent_bps, verdict.passed_bps, verdict.lost
        if verdict.loses:
            if row.dropping_since is not None and not row.quiet_looks:
                again.append(row)
            row.dropping_since, row.quiet_looks = row.dropping_since or began, 0
        elif row.dropping_since is not None and not used.is_at_least and verdict.lost is not None:
            # What is known in part only does not say that it is over.
            row.quiet_looks += 1
            if row.quiet_looks >= quiet_looks:
                row.dropping_since, row.quiet_looks = None, 0
        row.seen_at = at
        changed.append(row)
    there = [row for row in changed if row.pk is not None]
    UsageSeries.objects.bulk_create(row for row in changed if row.pk is None)
    if there:
        UsageSeries.objects.bulk_update(there, _NAMED)
    return rows, again


def _period(
    series: int, span: Span, at: datetime, used: Used, between: Interval, reserved: int
) -> UsagePeriod:
    return UsagePeriod(
        series_id=series,
        span=span,
        at=at,
        seconds=between.seconds,
        by_match=dict(used.count.by_match),
        reserved_bps=reserved,
        is_at_least=used.is_at_least,
        **{name: getattr(used.count, name) for name in NUMBERS},
    )


def _add(
    span: Span, begins: datetime, sums: Mapping[int, Used], between: Interval, reserved: Mapping[int, int]
) -> None:
    """Add to the rows of this hour or day; those that are not there yet are made."""
    there = UsagePeriod.objects.filter(series__in=sums, span=span, at=begins)
    rows = {row.series_id: row for row in there}
    for row in rows.values():
        used = sums[row.series_id]
        row.is_at_least = row.is_at_least or used.is_at_least or between.seconds is None
        if between.seconds is None:
            continue  # how fast it was cannot be said, and the rate of the hour must not suffer by it
        for name in NUMBERS:
            setattr(row, name, _plus(getattr(row, name), getattr(used.count, name)))
        for match, packets in used.count.by_match.items():
            row.by_match[match] = row.by_match.get(match, 0) + packets
        row.seconds = _plus(row.seconds, between.seconds)
        row.reserved_bps = max(row.reserved_bps, reserved[row.series_id])
    names = [*NUMBERS, "by_match", "seconds", "reserved_bps", "is_at_least"]
    if rows:
        UsagePeriod.objects.bulk_update(rows.values(), names)
    if between.seconds is not None:
        new = {pk: used for pk, used in sums.items() if pk not in rows}
        UsagePeriod.objects.bulk_create(
            _period(pk, span, begins, used, between, reserved[pk]) for pk, used in new.items()
        )


def _plus(one: Any, other: Any) -> Any:
    return one if other is None else other if one is None else one + other


def _hour(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)
