"""The moves between two sets of bindings: their order, their lines, and the gap of a swap."""

from __future__ import annotations

from decimal import Decimal

import pytest

from provisioning.pipeline.diff.bindings import LASTS, moves
from provisioning.pipeline.diff.lines import Gap
from provisioning.pipeline.mqc import (
    Binding,
    Percent,
    Police,
    PolicyClass,
    PolicyMap,
    RunningConfig,
    SetField,
)

SET, POLICE = SetField("dscp", 0), Police(Percent(Decimal(5)))
POLICIES = {
    name: PolicyMap(
        name, tuple(PolicyClass(f"C{place}", frozenset({action})) for place, action in enumerate(actions))
    )
    for name, actions in {
        "SETS": [SET],
        "POLICES": [SET, POLICE],
        "TWICE": [POLICE, POLICE],
        "NEITHER": [],
    }.items()
}


def config(*bound: tuple[str, str, str]) -> RunningConfig:
    """Places as "POS1/0" or "ATM2/0.1 pvc 0/32"."""
    bindings = set()
    for place, direction, policy in bound:
        interface, _, pvc = place.partition(" pvc ")
        bindings.add(Binding(interface, pvc or None, direction, policy))
    return RunningConfig(policy_maps=POLICIES, bindings=frozenset(bindings))


def test_nothing_moves_between_equals(renderer):
    assert moves(config(("POS1/0", "input", "SETS")), config(("POS1/0", "input", "SETS")), renderer) == []


def test_queues_go_first_and_come_last_and_edges_are_never_bare_for_longer_than_a_swap(renderer):
    before = config(
        ("POS1/9", "output", "SETS"),
        ("POS1/6", "input", "POLICES"),
        ("POS1/5", "output", "SETS"),
        ("POS1/4", "input", "POLICES"),
        ("POS1/3", "input", "SETS"),
        ("POS1/7", "input", "SETS"),
        ("POS1/1", "input", "SETS"),
    )
    after = config(
        ("POS1/8", "input", "SETS"),
        ("POS1/6", "input", "SETS"),
        ("POS1/5", "output", "NEITHER"),
        ("POS1/4", "input", "TWICE"),
        ("POS1/2", "output", "SETS"),
        ("POS1/7", "input", "NEITHER"),
        ("POS1/1", "input", "SETS"),
    )
    found = moves(before, after, renderer)
    assert [(move.old, move.new, move.lines[0].text) for move in found] == [
        ("SETS", None, "interface POS1/9"),
        (None, "SETS", "interface POS1/8"),
        ("POLICES", "SETS", "interface POS1/6"),
        ("SETS", "NEITHER", "interface POS1/7"),
        ("SETS", "NEITHER", "interface POS1/5"),
        ("POLICES", "TWICE", "interface POS1/4"),
        ("SETS", None, "interface POS1/3"),
        (None, "SETS", "interface POS1/2"),
    ]


def test_a_swap_is_two_lines_of_one_write_and_a_gap_after_the_first(renderer):
    before, after = (config(("ATM2/0.1 pvc 0/32", "input", name)) for name in ("POLICES", "SETS"))
    (move,) = moves(before, after, renderer)
    assert [(line.text, line.depth, line.joined, line.step) for line in move.lines] == [
        ("interface ATM2/0.1", 0, False, "binding"),
        ("pvc 0/32", 1, False, "binding"),
        ("no service-policy input POLICES", 2, False, "binding"),
        ("service-policy input SETS", 2, True, "binding"),
    ]
    assert move.gap == Gap(
        "ATM2/0.1",
        "0/32",
        "input",
        "POLICES",
        "SETS",
        2,
        True,
        True,
        LASTS,
        "ATM2/0.1 pvc 0/32 input: POLICES is off and SETS not yet on; meanwhile what enters is not remarked and "
        f"not policed, {LASTS}",
    )


def test_what_only_comes_or_goes_leaves_no_gap(renderer):
    there = config(("POS1/0", "input", "SETS"))
    (on,), (off,) = moves(config(), there, renderer), moves(there, config(), renderer)
    assert [(line.text, line.joined) for line in on.lines] == [
        ("interface POS1/0", False),
        ("service-policy input SETS", False),
    ]
    assert [line.text for line in off.lines] == ["interface POS1/0", "no service-policy input SETS"]
    assert on.gap is off.gap is None


@pytest.mark.parametrize(
    ("direction", "old", "unmarked", "unpoliced", "words"),
    [
        ("input", "SETS", True, False, "what enters is not remarked,"),
        ("input", "POLICES", True, True, "what enters is not remarked and not policed,"),
        ("input", "TWICE", False, True, "what enters is not policed,"),
        ("input", "NEITHER", False, False, "what enters is not treated by any policy,"),
        ("input", "GONE", False, False, "what enters is not treated by any policy,"),
        ("output", "POLICES", False, False, "what leaves is queued without priority,"),
    ],
)
def test_a_gap_says_what_is_missing_meanwhile(direction, old, unmarked, unpoliced, words, renderer):
    new = "NEITHER" if old != "NEITHER" else "SETS"
    (move,) = moves(config(("POS1/0", direction, old)), config(("POS1/0", direction, new)), renderer)
    assert move.gap is not None
    assert (move.gap.unmarked, move.gap.unpoliced) == (unmarked, unpoliced)
    assert words in move.gap.text


def test_a_policy_that_is_not_there_polices_nothing(renderer):
    before = config(("POS1/0", "input", "GONE"), ("POS1/1", "output", "SETS"))
    after = config(("POS1/0", "input", "POLICES"), ("POS1/1", "output", "NEITHER"))
    assert [move.old for move in moves(before, after, renderer)] == ["SETS", "GONE"]


def test_a_swap_for_fewer_policers_goes_before_one_for_more(renderer):
    before = config(("POS1/0", "input", "POLICES"), ("POS1/1", "input", "TWICE"))
    after = config(("POS1/0", "input", "TWICE"), ("POS1/1", "input", "POLICES"))
    assert [move.old for move in moves(before, after, renderer)] == ["TWICE", "POLICES"]


def test_an_interface_goes_before_its_pvcs(renderer):
    places = ("ATM2/0.1 pvc 0/32", "ATM2/0.1")
    found = moves(config(), config(*((place, "input", "SETS") for place in places)), renderer)
    assert [len(move.lines) for move in found] == [2, 3]
