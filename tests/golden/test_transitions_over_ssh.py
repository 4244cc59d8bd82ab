"""Every change of a network in service, on practice routers over SSH: planned, pushed, verified, and rolled back exactly."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest

from provisioning.drivers import RouterDriver, Timeouts, WriteUnit, connect
from provisioning.pipeline import ios
from provisioning.pipeline.change import ChangePlan, write_units
from provisioning.pipeline.diff import Line, Owned
from provisioning.pipeline.intent import Role, RouterIntent
from provisioning.pipeline.verification import InSync, verify
from tests.drivers.practice import Practice, practice_routers
from tests.golden.case import RENDERER
from tests.golden.transition_case import TRANSITIONS, Transition
from tests.pipeline.practice import KINDS, PORTS
from tests.pipeline.worlds import FOREIGN

PATIENCE = Timeouts(connect=30, settle=0.02, binding_settle=0.12)
VOLATILE = ("ntp clock-period", "Building configuration", "Current configuration")


@pytest.fixture(scope="module")
def routers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Practice]:
    """One router for each transition, with somebody else's objects on it."""
    specs: dict[str, dict[str, object]] = {}
    for transition in TRANSITIONS:
        platform, release = KINDS[transition.kind]
        specs[transition.name] = {
            "platform": platform,
            "ios": release,
            "engines": {"1": 3, "2": 3, "3": 3, "5": 3},
            "ssh_profile": "legacy",
            "interfaces": PORTS,
        }
    with practice_routers(tmp_path_factory.mktemp("transitions"), specs) as practice:
        yield practice


def _type(practice: Practice, name: str, lines: list[str]) -> None:
    replies = practice.control.call("configure", router=name, lines=lines)["replies"]
    assert isinstance(replies, list)
    assert not [reply for reply in replies if reply], list(zip(lines, replies, strict=True))


def _begin(practice: Practice, transition: Transition) -> Owned:
    """Bring the router to where the transition begins; returns what is ours there."""
    _type(practice, transition.name, [line.strip() for line in FOREIGN.splitlines()])
    running = ios.parse(str(practice.state(transition.name)["running"]), transition.profile)
    first = transition.plans(running, transition.wanted_before(), Owned())
    for plan in first:
        _type(practice, transition.name, [line.text for line in plan.commands])
    _type(practice, transition.name, list(transition.by_hand))
    return _ours(first)


def _ours(plans: tuple[ChangePlan, ...]) -> Owned:
    return Owned(
        {tuple(key.split(" ", 1)): digest for plan in plans for key, digest in plan.owned_after.items()}
    )


def _push(session: RouterDriver, lines: tuple[Line, ...]) -> None:
    units = [WriteUnit(tuple(line.text for line in unit)) for unit in write_units(lines)]
    replies = list(session.configure(units, lambda index: None))
    assert [reply.refused for reply in replies] == [None] * len(units)
    assert [line for reply in replies for line in reply.sent] == [line.text for line in lines]


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
            _push(session, plan.commands)
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
            _push(session, plan.rollback)
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
