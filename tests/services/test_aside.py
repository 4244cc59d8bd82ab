"""Where a router stands but for one place of a swap: found, and taken back to what it held, on a practice router."""

from __future__ import annotations

import pytest

from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.mqc import RunningConfig
from provisioning.services.pushing import aside, standing
from tests.pipeline.change.test_alternatives import onboarding
from tests.pipeline.practice import Oracle, profile_of

PLACE = ("POS1/0", None, "input")
INTERFACE = "interface POS1/0"


def after(count: int, *more: str) -> tuple[ChangePlan, Oracle, RunningConfig]:
    """A router that took so many commands of the plan, and then these lines."""
    plan, oracle, before = onboarding("ALPHA", "filtered")
    assert oracle.send([*plan.commands[:count], *more]) == []
    return plan, oracle, before


def taken_back(plan: ChangePlan, oracle: Oracle, before: RunningConfig) -> list[str]:
    """Send what `aside` makes of the undo; the lines. The router holds what it held before."""
    seen = oracle.read()
    assert standing.position(plan, seen) is None, "else there is nothing to set aside"
    count = aside.position(plan, seen)
    assert count is not None
    rest, _done = aside.undo_rest(plan, before, count, seen, profile_of("12000"))
    assert rest is not None
    assert oracle.send(rest) == []
    assert standing.stands(plan, oracle.read(), 0)
    return [line.text for line in rest]


def gap_of(plan: ChangePlan) -> int:
    (found,) = [gap.after_line for gap in plan.gaps if gap.interface == "POS1/0"]
    return found


def test_a_policy_that_stands_by_is_swapped_for_the_old_one() -> None:
    at = gap_of(onboarding("ALPHA", "filtered")[0])
    plan, oracle, before = after(at + 1, "service-policy input NON-PARTICIPANT")
    lines = taken_back(plan, oracle, before)
    swap = lines.index("no service-policy input NON-PARTICIPANT")
    assert lines[swap + 1] == "service-policy input TRUSTED-IN"
    allowed = {line.text for undo in plan.undo for line in undo} | {line.text for line in plan.commands}
    assert set(lines) - allowed == {"no service-policy input NON-PARTICIPANT"}


@pytest.mark.parametrize("back", [None, "old", "standby"])
def test_a_binding_that_a_line_card_dropped_when_later_lines_were_in(back: str | None) -> None:
    """Another swap went through meanwhile: no prefix of the plan looks like that."""
    plan, oracle, before = onboarding("ALPHA", "filtered", BETA="trusted")
    first, *_, second = sorted(plan.gaps, key=lambda gap: gap.after_line)
    assert second.after_line > first.after_line + 1
    here = [each for each in plan.alternatives if each.interface == first.interface]
    (standby,) = [each.policy for each in here if each.standby]
    held = standby if back == "standby" else first.old
    assert oracle.send(plan.commands[: second.after_line + 2]) == []
    lines = [f"interface {first.interface}", f"no service-policy input {first.new}"]
    assert oracle.send(lines + ([f"service-policy input {held}"] if back else [])) == []
    taken_back(plan, oracle, before)


def test_what_is_bare_is_closed_with_the_first_alternative_that_is_there() -> None:
    at = gap_of(onboarding("ALPHA", "filtered")[0])
    plan, oracle, _before = after(at + 1)
    new = plan.commands[at + 1].text
    lines = aside.closing(plan, oracle.read(), [PLACE])
    assert [line.text for line in lines] == [INTERFACE, new]
    assert oracle.send(lines) == []
    assert standing.stands(plan, oracle.read(), at + 2)


def test_anything_else_that_differs_is_nowhere() -> None:
    at = gap_of(onboarding("ALPHA", "filtered")[0])
    plan, oracle, before = after(
        at + 1,
        "service-policy input NON-PARTICIPANT",
        "policy-map TRUSTED-IN",
        "class EF",
        "police cir percent 7",
    )
    seen = oracle.read()
    assert aside.position(plan, seen) is None
    assert aside.undo_rest(plan, before, at + 1, seen, profile_of("12000"))[0] is None


def test_a_foreign_policy_at_that_place_is_nowhere() -> None:
    at = gap_of(onboarding("ALPHA", "filtered")[0])
    plan, oracle, _before = after(
        at + 1,
        "policy-map THEIRS",
        "class class-default",
        "set dscp 0",
        INTERFACE,
        "service-policy input THEIRS",
    )
    assert aside.position(plan, oracle.read()) is None
