"""What is drawn and spelled: charts, bars, sides, rates and times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest
from django.template.loader import render_to_string

from provisioning.pipeline.admission import LinkEvidence
from provisioning.pipeline.failures import Cut, Effect, Overload, Shift
from provisioning.pipeline.topology import Direction, Failure, LinkDirection
from provisioning.web import spelling
from provisioning.web.bars import bar_of
from provisioning.web.chart import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Layer, drawn
from provisioning.web.reading.failing import Failed, _load, _losers
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


def test_ten_thousand_charges_are_drawn_with_their_peak_and_their_gaps() -> None:
    """In a moment and in some thousand points, however many there are; the worst instant of all is not lost among them."""
    minutes = [NOW + timedelta(minutes=place) for place in range(20_000)]
    steps = [(at, 1_000_000 + 1000 * (place % 7)) for place, at in enumerate(minutes)]
    steps[12_345] = (minutes[12_345], 9_000_000)
    steps.append((NOW + timedelta(minutes=20_000), 0))
    steps.append((NOW + timedelta(minutes=60_000), 500_000))
    chart = drawn(steps, 4_000_000, NOW, layers=[Layer("All", "on", steps)])
    points = [tuple(map(float, point.split(","))) for point in chart.line.split()]
    assert len(points) < 6 * WIDTH
    assert min(y for _, y in points) == TOP + round((HEIGHT - TOP - BOTTOM) * (1 - 1 / 1.12), 1)
    gap = [a[1] for a, b in pairwise(points) if b[0] - a[0] > WIDTH / 4]
    assert gap == [HEIGHT - BOTTOM], "after the last of them nothing is committed until the next one"
    assert all(a[0] <= b[0] for a, b in pairwise(points))
    assert [band.look for band in chart.bands] == ["on", "over"]


@pytest.mark.parametrize("narrow", (False, True))
@pytest.mark.parametrize(
    ("span", "said"),
    [
        (timedelta(hours=5), "11-21 12:00"),
        (timedelta(days=2), "11-22 00:00"),
        (timedelta(days=12), "2026-11-2"),
        (timedelta(days=90), "2026-12-"),
        (timedelta(days=900), "-01-01"),
        (timedelta(days=40_000), "-01-01"),
    ],
)
def test_what_stands_under_the_axis_is_round_and_stands_where_it_is(
    span: timedelta, said: str, narrow: bool
) -> None:
    chart = drawn(((NOW, 1), (NOW + span, 0)), 2, NOW, narrow=narrow)
    places = [tick.place for tick in chart.times]
    assert 1 <= len(places) <= 8
    assert all(b - a > 60 for a, b in pairwise(places)), "no text runs into the next"
    assert all(chart.left <= place <= chart.right for place in places)
    assert narrow or any(said in tick.text for tick in chart.times), chart.times


def test_a_charge_that_ends_at_the_end_of_time_is_drawn() -> None:
    ends = datetime(9999, 12, 31, 23, 0, tzinfo=UTC)
    assert drawn(((NOW, 1), (ends, 0)), 2, NOW).times


def test_no_two_rates_stand_on_one_place() -> None:
    assert [tick.text for tick in drawn((), 0, NOW).rates] == ["0 bit/s"]
    far_above = drawn(((NOW, 9_000_000),), 4_000_000, NOW)
    assert [tick.text for tick in far_above.rates] == ["0 bit/s", "2 Mbit/s", "4 Mbit/s", "9 Mbit/s"]


@pytest.mark.parametrize(
    ("before", "after", "share", "parts"),
    [
        (20, 38, 31, (526, 289, 185)),  # what comes and fits is told from what comes and does not
        (0, 26, 31, (0, 838, 0)),
        (8, 0, 31, (0, 0, 0)),
        (40, 50, 31, (800, 0, 200)),  # too full already: what comes is past the share, whole
        (0, 5, 0, (0, 0, 1000)),
    ],
)
def test_the_bar_of_a_link_after_a_failure(
    before: int, after: int, share: int, parts: tuple[int, int, int]
) -> None:
    load = _load(Shift(LinkDirection("l", Direction.A_Z), "p", share, before, after))
    assert (load.kept, load.more, load.over) == pytest.approx(parts, abs=1)
    assert load.over_from == load.kept + load.more
    assert load.too_much == (after > share)


def test_each_request_that_loses_is_one_row_by_where_it_is_worst(db: None) -> None:
    failure = Failure("link", "x")
    loads = [LinkDirection(name, Direction.A_Z) for name in ("l1", "l2")]
    little = Overload(failure, loads[0], "p", 4, 5, NOW, None, ("PIP-1", "PIP-10", "PIP-2"), ("PIP-1",))
    much = Overload(failure, loads[1], "p", 4, 9, NOW, None, ("PIP-10",), ("PIP-10",))
    effect = Effect(failure, (little, much), (Cut(failure, "PIP-2", NOW, None),))
    found = [(each.request.pk, each.link, each.excess_bps, each.came, each.more) for each in _losers(effect)]
    assert found == [(2, "", None, False, 0), (10, "l2", 5, True, 1), (1, "l1", 1, True, 0)]
    shown = Failed(failure, effect, _losers(effect))
    page = render_to_string("web/parts/failure.html", {"found": shown})
    assert page.count("no path") == 2 and "and 1 more stretch<" in " ".join(page.split())
