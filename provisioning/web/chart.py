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
class Layer:
    """One part of what is committed: its name, the CSS class that it is filled by, and its steps."""

    name: str
    look: str
    steps: Sequence[tuple[datetime, int]]


@dataclass(frozen=True)
class Band:
    """A layer as drawn, on top of those before it."""

    name: str
    look: str
    points: str


@dataclass(frozen=True)
class Chart:
    """Ready coordinates: layers under a step line, the share as a line that steps too, now as a line, and the ticks."""

    area: str
    bands: tuple[Band, ...]
    share_line: str
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


def drawn(
    steps: Sequence[tuple[datetime, int]],
    share_bps: int,
    now: datetime,
    *,
    layers: Sequence[Layer] = (),
    shares: Sequence[tuple[datetime, int]] = (),
) -> Chart:
    """Return the chart from a day before now to somewhat after the last change; two weeks ahead where none is to come.

    `layers` add up to `steps`; `shares` are what the share is from an instant on, until the first of them `share_bps`. What
    is above the share is a layer of its own.
    """
    changes = [at for at, _ in (*steps, *shares)]
    start = min([now - timedelta(days=1), *(at for at in changes if at > now - timedelta(days=30))])
    last = max((at for at in changes if at > now), default=None)
    end = now + timedelta(days=14) if last is None else last + max((last - start) / 8, timedelta(hours=3))
    peak = max([0, *(value for _, value in steps)])
    highest = max(share_bps, *(bps for _, bps in shares), 0)
    ceiling = max(highest, peak, 1) * 1.12
    span = (end - start).total_seconds()

    def x(at: datetime) -> float:
        inside = min(max((at - start).total_seconds(), 0), span)
        return round(LEFT + inside / span * (WIDTH - LEFT - RIGHT), 1)

    def y(value: float) -> float:
        return round(HEIGHT - BOTTOM - value / ceiling * (HEIGHT - TOP - BOTTOM), 1)

    def stairs(course: Sequence[tuple[datetime, int]], before: int = 0) -> list[str]:
        level = next((value for at, value in reversed(course) if at <= start), before)
        points = [(x(start), y(level))]
        for at, value in course:
            if at > start:
                points += [(x(at), y(level)), (x(at), y(value))]
                level = value
        points.append((x(end), y(level)))
        return [f"{a},{b}" for a, b in points]

    line = " ".join(stairs(steps))
    bands, below = [], stairs(())
    for layer, course in zip(layers, _stacked(layers), strict=True):
        top = stairs(course)
        if any(value for _, value in layer.steps):
            bands.append(Band(layer.name, layer.look, " ".join([*top, *reversed(below)])))
        below = top
    if over := _over(steps, shares, share_bps, start):
        under = stairs([(at, allowed) for at, _, allowed in over], over[0][2])
        above = stairs([(at, max(level, allowed)) for at, level, allowed in over], max(over[0][1:]))
        bands.append(Band(TOO_MUCH, "over", " ".join([*above, *reversed(under)])))
    area = f"{x(start)},{y(0)} {line} {x(end)},{y(0)}"
    days = [start + (end - start) * part / 4 for part in range(5)]
    anchors = ("start", "middle", "middle", "middle", "end")
    return Chart(
        area=area,
        bands=tuple(bands),
        share_line=" ".join(stairs(shares, share_bps)),
        line=line,
        share_y=y(share_bps),
        now_x=x(now),
        rates=tuple(Tick(y(value), rate(value)) for value in (0, share_bps // 2, share_bps)),
        times=tuple(
            Tick(x(day), day.strftime("%Y-%m-%d" if span > 10 * 86400 else "%m-%d %H:%M"), anchor)
            for day, anchor in zip(days, anchors, strict=True)
        ),
        summary=f"Committed now and later: at most {rate(peak)} of a share of {rate(share_bps)}.",
    )


TOO_MUCH = "More than the share"


def _over(
    steps: Sequence[tuple[datetime, int]],
    shares: Sequence[tuple[datetime, int]],
    share_bps: int,
    start: datetime,
) -> list[tuple[datetime, int, int]]:
    """What is committed and what is allowed from each instant on; empty where nowhere more is committed than allowed."""
    found = []
    for at in sorted({start, *(at for at, _ in (*steps, *shares) if at > start)}):
        level = next((value for since, value in reversed(steps) if since <= at), 0)
        allowed = next((value for since, value in reversed(shares) if since <= at), share_bps)
        found.append((at, level, allowed))
    return found if any(level > allowed for _, level, allowed in found) else []


def _stacked(layers: Sequence[Layer]) -> list[list[tuple[datetime, int]]]:
    """Each layer's course on top of those before it."""
    instants = sorted({at for layer in layers for at, _ in layer.steps})
    sums = [0] * len(instants)
    stacked = []
    for layer in layers:
        known, level = dict(layer.steps), 0
        for place, at in enumerate(instants):
            level = known.get(at, level)
            sums[place] += level
        stacked.append(list(zip(instants, sums, strict=True)))
    return stacked
