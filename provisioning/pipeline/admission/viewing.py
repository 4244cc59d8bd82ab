"""What somebody who does not see everything is told: one rule for the API, the pages and the commands.

Of links that are not its own an NREN learns whether it fits, and from when to when. What others hold there is rounded up to a
whole step *before* it is judged, so that no number of questions finds out more: every answer is the same for all sums within
one step (ADR 46).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from provisioning.pipeline.admission.codec import (
    from_json,
    link_row,
    offer_row,
    reason_row,
    to_json,
)
from provisioning.pipeline.admission.values import Admitted, CounterOffer, Reason, Refused, SeenLink
from provisioning.pipeline.timeline import Courses, Timeline
from provisioning.pipeline.units import TimeWindow, instant_text, rate_text


@dataclass(frozen=True)
class Viewer:
    """An NREN, or several that one person acts for: their keys, and the names of their access links, of which they see every
    number. Rates are asked and offered in whole ``rate_step_bps``, what others hold elsewhere is told in whole
    ``others_step_bps``.
    """

    nrens: frozenset[int]
    links: frozenset[str]
    rate_step_bps: int
    others_step_bps: int

    def sees(self, link: str | None) -> bool:
        """Whether every number of a link is the viewer's to see; what concerns no link hides nothing."""
        return link is None or link in self.links


def in_steps(charged: Courses, known: Courses, viewer: Viewer, window: TimeWindow) -> Courses:
    """``charged`` within ``window``, on links that are not the viewer's with what is not ``known`` (what the viewer itself
    asked for or receives) rounded up to whole steps.
    """
    found = {}
    for key, course in charged.items():
        if viewer.sees(key[0].link):
            found[key] = course
            continue
        mine = known.get(key, Timeline()).within(window)
        others = course.within(window).with_levels((at, -bps) for at, bps in mine.steps)
        found[key] = _rounded_up(others, viewer.others_step_bps).with_levels(mine.steps)
    return found


def _rounded_up(course: Timeline, step: int) -> Timeline:
    steps: list[tuple[datetime, int]] = []
    for at, bps in course.steps:
        level = -(-bps // step) * step
        if level != (steps[-1][1] if steps else 0):
            steps.append((at, level))
    return Timeline(tuple(steps))


@dataclass(frozen=True)
class Seen:
    """A verdict as one reader sees it. ``whole`` is the verdict itself, for whoever sees everything and nobody else."""

    fits: bool
    links: tuple[SeenLink, ...]
    reasons: tuple[Reason, ...]
    counter_offers: tuple[CounterOffer, ...]
    warnings: tuple[str, ...]
    whole: Admitted | Refused | None

    def to_json(self) -> dict[str, Any]:
        """Plain values; what is not the reader's to see is null or not there."""
        rows = [{**link_row(each), "fits": each.fits} for each in self.links]
        if self.whole is not None:
            return {**to_json(self.whole), "evidence": rows}
        shown: dict[str, Any] = {"verdict": "admitted" if self.fits else "refused", "evidence": rows}
        if not self.fits:
            shown["reasons"] = [reason_row(each) for each in self.reasons]
            shown["counter_offers"] = [offer_row(each) for each in self.counter_offers]
        return {**shown, "warnings": list(self.warnings)}


def whole(verdict: Admitted | Refused) -> Seen:
    """The verdict as those see it who see everything."""
    links = tuple(SeenLink.of(each, full=True) for each in verdict.evidence)
    reasons, offers = _refusal(verdict)
    return Seen(isinstance(verdict, Admitted), links, reasons, offers, verdict.warnings, verdict)


def as_seen(verdict: Admitted | Refused, viewer: Viewer | None, *, asker: int, exact: bool = False) -> Seen:
    """The verdict about a request of the NREN ``asker`` (its key) as somebody sees it; ``viewer`` None sees everything.

    What would fit instead is told to whoever asks. ``exact``: it was not judged `in_steps`, so that its offers are cut to them.
    """
    if viewer is None:
        return whole(verdict)
    links = tuple(SeenLink.of(each, full=viewer.sees(each.link)) for each in verdict.evidence)
    reasons, offers = _refusal(verdict)
    if exact:
        offers = tuple(found for found in (_cut(offer, viewer) for offer in offers) if found is not None)
    foreign = [each for each in links if not viewer.sees(each.link)]
    # What begins with a link, with its direction or without, and a colon sums what others hold there.
    sums = [text for each in foreign for text in (f"{each.link}: ", f"{each.link} {each.direction}: ")]
    return Seen(
        isinstance(verdict, Admitted),
        links,
        tuple(seen_reason(each, viewer, asker=asker) for each in reasons),
        offers if asker in viewer.nrens else (),
        tuple(text for text in verdict.warnings if not text.startswith(tuple(sums))),
        None,
    )


def _refusal(verdict: Admitted | Refused) -> tuple[tuple[Reason, ...], tuple[CounterOffer, ...]]:
    return (verdict.reasons, verdict.counter_offers) if isinstance(verdict, Refused) else ((), ())


def kept_as_seen(kept: Mapping[str, Any], viewer: Viewer | None, *, asker: int) -> Seen:
    """The verdict that was kept with a decision (`to_json`) as somebody sees it.

    A decision is exact. What was refused is kept beside it as whoever asked may be told it; of what was kept before that was
    so the offers are cut. Raises InvalidInput for what is no verdict.
    """
    verdict = from_json(kept)
    if viewer is None or not isinstance(kept.get("told"), Mapping):
        return as_seen(verdict, viewer, asker=asker, exact=True)
    return as_seen(from_json(kept["told"]), viewer, asker=asker)


def seen_reason(reason: Reason, viewer: Viewer | None, *, asker: int) -> Reason:
    """One reason as somebody sees it: of a link of others from when to when it does not fit, of a single failure when. What a
    quota is, and how much of it is used, is its own NREN's to know.
    """
    if viewer is not None and reason.code == "quota-exceeded" and asker not in viewer.nrens:
        return without_quota(reason)
    if viewer is None or reason.interval_start is None:
        return reason
    seen = replace(reason, committed_bps=None, shortfall_bps=None)
    until = (
        "until further notice"
        if reason.interval_end is None
        else f"until {instant_text(reason.interval_end)}"
    )
    span = f"from {instant_text(reason.interval_start)} {until}"
    if reason.code == "unprotected":  # which link fails, and which is too full then, is the NOC's to know
        text = f"a single failure in the backbone would take it {span}"
        return replace(seen, text=text, link=None, direction=None, share_bps=None)
    if viewer.sees(reason.link):
        return reason
    return replace(seen, text=f"{reason.link} {reason.direction}: does not fit {span}")


def without_quota(reason: Reason) -> Reason:
    """A reason of a quota as it is told to others than its NREN."""
    return Reason(reason.code, "the quota of the NREN that asks is spent then")


def _cut(offer: CounterOffer, viewer: Viewer) -> CounterOffer | None:
    """An offer that was reckoned with exact sums, in whole steps; None where it lies below the first."""
    if offer.kind != "lower-rate":
        return offer
    rate = offer.rate_bps - offer.rate_bps % viewer.others_step_bps
    return replace(offer, rate_bps=rate, text=f"{rate_text(rate)} fits the whole window") if rate else None
