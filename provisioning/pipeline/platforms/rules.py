"""The rules by which a router is asked nothing it would refuse: what is checked, and how each kind answers.

A rule is data: what it is about, the check that finds it in a policy, and per kind of platform the severity, how well
that is known and from where. A kind that is not named takes it. `docs/reference/platforms.md` is this table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from provisioning.pipeline.platforms import checks, policer_checks
from provisioning.pipeline.platforms.facts import PolicyFacts
from provisioning.pipeline.platforms.findings import Evidence, Severity, Tag
from provisioning.pipeline.platforms.limits import CLASSIC, GSR_KIND, HQF, KINDS, PRE_HQF, XE, YANG
from provisioning.pipeline.platforms.profiles import Profile

Check = Callable[[Profile, PolicyFacts], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one kind of platform answers, and where that is known from."""

    severity: Severity
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that some platform does not take. ``found`` yields one text per place where a policy has it."""

    code: str
    about: str
    found: Check
    verdicts: Mapping[str, Verdict]


def _no(source: str, tag: str = "C") -> Verdict:
    return Verdict(Severity.REFUSAL, Evidence(Tag(tag), source))


def _doubt(source: str, tag: str = "L") -> Verdict:
    return Verdict(Severity.WARNING, Evidence(Tag(tag), source))


def _all(verdict: Verdict, kinds: Iterable[str] = KINDS) -> dict[str, Verdict]:
    return dict.fromkeys(kinds, verdict)


_ISE: Final = "ISE guide 12.0(27)S (ios-facts 2.2)"
_LLQ: Final = "c10k QoS guide OL-7433 p. 8-5"
_SOFTWARE: Final = (PRE_HQF, HQF, XE)

RULES: Final[tuple[Rule, ...]] = (
    Rule("bare-priority", "`priority` without a rate", checks.bare_priority,
         {PRE_HQF: _no("cisco-nsp, 21 August 2007 (ios-facts 2.3)"),
          HQF: _doubt("the same report is of 12.4T; HQF takes `priority` with `police` (ios-facts 2.3, 2.6)")}),
    Rule("priority-argument", "`priority` with a rate", checks.priority_argument, {GSR_KIND: _no(_ISE)}),
    Rule("priority-classes", "more than one priority class", checks.priority_classes,
         {GSR_KIND: _no(f"one low latency queue; {_ISE}")}),
    Rule("priority-mixed", "`priority` and `priority level` in one policy", checks.priority_mixed,
         {HQF: _doubt("c10k QoS guide OL-7433 p. 8-5"), XE: _doubt("c10k QoS guide OL-7433 p. 8-5")}),
    Rule("priority-default", "`priority` in class-default", checks.priority_default,
         _all(_doubt("c10k QoS guide OL-7433 p. 8-5, ME 3600X command reference"))),
    Rule("priority-bandwidth", "`priority` and `bandwidth` in one class", checks.priority_bandwidth, _all(_no(_LLQ))),
    Rule("priority-unlimited", "`priority` without a limit beside `bandwidth` in kbit/s or percent", checks.priority_unlimited,
         _all(_doubt("message `bandwidth kbps/percent command cannot co-exist with strict priority in the same policy-map` (K)"),
              (HQF, XE))),
    Rule("wred-priority", "`random-detect` in a priority class", checks.wred_priority, _all(_no(_LLQ))),
    Rule("bandwidth-units", "`bandwidth` in different units in one policy", checks.bandwidth_units,
         _all(_no(f"Remaining Bandwidth Using Ratio, restrictions; {YANG}, bandwidth"))),
    Rule("wred-without-queue", "`random-detect` in a class with no queue of its own", checks.wred_without_queue,
         {GSR_KIND: _no(f"bandwidth, or class-default; {_ISE}"),
          PRE_HQF: _doubt("consistent with every sample (ios-facts 2.3)"),
          HQF: _doubt("device-derived template S4; message of HQF (K)"),
          XE: _doubt(f"{YANG}, revision 2018-03-05: random-detect goes with shape or bandwidth")}),
    Rule("wred-units", "WRED thresholds or queue limits in bytes or time", checks.queue_units,
         {GSR_KIND: _doubt("packets in every sample (ios-facts N22)"),
          PRE_HQF: _doubt("packets in every sample (ios-facts N22); units came with HQF (K)")}),
    Rule("queue-limit-wred", "`queue-limit` and `random-detect` in one class", checks.queue_limit_wred,
         {PRE_HQF: _doubt("12.3 command reference, queue-limit: WRED or tail drop; both with HQF (K)")}),
    Rule("queue-limit-alone", "`queue-limit` in a class with no queue of its own", checks.queue_limit_alone,
         {GSR_KIND: _doubt(_ISE), PRE_HQF: _doubt("12.3 command reference, queue-limit"),
          HQF: _doubt("as IOS-XE (K)"), XE: _no(f"{YANG}, queue-limit must")}),
    Rule("fair-queue", "`fair-queue`", checks.fair_queue,
         {GSR_KIND: _no("WFQ does not exist, MDRR replaces it; Cisco document 18841 (ios-facts 2.2)")}),
    Rule("fair-queue-class", "`fair-queue` outside class-default", checks.fair_queue_class,
         {PRE_HQF: _doubt("per class with HQF only (K)")}),
    Rule("fair-queue-default", "`fair-queue` and `bandwidth` in class-default", checks.fair_queue_default,
         {PRE_HQF: _doubt("class-default is either fair or guaranteed before HQF (K)")}),
    Rule("fair-queue-queues", "`fair-queue` with other than 16, 32, ... 4096 queues", checks.fair_queue_queues,
         {XE: _no(f"{YANG}, dynamic-queues"), **_all(_doubt("as IOS-XE (K)"), (PRE_HQF, HQF))}),
    Rule("shared-percent", "shares of more than 75 %", checks.over_75,
         {PRE_HQF: _doubt("Cisco document 10466: 75 % unless max-reserved-bandwidth says otherwise (ios-facts 2.3)", "C")}),
    Rule("whole-percent", "shares of more than 100 %", checks.over_100,
         _all(_no("message `I/f ... requested bandwidth ..., available only ...`; Cisco document 10466 (ios-facts 2.3)"))),
    Rule("percent-fraction", "a percentage with a fraction", checks.percent_fraction,
         {XE: _no(f"{YANG}, policy-percent-type"), **_all(_doubt("1-100 in whole numbers (K)"), CLASSIC)}),
    Rule("input-queueing", "a queueing action on input", checks.input_queueing,
         {GSR_KIND: _doubt(f"priority, bandwidth; WRED and limits with `shape` only: {_ISE}"),
          **_all(_doubt("output only (ios-facts 2.3)"), _SOFTWARE)}),
    Rule("subinterface-queueing", "queueing on a subinterface without a shaper above it", checks.subinterface_queueing,
         {PRE_HQF: _no("message `CBWFQ : Not supported on subinterfaces` (ios-facts 2.3)"),
          HQF: _doubt("the same message, seen before HQF (ios-facts 2.3)"),
          XE: _doubt("hierarchy guides shape the parent (K)")}),
    Rule("hierarchy-shape", "a child policy with queues under a class without a shaper", checks.hierarchy_shape,
         {GSR_KIND: _doubt("two-level policies of the ISE guide shape the parent"),
          PRE_HQF: _no("message `Hierarchy supported only if shaping is configured` (ios-facts 2.3)"),
          HQF: _no("message `Hierarchy supported only if shaping is configured` (ios-facts 2.3)"),
          XE: _doubt("the same message, seen before IOS-XE, whose parents may have a bandwidth instead (K)")}),
    Rule("ubr-queueing", "queueing or percentages on a UBR PVC", checks.ubr,
         _all(_no("Cisco document 10466; no base for a percentage (ios-facts 1.4, 2.3)"))),
    Rule("police-percent", "`police cir percent`", policer_checks.gated_percent,
         _all(_no("12.2(13)T ftpctpol; 12.0(27)S knows rates only (ios-facts 2.1)"), CLASSIC)),
    Rule("police-percent-asr920", "`police cir percent` on an ASR 920", policer_checks.asr920_percent,
         {XE: _no("ASR 920 guide: cir percent is not supported (ios-facts 2.4)")}),
    Rule("burst-unit", "a burst in bytes at a percentage", policer_checks.bytes_at_percent,
         {XE: _no(f"{YANG}, bc-ms"), **_all(_doubt("in milliseconds (ios-facts 1.3, N18)"), CLASSIC)}),
    Rule("burst-ms", "a burst in milliseconds at a rate", policer_checks.ms_at_rate,
         {XE: _no(f"{YANG}, police-policy-map: bytes"), **_all(_doubt("bytes in every sample (ios-facts N17)"), CLASSIC)}),
    Rule("second-bucket", "a second bucket without a first, whose default cannot be written", policer_checks.second_bucket_alone,
         {XE: _no(f"{YANG}, be when bc-ms"), **_all(_doubt("bc before be in every sample (ios-facts N18)"), CLASSIC)}),
    Rule("rates-mixed", "one rate of a policer in bit/s, the other in percent", policer_checks.mixed_rates,
         {XE: _no(f"{YANG}, police-cir-percent, police-policy-map"), **_all(_doubt("as IOS-XE (K)"), CLASSIC)}),
    Rule("peak-below", "a peak rate below the committed rate", policer_checks.peak_below,
         _all(_doubt("RFC 2698: the peak is at least the committed rate"))),
    Rule("threshold-order", "a WRED minimum above its maximum", checks.threshold_order,
         _all(_doubt("drops begin at the one and are all at the other (K)"))),
    Rule("policer-conflict", "colours that contradict each other", policer_checks.policer_conflict,
         {XE: _no(f"{YANG}, must of conform-drop, exceed-drop and the set actions"), **_all(_doubt("as IOS-XE (K)"), CLASSIC)}),
    Rule("policer-several", "several actions for one colour", policer_checks.policer_several,
         {GSR_KIND: _doubt("ftpolenh is of 12.2(8)T, 12.0S is not named", "U")}),
    Rule("log-access-list", "an access list with `log` in a class", checks.logging_list,
         {XE: _no("message `access-lists with 'log' keyword are not supported` (ios-facts 2.4)")}),
    Rule("match-not", "`match not`", checks.match_not,
         {GSR_KIND: _doubt("open question U3 (ios-facts 2.2)", "U")}),
    Rule("engine-queues", "more than seven queues beside the priority queue", checks.engine_queues,
         {GSR_KIND: _no(f"eight queues, one of low latency; {_ISE}")}),
    Rule("engine-1-queueing", "queueing on Engine 1", checks.engine_1_queueing,
         {GSR_KIND: _no("WRED and MDRR refused; Router Manager 3.1.1 guide p. 11-22 (ios-facts 2.2)")}),
    Rule("engine-mqc", "an MQC policy on an engine that is neither ISE nor Engine 5", checks.engine_mqc,
         {GSR_KIND: _doubt("CAR or PIRC and cos-queue-group there; Engine 6 open (ios-facts 2.2)")}),
    Rule("shape-peak", "`shape peak`", checks.shape_peak,
         {XE: _doubt(f"{YANG} has shape average only")}),
    Rule("set-precedence", "`set precedence` for both families", checks.set_precedence,
         {XE: _doubt(f"{YANG} has set ip precedence only")}),
)  # fmt: skip
