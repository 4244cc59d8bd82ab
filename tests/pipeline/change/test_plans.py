"""ChangePlan: phases, proof, undo for every prefix, fingerprint; on practice routers."""

from __future__ import annotations

import dataclasses
import json

import pytest

from provisioning.pipeline.change import ChangePlan, Circumstances, build_plans, write_units
from provisioning.pipeline.change import Phase as PlanPhase
from provisioning.pipeline.diff import Owned
from provisioning.pipeline.intent import RouterIntent, removal
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.practice import BANDWIDTHS, Oracle, profile_of
from tests.pipeline.worlds import FOREIGN, World

RENDERER = Renderer(ios_environment())
CIRCUMSTANCES = Circumstances("TBM1", "ssh-rsa AAAA", "rev", "scheme", "templates", BANDWIDTHS)
BASELINE = World(
    cases=(
        ("ALPHA", "trusted", True),
        ("BETA", "non-participant", True),
        ("DELTA", "filtered", False),
        ("GAMMA", "filtered", True),
    ),
    reservations=(("GAMMA", "2001:db8:a::/48", "2001:db8:f::/48", None, 1_000_000),),
)


def plans_for(
    running: RunningConfig, wanted: RouterIntent, kind: str, owned: Owned | None = None
) -> tuple[ChangePlan, ...]:
    return build_plans("r1", running, wanted, owned or Owned(), RENDERER, profile_of(kind), CIRCUMSTANCES)


def owned_after(plans: tuple[ChangePlan, ...]) -> Owned:
    """Ownership rows as they stand when all plans are verified."""
    rows = {tuple(key.split(" ", 1)): digest for plan in plans for key, digest in plan.owned_after.items()}
    return Owned(rows)


def test_a_baseline_puts_edges_before_core_queues():
    oracle = Oracle("12000", FOREIGN)
    plans = plans_for(oracle.read(), BASELINE.intent("12000"), "12000")
    assert [plan.phase for plan in plans] == [PlanPhase.EDGES, PlanPhase.CORE_ON]
    assert [line.text for line in plans[1].commands] == [
        "interface POS2/0",
        "service-policy output my_policy",
    ]
    for plan in plans:
        assert plan.violations == ()
        assert oracle.send(plan.commands) == []
        assert plan.standing_at(oracle.read())[-1] == len(plan.commands)


def test_an_edge_that_begins_to_remark_warns_of_routing_packets():
    """ios-facts 5.4: class-default takes CS6 and CS7 as well."""
    (edges, core) = plans_for(Oracle("12000", FOREIGN).read(), BASELINE.intent("12000"), "12000")
    assert any("POS1/0: routing packets" in warning for warning in edges.warnings)
    assert not any("routing packets" in warning for warning in core.warnings)


def test_a_bare_priority_queue_warns_that_nothing_bounds_it_here():
    """ios-facts 2.2: on a 12000 the other classes are guaranteed nothing; the 7200's queue has a rate."""
    (edges, core) = plans_for(Oracle("12000", FOREIGN).read(), BASELINE.intent("12000"), "12000")
    assert any("POS2/0: class EF is strict priority without a policer" in text for text in core.warnings)
    assert not any("strict priority" in text for text in edges.warnings)
    (_, rated) = plans_for(Oracle("7200-12.3T", FOREIGN).read(), BASELINE.intent("7200-12.3T"), "7200-12.3T")
    assert not any("strict priority" in text for text in rated.warnings)


def test_taking_everything_off_begins_with_core_queues():
    oracle = Oracle("12000", FOREIGN)
    wanted = BASELINE.intent("12000")
    plans = plans_for(oracle.read(), wanted, "12000")
    for plan in plans:
        oracle.send(plan.commands)
    off = plans_for(oracle.read(), removal(wanted), "12000", owned_after(plans))
    assert [plan.phase for plan in off] == [PlanPhase.CORE_OFF, PlanPhase.EDGES]
    assert [line.text for line in off[0].commands] == [
        "interface POS2/0",
        "no service-policy output my_policy",
    ]
    assert set(off[1].released) == set(plans[0].owned_after)


def test_a_swap_of_one_priority_policy_for_another_is_no_new_trust():
    oracle = Oracle("12000")
    wanted = BASELINE.intent("12000")
    plans = plans_for(oracle.read(), wanted, "12000")
    for plan in plans:
        oracle.send(plan.commands)
    other = dataclasses.replace(BASELINE, ef_percent=10)
    changed = plans_for(oracle.read(), other.intent("12000"), "12000", owned_after(plans))
    assert [plan.phase for plan in changed] == [PlanPhase.EDGES]


def test_an_empty_plan_is_one_plan_that_says_so():
    oracle = Oracle("7200-12.3T")
    wanted = BASELINE.intent("7200-12.3T")
    first = plans_for(oracle.read(), wanted, "7200-12.3T")
    for plan in first:
        oracle.send(plan.commands)
    (plan,) = plans_for(oracle.read(), wanted, "7200-12.3T", owned_after(first))
    assert plan.empty
    assert plan.undo == ((),)
    assert plan.base_digest == plan.target_digest


