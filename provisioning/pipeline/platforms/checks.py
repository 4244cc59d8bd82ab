"""Finding in a policy what some platform does not take: one check per rule, a text per place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Final

from provisioning.pipeline.platforms.facts import ClassFacts, PolicyFacts
from provisioning.pipeline.platforms.profiles import Profile

_QUEUES: Final = frozenset(2**power for power in range(4, 13))


def where(policy: PolicyFacts, entry: ClassFacts) -> str:
    """A class by its policy."""
    return f"class {entry.name} of {policy.name}"


def _each(holds: Callable[[ClassFacts], bool], what: str) -> Callable[[Profile, PolicyFacts], Iterator[str]]:
    """The check that names `what` in every class of which `holds` is true."""

    def found(_: Profile, policy: PolicyFacts) -> Iterator[str]:
        return (f"{what} in {where(policy, entry)}" for entry in policy.classes if holds(entry))

    return found


bare_priority: Final = _each(lambda entry: entry.priority == "bare", "`priority` without a rate")
"""`priority` alone (ios-facts 2.3)."""


def priority_mixed(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """With and without a level."""
    levels = {
        entry.priority == "level" or entry.priority_level is not None
        for entry in policy.classes
        if entry.priority
    }
    if len(levels) == 2:
        yield f"{policy.name} has `priority` with and without a level"


def priority_default(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Strict priority for whatever is left."""
    for entry in policy.classes:
        if entry.is_default and entry.priority is not None:
            yield f"`priority` in class-default of {policy.name}"


priority_bandwidth: Final = _each(
    lambda entry: entry.priority is not None and entry.bandwidth is not None, "`priority` and `bandwidth`"
)
"""Two kinds of queue in one class."""


