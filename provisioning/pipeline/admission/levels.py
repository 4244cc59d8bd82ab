"""What else counted on each link, as levels over time: all that a verdict rests on of everybody else's promises.

Of few it is the whole course. Of many only what a verdict can depend on is kept apart: where the level passes one of the
limits at which something fits no more, where a window that is asked for begins or ends, and where the highest level between
is reached first. Both give the same verdict, with the same evidence, reasons and offers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain, combinations

from provisioning.pipeline.admission.buckets import SharedBucket
from provisioning.pipeline.timeline import Commitment, Courses, Segment, courses_of
from provisioning.pipeline.topology import LinkDirection
from provisioning.pipeline.units import TimeWindow

MOST_WHOLE = 200
"""Steps up to which a course is kept as it is."""

Levels = Mapping[tuple[LinkDirection, str], tuple[Segment, ...]]
"""By (link direction, pool) the stretches from the start of what was read on in which something counts, bit/s."""


def levels(
    commitments: Iterable[Commitment] | Courses,
    start: datetime,
    *,
    limits: Mapping[tuple[LinkDirection, str], Collection[int]],
    cuts: Collection[datetime],
    most: int = MOST_WHOLE,
) -> dict[tuple[LinkDirection, str], tuple[Segment, ...]]:
    """The sum of `commitments` from `start` on. Where it has more than `most` steps they are joined between `cuts`, as long as
    they lie on one side of each of the `limits` of their link direction and pool.
    """
    found = {}
    for key, timeline in sorted(
        courses_of(commitments).items(), key=lambda item: (str(item[0][0]), item[0][1])
    ):
        stretches = tuple(timeline.segments(TimeWindow(start)))
        if len(stretches) > most:
            stretches = tuple(_joined(stretches, sorted(limits.get(key, ())), sorted(cuts)))
        kept = tuple(each for each in stretches if each.rate_bps)
        if kept:
            found[key] = kept
    return found


def as_commitments(known: Levels) -> tuple[Commitment, ...]:
    """Levels as commitments that add up to them."""
    return tuple(
        Commitment(load, pool, each.rate_bps, TimeWindow(each.start, each.end), "others")
        for (load, pool), stretches in known.items()
        for each in stretches
        if each.rate_bps > 0
    )


def bucket_levels(
    sharing: Iterable[SharedBucket], windows: Collection[TimeWindow], *, most: int = MOST_WHOLE
) -> tuple[SharedBucket, ...]:
    """Buckets summed by link and class: one for each stretch of time with the same sums. Where a link has more than `most`
    stretches, those alone in which, for one of the `windows`, some of the classes together have the most: a policer that is
    shared by whichever of them is judged by that and nothing else.
    """
    grouped: dict[str, list[SharedBucket]] = {}
    for bucket in sharing:
        grouped.setdefault(bucket.source_link, []).append(bucket)
    found = []
    for link, held in sorted(grouped.items()):
        stretches = list(_sums(held))
        classes = sorted({bucket.service_class for bucket in held})
        if len(stretches) > most and len(classes) <= _MOST_CLASSES:
            stretches = _highest(stretches, classes, windows)
        for start, end, sums in stretches:
            found += [
                SharedBucket(link, service, sums[service], TimeWindow(start, end))
                for service in classes
                if sums.get(service)
            ]
    return tuple(found)


_MOST_CLASSES = 4
_Sums = tuple[datetime, datetime | None, dict[str, int]]


def _sums(held: Iterable[SharedBucket]) -> Iterator[_Sums]:
    """From when until when the buckets of each class are how many bytes in sum."""
    changes: dict[datetime, dict[str, int]] = {}
    for bucket in held:
        for at, size in (
            (bucket.window.start, bucket.bucket_bytes),
            (bucket.window.end, -bucket.bucket_bytes),
        ):
            if at is not None:
                sums = changes.setdefault(at, {})
                sums[bucket.service_class] = sums.get(bucket.service_class, 0) + size
    instants = sorted(changes)
    level: dict[str, int] = {}
    for instant, following in zip(instants, [*instants[1:], None], strict=True):
        for service, change in changes[instant].items():
            level[service] = level.get(service, 0) + change
        yield instant, following, dict(level)


def _highest(stretches: list[_Sums], classes: list[str], windows: Iterable[TimeWindow]) -> list[_Sums]:
    kept: dict[datetime, _Sums] = {}
    for window in windows:
        inside = [
            each
            for each in stretches
            if (each[1] is None or window.start < each[1]) and (window.end is None or each[0] < window.end)
        ]
        for count in range(1, len(classes) + 1):
            for some in combinations(classes, count) if inside else ():
                best = max(inside, key=lambda each: sum(each[2].get(service, 0) for service in some))
                kept[best[0]] = best
    return [kept[start] for start in sorted(kept)]


def _joined(stretches: Iterable[Segment], limits: list[int], cuts: list[datetime]) -> Iterator[Segment]:
    """Stretches joined where that changes nothing that is asked of them: see above."""
    run: list[Segment] = []
    for each in chain.from_iterable(_cut(stretch, cuts) for stretch in stretches):
        if run and (each.start in cuts or _side(each, limits) != _side(run[-1], limits)):
            yield from _run(run)
            run = []
        run.append(each)
    yield from _run(run)


def _cut(stretch: Segment, cuts: list[datetime]) -> Iterable[Segment]:
    first = bisect_right(cuts, stretch.start)
    if first == len(cuts) or (stretch.end is not None and cuts[first] >= stretch.end):
        return (stretch,)
    return _parts(stretch, cuts[first:])


def _parts(stretch: Segment, cuts: list[datetime]) -> Iterator[Segment]:
    start = stretch.start
    for cut in cuts:
        if start < cut and (stretch.end is None or cut < stretch.end):
            yield Segment(start, cut, stretch.rate_bps)
            start = cut
    yield Segment(start, stretch.end, stretch.rate_bps)


def _side(stretch: Segment, limits: list[int]) -> int:
    return bisect_left(limits, stretch.rate_bps)


def _run(run: list[Segment]) -> Iterator[Segment]:
    """A run as at most two stretches: up to where its highest level is reached first, and from there on."""
    if not run:
        return
    at = max(range(len(run)), key=lambda place: run[place].rate_bps)
    if at:
        yield Segment(run[0].start, run[at].start, max(each.rate_bps for each in run[:at]))
    yield Segment(run[at].start, run[-1].end, run[at].rate_bps)