def test_without_rows_equal_content_is_taken_over_and_reported():
    oracle = Oracle("12000")
    wanted = BASELINE.intent("12000")
    for plan in plans_for(oracle.read(), wanted, "12000"):
        oracle.send(plan.commands)
    (plan,) = plans_for(oracle.read(), wanted, "12000")
    assert plan.empty
    assert {(takeover.object_kind, takeover.name) for takeover in plan.takeovers} == {
        tuple(key.split(" ", 1)) for key in plan.owned_after
    }


def test_a_swap_is_one_write_and_a_named_gap():
    oracle = Oracle("12000")
    first = plans_for(oracle.read(), BASELINE.intent("12000"), "12000")
    for plan in first:
        oracle.send(plan.commands)
    cases = tuple(
        (name, "trusted" if name == "BETA" else case, standing) for name, case, standing in BASELINE.cases
    )
    onboarded = dataclasses.replace(BASELINE, cases=cases).intent("12000")
    (plan,) = plans_for(oracle.read(), onboarded, "12000", owned_after(first))
    (gap,) = plan.gaps
    assert (gap.interface, gap.old, gap.new) == ("POS1/1", "NON-PARTICIPANT", "TRUSTED-IN")
    assert gap.unmarked
    assert not gap.unpoliced
    assert "POS1/1" in gap.text
    assert plan.commands[gap.after_line].text == "no service-policy input NON-PARTICIPANT"
    units = [[line.text for line in unit] for unit in write_units(plan.commands)]
    assert units == [
        ["interface POS1/1"],
        ["no service-policy input NON-PARTICIPANT", "service-policy input TRUSTED-IN"],
    ]
    assert plan.proof[gap.after_line + 1].gap
    assert plan.violations == ()


@pytest.fixture
def plan() -> ChangePlan:
    return plans_for(Oracle("12000", FOREIGN).read(), BASELINE.intent("12000"), "12000")[0]


def test_a_plan_survives_json(plan):
    assert ChangePlan.from_json(json.loads(json.dumps(plan.to_json()))) == plan


def test_the_fingerprint_is_the_same_for_the_same_router(plan):
    assert plan.fingerprint_now(Oracle("12000", FOREIGN).read(), CIRCUMSTANCES) == plan.fingerprint


