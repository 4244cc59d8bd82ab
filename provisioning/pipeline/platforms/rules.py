"""The rules by which a router is asked nothing it would refuse: what is looked for in a policy, in the order it is said.

How a platform answers to a rule, and where that is known from, is in its folder (`refusals`), by the rule's code; a kind of
platform that does not name it takes it. `docs/reference/platforms.md` is these tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from provisioning.pipeline.platforms import checks, policer_checks
from provisioning.pipeline.platforms.cisco_12000 import engines
from provisioning.pipeline.platforms.cisco_iosxe import models
from provisioning.pipeline.platforms.facts import PolicyFacts
from provisioning.pipeline.platforms.profiles import Profile

Check = Callable[[Profile, PolicyFacts], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that some platform does not take. ``found`` yields one text per place where a policy has it."""

    code: str
    about: str
    found: Check


RULES: Final[tuple[Rule, ...]] = (
    Rule("bare-priority", "`priority` without a rate", checks.bare_priority),
    Rule("priority-argument", "`priority` with a rate", engines.priority_argument),
    Rule("priority-classes", "more than one priority class", engines.priority_classes),
    Rule("priority-mixed", "`priority` and `priority level` in one policy", checks.priority_mixed),
    Rule("priority-default", "`priority` in class-default", checks.priority_default),
    Rule("priority-bandwidth", "`priority` and `bandwidth` in one class", checks.priority_bandwidth),
    Rule("priority-unlimited", "`priority` without a limit beside `bandwidth` in kbit/s or percent", checks.priority_unlimited),
    Rule("wred-priority", "`random-detect` in a priority class", checks.wred_priority),
    Rule("bandwidth-units", "`bandwidth` in different units in one policy", checks.bandwidth_units),
    Rule("wred-without-queue", "`random-detect` in a class with no queue of its own", checks.wred_without_queue),
    Rule("wred-units", "WRED thresholds or queue limits in bytes or time", checks.queue_units),
    Rule("queue-limit-wred", "`queue-limit` and `random-detect` in one class", checks.queue_limit_wred),
    Rule("queue-limit-alone", "`queue-limit` in a class with no queue of its own", checks.queue_limit_alone),
    Rule("fair-queue", "`fair-queue`", checks.fair_queue),
    Rule("fair-queue-class", "`fair-queue` outside class-default", checks.fair_queue_class),
    Rule("fair-queue-default", "`fair-queue` and `bandwidth` in class-default", checks.fair_queue_default),
    Rule("fair-queue-queues", "`fair-queue` with other than 16, 32, ... 4096 queues", checks.fair_queue_queues),
    Rule("shared-percent", "shares of more than 75 %", checks.over_75),
    Rule("whole-percent", "shares of more than 100 %", checks.over_100),
    Rule("percent-fraction", "a percentage with a fraction", checks.percent_fraction),
    Rule("input-queueing", "a queueing action on input", checks.input_queueing),
    Rule("subinterface-queueing", "queueing on a subinterface without a shaper above it", checks.subinterface_queueing),
    Rule("hierarchy-shape", "a child policy with queues under a class without a shaper", checks.hierarchy_shape),
    Rule("ubr-queueing", "queueing or percentages on a UBR PVC", checks.ubr),
    Rule("police-percent", "`police cir percent`", policer_checks.gated_percent),
    Rule("police-percent-asr920", "`police cir percent` on an ASR 920", models.asr920_percent),
    Rule("burst-unit", "a burst in bytes at a percentage", policer_checks.bytes_at_percent),
    Rule("burst-ms", "a burst in milliseconds at a rate", policer_checks.ms_at_rate),
    Rule("second-bucket", "a second bucket without a first, whose default cannot be written", policer_checks.second_bucket_alone),
    Rule("rates-mixed", "one rate of a policer in bit/s, the other in percent", policer_checks.mixed_rates),
    Rule("peak-below", "a peak rate below the committed rate", policer_checks.peak_below),
    Rule("threshold-order", "a WRED minimum above its maximum", checks.threshold_order),
    Rule("policer-conflict", "colours that contradict each other", policer_checks.policer_conflict),
    Rule("policer-several", "several actions for one colour", policer_checks.policer_several),
    Rule("log-access-list", "an access list with `log` in a class", checks.logging_list),
    Rule("match-not", "`match not`", checks.match_not),
    Rule("engine-queues", "more than seven queues beside the priority queue", engines.engine_queues),
    Rule("engine-1-queueing", "queueing on Engine 1", engines.engine_1_queueing),
    Rule("engine-mqc", "an MQC policy on an engine that is neither ISE nor Engine 5", engines.engine_mqc),
    Rule("shaper", "a shaper", checks.shaper),
    Rule("shape-peak", "`shape peak`", checks.shape_peak),
    Rule("set-precedence", "`set precedence` for both families", checks.set_precedence),
)  # fmt: skip