def priority_unlimited(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Strict priority without rate or policer leaves nothing to guarantee to others but shares of what remains."""
    guaranteed = [entry for entry in policy.classes if entry.bandwidth in ("kbps", "percent")]
    for entry in policy.classes:
        if guaranteed and entry.priority in ("bare", "level") and entry.policer is None:
            unit = "percent" if guaranteed[0].bandwidth == "percent" else "kbit/s"
            yield f"`priority` without rate or policer in {where(policy, entry)} beside `bandwidth` in {unit}"


def wred_priority(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Early drops in the queue that is never long."""
    for entry in policy.classes:
        if entry.priority is not None and entry.wred is not None:
            yield f"`random-detect` in {where(policy, entry)}, which has priority"


def bandwidth_units(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """kbit/s here, percent there."""
    units = sorted({entry.bandwidth for entry in policy.classes if entry.bandwidth is not None})
    if len(units) > 1:
        yield f"{policy.name} gives bandwidth in different units: {', '.join(units)}"


def wred_without_queue(profile: Profile, policy: PolicyFacts) -> Iterator[str]:
    """WRED where nothing makes a queue; class-default has one of its own except before HQF (ios-facts 2.3)."""
    for entry in policy.classes:
        # An ISE card wants bandwidth on output and a shaper on input (ios-facts 2.2).
        shaped = entry.shape is not None and (profile.shaper_queues_output or policy.direction != "output")
        if entry.wred is None or entry.bandwidth is not None or shaped:
            continue
        if entry.is_default and ("fair-queue" not in profile.default_queue or entry.fair_queue):
            continue
        if not entry.is_default and profile.hqf and (entry.fair_queue or entry.priority is not None):
            continue
        yield f"`random-detect` in {where(policy, entry)} has no queue to work on"


def queue_units(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Thresholds and limits in other than packets."""
    for entry in policy.classes:
        units = (entry.wred_units | ({entry.queue_limit} if entry.queue_limit else frozenset())) - {"packets"}
        if units:
            yield f"a queue is measured in {', '.join(sorted(units))} in {where(policy, entry)}"


queue_limit_wred: Final = _each(
    lambda entry: entry.queue_limit is not None and entry.wred is not None,
    "`queue-limit` beside `random-detect`",
)
"""Tail drop and early drop in one class."""


def queue_limit_alone(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """A limit for a queue nobody made."""
    for entry in policy.classes:
        owns = entry.bandwidth or entry.shape or entry.priority
        if entry.queue_limit is not None and not entry.is_default and not owns:
            yield f"`queue-limit` in {where(policy, entry)} without bandwidth, shape or priority"


fair_queue: Final = _each(lambda entry: entry.fair_queue, "`fair-queue`")
"""Weighted fair queueing."""


fair_queue_class: Final = _each(lambda entry: entry.fair_queue and not entry.is_default, "`fair-queue`")
"""Flows of a class of its own."""


def fair_queue_default(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """class-default with both."""
    for entry in policy.classes:
        if entry.is_default and entry.fair_queue and entry.bandwidth is not None:
            yield f"`fair-queue` and `bandwidth` in class-default of {policy.name}"


def fair_queue_queues(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Powers of two from 16 to 4096."""
    for entry in policy.classes:
        if entry.queues is not None and entry.queues not in _QUEUES:
            yield f"`fair-queue {entry.queues}` in {where(policy, entry)}"


def _shares(policy: PolicyFacts) -> Decimal:
    counted = [
        entry for entry in policy.classes if entry.bandwidth in (None, "percent")
    ]  # a share of what remains is no share of the whole
    total = sum((share for entry in counted for share in entry.percents), Decimal(0))
    if policy.base_bps:
        kbps = sum(
            value
            for entry in policy.classes
            for code, value in entry.numbers
            if code in ("bandwidth-kbps", "priority-kbps")
        )
        total += Decimal(kbps * 100_000) / policy.base_bps
    return total


def over_75(profile: Profile, policy: PolicyFacts) -> Iterator[str]:
    """The reservable part of the interface (ios-facts 2.3)."""
    total = _shares(policy)
    if profile.shared_percent < total <= 100:
        yield f"the shares of {policy.name} add up to {total:.4g} %, more than {profile.shared_percent} %"


def over_100(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """More than there is."""
    total = _shares(policy)
    if total > 100:
        yield f"the shares of {policy.name} add up to {total:.4g} % of what there is"


def percent_fraction(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """A percentage that no command takes."""
    for entry in policy.classes:
        shaped = () if entry.shape_percent is None else (entry.shape_percent,)
        for share in (*entry.percents, *shaped, *(entry.policer.percents if entry.policer else ())):
            if share != share.to_integral_value():
                yield f"{share} % in {where(policy, entry)} is no whole number"


def input_queueing(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Queues are at the way out."""
    if policy.direction == "input" and policy.queueing:
        yield f"{policy.name} queues on input"


def subinterface_queueing(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """A subinterface has no queue unless a shaper makes one."""
    if policy.subinterface and any(entry.queueing and entry.shape is None for entry in policy.classes):
        yield f"{policy.name} queues on a subinterface without shaping"


def hierarchy_shape(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """A child policy divides what its parent class shapes to."""
    for entry in policy.classes:
        if entry.child is not None and entry.child.queueing and entry.shape is None:
            yield f"{where(policy, entry)} holds {entry.child.name}, which queues, and shapes nothing"


def ubr(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """A PVC without a rate to divide (ios-facts 1.4)."""
    percent = any(policer.percents for _, policer in policy.policers())
    if policy.pvc_category == "ubr" and (policy.queueing or percent):
        yield f"{policy.name} queues or polices by percent on a UBR PVC"


threshold_order: Final = _each(lambda entry: entry.thresholds_cross, "a WRED minimum above its maximum")
"""A minimum above its maximum."""


def logging_list(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """An access list that writes to the log."""
    for entry in policy.classes:
        if entry.logs:
            yield f"the access list of {where(policy, entry)} logs"


match_not: Final = _each(lambda entry: entry.negated, "`match not`")
"""A class by what packets are not."""


shaper: Final = _each(lambda entry: entry.shape is not None, "a shaper")
"""Shaping of any kind."""


shape_peak: Final = _each(lambda entry: entry.shape == "peak", "`shape peak`")
"""Shaping to the peak."""


set_precedence: Final = _each(lambda entry: "precedence" in entry.sets, "`set precedence`")
"""Precedence for both families at once."""
