"""Many windows of one wish judged one by one: the ledger is read once, and each window beside what overlaps it alone."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol, TypeVar

from provisioning.errors import InvalidInput
from provisioning.models import PremiumRequest
from provisioning.pipeline.admission import OFFERABLE, Admitted, Offerable, Reason, Refused, Viewer
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors import topology
from provisioning.selectors.requests import sls_of
from provisioning.selectors.schemes import scheme_of
from provisioning.selectors.sharing import shared_buckets
from provisioning.services.decisions.capacity import Judged, counted, offerable_to, weigh
from provisioning.services.decisions.links import AskedOf, asked_of, lock_network
from provisioning.services.quotas import OverRate, over_rate

Group = Sequence[PremiumRequest]
"""The requests of one occurrence: one, or both ways of it."""


class _HasWindow(Protocol):
    @property
    def window(self) -> TimeWindow: ...


Windowed = TypeVar("Windowed", bound=_HasWindow)


@dataclass(frozen=True)
class Occurrence:
    """The requests of one occurrence and what was judged of them together, and whether the quota of their NREN would refuse
    it. Counter-offers lie within its window.
    """

    requests: tuple[PremiumRequest, ...]
    judged: Judged
    over: OverRate | None = None
    offerable: Offerable = OFFERABLE

    @property
    def fits(self) -> bool:
        return self.over is None and not isinstance(self.judged.verdict, Refused)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why it does not fit, the quota first."""
        verdict = self.judged.verdict
        found = verdict.reasons if isinstance(verdict, Refused) else ()
        return found if self.over is None else (self.over.reason, *found)


def judge_each(
    groups: Sequence[Group], *, now: datetime, viewer: Viewer | None = None
) -> tuple[Occurrence, ...]:
    """Whether each of ``groups`` fits, beside everybody else's charges, as ``viewer`` may be told (None: exactly): their windows
    are in order and apart.
    """
    if not groups:
        return ()
    domain = groups[0][0].nren.domain
    try:
        scheme_of(domain)
    except InvalidInput as error:
        unreadable = Judged(Refused((Reason(code="scheme-unreadable", text=error.reason),), (), ()))
        return tuple(Occurrence(tuple(group), unreadable) for group in groups)
    first = [sls_of(request) for request in groups[0]]
    return _judged(asked_of(topology.current(domain), first), groups, now, viewer)


def judge_each_locked(
    groups: Sequence[Group], *, now: datetime, in_part: bool = False
) -> tuple[Occurrence, ...]:
    """As ``judge_each``, with every link that is loaded locked until the transaction ends; raises as ``judge_locked``. Where it
    may be granted ``in_part`` an occurrence that the quota refuses is one that does not fit, and no error.
    """
    rows = [request for group in groups for request in group]
    slss = [sls_of(request) for request in rows]
    own = [row.pk for row in rows]
    taking: Sequence[Sls] = () if in_part else slss
    asked, texts = lock_network(groups[0][0].nren, slss[: len(groups[0])], own=own, now=now, taking=taking)
    return tuple(
        replace(each, judged=replace(each.judged, texts=texts)) for each in _judged(asked, groups, now)
    )


def _judged(
    asked: AskedOf, groups: Sequence[Group], now: datetime, viewer: Viewer | None = None
) -> tuple[Occurrence, ...]:
    slss = [tuple(sls_of(request) for request in group) for group in groups]
    windows = [wish[0].window for wish in slss]
    own = [
        request.pk for group in groups for request in group if request.pk is not None
    ]  # none of what nobody asked for yet
    covering = TimeWindow(windows[0].start, windows[-1].end)
    found = counted(asked.links, now=now, within=covering, own=own, viewer=viewer, policers=asked.policers)
    others = [{key: course.within(window) for key, course in found.items()} for window in windows]
    whole = [replace(sls, window=covering) for sls in slss[0]]
    buckets = _by_window(windows, shared_buckets(whole, now=now, except_requests=own))
    # What was read is what overlaps: of another time nothing is known.
    offerable = replace(offerable_to(viewer), later=False)
    bounds = over_rate(groups[0][0].nren, slss, own=own, now=now)
    return tuple(
        Occurrence(
            tuple(group),
            weigh(
                replace(asked, slss=wish),
                beside,
                sharing,
                now=now,
                window=wish[0].window,
                own=own,
                offerable=offerable,
            ),
            over,
            offerable,
        )
        for group, wish, beside, sharing, over in zip(groups, slss, others, buckets, bounds, strict=True)
    )


def rate_that_fits(occurrences: Iterable[Occurrence]) -> int | None:
    """The highest rate, bit/s, that is offered in every occurrence that does not fit; None where one has no such offer."""
    rates = list(_offered(occurrences))
    return min((rate for rate in rates if rate is not None), default=None) if None not in rates else None


def _offered(occurrences: Iterable[Occurrence]) -> Iterator[int | None]:
    for occurrence in occurrences:
        verdict, over = occurrence.judged.verdict, occurrence.over
        if isinstance(verdict, Refused):
            offers = (offer.rate_bps for offer in verdict.counter_offers if offer.kind == "lower-rate")
            yield next(offers, None)
        if over is not None:
            yield occurrence.offerable.rate(over.left_bps // len(occurrence.requests)) or None


def _by_window(windows: Sequence[TimeWindow], found: Iterable[Windowed]) -> list[list[Windowed]]:
    """For each of the windows (in order, apart, each with an end) those that overlap it."""
    starts = [window.start for window in windows]
    ends = [window.end for window in windows if window.end is not None]
    by_window: list[list[Windowed]] = [[] for _ in windows]
    for each in found:
        first = bisect_right(ends, each.window.start)
        last = len(windows) if each.window.end is None else bisect_left(starts, each.window.end)
        for number in range(first, last):
            by_window[number].append(each)
    return by_window


def admitted_of(occurrence: Occurrence) -> tuple[Admitted, ...]:
    """The verdict of one that fits, one for each request."""
    verdict = occurrence.judged.verdict
    assert not isinstance(verdict, Refused), "asked of one that fits"
    return verdict
