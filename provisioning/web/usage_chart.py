"""A chart of what was sent beside what was reserved, drawn on the server as SVG coordinates: no script, no inline style."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from provisioning.models import Span
from provisioning.pipeline.usage.verdicts import rounded
from provisioning.selectors.usage import STRETCH, Point, Usage
from provisioning.web.chart import APART, BOTTOM, HEIGHT, LEFT, NARROW, NARROW_LEFT, RIGHT, TOP, WIDTH, Tick
from provisioning.web.spelling import absolute, rate
from provisioning.web.timescale import marks


@dataclass(frozen=True)
class Bar:
    """One stretch of time: what passed, and on top of it what was dropped, each a rectangle; ``text`` says it in words."""

    x: float
    width: float
    passed_y: float
    passed_height: float
    dropped_y: float
    dropped_height: float
    text: str


@dataclass(frozen=True)
class UsageChart:
    """Ready coordinates. Where nothing is known there is no bar: that is no zero."""

    bars: tuple[Bar, ...]
    reserved_line: str
    rates: tuple[Tick, ...]
    times: tuple[Tick, ...]
    summary: str
    width: int
    left: int
    right: int
    height: int = HEIGHT
    top: int = TOP
    floor: int = HEIGHT - BOTTOM


def drawn(usage: Usage, *, narrow: bool = False) -> UsageChart | None:
    """Return the chart of what is known; None where there is no rate to be shown."""
    points = [point for point in usage.points if point.verdict.sent_bps is not None]
    if not points:
        return None
    width, left = (NARROW, NARROW_LEFT) if narrow else (WIDTH, LEFT)
    spans = [_stretch(point, usage.span) for point in points]
    start, end = spans[0][0], max(stop for _, stop in spans)
    span = max((end - start).total_seconds(), 1)
    reserved = max((point.verdict.reserved_bps for point in points), default=0)
    ceiling = max(usage.peak_bps, reserved, 1) * 1.12

    def x(at: datetime) -> float:
        return round(left + (at - start).total_seconds() / span * (width - left - RIGHT), 1)

    def y(bps: float) -> float:
        return round(HEIGHT - BOTTOM - bps / ceiling * (HEIGHT - TOP - BOTTOM), 1)

    bars = tuple(
        _bar(point, x(begins), x(stops), y) for point, (begins, stops) in zip(points, spans, strict=True)
    )
    shown = {0, reserved // 2, reserved} | ({usage.peak_bps} if usage.peak_bps > reserved * 1.15 else set())
    return UsageChart(
        bars=bars,
        reserved_line=" ".join(_stairs(points, spans, x, y)) if reserved else "",
        rates=tuple(
            Tick(y(bps), rounded(bps) if bps == usage.peak_bps else rate(bps)) for bps in sorted(shown)
        ),
        times=tuple(
            Tick(
                x(at),
                text,
                "end" if width - RIGHT - x(at) < APART / 2 else "start" if x(at) - left < 8 else "middle",
            )
            for at, text in marks(start, end, (width - left - RIGHT) // APART)
        ),
        summary=f"Sent at most {rounded(usage.peak_bps)}{f', reserved {rate(reserved)}' if reserved else ''}.",
        width=width,
        left=left,
        right=width - RIGHT,
    )


def _stretch(point: Point, span: Span) -> tuple[datetime, datetime]:
    if span is Span.POLL:
        return point.at - timedelta(seconds=point.seconds or 0), point.at
    return point.at, point.at + STRETCH[span]


def _bar(point: Point, begins: float, stops: float, y: Callable[[float], float]) -> Bar:
    sent = point.verdict.sent_bps or 0
    passed = sent if point.verdict.passed_bps is None else min(point.verdict.passed_bps, sent)
    return Bar(
        x=begins,
        width=max(round(stops - begins, 1), 1.0),
        passed_y=y(passed),
        passed_height=round(y(0) - y(passed), 1),
        dropped_y=y(sent),
        dropped_height=round(y(passed) - y(sent), 1),
        text=f"{absolute(point.at)}: {point.verdict}",
    )


def _stairs(
    points: Sequence[Point],
    spans: Sequence[tuple[datetime, datetime]],
    x: Callable[[datetime], float],
    y: Callable[[float], float],
) -> Iterator[str]:
    for point, (begins, stops) in zip(points, spans, strict=True):
        level = y(point.verdict.reserved_bps)
        yield f"{x(begins)},{level}"
        yield f"{x(stops)},{level}"
