"""Where a router stands in a plan, on plans that the pipeline made: no rows, no router."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from itertools import pairwise

import pytest

from provisioning.pipeline import intent, ios
from provisioning.pipeline.change import ChangePlan, Circumstances, Scope, build_plans, writes
from provisioning.pipeline.diff import Line, Owned, Step
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import simulate
from provisioning.pipeline.topology import AccessLinkValue, Network, RouterValue
from provisioning.selectors.schemes import load_scheme
from provisioning.selectors.templates import shared_ios_environment
from provisioning.services.pushing import standing

pytestmark = pytest.mark.once

BEFORE = ios.parse("hostname uk6\n!\ninterface POS1/0\n ip address 192.0.2.1 255.255.255.252\n!\nend\n")
GSR = profile("cisco-12400", "12.0(28)S")
RATE = 155_520_000


@pytest.fixture(scope="module")
def plan() -> ChangePlan:
    """The edge of uk6 with one trusted access link, from nothing."""
    network = Network(
        routers=(
            RouterValue(
                name="uk6", platform="cisco-12400", ios="12.0(28)S", engines={}, interfaces=("POS1/0",)
            ),
        ),
        access_links=(
            AccessLinkValue(
                id="JANET@uk6:POS1/0",
                nren="JANET",
                router="uk6",
                interface="POS1/0",
                pvc=None,
                line_rate_bps=RATE,
                bw_bps=RATE,
                usable_bps=RATE,
                case="trusted",
                standing=True,
            ),
        ),
        core_links=(),
        peerings=(),
    )
    scheme = load_scheme("6net")
    wanted = intent.build(network, scheme, "uk6", GSR, [])
    seen = Circumstances(
        serial="S",
        host_key="K",
        intent_revision=wanted.revision,
        scheme_digest=scheme.digest(),
        template_digest="T",
        bandwidths={"POS1/0": RATE},
    )
    (made,) = build_plans("uk6", BEFORE, wanted, Owned(), Renderer(shared_ios_environment()), GSR, seen)
    assert len(made.commands) > 12
    return made


@pytest.fixture(scope="module")
def states(plan: ChangePlan) -> tuple[RunningConfig, ...]:
    """What the router holds after every count of commands."""
    return (BEFORE, *simulate(BEFORE, plan.commands, GSR))


def test_every_prefix_is_found_and_as_far_on_as_it_can_be(
    plan: ChangePlan, states: tuple[RunningConfig, ...]
) -> None:
    for count, state in enumerate(states):
        found = standing.position(plan, state)
        assert found is not None
        assert found >= count
        assert standing.stands(plan, state, found)
        assert standing.stands(plan, state, count)
    assert standing.position(plan, states[-1]) == len(plan.commands)
    # The last line that makes the state before it another: everything after a smaller count still has to be sent.
    assert standing.position(plan, states[-2]) == len(plan.commands) - 1


def test_a_state_that_no_prefix_has_is_nowhere(plan: ChangePlan, states: tuple[RunningConfig, ...]) -> None:
    edited = simulate(states[-1], _lines("policy-map TRUSTED-IN", "no class LBE"), GSR)[-1]
    assert standing.position(plan, edited) is None
    assert not any(standing.stands(plan, edited, count) for count in range(len(plan.commands) + 1))
    strange = simulate(BEFORE, _lines("policy-map OTHERS", "class class-default", "set ip dscp 0"), GSR)[-1]
    assert standing.position(plan, strange) is not None, "what is not in the plan's scope does not move it"


def test_every_state_of_every_undo_is_found(plan: ChangePlan, states: tuple[RunningConfig, ...]) -> None:
    for count, begun in enumerate(states):
        undo = plan.undo[count]
        along = (begun, *simulate(begun, undo, GSR))
        for done, state in enumerate(along):
            found = standing.undo_position(plan, BEFORE, count, state, GSR)
            assert found is not None
            assert found >= done
            rest, _leading = standing.remainder(undo, found)
            end = simulate(state, rest, GSR)[-1] if rest else state
            assert standing.stands(plan, end, 0), f"undo of {count}, cut after {done}"


def test_a_state_outside_the_undo_is_nowhere(plan: ChangePlan, states: tuple[RunningConfig, ...]) -> None:
    edited = simulate(states[-1], _lines("policy-map TRUSTED-IN", "no class LBE"), GSR)[-1]
    assert standing.undo_position(plan, BEFORE, len(plan.commands), edited, GSR) is None


@pytest.mark.parametrize(("shown", "left"), [(True, ["no ipv6 access-list auth"]), (False, [])])
def test_a_list_whose_first_entry_was_refused_goes_again_where_the_router_shows_it(
    plan: ChangePlan, shown: bool, left: list[str]
) -> None:
    """With no entry it counts as none in every comparison; what is left of it is to be taken away all the same."""
    opened = _lines("ipv6 access-list auth", "permit ipv6 2001:db8:5::/48 any")
    gone = _lines("no ipv6 access-list auth")
    lists = dataclasses.replace(
        plan,
        commands=opened,
        undo=((), gone, gone),
        scope=Scope((("access-list", "auth"),), ()),
    )
    seen = simulate(BEFORE, opened[:1], GSR)[-1] if shown else BEFORE
    found = standing.undo_position(lists, BEFORE, 1, seen, GSR)
    assert found is not None
    rest, _leading = standing.remainder(gone, found)
    assert [line.text for line in rest] == left


def test_a_start_that_cannot_be_followed_line_by_line_is_nowhere(
    plan: ChangePlan, states: tuple[RunningConfig, ...]
) -> None:
    occupied = simulate(BEFORE, _lines("class-map match-any EF", "match ip precedence 5"), GSR)[-1]
    assert standing.undo_position(plan, occupied, len(plan.commands), states[-1], GSR) is None


def test_the_remainder_from_any_line_leads_where_the_whole_leads(
    plan: ChangePlan, states: tuple[RunningConfig, ...]
) -> None:
    for start in range(len(plan.commands)):
        rest, leading = standing.remainder(plan.commands, start)
        assert [line.text for line in rest[leading:]] == [line.text for line in plan.commands[start:]]
        assert [line.depth for line in rest[: leading + 1]] == list(range(leading + 1)), (
            "each mode once, from the top"
        )
        assert all(line.text in {each.text for each in plan.commands[:start]} for line in rest[:leading])
        assert not rest[0].joined
        assert simulate(states[start], rest, GSR)[-1] == states[-1]
        if leading:
            assert simulate(states[start], rest[:leading], GSR)[-1] == states[start], (
                "leading in changes nothing"
            )
    assert standing.remainder(plan.commands, len(plan.commands)) == ((), 0)


def test_the_stages_end_before_the_binding_after_it_and_at_the_end() -> None:
    lines = (
        _line("policy-map P", 0),
        _line("class class-default", 1),
        _line("interface POS1/0", 0),
        _line("service-policy input P", 1, step=Step.BINDING),
        _line("no policy-map OLD", 0),
    )
    assert standing.stages(lines) == (2, 4, 5)
    assert standing.stages(lines[:4]) == (2, 4)
    assert standing.stages(lines[2:]) == (2, 3), "nothing is built before it"
    assert standing.stages(lines[:2]) == (2,)
    assert standing.stages(()) == ()


def test_the_stages_of_a_plan_never_part_a_mode_from_its_lines(plan: ChangePlan) -> None:
    ends = standing.stages(plan.commands)
    assert ends[-1] == len(plan.commands)
    assert all(earlier < later for earlier, later in pairwise(ends))
    assert all(end == len(plan.commands) or plan.commands[end].depth == 0 for end in ends)


def test_writes_end_where_joined_lines_end() -> None:
    lines = (
        _line("interface POS1/0", 0),
        _line("no service-policy input OLD", 1),
        _line("service-policy input NEW", 1, joined=True),
        _line("no policy-map OLD", 0),
    )
    assert standing.write_ends(writes(lines, ())) == (1, 3, 4)
    assert standing.write_ends(()) == ()


def _line(text: str, depth: int, **more: object) -> Line:
    return Line(text, depth, **more)  # type: ignore[arg-type]


def _lines(*texts: str) -> tuple[Line, ...]:
    return tuple(_deepening(texts))


def _deepening(texts: tuple[str, ...]) -> Iterator[Line]:
    for depth, text in enumerate(texts):
        yield _line(text, depth)
