"""What would have to wait for itself."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import TypeVar

_T = TypeVar("_T", bound=Hashable)


def in_circles(waits_for: Mapping[_T, Collection[_T]]) -> frozenset[_T]:
    """Those of the keys that wait for themselves, over whatever others."""
    return frozenset(each for each in waits_for if each in _awaited(each, waits_for))


def _awaited(start: _T, waits_for: Mapping[_T, Collection[_T]]) -> set[_T]:
    found: set[_T] = set()
    todo = [start]
    while todo:
        more = set(waits_for.get(todo.pop(), ())) - found
        found |= more
        todo += more
    return found
