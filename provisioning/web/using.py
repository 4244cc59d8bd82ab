"""Usage in words, as pages say it: what is sent, what was dropped since when, and what cures it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from provisioning.models import PremiumRequest
from provisioning.pipeline.states import RequestState
from provisioning.pipeline.units import how_many, rate_text
from provisioning.pipeline.usage import Verdict
from provisioning.pipeline.usage.verdicts import percent, rounded
from provisioning.selectors.usage import Usage
from provisioning.web.spelling import absolute, ago

STALE_AFTER = 3
"""Beats without a count after which what was counted last is called old."""


@dataclass(frozen=True)
class Said:
    """Two sentences and how they look: ``good``, ``warn``, ``bad`` or ``plain``. ``cure``: whether a shaper would help."""

    look: str
    text: str
    more: str = ""
    cure: bool = False


def said_of_request(asked: PremiumRequest, usage: Usage | None, now: datetime) -> Said:
    """Return how a reservation is used, as far as that is known."""
    if settings.USAGE_SECONDS <= 0:
        return Said("plain", "Counters are not read on this installation (USAGE_SECONDS is 0).")
    held = getattr(asked, "reservation", None)
    if held is None or held.put_on_at is None:
        return Said("plain", "What it uses is counted while it is on its router.")
    if usage is None:
        return Said("plain", "Its router has not counted it yet.", _next(asked))
    latest = usage.latest
    if latest is None:
        return Said("plain", "Nothing was counted lately.", _old(usage, now, held.taken_off_at))
    verdict = latest.verdict
    if verdict.sent_bps is None:
        return Said("plain", "What is sent cannot be said as a rate.", _why_no_rate(usage))
    who = asked.nren.name
    most = "at least " if verdict.is_at_least else ""
    text = f"{who} sent {most}{rounded(verdict.sent_bps)} of {rate_text(verdict.reserved_bps)} reserved"
    text += f", on average until {absolute(latest.at)}."
    old = _old(usage, now, held.taken_off_at)
    if not verdict.loses:
        return Said("plain" if old else "good", text, old or "Nothing was dropped by the policer.")
    return Said("bad", text, f"{_lost(verdict, usage)} {old}".strip(), cure=True)


def said_of_class(usage: Usage) -> str:
    """Return the last count of a class of a link in one sentence."""
    latest = usage.latest
    if latest is None:
        return "not counted yet" if usage.read_at is None else "nothing counted lately"
    if latest.verdict.sent_bps is None:
        return _why_no_rate(usage)
    if usage.series.reserved_bps:
        return f"{latest.verdict}, until {absolute(latest.at)}"
    queued = f"; its queue dropped {how_many(latest.queue_drops, 'packet')}" if latest.queue_drops else ""
    return f"{rounded(latest.verdict.sent_bps)}{queued}, until {absolute(latest.at)}"


def _lost(verdict: Verdict, usage: Usage) -> str:
    since = f" since {absolute(usage.dropping_since)}" if usage.dropping_since else ""
    said = f"{percent(verdict.lost or 0)} of its packets were dropped by the policer{since}: "
    if verdict.is_over:
        return f"{said}more is sent than is reserved."
    return (
        f"{said}less is sent than is reserved, but in longer bursts than the policer's bucket, or in smaller packets "
        "than the request names."
    )


def _why_no_rate(usage: Usage) -> str:
    latest = usage.latest
    if latest is not None and latest.seconds is None:
        return "The clock was set, and how long was counted is not known; the next reading says more."
    if usage.series.header_bytes is None:
        return "The kind of its interface does not say how many bytes of a packet are its header."
    return "The router does not print both packets and bytes of its class."


def _old(usage: Usage, now: datetime, ended: datetime | None) -> str:
    """What is said of a reservation that is on where its last count is not of the last minutes."""
    last = usage.latest.at if usage.latest is not None else usage.read_at
    recent = timedelta(seconds=STALE_AFTER * settings.USAGE_SECONDS)
    if ended is not None or last is None or now - last < recent:
        return ""
    if not usage.error:
        return f"It was counted last {ago(last, now)}: its router does not show its class any more."
    return f"It was counted last {ago(last, now)}: {usage.error}"


def _next(asked: PremiumRequest) -> str:
    if asked.state not in (RequestState.ADMITTED, RequestState.ACTIVE):
        return ""
    return f"That happens every {max(1, round(settings.USAGE_SECONDS / 60))} min."