@pytest.mark.parametrize(
    "change",
    [
        {"serial": "TBM2"},
        {"host_key": "ssh-rsa BBBB"},
        {"intent_revision": "other"},
        {"scheme_digest": "other"},
        {"template_digest": "other"},
        {"bandwidths": {**BANDWIDTHS, "POS1/0": 100_000_000}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_any_other_circumstance_makes_it_stale(plan, change):
    running = Oracle("12000", FOREIGN).read()
    assert plan.fingerprint_now(running, dataclasses.replace(CIRCUMSTANCES, **change)) != plan.fingerprint


@pytest.mark.parametrize(
    "edit",
    [
        "class-map match-all EF\n match dscp 40\n",
        "policy-map OTHER-POLICY\n class class-default\n  set dscp 0\ninterface POS1/0\n service-policy input OTHER-POLICY\n",
        "ipv6 access-list nren-auth-ef\n permit ipv6 any any\n",
    ],
    ids=["same-named object", "service-policy on a managed interface", "same-named list"],
)
def test_a_moved_router_makes_it_stale(plan, edit):
    assert plan.fingerprint_now(Oracle("12000", FOREIGN + edit).read(), CIRCUMSTANCES) != plan.fingerprint


def test_what_is_not_in_scope_does_not(plan):
    elsewhere = "policy-map THEIRS\n class class-default\n  set dscp 0\n"
    assert (
        plan.fingerprint_now(Oracle("12000", FOREIGN + elsewhere).read(), CIRCUMSTANCES) == plan.fingerprint
    )


def test_a_foreign_object_of_our_name_leaves_nothing_to_send():
    oracle = Oracle("12000", "class-map match-all EF\n match dscp 40\n")
    (plan,) = plans_for(oracle.read(), BASELINE.intent("12000"), "12000")
    assert plan.commands == ()
    (conflict,) = plan.conflicts
    assert (conflict.kind, conflict.object_kind, conflict.name) == ("foreign", "class-map", "EF")
    assert "match dscp 46" in conflict.expected
    assert "match dscp 40" in conflict.found


def test_a_list_that_was_only_entered_is_taken_away_again():
    """A router may make a list when it is entered, before it has an entry (ios-facts 2.7)."""
    oracle = Oracle("12000")
    start = oracle.read()
    plan = plans_for(start, BASELINE.intent("12000"), "12000")[0]
    assert plan.commands[0].text == "ipv6 access-list nren-auth-ef"
    assert oracle.send(plan.commands[:1]) == []
    assert [line.text for line in plan.undo[1]] == ["no ipv6 access-list nren-auth-ef"]
    assert oracle.send(plan.undo[1]) == []
    assert oracle.read() == start


def test_what_the_platform_certainly_refuses_makes_a_plan_that_cannot_be_approved():
    """1 % of a 512 kbit/s line is 5120 bit/s: the policy could not be attached (ios-facts 1.4)."""
    slow = dataclasses.replace(CIRCUMSTANCES, bandwidths={**BANDWIDTHS, "POS1/0": 512_000})
    running = Oracle("12000").read()
    wanted = BASELINE.intent("12000")
    edges = build_plans("r1", running, wanted, Owned(), RENDERER, profile_of("12000"), slow)[0]
    assert [text for text in edges.violations if text.startswith("POS1/0: 5120 bit/s of a policer")]
    assert not [text for text in edges.violations if text.startswith("POS1/1")]


def test_a_12000s_core_policy_on_a_7200_cannot_be_approved():
    """The 7200 refuses `priority` without a rate (ios-facts 2.3)."""
    running = Oracle("7200-12.3T").read()
    plans = build_plans(
        "r1", running, BASELINE.intent("12000"), Owned(), RENDERER, profile_of("7200-12.3T"), CIRCUMSTANCES
    )
    assert any("`priority` without a rate" in text for plan in plans for text in plan.violations)


def authorising(*reservation: object) -> World:
    """GAMMA filtered and standing, with one reservation from the source and to the destination given."""
    return dataclasses.replace(
        BASELINE, cases=(("GAMMA", "filtered", True),), reservations=(("GAMMA", *reservation),)
    )


@pytest.mark.parametrize("kind", ["12000", "7200-12.3T", "7200-hqf", "ios-xe"])
@pytest.mark.parametrize("there", [True, False], ids=["IPv6-to-IPv4", "IPv4-to-IPv6"])
def test_one_source_may_follow_another_of_the_other_family(kind, there):
    """Found by the properties: in between nobody is authorised, and nobody was who stays (safety, `_nobody_stays`)."""
    ends = [
        authorising("2001:db8:a::/48", "2001:db8:f::/48", None, 1_000_000),
        authorising("192.0.2.7/32", "203.0.113.0/24", None, 1_000_000),
    ]
    before, after = ends if there else reversed(ends)
    oracle = Oracle(kind, FOREIGN)
    first = plans_for(oracle.read(), before.intent(kind), kind)
    for plan in first:
        assert oracle.send(plan.commands) == []
    for plan in plans_for(oracle.read(), after.intent(kind), kind, owned_after(first)):
        assert plan.violations == ()
        assert oracle.send(plan.commands) == []
    assert plans_for(oracle.read(), after.intent(kind), kind)[-1].commands == ()


def test_the_way_back_is_proven_like_the_way_there_and_both_are_approved():
    plans = plans_for(Oracle("12000", FOREIGN).read(), BASELINE.intent("12000"), "12000")
    running = Oracle("12000", FOREIGN).read()
    plan = plans[0]
    assert [state.line for state in plan.back[1:]] == [line.text for line in plan.rollback]
    assert plan.fingerprint_now(running, CIRCUMSTANCES) == plan.fingerprint
    unsafe = dataclasses.replace(plan.back[1], violations=("POS1/0: EF enters unpoliced",))
    altered = dataclasses.replace(plan, back=(plan.back[0], unsafe, *plan.back[2:]))
    assert altered.violations == ("on the way back: POS1/0: EF enters unpoliced",)
    assert altered.fingerprint_now(running, CIRCUMSTANCES) != plan.fingerprint
    silenced = dataclasses.replace(plan, proof=plan.proof[:1])
    assert silenced.fingerprint_now(running, CIRCUMSTANCES) != plan.fingerprint, "the proof is approved too"
    assert ChangePlan.from_json(json.loads(json.dumps(plan.to_json()))) == plan


def test_a_rate_that_equals_the_percentage_today_is_named_and_still_planned():
    """ios-facts 1.4: 5 % of 155 Mbit/s is 7.75 Mbit/s until somebody changes the BW."""
    oracle = Oracle("12000", FOREIGN)
    wanted = BASELINE.intent("12000")
    first = plans_for(oracle.read(), wanted, "12000")
    for plan in first:
        oracle.send(plan.commands)
    oracle.send(["policy-map TRUSTED-IN", "class EF", "police cir 7750000"])
    edited = build_plans(
        "r1",
        oracle.read(),
        wanted,
        owned_after(first),
        RENDERER,
        profile_of("12000"),
        CIRCUMSTANCES,
        repair=True,
    )
    for plan in (*edited, *plans_for(oracle.read(), wanted, "12000", owned_after(first))):
        (same,) = plan.equal_today
        assert (same.interface, same.class_name, same.bps) == ("POS1/0", "EF", 7_750_000)
        assert "equal today, 7.75 Mbit/s either way at BW 155 Mbit/s" in same.text
    assert "police cir percent 5" in str([line.text for line in edited[0].commands]), "never merged"
    assert edited[0].violations == ()
