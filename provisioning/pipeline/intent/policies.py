"""A scheme's policy templates as MQC objects, as the platform wants them (D4.4.2v2 Appendix A; ios-facts 2.6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc import (
    CLASS_DEFAULT,
    Action,
    Bandwidth,
    Bps,
    BurstBytes,
    ChildPolicy,
    ClassMap,
    FairQueue,
    Match,
    Percent,
    Police,
    PolicyClass,
    PolicyMap,
    Priority,
    QueueLimit,
    RandomDetect,
    SetField,
    Shape,
    WredThreshold,
)
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.scheme import (
    BandwidthTemplate,
    ClassMapTemplate,
    ClassTemplate,
    PoliceTemplate,
    PolicyTemplate,
    StrictPriorityTemplate,
    WredTemplate,
)


@dataclass(frozen=True)
class OwnNumbers:
    """What is one link's own in a policy-map.

    ``granted_bps`` (class -> bit/s), when given, polices to the grants instead of the cap (D4.4.2v2 section 2.5 a);
    ``bursts`` (likewise) are buckets in bytes; ``base_bps`` is what a shaper for the interface shapes to.
    """

    granted_bps: Mapping[str, int] | None = None
    bursts: Mapping[str, int] = field(default_factory=dict)
    base_bps: int | None = None
    rest_dscp: int = 0


def class_map(template: ClassMapTemplate, name: str, access_lists: tuple[str, ...]) -> ClassMap:
    """Return the class-map; an access list condition becomes one line for each of `access_lists`.

    With two lists (dual stack) the mode is match-any: under match-all both would be required of one packet, which
    is never true (ios-facts 2.7).
    """
    matches: list[Match] = []
    for condition in template.matches:
        if condition.kind in ("access_list", "link_addresses"):
            matches += [
                Match("access-group", frozenset({list_name}), condition.negated) for list_name in access_lists
            ]
        else:
            value = condition.value
            values = frozenset(value) if isinstance(value, tuple) else frozenset({value})
            matches.append(Match("dscp", values, condition.negated))
    mode = "match-any" if len(access_lists) > 1 else template.mode
    return ClassMap(name, mode, frozenset(matches))


def policy_map(
    template: PolicyTemplate, name: str, profile: Profile, own: OwnNumbers | None = None
) -> PolicyMap:
    """Return the policy-map named `name`, with what of it is one link's own.

    A class with nothing granted is marked as the rest instead of policed to nothing, which no router takes. Raises
    InvalidInput (field ios) for a release without percentages.
    """
    numbers = own or OwnNumbers()
    rest = _rest(template, profile)
    return PolicyMap(
        name,
        tuple(
            PolicyClass(
                entry.class_name,
                frozenset(_actions(entry, profile, numbers, rest)),
            )
            for entry in template.classes
        ),
    )


def unwritten_queues(template: PolicyTemplate, profile: Profile, *, inside: bool) -> Iterator[str]:
    """What a plan says of a queue whose length this router takes no command for.

    Before HQF a class has `queue-limit` or `random-detect` and never both; what holds packets then is the interface's
    output queue, of 1000 with fair-queue, which `hold-queue N out` bounds for all its classes together; `inside` another
    policy's class it is the shaper's buffer.
    """
    for entry in template.classes:
        limit = entry.queue_limit
        if limit is None or limit.when in ("always", _queueing(profile)):
            continue
        instead = (
            f"`hold-queue {limit.packets} out` on the interface is the nearest, for all its classes together, and yours to type"
            if _wants_fair_queue(profile) and not inside
            else f"its length is the {'shaper' if inside else 'line card'}'s own"
        )
        yield (
            f"{template.name}, {entry.class_name}: the queue of {limit.packets} packets is not written, because this release "
            f"takes no `queue-limit` beside `random-detect`; {instead}"
        )


def _actions(entry: ClassTemplate, profile: Profile, own: OwnNumbers, rest: Decimal) -> Iterator[Action]:
    granted = None if own.granted_bps is None else own.granted_bps.get(entry.class_name)
    if granted == 0:
        yield SetField("dscp", own.rest_dscp)
        return
    if entry.set_dscp is not None:
        yield SetField("dscp", entry.set_dscp)
    if entry.police is not None:
        yield _police(entry.police, profile, granted, own.bursts.get(entry.class_name))
    if entry.strict_priority is not None:
        yield from _priority(entry.strict_priority, profile)
    if entry.bandwidth is not None:
        yield _bandwidth(entry.bandwidth, rest)
    if entry.shape is not None:
        rate = own.base_bps if entry.shape.rate_bps is None else entry.shape.rate_bps
        if rate is None:
            raise InvalidInput(f"{entry.class_name} shapes to an interface nobody named", field="shape")
        yield Shape("average", Bps(rate))
    if entry.random_detect is not None:
        if entry.class_name == CLASS_DEFAULT and entry.bandwidth is None and _wants_fair_queue(profile):
            yield FairQueue()
        yield _random_detect(entry.random_detect)
    if entry.queue_limit is not None and entry.queue_limit.when in ("always", _queueing(profile)):
        yield QueueLimit(entry.queue_limit.packets)
    if entry.child is not None:
        yield ChildPolicy(entry.child)


def _police(police: PoliceTemplate, profile: Profile, granted: int | None, burst: int | None) -> Police:
    rate: Percent | Bps
    if granted is not None:
        rate = Bps(granted)
    elif police.percent is None:
        rate = Bps(police.rate_bps or 0)
    elif profile.police_percent:
        rate = Percent(police.percent)
    else:
        raise InvalidInput(
            f"{profile.name} {profile.release} does not take `police cir percent` (ios-facts 2.1)",
            field="ios",
        )
    bucket = police.burst_bytes if burst is None else burst
    return Police(
        rate,
        burst=None if bucket is None else BurstBytes(bucket),
        excess_burst=None if police.excess_burst_bytes is None else BurstBytes(police.excess_burst_bytes),
        conform=(police.conform,),
        exceed=(police.exceed,),
        violate=None if police.excess_burst_bytes is None else ("drop",),
    )


def _priority(priority: StrictPriorityTemplate, profile: Profile) -> Iterator[Action]:
    """The 7200 refuses the bare keyword (ios-facts 2.3); on the 12000 it takes no argument (ios-facts 2.2)."""
    if not profile.bare_priority:
        yield Priority("percent", priority.percent)
        return
    yield Priority()
    if priority.policed:
        yield Police(Percent(priority.percent))


def _bandwidth(bandwidth: BandwidthTemplate, rest: Decimal) -> Bandwidth:
    if bandwidth.kind == "rest":
        return Bandwidth("percent", rest)
    kind = "remaining percent" if bandwidth.kind == "remaining" else "percent"
    return Bandwidth(kind, bandwidth.value or Decimal(0))


def _rest(template: PolicyTemplate, profile: Profile) -> Decimal:
    """What the platform lets be reserved less what the policy reserves, in per cent (75 before HQF, ios-facts 2.3)."""
    taken = Decimal(0)
    for entry in template.classes:
        taken += entry.strict_priority.percent if entry.strict_priority is not None else 0
        if entry.bandwidth is not None and entry.bandwidth.kind == "percent":
            taken += entry.bandwidth.value or 0
    rest = profile.shared_percent - taken
    if rest < 1 and any(entry.bandwidth == BandwidthTemplate("rest") for entry in template.classes):
        raise InvalidInput(
            f"{template.name}: {taken} % are guaranteed, {profile.name} lets {profile.shared_percent} % be: no rest",
            field="bandwidth",
        )
    return rest


def _random_detect(wred: WredTemplate) -> RandomDetect:
    thresholds = frozenset(
        WredThreshold(profile.dscp, profile.minimum, profile.maximum, profile.denominator)
        for profile in wred.profiles
    )
    return RandomDetect("dscp", thresholds, wred.weight)


def _queueing(profile: Profile) -> str:
    return "hqf" if profile.hqf else "pre-hqf"


def _wants_fair_queue(profile: Profile) -> bool:
    """Before HQF class-default has to be a CBWFQ class before it can have WRED (ios-facts 2.3); a 12000 has none."""
    return "fair-queue" in profile.default_queue
