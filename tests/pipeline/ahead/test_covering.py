"""What was approved ahead and what is planned when it is due: covered means the very same lines, or the same effect."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provisioning.pipeline.ahead import (
    Effect,
    Part,
    PlannedLine,
    covers_effect,
    covers_lines,
    effect_of,
    lines_of,
    text_of,
)
from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.safety import simulate
from tests.pipeline.change.test_plans import plans_for
from tests.pipeline.diff.test_properties import established
from tests.pipeline.practice import profile_of
from tests.pipeline.properties import PROPERTY
from tests.pipeline.worlds import World, kinds, worlds

# Each example makes some eight plans: a quarter of a second.
FEWER = settings(PROPERTY, max_examples=max(15, PROPERTY.max_examples // 40))
KIND = "7200-hqf"
LINK = (("ALPHA", "filtered", False),)
A = ("ALPHA", "2001:db8:a::/48", "2001:db8:f::/48", None, 1_000_000)
B = ("ALPHA", "2001:db8:b::/48", "2001:db8:f::/48", None, 1_000_000)
C = ("ALPHA", "2001:db8:c::7/128", "2001:db8:f::/48", None, 1_000_000)


@dataclasses.dataclass(frozen=True)
class Foreseen:
    before: RunningConfig
    plans: tuple[ChangePlan, ...]
    lines: tuple[PlannedLine, ...]
    effect: Effect

    def part(self, request: int, *, on: bool = True, confirmed: bool = True) -> Part:
        lines = tuple(PlannedLine.from_json(json.loads(json.dumps(line.to_json()))) for line in self.lines)
        effect = Effect.from_json(json.loads(json.dumps(self.effect.to_json())))
        return Part(request, (request, on), 1, lines, effect, confirmed, overridden=True)


def foreseen(world: World, before: Iterable[tuple], after: Iterable[tuple], kind: str = KIND) -> Foreseen:
    """The plan from these reservations to those, on a router that holds exactly the first."""
    names = dict(world.intent(kind).suffixes)
    start = dataclasses.replace(world, reservations=tuple(before))
    _, running, _, owned = _held(kind, start, names)
    goal = dataclasses.replace(world, reservations=tuple(after)).intent(kind, names)
    plans = tuple(plan for plan in plans_for(running, goal, kind, owned) if plan.commands)
    return Foreseen(running, plans, lines_of(plans, running, profile_of(kind)), effect_of(plans))


def _held(kind: str, world: World, names: dict[str, int]):
    class Named:
        def intent(self, kind: str):
            return world.intent(kind, names)

    return established(kind, Named())  # type: ignore[arg-type]


def world(*reservations: tuple, **fields: object) -> World:
    return World(LINK, reservations, **fields)  # type: ignore[arg-type]


def test_two_that_begin_together_are_the_union_of_what_each_needs() -> None:
    both = world(A, B)
    one, two = foreseen(both, (), (A,)), foreseen(both, (), (B,))
    plan = foreseen(both, (), (A, B))
    assert covers_lines(
        [one.part(1), two.part(2)], [(1, True), (2, True)], plan.lines, plan.effect
    ).parts == (1, 2)
    alone = covers_lines([one.part(1)], [(1, True), (2, True)], plan.lines, plan.effect)
    assert alone.differs == ("PIP-2 on: its lines were not approved ahead",)
    mine = covers_lines([one.part(1), one.part(2)], [(1, True), (2, True)], plan.lines, plan.effect)
    assert len(mine.differs) == 1 and "2001:db8:b::/48" in mine.differs[0].lower()


def test_another_number_of_an_entry_is_the_same_line_and_a_removal_is_named_by_its_words() -> None:
    three = world(A, B, C)
    early, late = foreseen(three, (A,), (A, C)), foreseen(three, (A, B), (A, B, C))
    assert [line.text for line in early.plans[0].commands] != [line.text for line in late.plans[0].commands]
    assert covers_lines([early.part(1)], [(1, True)], late.lines, late.effect)
    gone, later = foreseen(three, (A, C), (A,)), foreseen(three, (A, B, C), (A, B))
    assert any(line.text.startswith("no sequence") for line in gone.plans[0].commands)
    assert covers_lines([gone.part(1, on=False)], [(1, False)], later.lines, later.effect)
    other = foreseen(three, (A, B, C), (A, C))
    assert not covers_lines([gone.part(1, on=False)], [(1, False)], other.lines, other.effect)


def test_the_first_on_a_link_brings_its_objects_along_and_differs_where_they_are_there() -> None:
    both = world(A, B)
    alone, beside = foreseen(both, (), (B,)), foreseen(both, (A,), (A, B))
    found = covers_lines([alone.part(2)], [(2, True)], beside.lines, beside.effect)
    assert not found and any("service-policy" in text for text in found.differs)
    assert covers_effect([alone.part(2)], [(2, True)], beside.effect), "the same interface, the same source"
    assert not covers_effect([beside.part(2)], [(2, True)], alone.effect), "a gap that nobody confirmed"
    assert not covers_effect([alone.part(2, confirmed=False)], [(2, True)], alone.effect)
    assert not covers_lines([alone.part(2, confirmed=False)], [(2, True)], alone.lines, alone.effect)


def test_grants_make_other_lines_and_another_rate_is_another_effect() -> None:
    both = world(A, B, policer="grants")
    alone, beside = foreseen(both, (), (B,)), foreseen(both, (A,), (A, B))
    assert not covers_lines([alone.part(2)], [(2, True)], beside.lines, beside.effect)
    found = covers_effect([alone.part(2)], [(2, True)], beside.effect)
    assert "ends otherwise than approved (EF at 2005334 bps, approved 1002667 bps)" in found.differs[0]


def test_a_source_that_nobody_approved_is_no_effect_of_it() -> None:
    three = world(A, B, C)
    mine, more = foreseen(three, (A,), (A, B)), foreseen(three, (A,), (A, B, C))
    found = covers_effect([mine.part(2)], [(2, True)], more.effect)
    assert any("let in and not approved" in text for text in found.differs)


def test_every_version_that_was_approved_counts() -> None:
    both = world(A, B)
    alone, beside = foreseen(both, (), (B,)), foreseen(both, (A,), (A, B))
    second = dataclasses.replace(beside.part(2), key=9)
    assert covers_lines([alone.part(2), second], [(2, True)], beside.lines, beside.effect).parts == (9,)


def test_the_order_of_classes_is_part_of_what_was_approved() -> None:
    plan = foreseen(world(A), (), (A,))
    ordered = [at for at, line in enumerate(plan.lines) if line.ordered]
    lines = list(plan.lines)
    first, last = ordered[0], ordered[-1]
    lines[first], lines[last] = lines[last], lines[first]
    found = covers_lines([plan.part(1)], [(1, True)], lines, plan.effect)
    assert found.differs == ("PIP-1 on: its lines come in another order than approved",)


def test_lines_are_told_with_their_headers_once() -> None:
    told = text_of(foreseen(world(A, B), (A,), (A, B)).lines)
    assert re.fullmatch(
        r"ipv6 access-list \S+\n permit ipv6 2001:DB8:B::/48 2001:DB8:F::/48\n", told, re.I
    ), told


@pytest.mark.parametrize("kind", ["12000", "7200-12.2T", "ios-xe"])
def test_the_same_on_every_platform(kind: str) -> None:
    both = world(A, B)
    one, two = foreseen(both, (), (A,), kind), foreseen(both, (), (B,), kind)
    plan = foreseen(both, (), (A, B), kind)
    assert covers_lines([one.part(1), two.part(2)], [(1, True), (2, True)], plan.lines, plan.effect)


@st.composite
def books(draw: st.DrawFn) -> World:
    """Two filtered links with two to six reservations, under any scheme that `worlds` draws."""
    sources = ["2001:db8:a::/48", "2001:db8:b::/48", "2001:db8:b:1::/64", "198.51.100.0/24", "192.0.2.7/32"]
    flows = st.tuples(st.sampled_from(["ALPHA", "ALPHA", "BETA"]), st.sampled_from(sources))
    return dataclasses.replace(
        draw(worlds()),
        cases=(("ALPHA", "filtered", draw(st.booleans())), ("BETA", "filtered", draw(st.booleans()))),
        reservations=tuple(
            (link, source, "2001:db8:f::/48" if ":" in source else "203.0.113.0/24", None, 1_000_000)
            for link, source in draw(st.lists(flows, min_size=2, max_size=6, unique=True))
        ),
    )


@FEWER
@given(
    kind=kinds,
    drawn=books(),
    puts_on=st.booleans(),
    split=st.integers(0, 4),
    between=st.booleans(),
    data=st.data(),
)
def test_covered_means_that_every_command_was_approved_and_none_is_missing(
    kind: str, drawn: World, puts_on: bool, split: int, between: bool, data: st.DataObject
) -> None:
    """Of any reservations that were approved one by one, while another may come between: told by what the lines say and by
    what becomes of the access lists, not by how the rule reads them.
    """
    held, new = drawn.reservations[:split], drawn.reservations[split : split + 3]
    parts = [
        foreseen(drawn, held, (*held, each), kind) if puts_on else foreseen(drawn, (*held, each), held, kind)
        for each in new
    ]
    if between:
        held = held[1:]
    plan = (
        foreseen(drawn, held, (*held, *new), kind) if puts_on else foreseen(drawn, (*held, *new), held, kind)
    )
    members = [(number, puts_on) for number in range(len(new))]
    given_parts = [each.part(number, on=puts_on) for number, each in enumerate(parts)]
    if covers_lines(given_parts, members, plan.lines, plan.effect):
        assert words(plan) == set().union(*(words(each) for each in parts))
        assert entries(plan) == set().union(*(entries(each) for each in parts))
    if covers_effect(given_parts, members, plan.effect):
        assert {key for key, _ in let_in(plan)} <= {key for each in parts for key, _ in let_in(each)}
        assert let_in(plan) == set().union(*(let_in(each) for each in parts))
    if plan.lines:
        at = data.draw(st.integers(0, len(plan.lines) - 1))
        without = plan.lines[:at] + plan.lines[at + 1 :]
        altered = (*without, dataclasses.replace(plan.lines[at], text="set dscp 46"))
        whole = [plan.part(number, on=puts_on) for number, _ in enumerate(new)] or [plan.part(0)]
        asked = members or [(0, True)]
        assert covers_lines(whole, asked, plan.lines, plan.effect)
        assert not covers_lines(whole, asked, without, plan.effect)
        if altered[-1] not in plan.lines:
            assert not covers_lines(whole, asked, altered, plan.effect)
            assert not covers_lines(whole, asked, (*plan.lines, altered[-1]), plan.effect)


def words(of: Foreseen) -> set[tuple[str, str]]:
    """(header above, line) of every command and of the way back, entries of access lists left out."""
    found = set()
    for plan in of.plans:
        for way, lines in (("there", plan.commands), ("back", plan.rollback)):
            above: list[str] = []
            for line in lines:
                above = [*above[: line.depth], line.text]
                if "access-list" not in above[0] or (line.depth == 0 and line.text.startswith("no ")):
                    found.add((way, " / ".join(above)))
    return found


def entries(of: Foreseen) -> set[tuple[str, str, str]]:
    """(list, comes or goes, entry) by what the list holds before and after."""
    held = of.before
    for plan in of.plans:
        held = simulate(held, plan.commands)[-1]
    found = set()
    for name in {*of.before.access_lists, *held.access_lists}:
        before, after = (
            {entry.text for entry in config.access_lists[name].entries}
            if name in config.access_lists
            else set()
            for config in (of.before, held)
        )
        if not (before - after and name not in held.access_lists):  # a whole list goes by its name
            found |= {(name, "comes", text) for text in after - before}
            found |= {(name, "goes", text) for text in before - after}
    return found


def let_in(of: Foreseen) -> set[tuple[str, str]]:
    """(interface, entry) of everybody the interpreter lets in at the end and did not before."""
    first: dict[str, set[str]] = {}
    last: dict[str, set[str]] = {}
    for plan in of.plans:
        for state in plan.proof:
            for each in state.states:
                first.setdefault(each.key, set(each.authorised))
                last[each.key] = set(each.authorised)
    return {(key, entry) for key in last for entry in last[key] - first[key]}
