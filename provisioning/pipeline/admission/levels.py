"""What else counted on each link, as levels over time: all that a verdict rests on of everybody else's promises.

Of few it is the whole course. Of many only what a verdict can depend on is kept apart: where the level passes one of the
limits at which something fits no more, where a window that is asked for begins or ends, and where the highest level between
is reached first. Both give the same verdict, with the same evidence, reasons and offers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain

from provisioning.pipeline.admission.buckets import SharedBucket
from provisioning.pipeline.timeline import Commitment, Segment, timelines
from provisioning.pipeline.topology import LinkDirection
from provisioning.pipeline.units import TimeWindow

MOST_WHOLE = 200
"""Steps up to which a course is kept as it is."""

Levels = Mapping[tuple[LinkDirection, str], tuple[Segment, ...]]
"""By (link direction, pool) the stretches from the start of what was read on in which something counts, bit/s."""


def levels(
    commitments: Iterable[Commitment],
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
        timelines(commitments).items(), key=lambda item: (str(item[0][0]), item[0][1])
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


def bucket_levels(sharing: Iterable[SharedBucket]) -> tuple[SharedBucket, ...]:
    """Buckets summed by link and class: one for each stretch of time with the same sum."""
    grouped: dict[tuple[str, str], list[SharedBucket]] = {}
    for bucket in sharing:
        grouped.setdefault((bucket.source_link, bucket.service_class), []).append(bucket)
    return tuple(
        SharedBucket(link, service, size, TimeWindow(start, end))
        for (link, service), held in sorted(grouped.items())
        for start, end, size in _sums(held)
        if size
    )


def _sums(held: Iterable[SharedBucket]) -> Iterator[tuple[datetime, datetime | None, int]]:
    changes: dict[datetime, int] = {}
    for bucket in held:
        window = bucket.window
        changes[window.start] = changes.get(window.start, 0) + bucket.bucket_bytes
        if window.end is not None:
            changes[window.end] = changes.get(window.end, 0) - bucket.bucket_bytes
    instants = sorted(instant for instant, change in changes.items() if change)
    level = 0
    for instant, following in zip(instants, [*instants[1:], None], strict=True):
        level += changes[instant]
        yield instant, following, level


def _joined(stretches: Iterable[Segment], limits: list[int], cuts: list[datetime]) -> Iterator[Segment]:
    """Stretches joined where that changes nothing that is asked of them: see above."""
    run: list[Segment] = []
    for each in chain.from_iterable(_cut(stretch, cuts) for stretch in stretches):
        if run and (each.start in cuts or _side(each, limits) != _side(run[-1], limits)):
            yield from _run(run)
            run = []
        run.append(each)
    yield from _run(run)


def _cut(stretch: Segment, cuts: list[datetime]) -> Iterator[Segment]:
    start = stretch.start
    for cut in cuts:
        if start < cut and (stretch.end is None or cut < stretch.end):
            yield Segment(start, cut, stretch.rate_bps)
            start = cut
    yield Segment(start, stretch.end, stretch.rate_bps)


def _side(stretch: Segment, limits: list[int]) -> int:
    return sum(stretch.rate_bps > limit for limit in limits)


def _run(run: list[Segment]) -> Iterator[Segment]:
    """A run as at most two stretches: up to where its highest level is reached first, and from there on."""
    if not run:
        return
    at = max(range(len(run)), key=lambda place: run[place].rate_bps)
    if at:
        yield Segment(run[0].start, run[at].start, max(each.rate_bps for each in run[:at]))
    yield Segment(run[at].start, run[-1].end, run[at].rate_bps)
