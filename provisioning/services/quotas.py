"""Quotas: set by the NOC, and kept where requests are asked for, held, admitted and changed.

Whoever takes of a quota holds the row of the NREN until its transaction ends: two that meet at the last of it take turns.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction

from inventory.models import Domain, Nren
from provisioning.errors import InvalidInput, NotPermitted, QuotaExceeded
from provisioning.models import Actor, PremiumRequest, Quota
from provisioning.pipeline.admission import Reason
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Commitment, Timeline
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.pipeline.units import TimeWindow, instant_text, rate_text
from provisioning.selectors import quotas as reading
from provisioning.selectors.quotas import Limits
from provisioning.services import audit
from provisioning.services.locking import locked
from provisioning.services.wording import reason_text

_FIELDS = ("rate_bps", "open_requests", "holds")
_HIGHEST = {"rate_bps": (1 << 63) - 1, "open_requests": (1 << 31) - 1, "holds": (1 << 31) - 1}


def set_quota(
    *, actor: Actor, domain: Domain, nren: Nren | None, limits: Limits, reason: str
) -> Quota | None:
    """Have the NREN (None: whichever has none of its own) this quota from now on; without a bound it has none of its own.

    What stands above it is not taken back. Raises NotPermitted unless the actor is a named member of the NOC, InvalidInput.
    """
    if actor.user_id is None or not actor.is_noc:
        raise NotPermitted("Quotas are set by a named member of the NOC.")
    why = reason_text(reason)
    for name in _FIELDS:
        value = getattr(limits, name)
        if value is not None and not 0 <= value <= _HIGHEST[name]:
            raise InvalidInput("a quota is 0 or more", field=name)
    with transaction.atomic():
        if nren is None:
            list(locked(Domain.objects.filter(pk=domain.pk)).values_list("pk"))
        else:
            lock(nren)
        rows = Quota.objects.filter(domain=domain, nren=nren)
        before = rows.first()
        values = {name: getattr(limits, name) for name in _FIELDS}
        if limits.any:
            if not rows.update(**values):
                Quota.objects.create(domain=domain, nren=nren, **values)
        else:
            rows.delete()
        audit.record(
            actor=actor,
            action="quota.set",
            obj=nren or domain,
            reason=why,
            before=None if before is None else {name: getattr(before, name) for name in _FIELDS},
            after=values,
            nren_ids=[] if nren is None else [nren.pk],
        )
    return rows.first()


def lock(nren: Nren) -> None:
    """Whoever takes of this NREN's quota waits for whoever is taking."""
    list(locked(Nren.objects.filter(pk=nren.pk)).values_list("pk"))


def take_open(nren: Nren, *, more: int) -> None:
    """Raise QuotaExceeded where so many open requests more are too many; in the transaction that stores them."""
    allowed = reading.limits_of(nren).open_requests
    if allowed is None:
        return
    lock(nren)
    _within(nren, "open_requests", allowed, reading.open_requests(nren), more)


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
        _within(nren, "holds", allowed, reading.holds(nren), more)


def wait_for_turn(nren: Nren, seen: Limits) -> Limits:
    """Lock the NREN where its rate or its holds were bounded when that was looked at: after the links, before what is judged is
    written down. Returns the quota as it is then.
    """
    if seen.rate_bps is None and seen.holds is None:
        return seen
    lock(nren)
    return reading.limits_of(nren)


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
    window = _covering(slss)
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
    window = _covering([sls for slss in groups for sls in slss])
    others = Timeline.of(reading.held_and_granted(nren, within=window, now=now, except_requests=own))
    found: list[OverRate | None] = []
    for slss in groups:
        span, asked = slss[0].window, sum(sls.rate.bps for sls in slss)
        left = allowed - others.peak(span).rate_bps
        error = _exceeded(nren, allowed, others, asked, span)
        reason = Reason(code=error.code, text=error.reason)
        found.append(OverRate(reason, max(left, 0)) if asked > left else None)
    return found


def _covering(slss: Sequence[Sls]) -> TimeWindow:
    ends = [sls.window.end for sls in slss]
    last = None if None in ends else max(end for end in ends if end is not None)
    return TimeWindow(min(sls.window.start for sls in slss), last)


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
