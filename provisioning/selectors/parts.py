"""Many keys, a statement's worth at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeVar

Key = TypeVar("Key", int, str)

AT_ONCE = 500
"""Keys in one statement: SQLite takes so many and not many more."""


def in_parts(keys: Collection[Key]) -> Iterator[list[Key]]:
    """The keys in order, `AT_ONCE` at most at a time."""
    ordered = sorted(keys)
    for first in range(0, len(ordered), AT_ONCE):
        yield ordered[first : first + AT_ONCE]
