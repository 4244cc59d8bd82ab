"""Properties of every plan, on a practice router that was written without knowing the planner."""

from __future__ import annotations

import dataclasses
import os

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from provisioning.pipeline.diff import Owned, Remediation, diff, diff_configs
from provisioning.pipeline.intent import RouterIntent, removal
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import check, simulate
from provisioning.selectors.templates import ios_environment
from tests.pipeline.practice import BANDWIDTHS, Oracle, profile_of
from tests.pipeline.worlds import FOREIGN, World, kinds, worlds

RENDERER = Renderer(ios_environment())
EXAMPLES = settings(
    max_examples=int(os.environ.get("PLAN_EXAMPLES", "60")),
    deadline=None,
    # Without shrinking: worlds are small enough to read, and a red run stays short.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def plan(running: RunningConfig, wanted: RouterIntent, owned: Owned, kind: str) -> Remediation:
    return diff(running, wanted, owned, RENDERER, profile_of(kind))


def established(kind: str, world: World) -> tuple[Oracle, RunningConfig, RouterIntent, Owned]:
    """A router with somebody else's objects that holds `world`, put there by our own lines."""
    oracle = Oracle(kind, FOREIGN)
    wanted = world.intent(kind)
    first = plan(oracle.read(), wanted, Owned(), kind)
    assert first.conflicts == ()
    assert oracle.send(first.commands) == []
    running = oracle.read()
    assert running == first.result
    return oracle, running, wanted, Owned(first.owned_after)


def without_empty_lists(config: RunningConfig) -> RunningConfig:
    """Routers differ in whether a list without entries exists (ios-facts 2.7), so it counts as none."""
    kept = {name: held for name, held in config.access_lists.items() if held.entries}
    return dataclasses.replace(config, access_lists=kept)


def violations(running: RunningConfig, found: Remediation, wanted: RouterIntent) -> list[str]:
    gaps = frozenset(gap.after_line for gap in found.gaps)
    states = check(running, found.commands, wanted.roles, gap_lines=gaps, bandwidths=BANDWIDTHS)
    assert len(states) == len(found.commands) + 1
    return [f"{state.line}: {text}" for state in states for text in state.violations]


@EXAMPLES
@given(kind=kinds, before=worlds(), after=worlds())
def test_applying_a_plan_reaches_the_goal_and_its_rollback_the_start(kind, before, after):
    oracle, running, _, owned = established(kind, before)
    wanted = after.intent(kind)
    found = plan(running, wanted, owned, kind)
    assert found.conflicts == ()
    assert oracle.send(found.commands) == []
    reached = oracle.read()
    assert reached == found.result
    assert plan(reached, wanted, Owned(found.owned_after), kind).empty
    assert oracle.send(found.rollback) == []
    assert oracle.read() == running


@EXAMPLES
@given(kind=kinds, before=worlds(), after=worlds())
def test_nobody_elses_object_is_touched(kind, before, after):
    oracle, running, _, owned = established(kind, before)
    found = plan(running, after.intent(kind), owned, kind)
    oracle.send(found.commands)
    reached = oracle.read()
    assert reached.class_maps["VOICE"] == running.class_maps["VOICE"]
    assert reached.policy_maps["CUSTOMER-OUT"] == running.policy_maps["CUSTOMER-OUT"]
    assert reached.access_lists["vty-in"] == running.access_lists["vty-in"]
    assert reached.bound("POS1/1", "output") == "CUSTOMER-OUT"
    assert reached.interfaces == running.interfaces


@EXAMPLES
@given(kind=kinds, world=worlds())
def test_a_plan_from_a_state_to_itself_is_empty(kind, world):
    _, running, wanted, owned = established(kind, world)
    assert plan(running, wanted, owned, kind).empty
    assert diff_configs(running, running, RENDERER, profile_of(kind)).empty


@EXAMPLES
@given(kind=kinds, before=worlds(), after=worlds())
def test_every_prefix_is_safe_forwards_and_back(kind, before, after):
    _, running, earlier, owned = established(kind, before)
    wanted = after.intent(kind)
    found = plan(running, wanted, owned, kind)
    assert violations(running, found, wanted) == []
    back = diff(found.result, earlier, Owned(found.owned_after), RENDERER, profile_of(kind))
    assert violations(found.result, back, earlier) == []


@EXAMPLES
@given(kind=kinds, before=worlds(), after=worlds())
def test_the_interpreter_agrees_with_the_practice_router(kind, before, after):
    oracle, running, _, owned = established(kind, before)
    found = plan(running, after.intent(kind), owned, kind)
    states = simulate(running, found.commands)
    assert len(states) == len(found.commands)
    for held, state in zip(oracle.after_each(found.commands), states, strict=True):
        assert without_empty_lists(held) == without_empty_lists(state)


@EXAMPLES
@given(kind=kinds, before=worlds(), after=worlds(), data=st.data())
def test_a_plan_cut_anywhere_and_made_anew_reaches_the_goal(kind, before, after, data):
    oracle, running, _, owned = established(kind, before)
    wanted = after.intent(kind)
    found = plan(running, wanted, owned, kind)
    cut = data.draw(st.integers(0, len(found.commands)))
    assert oracle.send(found.commands[:cut]) == []
    middle = oracle.read()
    keys = {("access-list", name) for name in middle.access_lists}
    keys |= {("class-map", name) for name in middle.class_maps}
    keys |= {("policy-map", name) for name in middle.policy_maps}
    ours = {key: frozenset[str]() for key in keys if key[1] not in ("VOICE", "CUSTOMER-OUT", "vty-in")}
    again = plan(middle, wanted, Owned(owned.objects, ours), kind)
    assert again.conflicts == ()
    assert oracle.send(again.commands) == []
    assert plan(oracle.read(), wanted, Owned(again.owned_after), kind).empty


@EXAMPLES
@given(kind=kinds, before=worlds(), after=worlds(), data=st.data())
def test_everything_is_taken_off_again(kind, before, after, data):
    oracle, running, wanted, owned = established(kind, before)
    start = Oracle(kind, FOREIGN).read()
    found = plan(running, removal(wanted), owned, kind)
    assert oracle.send(found.commands) == []
    assert oracle.read() == start
