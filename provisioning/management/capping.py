"""Of a list that can grow with the network the first are printed, and how many more there are."""

from __future__ import annotations

from collections.abc import Iterable

SHOWN = 12
"""Of a list that can grow with the network, so many are printed; `--json` has all."""


def capped(texts: Iterable[str]) -> list[str]:
    """The first of a list, and how many more there are."""
    found = list(texts)
    more = len(found) - SHOWN
    return found if more <= 1 else [*found[:SHOWN], f"  ... and {more} more (--json lists them)"]
