"""Properties of every plan, on a practice router that was written without knowing the planner."""

from __future__ import annotations

import dataclasses

from hypothesis import example, given

from provisioning.pipeline.diff import Owned, Remediation, diff, diff_configs, settled
from provisioning.pipeline.intent import RouterIntent, removal
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import check, simulate
from provisioning.selectors.templates import ios_environment
from tests.pipeline.practice import BANDWIDTHS, Oracle, profile_of
from tests.pipeline.properties import OF_ROUTERS
from tests.pipeline.worlds import FOREIGN, World, kinds, worlds

RENDERER = Renderer(ios_environment())


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


def alike(config: RunningConfig) -> RunningConfig:
    """The config as far as routers agree on its access lists: an IPv4 entry put back comes last, which changes nothing."""
    lists = {name: settled(held) for name, held in without_empty_lists(config).access_lists.items()}
    return dataclasses.replace(config, access_lists=lists)


# Back again, one of two IPv4 entries comes last.
TWO_SOURCES = World(
    (("ALPHA", "filtered", True),),
    (
        ("ALPHA", "198.51.100.0/24", "203.0.113.0/24", None, 500_000),
        ("ALPHA", "192.0.2.7/32", "203.0.113.0/24", None, 1_000_000),
    ),
    core=(),
)
ONE_SOURCE = dataclasses.replace(TWO_SOURCES, reservations=TWO_SOURCES.reservations[:1])


def every_line_is_carried_out(oracle: Oracle, running: RunningConfig, found: Remediation) -> None:
    """The router takes every line in silence, and after each holds what our interpreter says it holds."""
    states = simulate(running, found.commands, profile_of(oracle.kind))
    assert len(states) == len(found.commands)
    for held, state in zip(oracle.after_each(found.commands), states, strict=True):
        assert without_empty_lists(held) == without_empty_lists(state)


def every_prefix_is_safe(running: RunningConfig, found: Remediation, wanted: RouterIntent, kind: str) -> None:
    gaps = frozenset(gap.after_line for gap in found.gaps)
    states = check(
        running, found.commands, wanted.roles, gap_lines=gaps, bandwidths=BANDWIDTHS, profile=profile_of(kind)
    )
    assert len(states) == len(found.commands) + 1
    assert [f"{state.line}: {text}" for state in states for text in state.violations] == []


def nobody_elses_object_is_touched(before: RunningConfig, after: RunningConfig) -> None:
    assert after.class_maps["VOICE"] == before.class_maps["VOICE"]
    assert after.policy_maps["CUSTOMER-OUT"] == before.policy_maps["CUSTOMER-OUT"]
    assert after.access_lists["vty-in"] == before.access_lists["vty-in"]
    assert after.bound("POS1/1", "output") == "CUSTOMER-OUT"
    assert after.interfaces == before.interfaces


@OF_ROUTERS
@given(kind=kinds, before=worlds(), after=worlds())
@example(kind="ios-xe", before=TWO_SOURCES, after=ONE_SOURCE)
def test_a_plan_reaches_the_goal_safely_and_its_rollback_the_start_and_removal_nothing(kind, before, after):
    oracle, running, earlier, owned = established(kind, before)
    assert plan(running, earlier, owned, kind).empty
    assert diff_configs(running, running, RENDERER, profile_of(kind)).empty
    wanted = after.intent(kind)
    found = plan(running, wanted, owned, kind)
    assert found.conflicts == ()
    every_line_is_carried_out(oracle, running, found)
    reached = oracle.read()
    assert reached == found.result
    every_prefix_is_safe(running, found, wanted, kind)
    nobody_elses_object_is_touched(running, reached)
    assert plan(reached, wanted, Owned(found.owned_after), kind).empty
    assert oracle.send(found.rollback) == []
    assert alike(oracle.read()) == alike(running)
    back = plan(reached, earlier, Owned(found.owned_after), kind)
    every_prefix_is_safe(reached, back, earlier, kind)
    off = plan(running, removal(earlier), owned, kind)
    assert oracle.send(off.commands) == []
    assert oracle.read() == Oracle(kind, FOREIGN).read(), "everything is taken off again"
