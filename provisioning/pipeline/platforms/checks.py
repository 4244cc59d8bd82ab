"""Finding in a policy what some platform does not take: one function per rule, a text per place."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from provisioning.pipeline.platforms.facts import ClassFacts, PolicerFacts, PolicyFacts
from provisioning.pipeline.platforms.gates import GATES
from provisioning.pipeline.platforms.profiles import Profile

MQC_ENGINES: Final = frozenset({"3", "5", "5+"})
_QUEUES: Final = frozenset(2**power for power in range(4, 13))


def _where(policy: PolicyFacts, entry: ClassFacts) -> str:
    return f"class {entry.name} of {policy.name}"


def bare_priority(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """`priority` alone (ios-facts 2.3)."""
    for entry in policy.classes:
        if entry.priority == "bare":
            yield f"`priority` without a rate in {_where(policy, entry)}"


def priority_argument(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """`priority percent 20`, which an ISE card refuses (ios-facts 2.2)."""
    for entry in policy.classes:
        if entry.priority not in (None, "bare"):
            yield f"`priority` takes no argument here, and {_where(policy, entry)} gives one"


def priority_classes(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Two classes for one low latency queue."""
    names = [entry.name for entry in policy.classes if entry.priority is not None]
    if len(names) > 1:
        yield f"{policy.name} has {len(names)} priority classes ({', '.join(names)}) and there is one queue for them"


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


