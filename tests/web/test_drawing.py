"""What is drawn and spelled: charts, bars, sides, rates and times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest

from provisioning.pipeline.admission import LinkEvidence
from provisioning.pipeline.topology import Direction
from provisioning.web import spelling
from provisioning.web.bars import bar_of
from provisioning.web.chart import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, drawn
from provisioning.web.sides import compared

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def evidence(share: int, held: int, asked: int) -> LinkEvidence:
    return LinkEvidence(
        "A@b:c", Direction.IN, "ipp", 10 * share, Decimal(10), share, held, NOW, asked, share - held
    )


@pytest.mark.parametrize(
    ("share", "held", "asked"),
    [(100, 0, 10), (100, 60, 40), (100, 60, 41), (100, 120, 5), (0, 0, 5), (0, 0, 0)],
)
def test_a_bar_never_leaves_its_box_and_adds_up(share: int, held: int, asked: int) -> None:
    bar = bar_of(evidence(share, held, asked))
    assert 0 <= bar.limit <= 1000
    assert bar.over_from + bar.over <= 1000.1 and bar.asked_from + bar.asked <= 1000.1
    assert (bar.over > 0) == (held + asked > share and asked > 0)
    whole = max(share, held + asked, 1)
    assert bar.held + bar.asked + bar.over == pytest.approx(1000 * (held + asked) / whole, abs=0.4)


def test_a_chart_stays_in_its_frame_and_steps() -> None:
    steps = (
        (NOW - timedelta(days=90), 3_000_000),
        (NOW + timedelta(days=2), 9_000_000),
        (NOW + timedelta(days=5), 0),
    )
    chart = drawn(steps, 7_750_000, NOW)
    points = [tuple(map(float, point.split(","))) for point in chart.line.split()]
    assert all(LEFT <= x <= WIDTH - RIGHT and TOP <= y <= HEIGHT - BOTTOM for x, y in points)
    assert points[0][1] < HEIGHT - BOTTOM, "what began long ago still counts at the left edge"
    assert min(y for _, y in points) < chart.share_y, "above the share is drawn above it"
    assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(points)), "only steps"
    assert points[-1][1] == HEIGHT - BOTTOM


def test_what_is_above_a_share_that_changes_is_a_layer_and_the_frame_ends_soon_after_the_last_change() -> (
    None
):
    steps = ((NOW, 3_000_000), (NOW + timedelta(days=4), 0))
    shares = ((NOW + timedelta(days=1), 2_000_000), (NOW + timedelta(days=2), 4_000_000))
    chart = drawn(steps, 4_000_000, NOW, shares=shares)
    (over,) = [band for band in chart.bands if band.look == "over"]
    points = [tuple(map(float, point.split(","))) for point in over.points.split()]
    half = len(points) // 2
    above, under = points[:half], list(reversed(points[half:]))
    apart = [a[0] for a, b in zip(above, under, strict=True) if a[1] != b[1]]
    ends = [float(point.split(",")[0]) for point in chart.line.split()]
    day = (ends[-1] - ends[0]) / (5 * 1.125)
    assert min(apart) == pytest.approx(ends[0] + 2 * day, abs=1)
    assert max(apart) == pytest.approx(ends[0] + 3 * day, abs=1)
    assert drawn(steps, 4_000_000, NOW).bands == ()
    nothing = [float(point.split(",")[0]) for point in drawn((), 4_000_000, NOW).line.split()]
    assert (nothing[0], nothing[-1]) == (LEFT, WIDTH - RIGHT)


def test_sides_face_each_other() -> None:
    found = compared("x", ("a", "b", "c"), ("a", "B", "B2", "c"))
    assert [(left.kind, right.kind) for left, right in found.rows] == [
        ("same", "same"),
        ("gone", "new"),
        ("none", "new"),
        ("same", "same"),
    ]
    assert [side.number for side, _ in found.rows] == [1, 2, None, 3]
    assert ("del", "-b") in found.unified and ("add", "+B2") in found.unified
    assert not compared("x", ("a",), ("a",)).changed


@pytest.mark.parametrize(
    ("distance", "said"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(minutes=-3), "3 min ago"),
        (timedelta(hours=-5), "5 h ago"),
        (timedelta(days=-1), "1 day ago"),
        (timedelta(days=9), "in 9 days"),
        (timedelta(seconds=50), "in 1 min"),
    ],
)
def test_relative_times(distance: timedelta, said: str) -> None:
    assert spelling.ago(NOW + distance, NOW) == said


def test_absolute_times_are_utc_whatever_the_zone() -> None:
    from datetime import timezone

    assert spelling.absolute(NOW.astimezone(timezone(timedelta(hours=5)))) == "2026-11-21 12:00 UTC"
    assert spelling.rate(7_750_001) == "7.750001 Mbit/s"
    assert spelling.rate(None) == "-"
