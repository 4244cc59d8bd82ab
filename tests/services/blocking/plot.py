"""Draw blocking over load: `python -m tests.services.blocking.plot docs/explanation/blocking.svg [MEASURED.json]`.

Lines are Kaufman and Roberts, bars a plain counter of 60,000 arrivals at 99.9 % (to which the services are equal, decision by
decision); MEASURED is what the long test of `test_blocking` wrote of the services (BLOCKING=MEASURED.json): bars with rings.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.services.blocking.traffic import arrivals, counted, estimates, kaufman_roberts, offered

LOADS = (0.4, 0.6, 0.8, 1.0, 1.2)
ARRIVALS = 60_000
BEGIN = datetime(2030, 1, 1, tzinfo=UTC)
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 420, 64, 24, 150, 52
MOST = 0.7
COLOURS = ("#1d5fbf", "#1c7a43", "#b3261e")


def x_of(load: float) -> float:
    """Where a load of 0.3 to 1.3 stands."""
    return LEFT + (load - 0.3) * (WIDTH - LEFT - RIGHT)


def y_of(blocked: float) -> float:
    """Where a share from 0 to `MOST` stands."""
    return HEIGHT - BOTTOM - max(blocked, 0.0) / MOST * (HEIGHT - TOP - BOTTOM)


def drawn(measured: dict[str, Any] | None) -> str:
    """The picture as SVG; legible on light and dark ground."""
    said = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="sans-serif" '
        'font-size="13">',
        "<title>Blocking by load, of requests of one, two and four units of sixteen</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for step in range(8):
        y = y_of(step / 10)
        said.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#d8dde6"/>')
        said.append(
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#333">{step * 10} %</text>'
        )
    for load in LOADS:
        said.append(
            f'<text x="{x_of(load):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle" fill="#333">{load}</text>'
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    said.append(
        f'<text x="{middle}" y="{HEIGHT - 10}" text-anchor="middle" fill="#333">load: asked for by what there is</text>'
    )
    curve = [0.3 + step / 50 for step in range(51)]
    for number, colour in enumerate(COLOURS):
        line = " ".join(
            f"{x_of(load):.1f},{y_of(kaufman_roberts(offered(load))[number]):.1f}" for load in curve
        )
        said.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        last = y_of(kaufman_roberts(offered(curve[-1]))[number])
        units = offered(1.0)[number].units
        said.append(
            f'<text x="{WIDTH - RIGHT + 8}" y="{last + 4:.1f}" fill="{colour}">{units} unit{"s" if units > 1 else ""}</text>'
        )
    for place, load in enumerate(LOADS):
        kinds = offered(load)
        wishes = list(arrivals(kinds, ARRIVALS, begin=BEGIN, seed=1981 + place))
        found = estimates(kinds, wishes, list(counted(kinds, wishes)), batches=40)
        for each, colour in zip(found, COLOURS, strict=True):
            said += _bar(x_of(load), each.blocked, each.within, colour)
    if measured is not None:
        x = x_of(measured["load"]) + 16  # beside the counter's bar
        for kind, colour in zip(measured["kinds"], COLOURS, strict=True):
            said += _bar(x, kind["blocked"], kind["within"], colour)
            at = f'cx="{x:.1f}" cy="{y_of(kind["blocked"]):.1f}"'
            said.append(f'<circle {at} r="6" fill="none" stroke="{colour}" stroke-width="2"/>')
    return "\n".join([*said, "</svg>"]) + "\n"


def _bar(x: float, blocked: float, within: float, colour: str) -> list[str]:
    high, low = y_of(blocked + within), y_of(blocked - within)
    return [
        f'<path d="M{x - 5:.1f} {high:.1f}H{x + 5:.1f}M{x:.1f} {high:.1f}V{low:.1f}M{x - 5:.1f} {low:.1f}H{x + 5:.1f}" '
        f'stroke="{colour}" fill="none"/>',
        f'<circle cx="{x:.1f}" cy="{y_of(blocked):.1f}" r="2.5" fill="{colour}"/>',
    ]


if __name__ == "__main__":
    given = json.loads(Path(sys.argv[2]).read_text()) if len(sys.argv) > 2 else None
    Path(sys.argv[1]).write_text(drawn(given))