def priority_bandwidth(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Two kinds of queue in one class."""
    for entry in policy.classes:
        if entry.priority is not None and entry.bandwidth is not None:
            yield f"`priority` and `bandwidth` in {_where(policy, entry)}"


def wred_priority(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Early drops in the queue that is never long."""
    for entry in policy.classes:
        if entry.priority is not None and entry.wred is not None:
            yield f"`random-detect` in {_where(policy, entry)}, which has priority"


def bandwidth_units(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """kbit/s here, percent there."""
    units = sorted({entry.bandwidth for entry in policy.classes if entry.bandwidth is not None})
    if len(units) > 1:
        yield f"{policy.name} gives bandwidth in different units: {', '.join(units)}"


def wred_without_queue(profile: Profile, policy: PolicyFacts) -> Iterator[str]:
    """WRED where nothing makes a queue; class-default has one of its own except before HQF (ios-facts 2.3)."""
    for entry in policy.classes:
        if entry.wred is None or entry.bandwidth is not None or entry.shape is not None:
            continue
        if entry.is_default and ("fair-queue" not in profile.default_queue or entry.fair_queue):
            continue
        if not entry.is_default and profile.hqf and (entry.fair_queue or entry.priority is not None):
            continue
        yield f"`random-detect` in {_where(policy, entry)} has no queue to work on"


def queue_units(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Thresholds and limits in other than packets."""
    for entry in policy.classes:
        units = (entry.wred_units | ({entry.queue_limit} if entry.queue_limit else frozenset())) - {"packets"}
        if units:
            yield f"a queue is measured in {', '.join(sorted(units))} in {_where(policy, entry)}"


def queue_limit_wred(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Tail drop and early drop in one class."""
    for entry in policy.classes:
        if entry.queue_limit is not None and entry.wred is not None:
            yield f"`queue-limit` beside `random-detect` in {_where(policy, entry)}"


def queue_limit_alone(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """A limit for a queue nobody made."""
    for entry in policy.classes:
        owns = entry.bandwidth or entry.shape or entry.priority
        if entry.queue_limit is not None and not entry.is_default and not owns:
            yield f"`queue-limit` in {_where(policy, entry)} without bandwidth, shape or priority"


def fair_queue(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Weighted fair queueing."""
    for entry in policy.classes:
        if entry.fair_queue:
            yield f"`fair-queue` in {_where(policy, entry)}"


def fair_queue_class(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Flows of a class of its own."""
    for entry in policy.classes:
        if entry.fair_queue and not entry.is_default:
            yield f"`fair-queue` in {_where(policy, entry)}"


def fair_queue_default(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """class-default with both."""
    for entry in policy.classes:
        if entry.is_default and entry.fair_queue and entry.bandwidth is not None:
            yield f"`fair-queue` and `bandwidth` in class-default of {policy.name}"


def fair_queue_queues(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Powers of two from 16 to 4096."""
    for entry in policy.classes:
        if entry.queues is not None and entry.queues not in _QUEUES:
            yield f"`fair-queue {entry.queues}` in {_where(policy, entry)}"


def _shares(policy: PolicyFacts) -> Decimal:
    counted = [
        entry for entry in policy.classes if entry.bandwidth in (None, "percent")
    ]  # a share of what remains is no share of the whole
    return sum((share for entry in counted for share in entry.percents), Decimal(0))


def over_75(profile: Profile, policy: PolicyFacts) -> Iterator[str]:
    """The reservable part of the interface (ios-facts 2.3)."""
    total = _shares(policy)
    if profile.shared_percent < total <= 100:
        yield f"the shares of {policy.name} add up to {total} %, more than {profile.shared_percent} %"


def over_100(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """More than there is."""
    total = _shares(policy)
    if total > 100:
        yield f"the shares of {policy.name} add up to {total} %"


def percent_fraction(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """A percentage that no command takes."""
    for entry in policy.classes:
        shaped = () if entry.shape_percent is None else (entry.shape_percent,)
        for share in (*entry.percents, *shaped, *(entry.policer.percents if entry.policer else ())):
            if share != share.to_integral_value():
                yield f"{share} % in {_where(policy, entry)} is no whole number"


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
            yield f"{_where(policy, entry)} holds {entry.child.name}, which queues, and shapes nothing"


def ubr(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """A PVC without a rate to divide (ios-facts 1.4)."""
    percent = any(policer.percents for _, policer in policy.policers())
    if policy.pvc_category == "ubr" and (policy.queueing or percent):
        yield f"{policy.name} queues or polices by percent on a UBR PVC"


def gated_percent(profile: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Before the first release that has it (ios-facts 2.1)."""
    if GATES["police cir percent"].passed(profile.release) is not False:
        return
    for entry, policer in policy.policers():
        if policer.percents:
            yield f"`police cir percent` in {_where(policy, entry)} is not known to {profile.release}"


def asr920_percent(profile: Profile, policy: PolicyFacts) -> Iterator[str]:
    """The small router of the family has rates only."""
    for entry, policer in policy.policers():
        if profile.model == "asr920" and policer.percents:
            yield f"`police cir percent` in {_where(policy, entry)}"


def bytes_at_percent(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Where the rate is a share, the burst is a time."""
    for entry, policer in policy.policers():
        if policer.percents and any(unit == "bytes" for _, unit in policer.bursts):
            yield f"a burst in bytes at a percentage in {_where(policy, entry)}"


def ms_at_rate(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Where the rate is a number, the burst is one too."""
    for entry, policer in policy.policers():
        if not policer.percents and any(unit == "ms" for _, unit in policer.bursts):
            yield f"a burst in milliseconds at a rate in {_where(policy, entry)}"


def second_bucket_alone(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """`be` without `bc` where no default can be written in its place: at a percentage, or beyond 16 Gbit/s."""
    for entry, policer in policy.policers():
        if policer.second_bucket_alone:
            yield f"`be` without `bc` in {_where(policy, entry)}"


def mixed_rates(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """One rate as a number, the other as a share."""
    for entry, policer in policy.policers():
        if policer.mixed_rates:
            yield f"one rate in bit/s and one in percent in {_where(policy, entry)}"


def threshold_order(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """A minimum above its maximum."""
    for entry in policy.classes:
        if entry.thresholds_cross:
            yield f"a WRED minimum above its maximum in {_where(policy, entry)}"


def _contradiction(policer: PolicerFacts) -> str:
    """Why the colours cannot stand together, or an empty text."""
    for name, actions in (
        ("conform", policer.conform),
        ("exceed", policer.exceed),
        ("violate", policer.violate),
    ):
        if {"transmit", "drop"} <= set(actions):
            return f"{name} both transmits and drops"
    if "drop" in policer.conform and "transmit" in policer.exceed:
        return "it drops what conforms and transmits what exceeds"
    if "transmit" in policer.violate and policer.exceed != ("transmit",):
        return "it transmits what violates and not all that exceeds"
    marks = {
        action.split()[0] for action in (*policer.conform, *policer.exceed, *policer.violate) if " " in action
    }
    if {"set-dscp-transmit", "set-prec-transmit"} <= marks:
        return "it marks both DSCP and precedence"
    return ""


def policer_conflict(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Colours that contradict each other (Cisco-IOS-XE-policy, the must statements of police)."""
    for entry, policer in policy.policers():
        why = _contradiction(policer)
        if why:
            yield f"the policer in {_where(policy, entry)} contradicts itself: {why}"


def policer_several(profile: Profile, policy: PolicyFacts) -> Iterator[str]:
    """More than one thing done to a packet of one colour."""
    if GATES["several actions of a policer"].passed(profile.release):
        return
    for entry, policer in policy.policers():
        if max(len(policer.conform), len(policer.exceed), len(policer.violate)) > 1:
            yield f"several actions for one colour in {_where(policy, entry)}"


def logging_list(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """An access list that writes to the log."""
    for entry in policy.classes:
        if entry.logs:
            yield f"the access list of {_where(policy, entry)} logs"


def match_not(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """A class by what packets are not."""
    for entry in policy.classes:
        if entry.negated:
            yield f"`match not` in {_where(policy, entry)}"


def engine_queues(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Seven queues with class-default's, and the one of low latency."""
    normal = {
        entry.name
        for entry in policy.classes
        if entry.queueing and entry.priority is None and not entry.is_default
    }
    if policy.direction == "output" and len(normal) + 1 > 7:
        yield f"{policy.name} needs {len(normal) + 1} queues beside the priority queue"


def engine_1_queueing(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Engine 1 has neither WRED nor MDRR."""
    if policy.engine == "1" and policy.queueing:
        yield f"{policy.name} queues on Engine 1"


def engine_mqc(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Where MQC itself is in doubt."""
    if policy.engine is not None and policy.engine not in MQC_ENGINES:
        yield f"{policy.name} is for a card of Engine {policy.engine}"


def shape_peak(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Shaping to the peak."""
    for entry in policy.classes:
        if entry.shape == "peak":
            yield f"`shape peak` in {_where(policy, entry)}"


def set_precedence(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Precedence for both families at once."""
    for entry in policy.classes:
        if "precedence" in entry.sets:
            yield f"`set precedence` in {_where(policy, entry)}"
