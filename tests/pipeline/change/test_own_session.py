"""No policy is changed on the interface by which the router is managed; what stands there and stays is harmless."""

from __future__ import annotations

import pytest

from provisioning.pipeline.change import ChangePlan, Phase, build_plans
from provisioning.pipeline.diff import Owned
from provisioning.pipeline.intent import removal
from provisioning.pipeline.mqc import RunningConfig
from tests.pipeline.change.test_plans import BASELINE, CIRCUMSTANCES, RENDERER, owned_after, plans_for
from tests.pipeline.practice import Oracle, profile_of
from tests.pipeline.worlds import FOREIGN

CORE = "POS2/0"


def managed_by(interface: str, running: RunningConfig) -> dict[Phase, ChangePlan]:
    intent = BASELINE.intent("12000")
    plans = build_plans(
        "r1", running, intent, Owned(), RENDERER, profile_of("12000"), CIRCUMSTANCES, reached_by=interface
    )
    return {plan.phase: plan for plan in plans}


@pytest.mark.parametrize("interface", [CORE, f"{CORE}.7"])
def test_a_queue_on_the_interface_of_the_session_is_refused_and_the_edges_go(interface: str) -> None:
    plans = managed_by(interface, Oracle("12000", FOREIGN).read())
    assert plans[Phase.EDGES].violations == ()
    (why,) = plans[Phase.CORE_ON].violations
    assert why.startswith(f"{CORE}: binding my_policy output could cut the session")
    assert interface in why and "loopback" in why


def test_a_loopback_and_an_address_nobody_shows_refuse_nothing() -> None:
    running = Oracle("12000", FOREIGN).read()
    for interface in ("", "Loopback0"):
        assert all(plan.violations == () for plan in managed_by(interface, running).values())


def test_what_stands_there_and_stays_is_harmless_and_taking_it_off_is_not() -> None:
    oracle = Oracle("12000", FOREIGN)
    plans = plans_for(oracle.read(), BASELINE.intent("12000"), "12000")
    for plan in plans:
        assert oracle.send(plan.commands) == []
    seen = oracle.read()
    assert all(plan.violations == () for plan in managed_by(CORE, seen).values())
    gone = build_plans(
        "r1",
        seen,
        removal(BASELINE.intent("12000")),
        owned_after(plans),
        RENDERER,
        profile_of("12000"),
        CIRCUMSTANCES,
        reached_by=CORE,
    )
    said = [why for plan in gone for why in plan.violations]
    assert [why for why in said if why.startswith(f"{CORE}: taking off my_policy output")] == said != []
