"""One alarm of the queue page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from provisioning.pipeline.units import first_few

NAMED = 8
"""So many routers are named in a sentence; the rest are counted, and the list that it leads to has them all."""


@dataclass(frozen=True)
class Alarm:
    """One alarm: weight (bad, warn, info), a sentence, the particulars and where to act."""

    kind: str
    title: str
    particulars: tuple[str, ...]
    url: str
    action: str


def named(names: Sequence[str]) -> str:
    """The names as a sentence says them: the first few, and how many more."""
    return first_few(names, NAMED)
