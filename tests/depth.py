"""How much of a long search `make test` runs: a sample in every run, all of it with DEEP=1."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

DEEP = os.environ.get("PROPERTIES") == "deep"

T = TypeVar("T")


def sample(values: Sequence[T], *, one_in: int) -> Sequence[T]:
    """All of them with DEEP=1; else every so manieth, the last one too: the same in every run."""
    return values if DEEP else [*values[:-1:one_in], *values[-1:]]
