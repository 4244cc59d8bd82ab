"""Windows that come again, through the API."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from provisioning.models import PremiumRequest, Series, Via
from provisioning.services import decisions, people
from provisioning.services import series as service
from tests.api.conftest import START, Speaker, asked, weekly

URL = "/api/v1/series/"


def test_a_series_is_asked_for_agreed_to_and_taken_back_as_one(speakers: dict[str, Speaker]) -> None:
    made = speakers["JANET"].post(URL, weekly(), Idempotency_Key="tuesdays")
    assert speakers["JANET"].post(URL, weekly(), Idempotency_Key="tuesdays") == made
    assert (made["occurrences"], made["states"], made["role"]) == (3, {"SUBMITTED": 3}, "source")
    assert [item["fits"] for item in made["items"]] == [True] * 3 and made["rate_that_fits"] is None
    athens = ZoneInfo("Europe/Athens")
    clocks = {dt.datetime.fromisoformat(item["start"]).astimezone(athens).time() for item in made["items"]}
    assert clocks == {START.astimezone(athens).time()}
    for item in made["items"]:
        for name in ("start", "end"):
            local = dt.datetime.fromisoformat(item[f"{name}_local"])
            assert item[f"{name}_local"] == local.astimezone(athens).isoformat(), (
                "with the offset of that day"
            )
            assert local == dt.datetime.fromisoformat(item[name]), "the same instant"
    one = speakers["GRNET"].get(f"/api/v1/premium-requests/{made['items'][0]['request']}/")
    assert (one["series"], one["consent"]) == (made["id"], "pending")
    url = f"{URL}{made['id']}/"
    speakers["GRNET"].post(f"{url}consent/", {"agree": True}, status=200)
    assert speakers["GRNET"].get(f"/api/v1/premium-requests/?series={made['id']}&consent=given")["count"] == 3
    again = speakers["JANET"].post(f"{url}withdraw/", {"reason": "no course"}, status=200)
    assert again["states"] == {"WITHDRAWN": 3} and [item["fits"] for item in again["items"]] == [None] * 3
    assert speakers["JANET"].post(f"{url}withdraw/", {"reason": "again"}, status=409)["code"] == "stale"


def test_those_that_do_not_fit_are_named_without_what_others_hold(speakers: dict[str, Speaker]) -> None:
    second = START + dt.timedelta(days=7)
    body = asked(
        rate_bps=6_000_000, start=second.isoformat(), end=(second + dt.timedelta(hours=1)).isoformat()
    )
    blocking = speakers["JANET"].post("/api/v1/premium-requests/", body)
    speakers["GRNET"].post(f"/api/v1/premium-requests/{blocking['id']}/consent/", {"agree": True}, status=200)
    noc = people.actor_named("the-noc", via=Via.CLI)
    decisions.admit(actor=noc, request=PremiumRequest.objects.get(pk=blocking["id"]), reason="fits")
    made = speakers["JANET"].post(URL, weekly())
    assert [item["fits"] for item in made["items"]] == [True, False, True]
    assert made["rate_that_fits"] == 1_729_000
    told = {(row["code"], row["link"]): row for row in made["items"][1]["reasons"]}
    assert told["policer", "JANET@uk6:POS1/0"]["committed_bps"] == 6_016_000, "with headers of POS"
    reasons = {link: row for (code, link), row in told.items() if code == "share-exceeded"}
    assert reasons["JANET@uk6:POS1/0"]["committed_bps"] == 6_000_000
    assert reasons["GRNET@gr6:POS2/0"]["committed_bps"] is None, "what others hold on a link of another's"
    assert not service.admit(actor=noc, series=agreed(speakers, made["id"]), reason="fits?").granted


def test_a_what_if_says_the_local_time_on_both_sides_of_a_change_of_clocks(
    speakers: dict[str, Speaker],
) -> None:
    year = START.year + 1
    first = dt.datetime(year, 10, 20, 9, tzinfo=ZoneInfo("Europe/Athens"))
    body = weekly(rrule="FREQ=DAILY;COUNT=16") | {
        "start": first.isoformat(),
        "end": (first + dt.timedelta(hours=2)).isoformat(),
    }
    tried = speakers["JANET"].post(f"{URL}what-if/", body, status=200)
    assert {item["start_local"][10:] for item in tried["items"]} == {"T09:00:00+03:00", "T09:00:00+02:00"}
    assert {item["end_local"][10:] for item in tried["items"]} == {"T11:00:00+03:00", "T11:00:00+02:00"}


def test_a_zone_that_this_system_has_no_more_is_told_in_utc(speakers: dict[str, Speaker]) -> None:
    made = speakers["JANET"].post(URL, weekly())
    Series.objects.filter(pk=made["id"]).update(time_zone="Mars/Olympus")
    item = speakers["JANET"].get(f"{URL}{made['id']}/")["items"][0]
    assert item["start_local"] == item["start"] and item["start"].endswith("+00:00")


def agreed(speakers: dict[str, Speaker], pk: int) -> Series:
    speakers["GRNET"].post(f"{URL}{pk}/consent/", {"agree": True}, status=200)
    return Series.objects.get(pk=pk)


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"rrule": "FREQ=WEEKLY"}, "#/recurrence/rrule"),
        ({"rrule": 7}, "#/recurrence/rrule"),
        ({"time_zone": "Mars/Olympus"}, "#/recurrence/time_zone"),
        ({"exdates": ["2020-01-01"]}, "#/recurrence/exdates"),
        ({"exdates": ["tomorrow"]}, "#/recurrence/exdates/0"),
        ({"take": "some"}, "#/recurrence/take"),
        ({"surprise": 1}, "#/recurrence/surprise"),
    ],
)
def test_what_is_wrong_with_a_recurrence_is_pointed_at(
    speakers: dict[str, Speaker], changes: dict[str, object], pointer: str
) -> None:
    problem = speakers["JANET"].post(URL, weekly(**changes), status=400)
    assert [entry["pointer"] for entry in problem["errors"]] == [pointer]
    assert not Series.objects.exists()


def test_without_a_recurrence_it_is_no_series(speakers: dict[str, Speaker]) -> None:
    problem = speakers["JANET"].post(URL, asked(), status=400)
    assert [entry["pointer"] for entry in problem["errors"]] == ["#/recurrence"]
    problem = speakers["JANET"].post("/api/v1/premium-requests/", weekly(), status=400)
    assert [entry["pointer"] for entry in problem["errors"]] == ["#/recurrence"]
