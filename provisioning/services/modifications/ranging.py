"""What a request could become, told before somebody asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from provisioning.models import Actor, PremiumRequest, Verb
from provisioning.pipeline.admission import AllowedRange, Reason, Refused, Viewer, allowed_range, policers_of
from provisioning.pipeline.failures import Exposure
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Timeline
from provisioning.pipeline.units import BitRate, TimeWindow
from provisioning.selectors import quotas, topology
from provisioning.selectors.requests import sls_of
from provisioning.selectors.schemes import scheme_of
from provisioning.selectors.viewers import viewer_of
from provisioning.services import clock, pairs
from provisioning.services.decisions.capacity import counted, further, offerable_to
from provisioning.services.decisions.links import loaded_links
from provisioning.services.modifications.judging import to_judge, weighed
from provisioning.services.requests.replacing import may_change


def range_of(*, actor: Actor, request: PremiumRequest) -> AllowedRange | Reason:
    """How far rate, end and start of a request (and its twin) could change at this moment, each alone, beside everybody
    else, within the quota, and (where the scheme asks that) safe from every single failure; a Reason where the network has
    no path for it. Nothing is locked: a decision may find it taken.

    Raises NotVisible, NotPermitted (neither the NREN that asked nor the NOC), InvalidInput where the scheme cannot be read,
    StaleState when its window is over.
    """
    may_change(actor, request, Verb.ASK)
    rows, now = pairs.read(request), clock.now()
    slss = [to_judge(sls_of(row), now) for row in rows]
    known = topology.current(rows[0].nren.domain)
    scheme = scheme_of(known.domain)
    links, own = loaded_links(known.network, scheme, slss), [row.pk for row in rows]
    policers = policers_of(known.network, scheme, slss)
    asked, viewer = slss[0].window, viewer_of(actor, rows[0].nren.domain)
    # What was read ends somewhere: a latest end within it is one, else everything after is read.
    for window in (*(further(asked) if asked.end is not None else ()), TimeWindow(now)):
        read = TimeWindow(min(window.start, now), window.end)
        beside = counted(links, now=now, within=read, own=own, viewer=viewer, policers=policers)
        bound = _quota(rows, own, read, now)
        offerable = offerable_to(viewer)
        found = allowed_range(known.network, scheme, slss, beside, now=now, offerable=offerable, quota=bound)
        if isinstance(found, Reason) or window.end is None:
            break
        if found.latest_end is not None and found.latest_end <= window.end:
            break
    if isinstance(found, Reason) or scheme.failures.unprotected != "refuse":
        return found
    return _protected(rows, slss, found, now, viewer)


def _quota(
    rows: Sequence[PremiumRequest], own: Sequence[int], read: TimeWindow, now: datetime
) -> tuple[Timeline, int] | None:
    """What the NREN has beside these, and what it may have; None where nothing bounds its rate."""
    nren = rows[0].nren
    allowed = quotas.limits_of(nren).rate_bps
    if allowed is None:
        return None
    return Timeline.of(quotas.held_and_granted(nren, within=read, now=now, except_requests=own)), allowed


def _protected(
    rows: Sequence[PremiumRequest],
    slss: Sequence[Sls],
    found: AllowedRange,
    now: datetime,
    viewer: Viewer | None,
) -> AllowedRange:
    """The range, no further than single failures allow."""
    rate, window = slss[0].rate.bps, slss[0].window

    def exposed(bps: int, start: datetime, end: datetime | None) -> Refused | None:
        wanted = [replace(sls, rate=BitRate(bps), window=TimeWindow(start, end)) for sls in slss]
        verdict = weighed(rows, wanted, now, viewer).verdict
        return verdict if isinstance(verdict, Refused) and verdict.failures is not None else None

    if (refused := exposed(found.most_bps, window.start, window.end)) is not None:
        lower = [each.rate_bps for each in refused.counter_offers if each.kind == "lower-rate"]
        found = replace(found, most_bps=max(rate, *lower) if lower else rate)
    longer = window.end is not None and found.latest_end != window.end
    if longer and (refused := exposed(rate, window.start, found.latest_end)) is not None:
        first = min(each.start for each in _of(refused))
        found = replace(found, latest_end=first if window.end is None else max(window.end, first))
    sooner = found.earliest_start
    if sooner is not None and (refused := exposed(rate, sooner, window.end)) is not None:
        last = max(each.end or window.start for each in _of(refused))
        found = replace(found, earliest_start=min(window.start, last))
    return found


def _of(refused: Refused) -> tuple[Exposure, ...]:
    assert refused.failures is not None, "asked where failures decide"
    return refused.failures.exposures
