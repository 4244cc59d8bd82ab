"""Windows of time as bars on one line, drawn on the server: where they begin and end on it, and where its days do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from provisioning.pipeline.units import TimeWindow
from provisioning.web.timescale import marks

LINE = 1000
"""How long the line is, in units of the drawing."""
_NARROWEST = 5.0
_LOOKS = {
    "SUBMITTED": "held",
    "HELD": "held",
    "ADMITTED": "to-come",
    "ACTIVE": "on",
}


@dataclass(frozen=True)
class Bar:
    """A window on the line: where it begins, how long it is, what it is filled by; whether it began before, or goes on after."""

    x: float
    width: float
    look: str
    before: bool
    after: bool


@dataclass(frozen=True)
class Scale:
    """The line: the stretch of time that it is, marks with their text, and where now is; None where that is not on it."""

    window: TimeWindow
    marks: tuple[tuple[float, str], ...]
    now_x: float | None

    @property
    def end(self) -> datetime:
        assert self.window.end is not None, "a line has two ends"
        return self.window.end

    def x(self, at: datetime) -> float:
        """Return where an instant is; the nearest end for what is not on the line."""
        whole = (self.end - self.window.start).total_seconds()
        part = (at - self.window.start).total_seconds() / whole
        return round(LINE * min(1.0, max(0.0, part)), 1)

    def bar(self, start: datetime, end: datetime | None, state: str) -> Bar:
        """Return the bar of a window; one that is very short can be seen all the same."""
        left = self.x(start)
        right = float(LINE) if end is None else self.x(end)
        width = max(_NARROWEST, right - left)
        return Bar(
            min(left, LINE - width),
            round(width, 1),
            _LOOKS.get(state, "past"),
            start < self.window.start,
            end is None or end > self.end,
        )


def scale_of(window: TimeWindow, now: datetime) -> Scale:
    """Return the line of a window that has an end."""
    scale = Scale(window, (), None)
    on_it = window.start <= now < scale.end
    found = tuple((scale.x(at), text.split(" ")[-1][-5:]) for at, text in marks(window.start, scale.end, 8))
    return Scale(window, found, scale.x(now) if on_it else None)
