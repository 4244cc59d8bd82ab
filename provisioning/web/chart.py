"""A chart of committed rate over time, drawn on the server as SVG coordinates: no script, no inline style."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from provisioning.web.spelling import rate
from provisioning.web.timescale import marks

WIDTH, HEIGHT = 760, 200
LEFT, RIGHT, TOP, BOTTOM = 96, 12, 14, 26
NARROW, NARROW_LEFT = 320, 84
"""The same for a phone, where text of the wide one would be too small to read, or half of it out of sight."""

Steps = Sequence[tuple[datetime, int]]


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
    steps: Steps


@dataclass(frozen=True)
class Band:
    """A layer as drawn, on top of those before it."""

    name: str
    look: str
    points: str


@dataclass(frozen=True)
class Chart:
    """Ready coordinates: layers under a step line, the share as a line that steps too, now as a line, and the ticks."""

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
    steps: Steps,
    share_bps: int,
    now: datetime,
    *,
    layers: Sequence[Layer] = (),
    shares: Steps = (),
    narrow: bool = False,
) -> Chart:
    """Return the chart from a day before now to somewhat after the last change; two weeks ahead where none is to come.

    `layers` add up to `steps`; `shares` are what the share is from an instant on, until the first of them `share_bps`. What
    is above the share is a layer of its own.
    """
    width, left = (NARROW, NARROW_LEFT) if narrow else (WIDTH, LEFT)
    changes = [at for at, _ in (*steps, *shares)]
    start = min([now - timedelta(days=1), *(at for at in changes if at > now - timedelta(days=30))])
    last = max((at for at in changes if at > now), default=None)
    end = (
        now + timedelta(days=14)
        if last is None
        else _after(last, max((last - start) / 8, timedelta(hours=3)))
    )
    peak = max([0, *(value for _, value in steps)])
    highest = max(share_bps, *(bps for _, bps in shares), 0)
    ceiling = max(highest, peak, 1) * 1.12
    span = (end - start).total_seconds()

    def x(at: datetime) -> float:
        inside = min(max((at - start).total_seconds(), 0), span)
        return round(left + inside / span * (width - left - RIGHT), 1)

    def y(value: float) -> float:
        return round(HEIGHT - BOTTOM - value / ceiling * (HEIGHT - TOP - BOTTOM), 1)

    total, allowed = _course(steps), _course(shares, before=share_bps)
    places = _places([start, *sorted({at for at in changes if start < at < end})], total, allowed, x)

    def stairs(levels: Sequence[int]) -> list[str]:
        points = [(x(start), y(levels[0]))]
        for (place, _), before, level in zip(places[1:], levels, levels[1:], strict=False):
            if level != before:
                points += [(place, y(before)), (place, y(level))]
        points.append((x(end), y(levels[-1])))
        return [f"{a},{b}" for a, b in points]

    instants = [at for _, at in places]
    level = [total(at) for at in instants]
    limit = [allowed(at) for at in instants]
    bands, sums = [], [0] * len(instants)
    for layer in layers:
        course, below = _course(layer.steps), stairs(sums)
        sums = [held + course(at) for held, at in zip(sums, instants, strict=True)]
        if any(value for _, value in layer.steps):
            bands.append(Band(layer.name, layer.look, " ".join([*stairs(sums), *reversed(below)])))
    if any(held > most for held, most in zip(level, limit, strict=True)):
        above = stairs([max(held, most) for held, most in zip(level, limit, strict=True)])
        bands.append(Band(TOO_MUCH, "over", " ".join([*above, *reversed(stairs(limit))])))
    shown = {0, share_bps // 2, share_bps} | ({peak} if peak > share_bps * 1.15 else set())
    return Chart(
        bands=tuple(bands),
        share_line=" ".join(stairs(limit)),
        line=" ".join(stairs(level)),
        share_y=y(share_bps),
        now_x=x(now),
        rates=tuple(Tick(y(value), rate(value)) for value in sorted(shown)),
        times=tuple(
            Tick(x(at), text, _anchor(x(at), left, width - RIGHT))
            for at, text in marks(start, end, (width - left - RIGHT) // APART)
        ),
        summary=f"Committed now and later: at most {rate(peak)} of a share of {rate(share_bps)}.",
        width=width,
        left=left,
        right=width - RIGHT,
    )


TOO_MUCH = "More than the share"
APART = 84
"""What a date under the axis needs, in units of the drawing."""
Course = Callable[[datetime], int]


def _after(at: datetime, by: timedelta) -> datetime:
    """So much later; the end of time where there is no such moment."""
    try:
        return at + by
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def _anchor(place: float, left: float, right: float) -> str:
    """Where the text of a tick stands, so that it stays in the frame."""
    if place - left < 8:
        return "start"
    return "end" if right - place < APART / 2 - 8 else "middle"


def _course(steps: Steps, before: int = 0) -> Course:
    """What `steps` say of an instant."""
    instants, values = [at for at, _ in steps], [before, *(value for _, value in steps)]
    return lambda at: values[bisect_right(instants, at)]


def _places(
    instants: Sequence[datetime], total: Course, allowed: Course, x: Callable[[datetime], float]
) -> list[tuple[float, datetime]]:
    """Where a step is drawn, and of which instant it is: each where they are few. Where they are many, of those in half a unit
    of the drawing the worst, which is most above what is allowed, and the last: a link of ten thousand reservations is drawn by
    some thousand steps, and no peak is lost.
    """
    if len(instants) <= MANY:
        return [(x(at), at) for at in instants]
    worst: dict[float, datetime] = {}
    last: dict[float, datetime] = {}
    for at in instants:
        place = round(2 * x(at)) / 2
        known = worst.setdefault(place, at)
        if total(at) - allowed(at) > total(known) - allowed(known):
            worst[place] = at
        last[place] = at
    return [(place, at) for place in worst for at in (worst[place], last[place])]


MANY = 1000
"""Steps up to which each is drawn."""
