"""A chart of committed rate over time, drawn on the server as SVG coordinates: no script, no inline style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from provisioning.web.spelling import rate

WIDTH, HEIGHT = 760, 200
LEFT, RIGHT, TOP, BOTTOM = 96, 12, 14, 26


@dataclass(frozen=True)
class Tick:
    """A mark on an axis: where, and what it says."""

    place: float
    text: str
    anchor: str = "middle"


@dataclass(frozen=True)
class Chart:
    """Ready coordinates: an area under a step line, the share as a line, now as a line, and the ticks."""

    area: str
    line: str
    share_y: float
    now_x: float
    rates: tuple[Tick, ...]
    times: tuple[Tick, ...]
    summary: str

    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    floor: int = HEIGHT - BOTTOM


def drawn(steps: Sequence[tuple[datetime, int]], share_bps: int, now: datetime) -> Chart:
    """Return the chart from a day before now to a day after the last change (at least two weeks ahead)."""
    start = min([now - timedelta(days=1), *(at for at, _ in steps if at > now - timedelta(days=30))])
    end = max([now + timedelta(days=14), *(at + timedelta(days=1) for at, _ in steps)])
    peak = max([0, *(value for _, value in steps)])
    ceiling = max(share_bps, peak, 1) * 1.12
    span = (end - start).total_seconds()

    def x(at: datetime) -> float:
        inside = min(max((at - start).total_seconds(), 0), span)
        return round(LEFT + inside / span * (WIDTH - LEFT - RIGHT), 1)

    def y(value: float) -> float:
        return round(HEIGHT - BOTTOM - value / ceiling * (HEIGHT - TOP - BOTTOM), 1)

    points: list[tuple[float, float]] = []
    level = 0
    for at, value in steps:
        if at <= start:
            level = value
    points.append((x(start), y(level)))
    for at, value in steps:
        if at > start:
            points += [(x(at), y(level)), (x(at), y(value))]
            level = value
    points.append((x(end), y(level)))
    line = " ".join(f"{a},{b}" for a, b in points)
    area = f"{x(start)},{y(0)} {line} {x(end)},{y(0)}"
    days = [start + (end - start) * part / 4 for part in range(5)]
    anchors = ("start", "middle", "middle", "middle", "end")
    return Chart(
        area=area,
        line=line,
        share_y=y(share_bps),
        now_x=x(now),
        rates=tuple(Tick(y(value), rate(value)) for value in (0, share_bps // 2, share_bps)),
        times=tuple(
            Tick(x(day), day.strftime("%Y-%m-%d"), anchor) for day, anchor in zip(days, anchors, strict=True)
        ),
        summary=f"Committed now and later: at most {rate(peak)} of a share of {rate(share_bps)}.",
    )
