"""The calendar: who has a reservation in a time, of whom one may see it, as bars and as files; nothing without a bound."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from provisioning.models import LedgerEntry, PremiumRequest
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.calendar import STANDING, between
from provisioning.web.time_bars import LINE, scale_of
from tests.web.text import page_text
from tests.web.world import World

START = datetime(2026, 12, 7, tzinfo=UTC)
HOURS = st.integers(-2000, 2000).map(lambda hours: timedelta(hours=hours))


@given(HOURS, st.one_of(st.none(), st.integers(1, 3000).map(lambda hours: timedelta(hours=hours))))
def test_a_bar_stays_on_its_line_can_be_seen_and_says_where_it_goes_on(
    offset: timedelta, length: timedelta | None
) -> None:
    scale = scale_of(TimeWindow(START, START + timedelta(days=7)), START + timedelta(days=1))
    start = START + offset
    end = None if length is None else start + length
    bar = scale.bar(start, end, "ACTIVE")
    assert bar.x >= 0 and bar.width >= 5 and bar.x + bar.width <= LINE + 0.1
    assert bar.before == (start < START)
    assert bar.after == (end is None or end > START + timedelta(days=7))


def test_the_line_has_the_days_of_a_week_and_now_only_where_it_is_on_it() -> None:
    week = TimeWindow(START, START + timedelta(days=7))
    days = [f"12-{day:02}" for day in range(7, 14)]
    assert [text for _, text in scale_of(week, START).marks] == days
    assert scale_of(week, START).now_x == 0 and scale_of(week, START + timedelta(days=7)).now_x is None


def shown(text: str) -> set[str]:
    return set(re.findall(r">(PIP-\d+)<", text))


def named(world: World, *names: str) -> set[str]:
    return {world.requests[name].reference for name in names}


def test_everybody_is_shown_whose_window_overlaps_and_nobody_else(
    world: World, as_user: Callable[[str], Client]
) -> None:
    nora = as_user("nora")
    for days in (-400, -30, 0, 2, 4, 100):
        first = world.now + timedelta(days=days)
        window = TimeWindow(
            first.replace(second=0, microsecond=0), first.replace(second=0, microsecond=0) + timedelta(days=1)
        )
        expected = {
            row.reference
            for row in PremiumRequest.objects.all()
            if row.start < window.end
            and (row.end is None or row.end > window.start)
            and row.state in STANDING
        }
        asked = {"from": f"{window.start:%Y-%m-%d %H:%M}", "to": f"{window.end:%Y-%m-%d %H:%M}"}
        assert shown(page_text(nora.get("/calendar/", asked))) == expected, days
    everything = page_text(nora.get("/calendar/", {"from": "today", "state": "REFUSED"}))
    assert shown(everything) == named(world, "refused")


def test_of_a_core_link_are_those_that_are_charged_to_it_and_of_a_router_all_that_meet_it(
    world: World, as_user: Callable[[str], Client]
) -> None:
    nora = as_user("nora")
    link = LedgerEntry.objects.filter(link__contains="--", released_at=None).values_list("link", flat=True)[0]
    charged = set(LedgerEntry.objects.filter(link=link).values_list("request", flat=True))
    asked = {"from": "today", "to": f"{world.now + timedelta(days=9):%Y-%m-%d}"}
    found = shown(page_text(nora.get("/calendar/", {**asked, "link": link})))
    assert found == {f"PIP-{key}" for key in charged} and found
    router = link.split(":")[0]
    at_router = shown(page_text(nora.get("/calendar/", {**asked, "router": router})))
    assert found <= at_router
    access = world.requests["overdue"].source_link.name
    assert named(world, "overdue") <= shown(page_text(nora.get("/calendar/", {**asked, "link": access})))


@pytest.mark.parametrize("person", ("jane", "giorgos", "dieter"))
def test_an_nren_sees_what_it_sends_and_receives_and_asks_for_no_link(
    world: World, as_user: Callable[[str], Client], person: str
) -> None:
    own = {"jane": "JANET", "giorgos": "GRNET", "dieter": "DFN"}[person]
    client = as_user(person)
    month = {"from": "today", "to": f"{world.now + timedelta(days=20):%Y-%m-%d}"}
    text = page_text(client.get("/calendar/", month))
    for request in world.requests.values():
        party = own in {request.nren.name, request.receiving_nren.name}
        assert (request.reference in shown(text)) == (party and request.state in STANDING)
    rows = json.loads(b"".join(client.get("/calendar/", {**month, "format": "json"}).streaming_content))
    assert {f"PIP-{row['id']}" for row in rows} == shown(text)
    for name in ("link", "router", "nren"):
        assert client.get("/calendar/", {name: "nl6"}).status_code == 400


def test_the_file_has_every_row_and_the_page_says_how_many_it_does_not_draw(
    world: World, as_user: Callable[[str], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("provisioning.web.views.calendar.SHOWN", 2)
    nora = as_user("nora")
    window = TimeWindow(world.now, world.now + timedelta(days=30))
    expected = list(between(world.actor("nora"), window).values_list("pk", flat=True))
    assert len(expected) > 3
    asked = {"from": f"{world.now:%Y-%m-%d %H:%M}", "to": f"{window.end:%Y-%m-%d %H:%M}"}
    text = page_text(nora.get("/calendar/", asked))
    assert len(shown(text)) == 2 and f"{len(expected) - 2} more" in text
    answer = nora.get("/calendar/", {**asked, "format": "csv"})
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [int(row["id"]) for row in rows] == expected
    monkeypatch.setattr("provisioning.web.views.calendar.COUNTED", 3)
    assert "More than 1 more" in page_text(nora.get("/calendar/", asked))


@pytest.mark.parametrize(
    "wrong",
    [
        "from=someday",
        "from=2026-12-02&to=2026-12-01",
        "from=2020-01-01&to=2026-01-01",
        "to=2026-01-01/",
        "link=nothing",
        "router=xx",
        "nren=99999",
        "state=GONE",
        "format=pdf",
        "until=monday",
        "from=9999-12-31&to=9999-12-31",
    ],
)
def test_what_cannot_be_asked_is_refused_and_no_row_is_shown(
    world: World, as_user: Callable[[str], Client], wrong: str
) -> None:
    answer = as_user("nora").get(f"/calendar/?{wrong}")
    assert answer.status_code == 400, wrong
    assert not shown(page_text(answer))
