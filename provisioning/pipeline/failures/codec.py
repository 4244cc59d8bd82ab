"""What is held as plain values and back: a decision that rests on single failures rests on all of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from provisioning.pipeline.failures.values import Held, Piece
from provisioning.pipeline.topology import Direction, Ends, LinkDirection
from provisioning.pipeline.units import TimeWindow


def held_to_json(held: Iterable[Held]) -> list[dict[str, Any]]:
    """Plain values; `held_from_json` gives the same back."""
    return [
        {
            "id": each.id,
            "ends": list(each.ends),
            "pool": each.pool,
            "pieces": [
                [
                    piece.load.link,
                    piece.load.direction.value,
                    piece.rate_bps,
                    piece.window.start.isoformat(),
                    None if piece.window.end is None else piece.window.end.isoformat(),
                ]
                for piece in each.pieces
            ],
        }
        for each in held
    ]


def held_from_json(data: Sequence[Any]) -> tuple[Held, ...]:
    """What `held_to_json` wrote; raises KeyError, TypeError or ValueError for anything else."""
    return tuple(
        Held(
            found["id"],
            Ends(*found["ends"]),
            found["pool"],
            tuple(
                Piece(LinkDirection(link, Direction(direction)), rate, _window(start, end))
                for link, direction, rate, start, end in found["pieces"]
            ),
        )
        for found in data
    )


def _window(start: str, end: str | None) -> TimeWindow:
    return TimeWindow(datetime.fromisoformat(start), None if end is None else datetime.fromisoformat(end))
