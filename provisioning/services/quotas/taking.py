"""Quotas, kept where requests are asked for, held, admitted and changed.

Whoever takes of a quota holds the row of the NREN until its transaction ends: two that meet at the last of it take turns.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from inventory.models import Nren
from provisioning.errors import QuotaExceeded
from provisioning.models import PremiumRequest
from provisioning.pipeline.admission import Reason
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Commitment, Timeline
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.pipeline.units import TimeWindow, covering, instant_text, rate_text
from provisioning.selectors import quotas as reading
from provisioning.selectors.quotas import Limits
from provisioning.services import clock
from provisioning.services.locking import locked


def lock(nren: Nren) -> None:
    """Whoever takes of this NREN's quota waits for whoever is taking."""
    list(locked(Nren.objects.filter(pk=nren.pk)).values_list("pk"))


def take_open(nren: Nren, *, more: int) -> None:
    """Raise QuotaExceeded where so many open requests more are too many; in the transaction that stores them. Also where there is
    no bound whoever asks for this NREN takes turns: one that is set meanwhile counts what is being stored.
    """
    lock(nren)
    allowed = reading.limits_of(nren).open_requests
    if allowed is not None:
        _within(nren, "open_requests", allowed, reading.open_requests(nren, now=clock.now()), more)


def take_holds(nren: Nren, rows: Sequence[PremiumRequest], *, more: int) -> None:
    """Raise QuotaExceeded where so many holds more are too many, or one of ``rows`` was held as often as is allowed; under
    `wait_for_turn`, before they are held.
    """
    most = settings.HOLD_MOST_TIMES
    for row in rows:
        if most > 0 and row.times_held >= most:
            raise QuotaExceeded(
                f"{row.reference} was held {row.times_held} times, which is the most: decide about it",
                quota="holds_of_one_request",
                allowed=most,
                used=row.times_held,
                asked=1,
            )
    allowed = reading.limits_of(nren).holds
    if allowed is not None:
        _within(nren, "holds", allowed, reading.holds(nren, now=clock.now()), more)


def wait_for_turn(nren: Nren) -> Limits:
    """Lock the NREN where its rate or its holds are bounded: after the links, under which nobody sets another quota, before what
    is judged is written down. Returns the quota.
    """
    limits = reading.limits_of(nren)
    if limits.rate_bps is not None or limits.holds is not None:
        lock(nren)
    return limits


def take_rate(
    nren: Nren, slss: Sequence[Sls], *, limits: Limits, own: Collection[int], now: datetime
) -> None:
    """Raise QuotaExceeded where ``slss`` with all else that the NREN holds or was granted, without ``own`` (keys of requests),
    are more at some instant than its quota; under `wait_for_turn`. What asks for no more than was granted to ``own`` takes
    nothing: what stands above a quota is not taken back.
    """
    allowed = limits.rate_bps
    if allowed is None or not slss:
        return
    window = covering(sls.window for sls in slss)
    others = Timeline.of(reading.held_and_granted(nren, within=window, now=now, except_requests=own))
    load = LinkDirection(slss[0].source_link, Direction.IN)
    asked = [Commitment(load, "", sls.rate.bps, sls.window, sls.id) for sls in slss]
    over = others.plus(asked).above(allowed, window)
    if not over:
        return
    granted = Timeline.of(reading.held_and_granted(nren, within=window, now=now, granted_to=own))
    wanted = Timeline.of(asked)
    for stretch in over:
        for part in wanted.segments(TimeWindow(stretch.start, stretch.end)):
            for held in granted.segments(TimeWindow(part.start, part.end)):
                if part.rate_bps > held.rate_bps:
                    raise _exceeded(nren, allowed, others, part.rate_bps, TimeWindow(held.start, held.end))


def refused_by_quota(
    nren: Nren, slss: Sequence[Sls], *, own: Collection[int], now: datetime
) -> Reason | None:
    """Why the quota of the NREN would refuse this at this moment, as a reason; None where it would not. Nothing is locked."""
    try:
        take_rate(nren, slss, limits=reading.limits_of(nren), own=own, now=now)
    except QuotaExceeded as error:
        return Reason(code=error.code, text=error.reason)
    return None


@dataclass(frozen=True)
class OverRate:
    """Why the quota of an NREN would refuse something, and how much of it is left for that, bit/s."""

    reason: Reason
    left_bps: int


def over_rate(
    nren: Nren, groups: Sequence[Sequence[Sls]], *, own: Collection[int], now: datetime
) -> list[OverRate | None]:
    """Of each of ``groups`` (together in one window each; windows apart) why the quota would refuse it, None where it would
    not; ``own`` are the keys of the requests, which were granted nothing yet. What is used is read once. Nothing is locked.
    """
    allowed = reading.limits_of(nren).rate_bps
    if allowed is None or not groups:
        return [None] * len(groups)
    window = covering(sls.window for slss in groups for sls in slss)
    others = Timeline.of(reading.held_and_granted(nren, within=window, now=now, except_requests=own))
    found: list[OverRate | None] = []
    for slss in groups:
        span, asked = slss[0].window, sum(sls.rate.bps for sls in slss)
        left = allowed - others.peak(span).rate_bps
        error = _exceeded(nren, allowed, others, asked, span)
        reason = Reason(code=error.code, text=error.reason)
        found.append(OverRate(reason, max(left, 0)) if asked > left else None)
    return found


def _exceeded(nren: Nren, allowed: int, others: Timeline, asked: int, within: TimeWindow) -> QuotaExceeded:
    peak = others.peak(within)
    at, used = peak.at, peak.rate_bps
    return QuotaExceeded(
        f"{nren.name} would hold {rate_text(used + asked)} at {instant_text(at)}; its quota is "
        f"{rate_text(allowed)}, of which {rate_text(used)} are used",
        quota="rate_bps",
        allowed=allowed,
        used=used,
        asked=asked,
    )


def _within(nren: Nren, quota: str, allowed: int, used: int, more: int) -> None:
    if used + more > allowed:
        named = {"open_requests": "open requests", "holds": "holds at once"}[quota]
        raise QuotaExceeded(
            f"{nren.name} has {used} {named} of {allowed} that it may have: {more} more are too many",
            quota=quota,
            allowed=allowed,
            used=used,
            asked=more,
        )
