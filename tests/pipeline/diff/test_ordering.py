"""The order of edits and moves, each rule by itself."""

from __future__ import annotations

import dataclasses

import pytest

from provisioning.pipeline.diff.bindings import Move
from provisioning.pipeline.diff.lines import Gap, Line, Step
from provisioning.pipeline.diff.ordering import Edit, in_order


def edit(name: str, step: Step, *policies: str, either: bool = False) -> Edit:
    return Edit(frozenset(policies), step, (Line(name),), either)


def move(name: str, old: str | None, new: str | None) -> Move:
    lines = (Line("interface X"), Line(f"off {name}"), Line(f"on {name}", joined=True))
    gap = None
    if old is not None and new is not None:
        gap = Gap("X", None, "input", old, new, 1, True, True, "", name)
    return Move(old, new, lines if gap else (Line(name),), gap)


def order(*steps: Edit | Move) -> list[str]:
    edits = [step for step in steps if isinstance(step, Edit)]
    moves = [step for step in steps if isinstance(step, Move)]
    lines, _ = in_order(edits, moves, offset=0)
    return [line.text for line in lines if line.text != "interface X" and not line.text.startswith("off")]


DOWN, UP, WHO = Step.DECREASE, Step.INCREASE, Step.ACCESS_LIST


def test_decreases_then_what_is_not_known_then_increases_then_who_is_authorised():
    given = [
        edit("who", WHO, "A"),
        edit("up", UP, "B"),
        edit("?", UP, "C", either=True),
        edit("down", DOWN, "D"),
    ]
    assert order(*given) == ["down", "?", "up", "who"]


def test_moves_come_after_edits_of_other_policies_and_in_their_own_order():
    assert order(edit("up", UP, "C"), move("one", None, "A"), move("two", None, "B")) == ["up", "one", "two"]


@pytest.mark.parametrize("step", [DOWN, UP, WHO])
def test_who_leaves_a_policy_goes_before_it_is_edited(step):
    assert order(edit("edit", step, "A"), move("leaves", "A", "B")) == ["on leaves", "edit"]
    assert order(edit("edit", step, "A"), move("leaves", "A", None)) == ["leaves", "edit"]


@pytest.mark.parametrize("step", [DOWN, UP, WHO])
def test_who_joins_a_policy_comes_after_it_was_edited(step):
    assert order(move("joins", "A", "B"), edit("edit", step, "B")) == ["edit", "on joins"]
    assert order(move("joins", None, "B"), edit("edit", step, "B")) == ["edit", "joins"]


@pytest.mark.parametrize(
    ("step", "either", "first"),
    [(DOWN, False, "edit"), (UP, False, "on moves"), (WHO, False, "on moves"), (UP, True, "edit")],
    ids=["less", "more", "who", "not known"],
)
def test_who_moves_between_two_that_meet_the_edit_goes_before_more_and_after_less(step, either, first):
    assert order(edit("edit", step, "A", "B", either=either), move("moves", "A", "B"))[0] == first


def test_each_of_several_equal_moves_and_edits_is_waited_for():
    two = [move("one", "A", "B"), move("two", "A", "B")]
    assert order(edit("edit", UP, "A"), *two) == ["on one", "on two", "edit"]
    same = [edit("edit", UP, "B"), edit("edit", UP, "B")]
    assert order(*same, move("joins", None, "B")) == ["edit", "edit", "joins"]


def test_a_chain_of_waiting_is_followed_to_its_end():
    """C is left before it is edited, and joined by who leaves A, which is edited last."""
    steps = [
        edit("edit A", UP, "A"),
        edit("edit C", DOWN, "C"),
        move("A to C", "A", "C"),
        move("C to D", "C", "D"),
    ]
    assert order(*steps) == ["on C to D", "edit C", "on A to C", "edit A"]


def test_an_edit_is_free_as_soon_as_the_last_has_left():
    """Else the edit of D, of the lowest rank, would be taken although D is not left yet."""
    steps = [
        edit("edit A", UP, "A"),
        edit("edit D", DOWN, "D"),
        move("A to B", "A", "B"),
        move("D to A", "D", "A"),
    ]
    assert order(*steps) == ["on A to B", "edit A", "on D to A", "edit D"]


def test_who_joins_waits_also_for_an_edit_that_waits_itself():
    steps = [edit("edit", UP, "B"), move("joins", "A", "B"), move("leaves", "B", "C")]
    assert order(*steps) == ["on leaves", "edit", "on joins"]


def test_who_moves_between_two_waits_for_less_also_when_that_waits_itself():
    steps = [edit("edit", DOWN, "A", "B", "C"), move("moves", "A", "B"), move("leaves", "C", "D")]
    assert order(*steps) == ["on leaves", "edit", "on moves"]


def test_an_edit_lets_more_or_less_in_unless_it_is_said_not_to_be_known():
    up = Edit(frozenset({"A", "B"}), UP, (Line("edit"),))
    assert order(up, move("moves", "A", "B")) == ["on moves", "edit"]


def test_a_swap_that_lets_less_in_comes_after_decreases_and_before_whatever_lets_more_in():
    less = dataclasses.replace(move("closes", "A", "B"), less=True)
    given = [
        edit("who", WHO, "C"),
        edit("up", UP, "D"),
        move("opens", "B", "A"),
        less,
        edit("down", DOWN, "E"),
    ]
    assert order(*given) == ["down", "on closes", "up", "who", "on opens"]


def test_the_header_of_a_list_is_not_repeated_where_its_edit_goes_on():
    header = Line("ipv6 access-list X", step=WHO)
    goes = Edit(frozenset({"A"}), DOWN, (header, Line("no sequence 10", 1, step=WHO)))
    comes = Edit(frozenset({"A"}), WHO, (header, Line("sequence 20 permit ipv6 any any", 1, step=WHO)))
    assert order(goes, comes) == ["ipv6 access-list X", "no sequence 10", "sequence 20 permit ipv6 any any"]
    between = edit("up", UP, "B")
    assert order(goes, comes, between).count("ipv6 access-list X") == 2


def test_gaps_count_lines_from_the_offset():
    steps = [edit("down", DOWN, "Z")]
    moves = [move("one", "A", "B"), move("fresh", None, "C"), move("two", "A", "B")]
    lines, gaps = in_order(steps, moves, offset=10)
    assert [gap.after_line for gap in gaps] == [12, 16]
    assert [lines[gap.after_line - 10].text for gap in gaps] == ["off one", "off two"]


def test_where_no_order_is_right_nothing_is_lost():
    """The resolution makes a new version before it comes to this (`_exchanging`)."""
    steps = [
        edit("edit A", UP, "A"),
        edit("edit B", UP, "B"),
        move("A to B", "A", "B"),
        move("B to A", "B", "A"),
    ]
    assert sorted(order(*steps)) == ["edit A", "edit B", "on A to B", "on B to A"]
