"""The monthly report: what was promised and held, used and dropped, of whom one may see it; a month by UTC, over or not."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from provisioning.errors import InvalidInput, NotVisible
from provisioning.models import PremiumRequest, Reservation, Span
from provisioning.selectors.monthly import Month, monthly
from provisioning.selectors.monthly_columns import COLUMNS
from tests.web.test_usage import class_of, sent
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]
BEGINS = datetime(2026, 2, 1, tzinfo=UTC)
ENDS = datetime(2026, 3, 1, tzinfo=UTC)
LATER = datetime(2026, 3, 20, tzinfo=UTC)
DAY = timedelta(days=1)


@given(st.integers(2000, 9998), st.integers(1, 12))
def test_months_follow_each_other_without_a_gap(year: int, month: int) -> None:
    one = Month(year, month)
    assert Month.parse(str(one)) == one
    assert one.ends == one.after.begins and one.after.before == one
    assert Month.of(one.begins) == Month.of(one.ends - timedelta(microseconds=1)) == one


@pytest.mark.parametrize(
    "text", ["", "2026", "2026-13", "2026-00", "26-01", "1999-12", "2026-1", "2026-01-01"]
)
def test_what_is_no_month_is_refused_by_its_field(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Month.parse(text)
    assert caught.value.field == "month"


@pytest.fixture
def asked(world: World) -> PremiumRequest:
    """JANET's 1.5 Mbit/s from 30 January on, until the noon of 11 February; put on half a day late, seen until then."""
    request = world.requests["active"]
    start, end = BEGINS - 2 * DAY, BEGINS + 10.5 * DAY
    PremiumRequest.objects.filter(pk=request.pk).update(start=start, end=end)
    Reservation.objects.filter(request=request).update(
        put_on_at=BEGINS + 0.5 * DAY, taken_off_at=None, released_at=None
    )
    return PremiumRequest.objects.select_related("source_link__interface__router").get(pk=request.pk)


def test_a_month_is_what_was_promised_in_it_and_counted_in_it(asked: PremiumRequest) -> None:
    series = class_of(asked)
    for at, bps, lost in (
        (BEGINS - DAY, 9_000_000, 0.9),
        (BEGINS, 2_000_000, 0.25),
        (ENDS - DAY, 1_000_000, 0),
        (ENDS, 9_000_000, 0.9),
    ):
        sent(series, at, bps, lost=lost, span=Span.DAY)
    sent(series, BEGINS, 5_000_000, span=Span.HOUR)
    found = monthly(None, Month(2026, 2), now=LATER, nren=asked.nren.name)
    assert (found.is_over, found.until) == (True, ENDS)
    (held,) = [each for each in found.reservations() if each.pk == asked.pk]
    assert (held.promised_s, held.held_s) == (10.5 * 86400, 10 * 86400)
    (used,) = found.used
    assert (used.verdict.sent_bps, used.counted_s) == (1_500_000, 2 * 86400)
    assert used.dropped_packets == round(2_000_000 * 86400 // 8 // 500 * 0.25)
    (total,) = found.totals
    assert total.lost == pytest.approx(1 / 6, abs=0.001)
    assert total.availability == pytest.approx(10 / 10.5)
    # Seen from the fifth of February nothing is told of what comes.
    early = monthly(None, Month(2026, 2), now=BEGINS + 4 * DAY, nren=asked.nren.name)
    (part,) = [each for each in early.reservations() if each.pk == asked.pk]
    assert (early.is_over, part.promised_s, part.held_s) == (False, 4 * 86400, 3.5 * 86400)
    with pytest.raises(InvalidInput, match="has not begun"):
        monthly(None, Month(2026, 2), now=BEGINS - DAY)


def test_an_nren_sees_its_own_month_and_nobody_elses(
    world: World, as_user: As, asked: PremiumRequest
) -> None:
    class_of(asked)
    sent(asked.source_link.interface.router.usage.get(), BEGINS, 2_000_000, span=Span.DAY)
    jane, giorgos = world.actor("jane"), world.actor("giorgos")
    assert asked.nren_id in jane.nren_ids and asked.nren_id not in giorgos.nren_ids
    month = {"month": "2026-02"}
    for name, sees in (("jane", True), ("giorgos", False), ("nora", True), ("audrey", True)):
        text = page_text(as_user(name).get("/report/", month))
        assert (f">{asked.reference}<" in text) == sees, name
        assert (asked.source_link.name in text) == sees, name
    with pytest.raises(NotVisible):
        monthly(giorgos, Month(2026, 2), now=LATER, nren=asked.nren.name)
    assert as_user("giorgos").get("/report/", {**month, "nren": asked.nren.name}).status_code == 404
    for table in ("nrens", "used", "reservations"):
        answer = as_user("giorgos").get("/report/", {**month, "table": table, "format": "csv"})
        assert asked.nren.name not in b"".join(answer.streaming_content).decode()
    answer = as_user("jane").get("/report/", {**month, "format": "csv"})
    rows = list(csv.DictReader(StringIO(b"".join(answer.streaming_content).decode())))
    assert [(row["id"], row["promised_s"], row["held_s"]) for row in rows if row["id"] == str(asked.pk)] == [
        (str(asked.pk), "907200", "864000")
    ]


def test_the_page_says_what_is_not_over_and_refuses_by_field(as_user: As) -> None:
    nora = as_user("nora")
    assert "This month is not over" in page_text(nora.get("/report/"))
    assert "not over" not in page_text(nora.get("/report/", {"month": "2026-02"}))
    for wrong in (
        {"month": "soon"},
        {"month": "2999-01"},
        {"format": "pdf"},
        {"format": "csv", "table": "x"},
    ):
        assert nora.get("/report/", wrong).status_code == 400, wrong


def test_more_rows_are_no_more_statements_and_the_command_says_the_same(
    world: World, asked: PremiumRequest
) -> None:
    series = class_of(asked)
    sent(series, BEGINS, 2_000_000, span=Span.DAY)

    def asks() -> int:
        with CaptureQueriesContext(connection) as made:
            found = monthly(None, Month(2026, 2), now=LATER)
            list(found.reservations())
        return len(made)

    before = asks()
    names = [name.attname for name in PremiumRequest._meta.concrete_fields if name.attname != "id"]
    for _ in range(3):
        copy = PremiumRequest.objects.create(**{name: getattr(asked, name) for name in names})
        Reservation.objects.create(request=copy, granted_bps=1, path=[], put_on_at=BEGINS)
        series.pk, series.classes = None, f"EF-PIP-{copy.pk}"
        series.save()
        sent(series, BEGINS, 1_000, span=Span.DAY)
    assert asks() == before <= 8
    out = StringIO()
    call_command("report", "--month", "2026-02", "--nren", asked.nren.name, "--json", stdout=out)
    said: dict[str, Any] = json.loads(out.getvalue())
    assert said["is_over"] is True
    assert len(said["used"]) == 4 and len(said["reservations"]) >= 4
    assert said["used"][0]["nren"] == asked.nren.name
    for table, columns in COLUMNS.items():
        assert list(said[table][0]) == list(columns), table
