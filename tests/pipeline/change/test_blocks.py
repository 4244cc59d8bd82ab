"""Lines that go out together: whichever of them are refused, nothing else changes, and all that came of it goes again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.pipeline.change import Block, ChangePlan, clearing, writes
from provisioning.pipeline.change.blocks import MOST_CHARACTERS, MOST_LINES, chunks
from provisioning.pipeline.diff import Line
from provisioning.pipeline.diff.store import plain, store_of
from provisioning.pipeline.mqc import RunningConfig
from tests.depth import sample
from tests.pipeline.change.test_plans import BASELINE, plans_for
from tests.pipeline.diff.test_properties import established
from tests.pipeline.practice import Oracle
from tests.pipeline.properties import OF_ROUTERS
from tests.pipeline.worlds import kinds, worlds


def played(oracle: Oracle, lines: Sequence[Line], refused: Sequence[bool], climbs: Sequence[int]) -> None:
    """Type a block at once: a refused line does nothing and may throw the session out of so many modes (ios-facts 5.1)."""
    session = oracle.device.open_session(privilege=15)
    session.execute("configure terminal")
    for line, no, climb in zip(lines, refused, climbs, strict=True):
        if no:
            session.stack = session.stack[: max(1, len(session.stack) - climb)]
        else:
            session.execute(line.text)
    session.execute("end")
    session.close()


def judged(plan: ChangePlan, block: Block, before: RunningConfig, oracle: Oracle) -> None:
    """Nothing but the objects of the block changed, they are found again, and the approved lines take off exactly them."""
    seen = oracle.read()
    made = set(block.makes)
    others = {key: thing for key, thing in store_of(seen).items() if plain(key) not in made}
    assert others == store_of(before)
    assert seen.bindings == before.bindings
    if not plan.standing_at(seen):
        assert plan.part_of_block(seen) == block
    found = plan.part_of_block(seen)
    if found is not None:
        assert oracle.send(clearing(found, seen)) == []
    back = plan.standing_at(oracle.read())
    assert back, "what is left is a state that was approved"
    assert max(back) >= block.start


def baseline(kind: str) -> tuple[ChangePlan, Oracle]:
    oracle = Oracle(kind)
    return plans_for(oracle.read(), BASELINE.intent(kind), kind)[0], oracle


@OF_ROUTERS
@given(kind=kinds, before=worlds(), after=worlds(), data=st.data())
def test_whichever_lines_are_refused_only_the_objects_of_the_block_are_there(kind, before, after, data):
    oracle, _, _, owned = established(kind, before)
    plan = plans_for(oracle.read(), after.intent(kind), kind, owned)[0]
    assert ChangePlan.from_json(json.loads(json.dumps(plan.to_json()))) == plan
    if not plan.blocks:
        return
    block = data.draw(st.sampled_from(plan.blocks))
    assert oracle.send(plan.commands[: block.start]) == []
    start = oracle.read()
    lines = plan.commands[block.start : (block.together or ((0, block.start),))[0][1]]
    size = len(lines)
    refused = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    climbs = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    played(oracle, lines, refused, climbs)
    judged(plan, block, start, oracle)


@pytest.mark.parametrize("kind", ["12000", "7200-hqf"])
def test_every_line_of_the_baseline_refused_alone_and_with_every_other(kind: str) -> None:
    plan, _oracle = baseline(kind)
    (block,) = plan.blocks
    lines = plan.commands[slice(*block.together[0])]
    assert len(lines) >= 10
    pairs = {frozenset(pair) for pair in product(range(len(lines)), repeat=2)}
    for pair in sample(sorted(pairs, key=sorted), one_in=3):
        _plan, oracle = baseline(kind)
        start = oracle.read()
        played(oracle, lines, [index in pair for index in range(len(lines))], [0] * len(lines))
        judged(plan, block, start, oracle)


def test_what_is_in_use_enters_or_binds_is_in_no_block() -> None:
    plan, oracle = baseline("12000")
    inside = set(together(plan))
    for index, line in enumerate(plan.commands):
        if line.text.startswith(("interface ", "service-policy input", "service-policy output", "no ")):
            assert index not in inside, line
    assert oracle.send(plan.commands) == []
    # Objects that are there, whether anything refers to them or not, are never edited in a block.
    fewer = BASELINE.intent("12000")
    again = plans_for(oracle.read(), fewer, "12000")
    assert all(not each.blocks for each in again)


def test_a_list_that_something_already_names_is_not_made_in_a_block() -> None:
    """A class-map may name a list that is not there yet: its first entry is in force at once."""
    plan, oracle = baseline("12000")
    names = [name for kind, name in plan.blocks[0].makes if kind == "access-list"]
    assert names, "the baseline has a FILTERED-IN link, so a list"
    assert oracle.send(["class-map match-any FOREIGN", f"match access-group name {names[0]}"]) == []
    (named, *_) = plans_for(oracle.read(), BASELINE.intent("12000"), "12000")
    assert all(("access-list", names[0]) not in block.makes for block in named.blocks)


def test_what_somebody_else_uses_by_now_is_no_part_to_take_off() -> None:
    """`no policy-map` would take it off an interface that we do not manage."""
    plan, oracle = baseline("12000")
    assert oracle.send(plan.commands[:4]) == []
    assert oracle.send(["policy-map NON-PARTICIPANT", "class class-default", "set dscp 0"]) == []
    assert plan.part_of_block(oracle.read()) is not None
    assert oracle.send(["policy-map FOREIGN", "class EF", "set dscp 46"]) == []
    assert plan.part_of_block(oracle.read()) is None


def test_writes_of_a_block_are_short_and_begin_with_an_object_where_they_can() -> None:
    head, entry = Line("ip access-list extended L"), Line("permit ip any any", 1)
    many = [head, *[entry] * 100, Line("class-map match-all C"), Line("match dscp 46", 1)]
    found = list(chunks(many))
    assert [line for chunk in found for line in chunk] == many
    assert all(len(chunk) <= MOST_LINES for chunk in found)
    assert all(sum(len(line.text) + 1 for line in chunk) <= MOST_CHARACTERS for chunk in found)
    small = [Line("class-map match-all C"), Line("match dscp 46", 1)] * 30
    assert all(chunk[0].depth == 0 for chunk in chunks(small))


def test_the_writes_of_a_plan_are_all_its_lines_in_order() -> None:
    plan, _oracle = baseline("12000")
    ranges = [each for block in plan.blocks for each in block.together]
    out = writes(plan.commands, plan.alternatives, ranges)
    assert [line for write in out for line in write.lines] == list(plan.commands)
    assert any(write.together for write in out)


def together(plan: ChangePlan) -> Iterator[int]:
    for block in plan.blocks:
        for start, end in block.together:
            yield from range(start, end)
