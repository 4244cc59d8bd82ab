"""What is sent where a swap is refused: in the plan, in its order, with its effect, and under the fingerprint."""

from __future__ import annotations

import dataclasses
import json

from provisioning.pipeline.change import ChangePlan, writes
from provisioning.pipeline.diff import Line
from provisioning.pipeline.mqc import RunningConfig
from tests.pipeline.change.test_plans import BASELINE, CIRCUMSTANCES, owned_after, plans_for
from tests.pipeline.practice import Oracle


def onboarding(name: str, case: str, **others: str) -> tuple[ChangePlan, Oracle, RunningConfig]:
    """The plan by which links of the baseline get another case; the router, and what it held before."""
    oracle = Oracle("12000")
    first = plans_for(oracle.read(), BASELINE.intent("12000"), "12000")
    for plan in first:
        oracle.send(plan.commands)
    now = {name: case, **others}
    cases = tuple((each, now.get(each, old), standing) for each, old, standing in BASELINE.cases)
    wanted = dataclasses.replace(BASELINE, cases=cases, reservations=()).intent("12000")
    before = oracle.read()
    return plans_for(before, wanted, "12000", owned_after(first))[0], oracle, before


def of(plan: ChangePlan, interface: str) -> list[tuple[str, bool]]:
    return [(each.policy, each.standby) for each in plan.alternatives if each.interface == interface]


def test_a_swap_names_new_and_old_with_what_they_do() -> None:
    plan, _oracle, _before = onboarding("BETA", "trusted")
    assert of(plan, "POS1/1") == [("TRUSTED-IN", False), ("NON-PARTICIPANT", False)]
    new, old = (each for each in plan.alternatives if each.interface == "POS1/1")
    assert new.line == "service-policy input TRUSTED-IN" and "policed" in new.effect
    assert "DSCP 0" in old.effect or "everything" in old.effect, old.effect
    (swap,) = [each for each in writes(plan.commands, plan.alternatives) if each.place == new.place]
    assert swap.instead == (old.line, new.line)


def test_a_policy_that_lets_no_ef_in_stands_by_where_it_was_read() -> None:
    plan, _oracle, before = onboarding("ALPHA", "filtered")
    places = {gap.interface: gap for gap in plan.gaps}
    gap = places["POS1/0"]
    assert gap.old == "TRUSTED-IN" and gap.new != "NON-PARTICIPANT"
    assert ("NON-PARTICIPANT", True) in of(plan, "POS1/0")
    assert "NON-PARTICIPANT" in before.policy_maps
    swaps = [each for each in writes(plan.commands, plan.alternatives) if each.place and each.instead]
    (swap,) = [each for each in swaps if each.place == ("POS1/0", None, "input")]
    back, line, last = (
        f"service-policy input {gap.old}",
        swap.lines[-1].text,
        "service-policy input NON-PARTICIPANT",
    )
    assert swap.instead == (back, line, back, last)
    bare = plan.commands[: gap.after_line + 1]
    for choice in set(swap.instead):
        _plan, router, _before = onboarding("ALPHA", "filtered")
        assert router.send([*bare, choice]) == [], "the router takes each of them at that very moment"


def test_the_way_back_carries_them_too() -> None:
    plan, _oracle, _before = onboarding("BETA", "trusted")
    back = [each for each in writes(plan.rollback, plan.alternatives) if each.instead]
    assert [each.instead for each in back] == [
        ("service-policy input TRUSTED-IN", "service-policy input NON-PARTICIPANT")
    ]


def test_a_line_that_closes_what_was_left_bare_carries_them_without_a_line_before_it() -> None:
    """After a crash between the two lines the rest begins with the second."""
    plan, _oracle, _before = onboarding("BETA", "trusted")
    rest = (Line("interface POS1/1"), Line("service-policy input TRUSTED-IN", 1))
    (_, closing) = writes(rest, plan.alternatives)
    assert closing.instead == ("service-policy input NON-PARTICIPANT", "service-policy input TRUSTED-IN")


def test_only_a_place_that_is_swapped_has_any() -> None:
    plan = plans_for(Oracle("12000").read(), BASELINE.intent("12000"), "12000")[0]
    assert plan.gaps == () and plan.alternatives == ()
    assert all(each.instead == () for each in writes(plan.commands, plan.alternatives))


def test_they_are_under_the_fingerprint_and_survive_json() -> None:
    plan, _oracle, before = onboarding("BETA", "trusted")
    assert ChangePlan.from_json(json.loads(json.dumps(plan.to_json()))) == plan
    assert plan.fingerprint_now(before, CIRCUMSTANCES) == plan.fingerprint
    for altered in (
        dataclasses.replace(plan, alternatives=plan.alternatives[:-1]),
        dataclasses.replace(
            plan, alternatives=(dataclasses.replace(plan.alternatives[0], effect="x"), *plan.alternatives[1:])
        ),
    ):
        assert altered.fingerprint_now(before, CIRCUMSTANCES) != plan.fingerprint
