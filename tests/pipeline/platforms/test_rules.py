"""What each platform takes and refuses, rule by rule: every rule fires where its table says, and only there."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from provisioning.pipeline.platforms import (
    KINDS,
    ClassFacts,
    PolicerFacts,
    PolicyFacts,
    Profile,
    Severity,
    Tag,
    judge,
    profile,
)
from provisioning.pipeline.platforms.gates import GATES
from provisioning.pipeline.platforms.kinds import Kind
from provisioning.pipeline.platforms.limits import Limit
from provisioning.pipeline.platforms.rules import RULES, Rule

ROUTERS = {
    "12000": profile("cisco-12400", "12.0(28)S"),
    "7200 before HQF": profile("cisco-7200vxr", "12.3(14)T"),
    "7200 with HQF": profile("cisco-7200vxr", "15.2(4)M3"),
    "IOS-XE": profile("asr1000", "17.6.1"),
    "linux": profile("linux", "6.1"),
}
FIVE = PolicerFacts(bps=7_750_000, percents=(Decimal(5),))


def policy(*classes: ClassFacts, **values: Any) -> PolicyFacts:
    return PolicyFacts("P", classes, **{"direction": "output", **values})


def one(**values: Any) -> PolicyFacts:
    return policy(ClassFacts("C", **values))


def rest(**values: Any) -> PolicyFacts:
    return policy(ClassFacts("class-default", is_default=True, **values))


# One policy per rule that has what the rule is about, and nothing else wrong with it where that is possible.
WRONG: dict[str, PolicyFacts] = {
    "bare-priority": one(priority="bare"),
    "priority-argument": one(priority="percent", percents=(Decimal(20),)),
    "priority-classes": policy(ClassFacts("A", priority="bare"), ClassFacts("B", priority="bare")),
    "priority-mixed": policy(
        ClassFacts("A", priority="level", priority_level=1), ClassFacts("B", priority="bare")
    ),
    "priority-default": rest(priority="percent", percents=(Decimal(20),)),
    "priority-bandwidth": one(priority="bare", bandwidth="kbps"),
    "priority-unlimited": policy(
        ClassFacts("A", priority="level", priority_level=1),
        ClassFacts("B", bandwidth="percent", percents=(Decimal(40),)),
    ),
    "wred-priority": one(priority="bare", wred="dscp"),
    "bandwidth-units": policy(
        ClassFacts("A", bandwidth="kbps"), ClassFacts("B", bandwidth="percent", percents=(Decimal(5),))
    ),
    "wred-without-queue": one(wred="dscp"),
    "wred-units": one(bandwidth="kbps", wred="dscp", wred_units=frozenset({"ms"})),
    "queue-limit-wred": one(bandwidth="kbps", wred="dscp", queue_limit="packets"),
    "queue-limit-alone": one(queue_limit="packets"),
    "fair-queue": rest(fair_queue=True),
    "fair-queue-class": one(bandwidth="kbps", fair_queue=True),
    "fair-queue-default": rest(bandwidth="kbps", fair_queue=True),
    "fair-queue-queues": rest(fair_queue=True, queues=17),
    "shared-percent": one(bandwidth="percent", percents=(Decimal(76),)),
    "whole-percent": policy(
        *(ClassFacts(name, bandwidth="percent", percents=(Decimal(51),)) for name in "AB")
    ),
    "percent-fraction": one(policer=PolicerFacts(None, (Decimal("2.5"),))),
    "input-queueing": policy(ClassFacts("C", bandwidth="kbps"), direction="input"),
    "subinterface-queueing": policy(ClassFacts("C", bandwidth="kbps"), subinterface=True),
    "hierarchy-shape": one(child=one(bandwidth="kbps")),
    "ubr-queueing": policy(ClassFacts("C", bandwidth="kbps"), pvc_category="ubr"),
    "police-percent": one(policer=FIVE),
    "police-percent-asr920": one(policer=FIVE),
    "burst-unit": one(policer=replace(FIVE, bursts=((15000, "bytes"),))),
    "burst-ms": one(policer=PolicerFacts(1_000_000, bursts=((20, "ms"),))),
    "second-bucket": one(policer=replace(FIVE, bursts=((40, "ms"),), second_bucket_alone=True)),
    "rates-mixed": one(policer=replace(FIVE, two_rates=True, mixed_rates=True)),
    "peak-below": one(policer=replace(FIVE, two_rates=True, peak_below=True)),
    "threshold-order": one(bandwidth="kbps", wred="dscp", thresholds_cross=True),
    "policer-conflict": one(policer=PolicerFacts(1_000_000, conform=("drop",), exceed=("transmit",))),
    "policer-several": one(
        policer=PolicerFacts(1_000_000, conform=("set-dscp-transmit 46", "set-qos-transmit 1"))
    ),
    "log-access-list": one(logs=True),
    "match-not": one(negated=True),
    "engine-queues": policy(*(ClassFacts(f"C{number}", bandwidth="kbps") for number in range(7))),
    "engine-1-queueing": policy(ClassFacts("C", bandwidth="kbps"), engine="1"),
    "engine-mqc": policy(ClassFacts("C", policer=FIVE), direction="input", engine="4+"),
    "shaper": one(shape="average"),
    "shape-peak": one(shape="peak"),
    "set-precedence": one(sets=("precedence",)),
}
OLD = {"police-percent": {"12000": "12.0(27)S", "7200 before HQF": "12.2(11)T", "7200 with HQF": ""}}


def asked(code: str, kind: str) -> Profile | None:
    """The router that a rule is tried on; None where the kind has no release that the rule is about."""
    if code == "police-percent":
        release = OLD[code].get(kind, "")
        return profile("cisco-12400" if kind == "12000" else "cisco-7200vxr", release) if release else None
    return profile("asr920", "16.6.4") if code.endswith("asr920") and kind == "IOS-XE" else ROUTERS[kind]


def test_every_rule_has_a_policy_that_breaks_it() -> None:
    assert set(WRONG) == {rule.code for rule in RULES}
    assert len(RULES) == len(WRONG)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_holds_where_its_table_says_and_nowhere_else(rule: Rule, kind: Kind) -> None:
    router = asked(rule.code, kind.name)
    if router is None:
        return
    said = [finding for finding in judge(router, WRONG[rule.code]) if finding.code == rule.code]
    verdict = kind.verdicts.get(rule.code)
    assert bool(said) is (verdict is not None)
    for finding in said:
        assert (finding.severity, finding.evidence) == (verdict.severity, verdict.evidence)
        assert str(router) in finding.text


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_only_what_is_certain_is_refused(rule: Rule) -> None:
    answers = [(kind, kind.verdicts[rule.code]) for kind in KINDS if rule.code in kind.verdicts]
    assert answers
    for kind, verdict in answers:
        assert verdict.evidence.source
        if verdict.severity is Severity.REFUSAL:
            assert verdict.evidence.tag is Tag.CERTAIN, kind


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=f"{code} {kind}") for kind in KINDS for code, row in kind.limits.items()]
)
def test_a_limit_is_a_range_with_evidence(row: Limit) -> None:
    assert row.least < row.most
    assert row.evidence.source
    assert (row.severity is Severity.REFUSAL) is (row.evidence.tag is Tag.CERTAIN)
    assert row.holds(row.least) and row.holds(row.most)
    assert not row.holds(row.most + 1) and not row.holds(row.least - 1)


def test_a_kind_answers_to_known_rules_only() -> None:
    """A code that nobody looks for would be a refusal that never comes."""
    assert {code for kind in KINDS for code in kind.verdicts} == {rule.code for rule in RULES}


@pytest.mark.parametrize(
    ("kind", "wrong", "code", "certain"),
    [
        ("7200 before HQF", one(policer=PolicerFacts(7999)), "police-rate", True),
        ("IOS-XE", one(policer=PolicerFacts(100_000_000_001)), "police-rate", True),
        ("IOS-XE", one(policer=PolicerFacts(1_000_000, bursts=((999, "bytes"),))), "police-burst", True),
        ("7200 with HQF", one(policer=PolicerFacts(1_000_000, bursts=((999, "bytes"),))), "police-burst", False),
        ("IOS-XE", one(policer=replace(FIVE, bursts=((2001, "ms"),))), "burst-ms", True),
        ("12000", one(bandwidth="kbps", wred="dscp", wred_weight=17), "wred-weight", False),
        ("IOS-XE", one(priority="level", priority_level=3), "priority-level", True),
        ("IOS-XE", one(numbers=(("wred-denominator", 65536),)), "wred-denominator", True),
        ("7200 with HQF", one(numbers=(("mark-3-bits", 8),)), "mark-3-bits", True),
        ("IOS-XE", one(match_lines=17), "match-lines", False),
        ("12000", one(values=9), "match-values", False),
        ("IOS-XE", PolicyFacts("x" * 41), "name-length", True),
        ("7200 before HQF", policy(*(ClassFacts(f"C{n}", policer=FIVE) for n in range(65))), "classes", True),
        ("IOS-XE", policy(*(ClassFacts(f"C{n}", policer=FIVE) for n in range(257))), "classes", True),
        ("7200 with HQF", policy(*(ClassFacts(f"C{n}", policer=FIVE) for n in range(257))), "classes", True),
        ("IOS-XE", one(shape="average", shape_bps=7999), "shape-rate", True),
        ("7200 before HQF", one(shape="average", shape_bps=154_400_001), "shape-rate", False),
    ],
)  # fmt: skip
def test_a_number_out_of_range_is_said(kind: str, wrong: PolicyFacts, code: str, certain: bool) -> None:
    (finding,) = [each for each in judge(ROUTERS[kind], wrong) if each.code == code]
    assert finding.certain is certain


@pytest.mark.parametrize(
    ("platform", "ios", "wanted", "passed"),
    [
        ("cisco-12400", "12.0(28)S", "police cir percent", True),
        ("cisco-12400", "12.0(27)S", "police cir percent", False),
        ("cisco-7200vxr", "12.1(19)E", "police cir percent", None),
        ("cisco-7200vxr", "12.2(13)T", "police cir percent", True),
        ("asr1000", "03.16.05.S", "priority level", True),
        ("cisco-12400", "12.0(28)S", "several actions of a policer", None),
    ],
)
def test_a_first_release_is_passed_missed_or_not_known(
    platform: str, ios: str, wanted: str, passed: bool | None
) -> None:
    assert GATES[wanted].passed(profile(platform, ios).release) is passed


def test_where_nobody_knows_the_first_release_it_is_rendered_and_warned_about() -> None:
    router = profile("cisco-7200vxr", "12.1(19)E")
    assert router.police_percent
    (finding,) = [each for each in judge(router, one(policer=FIVE)) if each.code == "first-release"]
    assert finding.severity is Severity.WARNING
    assert "12.2(13)T" in finding.text


def test_a_release_that_probably_came_too_early_is_a_warning() -> None:
    (finding,) = judge(ROUTERS["7200 before HQF"], one(bandwidth="remaining ratio"))
    assert (finding.code, finding.certain) == ("first-release", False)


APPENDIX = {
    "12000": policy(
        ClassFacts("EF", priority="bare"), ClassFacts("class-default", is_default=True, wred="dscp")
    ),
    "7200 before HQF": policy(
        ClassFacts("EF", priority="percent", percents=(Decimal(20),)),
        ClassFacts("class-default", is_default=True, wred="dscp", fair_queue=True),
    ),
    "7200 with HQF": policy(
        ClassFacts("EF", priority="percent", percents=(Decimal(20),)),
        ClassFacts("class-default", is_default=True, wred="dscp"),
    ),
    "IOS-XE": policy(
        ClassFacts("EF", priority="bare"), ClassFacts("class-default", is_default=True, wred="dscp")
    ),
    "linux": policy(
        ClassFacts("EF", priority="bare"), ClassFacts("class-default", is_default=True, wred="dscp")
    ),
}


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_appendix_is_taken_as_each_platform_spells_it(kind: Kind) -> None:
    edge = policy(
        ClassFacts("EF", match_lines=1, values=1, policer=FIVE),
        ClassFacts("LBE", policer=replace(FIVE, percents=(Decimal(1),), exceed=("transmit",))),
        ClassFacts("class-default", is_default=True, sets=("dscp",)),
        direction="input",
        engine="3" if kind.name == "12000" else None,
    )
    assert judge(ROUTERS[kind.name], edge) == ()
    assert judge(ROUTERS[kind.name], APPENDIX[kind.name]) == ()


def test_a_finding_survives_being_stored() -> None:
    found = judge(ROUTERS["12000"], WRONG["engine-mqc"])
    assert found
    assert [type(each).from_json(each.to_json()) for each in found] == list(found)


@pytest.mark.parametrize(
    "limited",
    [
        policy(ClassFacts("A", priority="bare", policer=FIVE), ClassFacts("B", bandwidth="kbps")),
        policy(
            ClassFacts("A", priority="percent", percents=(Decimal(20),)), ClassFacts("B", bandwidth="kbps")
        ),
        policy(ClassFacts("A", priority="bare"), ClassFacts("B", bandwidth="remaining percent")),
        policy(ClassFacts("A", priority="bare"), ClassFacts("B", shape="average", shape_bps=1_000_000)),
    ],
    ids=["a policer", "a rate", "what remains", "no guarantee"],
)
def test_strict_priority_is_in_the_way_of_guarantees_only_without_a_limit(limited: PolicyFacts) -> None:
    assert "priority-unlimited" not in {found.code for found in judge(ROUTERS["IOS-XE"], limited)}
