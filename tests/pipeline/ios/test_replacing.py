"""A line of a class replaces the earlier one of its kind, as it does when typed on a router."""

from __future__ import annotations

from itertools import permutations

import pytest

from provisioning.pipeline.mqc import OpaqueAction, to_json
from tests.pipeline.ios.spellings import actions, policy

KINDS = {
    "priority": ["priority", "priority level 1", "priority 64", "priority percent 10"],
    "bandwidth": ["bandwidth 64", "bandwidth percent 10", "bandwidth remaining ratio 3"],
    "shape": ["shape average 64000", "shape peak percent 20"],
    "queue-limit": ["queue-limit 64", "queue-limit 1000 bytes"],
    "fair-queue": ["fair-queue", "fair-queue 16"],
    "service-policy": ["service-policy A", "service-policy B"],
    "set": ["set dscp 46", "set dscp cos", "set dscp default"],
    "police": ["police 8000", "police cir percent 5", "police rate percent 5"],
}


@pytest.mark.parametrize("lines", KINDS.values(), ids=KINDS.keys())
def test_the_last_of_its_kind_is_the_one(lines: list[str]) -> None:
    for earlier, later in permutations(lines, 2):
        assert actions(policy(earlier, later)) == actions(policy(later)), (earlier, later)


def test_lines_of_other_kinds_stand_beside_each_other() -> None:
    lines = ["set dscp 46", "set precedence 5", "set ip dscp 46", "set cos 5"]
    lines += [kinds[0] for name, kinds in KINDS.items() if name != "set"]
    lines += ["something new", "something newer"]
    assert len(actions(policy(*lines))) == len(lines)


@pytest.mark.parametrize(
    ("line", "held"),
    [
        ("priority 64", {"priority": {"kind": "kbps", "value": 64, "burst": None, "level": None}}),
        (
            "priority percent 12.5",
            {"priority": {"kind": "percent", "value": "12.5", "burst": None, "level": None}},
        ),
        (
            "priority level 2 percent 10",
            {"priority": {"kind": "percent", "value": "10", "burst": None, "level": 2}},
        ),
        ("bandwidth remaining ratio 5", {"bandwidth": {"kind": "remaining ratio", "value": 5}}),
        ("bandwidth remaining percent 5", {"bandwidth": {"kind": "remaining percent", "value": "5"}}),
        ("bandwidth percent 0.5", {"bandwidth": {"kind": "percent", "value": "0.5"}}),
        (
            "shape average percent 20 10 ms 20 ms",
            {
                "shape": {
                    "kind": "average",
                    "rate": {"percent": "20"},
                    "burst": {"ms": 10},
                    "excess_burst": {"ms": 20},
                }
            },
        ),
    ],
)
def test_numbers_are_kept_as_numbers_and_shares_as_text(line: str, held: object) -> None:
    """By their JSON objects are compared from one day to the next: 64 is never 64.0 there."""
    (action,) = actions(policy(line))
    assert to_json(action) == held


@pytest.mark.parametrize(
    "line",
    [
        "priority 64 1600 7",
        "shape average 1000000 8000 8000 8000",
        "shape median 64000",
        "queue-limit 64 packets more",
        "queue-limit 64 cells",
        "fair-queue 16 more",
        "service-policy output A",
    ],
)
def test_a_form_with_more_words_is_kept_whole(line: str) -> None:
    assert actions(policy(line)) == {OpaqueAction(line)}
