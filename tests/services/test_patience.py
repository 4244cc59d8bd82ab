"""One rule says how long what failed waits: a first pause of its kind, doubled, never longer than five minutes."""

from __future__ import annotations

import ast
from itertools import pairwise
from pathlib import Path

import pytest

from provisioning.services.patience import LONGEST_PAUSE, First, pause_after

SERVICES = Path(__file__).resolve().parents[2] / "provisioning" / "services"


@pytest.mark.parametrize("first", First)
def test_each_pause_is_twice_the_one_before_until_the_longest(first: First) -> None:
    pauses = [pause_after(first, failures) for failures in range(1, 12)]
    assert pauses[0].total_seconds() == first.value
    for before, after in pairwise(pauses):
        assert after == min(2 * before, LONGEST_PAUSE)
    assert pauses[-1] == LONGEST_PAUSE


@pytest.mark.parametrize("first", First)
def test_what_never_failed_waits_for_nothing_and_what_always_did_no_longer(first: First) -> None:
    assert not pause_after(first, 0)
    assert pause_after(first, 1_000_000) == LONGEST_PAUSE


def test_no_other_service_doubles_a_pause() -> None:
    """`retrying` is of another kind (patience.py says so): a deed that the database ended is done again at once."""
    doubling = {
        str(path.relative_to(SERVICES))
        for path in SERVICES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Pow)
        and isinstance(node.left, ast.Constant)
        and node.left.value == 2
    }
    assert doubling == {"patience.py", "retrying.py"}
