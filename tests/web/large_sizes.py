"""How much of everything, and writing it in bulk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from django.db import models

Row = TypeVar("Row", bound=models.Model)


@dataclass(frozen=True)
class Sizes:
    """How many there are of each; ``wide`` is how many routers the largest change has."""

    routers: int
    links: int
    nrens: int
    requests: int
    pushes: int
    events: int
    wide: int


def put(rows: list[Row]) -> list[Row]:
    if not rows:
        return rows
    return list(type(rows[0])._default_manager.bulk_create(rows, batch_size=2000))
