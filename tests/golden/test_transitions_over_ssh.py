"""Every change of a network in service, on practice routers over SSH: planned, pushed, verified, and rolled back exactly."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest

from provisioning.drivers import connect
from provisioning.pipeline import ios
from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.diff import Owned
from provisioning.pipeline.intent import Role, RouterIntent
from provisioning.pipeline.verification import InSync, verify
from tests.drivers.practice import Practice
from tests.golden.case import RENDERER
from tests.golden.over_ssh import PATIENCE, push, routers_of, type_at
from tests.golden.transition_case import TRANSITIONS, Transition

VOLATILE = ("ntp clock-period", "Building configuration", "Current configuration")


@pytest.fixture(scope="module")
def routers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Practice]:
    """One router for each transition, with somebody else's objects on it."""
    kinds = {transition.name: transition.kind for transition in TRANSITIONS}
    with routers_of(tmp_path_factory.mktemp("transitions"), kinds) as practice:
        yield practice


def _begin(practice: Practice, transition: Transition) -> Owned:
    """Bring the router to where the transition begins; returns what is ours there."""
    running = ios.parse(str(practice.state(transition.name)["running"]), transition.profile)
    first = transition.plans(running, transition.wanted_before(), Owned())
    for plan in first:
        type_at(practice, transition.name, [line.text for line in plan.commands])
    type_at(practice, transition.name, transition.by_hand)
    return _ours(first)


def _ours(plans: tuple[ChangePlan, ...]) -> Owned:
    return Owned(
        {tuple(key.split(" ", 1)): digest for plan in plans for key, digest in plan.owned_after.items()}
    )


def _blocks(text: str) -> list[str]:
    """The blocks of a running-config, word for word; IOS prints them in an order of its own, so theirs does not count."""
    blocks: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith(("!", *VOLATILE)) or not line.strip():
            continue
        if not line.startswith(" ") or not blocks:
            blocks.append([])
        blocks[-1].append(line)
    return sorted("\n".join(block) for block in blocks)


def _journal(practice: Practice, name: str) -> list[dict[str, Any]]:
    journal = practice.state(name)["journal"]
    assert isinstance(journal, list)
    return journal


def _gaps_seen(events: list[dict[str, Any]]) -> list[str]:
    """Interfaces that were without a policy between two lines of one write, as the router itself remembers.

    Anything longer, or that never ended, is a failure: an open edge.
    """
    seen: list[str] = []
    for index, event in enumerate(events):
        if event["policy"] is not None:
            continue
        place = (event["interface"], event["pvc"], event["direction"])
        after = [
            item
            for item in events[index + 1 :]
            if (item["interface"], item["pvc"], item["direction"]) == place
        ]
        assert after, f"{place} lost its policy for good"
        assert after[0]["policy"] is not None
        assert after[0]["line"] == event["line"] + 1, f"{place} was open for more than one line"
        seen.append(event["interface"])
    return seen


def _off_core_first(events: list[dict[str, Any]], wanted: RouterIntent) -> None:
    """D4.4.2v2 section 2.6 in reverse: the core stops trusting EF before any edge stops policing it."""
    assert [event["policy"] for event in events] == [None] * len(events)
    assert wanted.roles[events[0]["interface"]] is Role.CORE
    assert {event["direction"] for event in events[1:]} == {"input"}


@pytest.mark.parametrize("transition", TRANSITIONS, ids=lambda each: each.name)
def test_planned_pushed_verified_and_rolled_back(transition: Transition, routers: Practice) -> None:
    name, wanted = transition.name, transition.wanted()
    ours = _begin(routers, transition)
    with connect(routers.target(name), timeout=PATIENCE) as session:
        text_before = session.running_config()
        before = ios.parse(text_before, transition.profile)
        plans = transition.plans(before, wanted, ours)
        assert all(plan.commands for plan in plans), "there is something to do"
        assert [plan.violations for plan in plans] == [()] * len(plans)
        assert [plan.conflicts for plan in plans] == [()] * len(plans)
        assert sum(len(plan.gaps) for plan in plans) == transition.gaps
        assert sum(len(plan.equal_today) for plan in plans) == transition.equal_today

        begun = len(_journal(routers, name))
        for plan in plans:
            push(session, plan.commands)
            assert len(plan.commands) in plan.standing_at(
                ios.parse(session.running_config(), transition.profile)
            )
        outcome = verify(session.running_config(), wanted, _ours(plans), RENDERER, transition.profile)
        assert isinstance(outcome, InSync), outcome
        witnessed = _journal(routers, name)[begun:]
        if transition.after is None:
            _off_core_first(witnessed, wanted)
        else:
            assert _gaps_seen(witnessed) == [gap.interface for plan in plans for gap in plan.gaps]

        turned = len(_journal(routers, name))
        for plan in reversed(plans):
            push(session, plan.rollback)
        text_after = session.running_config()
    assert ios.parse(text_after, transition.profile) == before
    assert _blocks(text_after) == _blocks(text_before)
    witnessed = _journal(routers, name)[turned:]
    assert len(_gaps_seen(witnessed)) == transition.gaps
    if transition.after is None:
        assert wanted.roles[witnessed[-1]["interface"]] is Role.CORE, (
            "edges are closed before the core trusts EF"
        )


def test_the_transitions_are_all_that_can_happen_to_a_router_in_service() -> None:
    names = {transition.name for transition in TRANSITIONS}
    cases = {f"{old}-to-{new}" for old, new in permutations(("non-participant", "trusted", "filtered"), 2)}
    assert len(cases & names) == 6
    assert len(names) == len(TRANSITIONS)
    assert sum(transition.after is None for transition in TRANSITIONS) == 1
