"""How far a grant could change, told before anybody asks: the highest rate in its window, the latest end and the earliest
start at its rate. Each alone; both together are a decision of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from provisioning.errors import InvalidInput
from provisioning.pipeline.admission.counter_offers import OFFERABLE, Offerable
from provisioning.pipeline.admission.demands import LAYER_3, Demand, Taken, taken
from provisioning.pipeline.admission.policers import demands_on, policer_of
from provisioning.pipeline.admission.reach import charged, reach
from provisioning.pipeline.admission.values import Reason
from provisioning.pipeline.allowance import allowance_of
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Commitment, Courses, Timeline, courses_of
from provisioning.pipeline.topology import Network
from provisioning.pipeline.units import TimeWindow


@dataclass(frozen=True)
class AllowedRange:
    """Rates in bit/s at layer 3. ``latest_end`` None: until further notice. ``earliest_start`` None: it has begun."""

    least_bps: int
    most_bps: int
    latest_end: datetime | None
    earliest_start: datetime | None


def allowed_range(
    network: Network,
    scheme: Scheme,
    slss: Sequence[Sls],
    commitments: Iterable[Commitment] | Courses,
    *,
    now: datetime,
    offerable: Offerable = OFFERABLE,
    quota: tuple[Timeline, int] | None = None,
) -> AllowedRange | Reason:
    """What all of ``slss`` (both ways of one request, alike in rate and window) could become beside ``commitments``, which
    do not contain their own; a Reason where the network has no path for one. What they have now is always in the range.

    ``quota`` bounds the sum of their rates beside that course, at every instant, in bit/s.
    """
    loads = _loads(network, scheme, slss, courses_of(commitments), now)
    if isinstance(loads, Reason):
        return loads
    if quota is not None:
        held, allowed = quota
        loads.append(Taken(allowed, held, (LAYER_3,) * len(slss)))
    rate, window = slss[0].rate.bps, slss[0].window
    left = TimeWindow(max(window.start, now), window.end)
    free = min(load.most(load.share_bps - load.committed.peak(left).rate_bps) for load in loads)
    return AllowedRange(
        least_bps=min(offerable.least_bps, rate),
        most_bps=max(offerable.rate(free), rate),
        latest_end=_latest_end(loads, rate, window, now),
        earliest_start=None if window.start <= now else _earliest_start(loads, rate, window, now),
    )


def _loads(
    network: Network,
    scheme: Scheme,
    slss: Sequence[Sls],
    known: Courses,
    now: datetime,
) -> list[Taken] | Reason:
    demands: list[Demand] = []
    for sls in slss:
        pool = scheme.pool_of(sls.service_class)
        found = reach(network, scheme, sls)
        if isinstance(found, Reason):
            return found
        for load in charged(scheme, sls, found):
            link = network.link(load.link)
            if pool is None or link is None:
                raise InvalidInput(f"no link {load.link!r}", field="link")
            allowed = allowance_of(network, pool, load.link, now)
            others = allowed.beside(known.get((load, pool.name), Timeline()))
            demands.append(Demand(load, pool.name, allowed.top, others))
        demands += demands_on(policer_of(network, scheme, sls), scheme.policers, sls, known)
    return list(taken(demands))


def _latest_end(loads: Sequence[Taken], rate: int, window: TimeWindow, now: datetime) -> datetime | None:
    """The first instant from the end on at which the rate does not fit; None where there is none."""
    if window.end is None:
        return None
    first = None
    for load in loads:
        blocked = load.committed.above(load.share_bps - load.of(rate), TimeWindow(max(window.end, now)))
        if blocked:
            first = blocked[0].start if first is None else min(first, blocked[0].start)
    return first


def _earliest_start(loads: Sequence[Taken], rate: int, window: TimeWindow, now: datetime) -> datetime:
    """The last instant before the start up to which the rate does not fit; now where there is none."""
    last = now
    for load in loads:
        limit = load.share_bps - load.of(rate)
        for blocked in load.committed.above(limit, TimeWindow(now, window.start)):
            if blocked.end is not None:
                last = max(last, blocked.end)
    return last
