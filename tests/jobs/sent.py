"""What two workers sent to one router between them."""

from __future__ import annotations

from collections.abc import Sequence

ENTERING = {"policy-map", "class", "class-map", "interface"}


def each_line_once(commands: Sequence[str], first: Sequence[str], second: Sequence[str]) -> None:
    """Assert that the second worker sent exactly what the first had not.

    Before it may come lines that lead back into the mode the first was in: they enter objects that are there
    already and change nothing. No other line may have gone out twice.
    """
    count = len(first)
    assert list(first) == list(commands[:count]), "the first worker: the approved lines in their order"
    leading = len(second) - (len(commands) - count)
    assert 0 <= leading <= 2, "a policy-map and its class, or less"
    assert list(second[leading:]) == list(commands[count:]), "the rest, every line once, in order"
    again = second[:leading]
    assert all(line.split()[0] in ENTERING and line in first for line in again), again
