"""What a policer that is a cap lets through, counted as it counts: in frames.

The book is of layer 3 (D4.4.2v2 section 2.3, "at the IP layer"), `police cir percent 5` of layer 2 (section 4.1.2, "at the
physical level"): a share that is granted to the last bit has no room for its headers, and what conforms is dropped. So all that
enters by one such policer is counted once more with its headers, each reservation by its own smallest packet, beside the book.

The courses of that stand beside those of the pools, under a name of their own (`Policer.pool`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from provisioning.pipeline.admission.demands import Demand
from provisioning.pipeline.admission.shortfalls import beyond
from provisioning.pipeline.admission.values import Reason
from provisioning.pipeline.scheme import ClassTemplate, Policers, Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Commitment, Courses, Timeline
from provisioning.pipeline.topology import (
    AccessLinkValue,
    Direction,
    Framing,
    LinkDirection,
    Network,
    framing_or_longest,
    layer2_bps,
)
from provisioning.pipeline.units import instant_text, rate_text, share_of

_LAYER2 = "layer 2 of "


@dataclass(frozen=True)
class Policer:
    """The policer of a class where traffic enters over an access link: ``limit_bps`` at layer 2, whatever was granted.
    ``services`` are the classes of service that share it, by every name they have; ``words`` say what the limit is of.
    """

    link: str
    class_name: str
    services: frozenset[str]
    limit_bps: int
    words: str
    framing: Framing

    @property
    def load(self) -> LinkDirection:
        """Where it counts."""
        return LinkDirection(self.link, Direction.IN)

    @property
    def pool(self) -> str:
        """The name under which what it counts stands beside the pools of a scheme."""
        return f"{_LAYER2}{', '.join(sorted(self.services))}"

    def framed_bps(self, rate_bps: int, packet_bytes: int) -> int:
        """What a rate of layer 3 in packets of this size or more is for it, bit/s, rounded up."""
        return layer2_bps(rate_bps, packet_bytes, self.framing.header_bytes)

    def counted(self, sls: Sls) -> Commitment:
        """What it counts of this one."""
        framed = self.framed_bps(sls.rate.bps, sls.smallest_packet_bytes)
        return Commitment(self.load, self.pool, framed, sls.window, sls.id)

    def framed(self, course: Timeline, packet_bytes: int) -> Timeline:
        """A course of layer 3 as it counts it."""
        return Timeline(tuple((at, self.framed_bps(bps, packet_bytes)) for at, bps in course.steps))


@dataclass(frozen=True)
class Kept:
    """Whether a policer keeps what was asked beside others: ``reasons`` refuse, ``doubts`` are warnings."""

    reasons: tuple[Reason, ...] = ()
    doubts: tuple[str, ...] = ()


def policer_of(network: Network, scheme: Scheme, sls: Sls) -> Policer | None:
    """The cap that traffic of `sls` meets where it enters; None where the scheme does not judge it, or there is none: nothing
    is dropped, or the policer grows with what is granted. Raises InvalidInput for a class that the scheme does not have.
    """
    source = network.access_link(sls.source_link)
    if scheme.policers.cannot_keep == "admit" or source is None:
        return None
    entry = scheme.case_policy(source.case).carrying(scheme.service_class(sls.service_class).name)
    found = None if entry is None or not _drops(entry) else _limit(scheme, entry, source)
    if entry is None or found is None:
        return None
    services = {scheme.service_class(name).name for name in entry.services}
    names = {
        name for each in scheme.classes if each.name in services for name in (each.name, each.abbreviation)
    }
    return Policer(
        source.id, entry.class_name, frozenset(names), *found, framing_or_longest(source.interface)
    )


def policers_of(network: Network, scheme: Scheme, slss: Iterable[Sls]) -> tuple[Policer, ...]:
    """Those that any of `slss` meets, each once. Of a class that the scheme does not have, there is none."""
    known = {name for each in scheme.classes for name in (each.name, each.abbreviation)}
    found = (policer_of(network, scheme, sls) for sls in slss if sls.service_class in known)
    return tuple(dict.fromkeys(each for each in found if each is not None))


def demands_on(policer: Policer | None, rule: Policers, sls: Sls, known: Courses) -> tuple[Demand, ...]:
    """What `sls` wants of a policer beside what is known of others, for offers; nothing where that refuses nobody."""
    if policer is None or rule.cannot_keep != "refuse":
        return ()
    packet = sls.smallest_packet_bytes, policer.framing.header_bytes
    others = known.get((policer.load, policer.pool), Timeline())
    return (Demand(policer.load, policer.pool, policer.limit_bps, others, packet),)


def _drops(entry: ClassTemplate) -> bool:
    """Whether its policer drops anything: what exceeds, or with a second bucket what exceeds that too."""
    police = entry.police
    return police is not None and (police.exceed == "drop" or police.excess_burst_bytes is not None)


def _limit(scheme: Scheme, entry: ClassTemplate, source: AccessLinkValue) -> tuple[int, str] | None:
    """What it lets in at most, bit/s at layer 2, and in words."""
    police, pool = entry.police, scheme.pool_of(entry.services[0]) if entry.services else None
    if police is None or pool is None:
        return None
    if scheme.policer == "grants" or source.dscp_map:
        # Its grants with their headers, cut where they exceed a share of what the link carries (`intent.building`).
        if pool.access.percent is None:
            return None
        return pool.access.of(source.base_bps), f"{pool.access.percent} % of {rate_text(source.base_bps)}"
    if police.percent is None:
        return police.rate_bps or 0, "its rate"
    return share_of(source.bw_bps, police.percent), f"{police.percent} % of BW {rate_text(source.bw_bps)}"


def judge_policer(
    rule: Policers, policer: Policer | None, sls: Sls, others: Timeline, held: Timeline
) -> Kept:
    """What the scheme's `rule` says where `sls` does not pass the policer beside `others`, a course of layer 2. What it was
    granted before, `held` at layer 3, it may keep.
    """
    if policer is None:
        return Kept()
    asked = policer.counted(sls).rate_bps
    before = policer.framed(held, sls.smallest_packet_bytes)
    over = beyond(others, policer.limit_bps, asked, sls.window, before)
    if rule.cannot_keep == "refuse":
        found = (
            _reason(policer, sls, asked, each.rate_bps, each.start, each.end, _from(rule)) for each in over
        )
        return Kept(reasons=tuple(found))
    worst = max(over, key=lambda each: each.rate_bps, default=None)
    if worst is None:
        return Kept()
    text = _text(policer, sls, asked, worst.rate_bps)
    return Kept(
        doubts=(
            f"{policer.load}: {_span(worst.start, worst.end)}, {text}: what conforms is dropped ({_from(rule)})",
        )
    )


def _reason(
    policer: Policer, sls: Sls, asked: int, beside: int, start: datetime, end: datetime | None, source: str
) -> Reason:
    return Reason(
        code="policer",
        link=policer.link,
        direction=policer.load.direction,
        interval_start=start,
        interval_end=end,
        asked_bps=asked,
        share_bps=policer.limit_bps,
        committed_bps=beside,
        shortfall_bps=asked + beside - policer.limit_bps,
        text=f"{policer.load}, {_span(start, end)}: {_text(policer, sls, asked, beside)} ({source})",
    )


def _text(policer: Policer, sls: Sls, asked: int, beside: int) -> str:
    header = f"{policer.framing.header_bytes} bytes of header each ({policer.framing.name})"
    return (
        f"{rate_text(sls.rate.bps)} asked in packets of {sls.smallest_packet_bytes} bytes are {rate_text(asked)} with "
        f"{header}, {rate_text(beside)} of others beside; the policer of class {policer.class_name} counts frames and lets "
        f"{rate_text(policer.limit_bps)} through ({policer.words}): {rate_text(asked + beside - policer.limit_bps)} too much"
    )


def _span(start: datetime, end: datetime | None) -> str:
    return f"{instant_text(start)} to {'open end' if end is None else instant_text(end)}"


def _from(rule: Policers) -> str:
    return f"our choice: {rule.provenance}" if rule.is_choice else rule.provenance
