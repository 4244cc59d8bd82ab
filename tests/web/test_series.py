"""A series in the browser: asked for in the portal, answered once, one line of the queue, decided on one page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import strip_tags

from inventory.models import Nren
from provisioning.models import PremiumRequest, Series
from provisioning.services import requests as service_requests
from provisioning.services import series as service
from provisioning.services.series import clock_text
from tests.web.text import page_text
from tests.web.world import World, link, weekly

As = Callable[[str], Client]


def filled_in(world: World, **changes: str) -> dict[str, str]:
    start = world.now.replace(minute=0, second=0, microsecond=0) + timedelta(days=2)
    end = start + timedelta(hours=2)
    prefix = {name: str(Nren.objects.get(name=name).prefixes.first().network) for name in ("JANET", "GRNET")}
    return {
        "source_link": link("JANET").name,
        "destination_link": link("GRNET").name,
        "direction": "one-way",
        "rate": "1 Mbit/s",
        "bucket_bytes": "6000",
        "max_packet_bytes": "1500",
        "start": f"{start:%Y-%m-%dT%H:%M}",
        "end": f"{end:%Y-%m-%dT%H:%M}",
        "source_prefixes": prefix["JANET"],
        "destination_prefixes": prefix["GRNET"],
        "contact": "noc@example.org",
        "repeat": "WEEKLY",
        "times": "3",
        "time_zone": "Europe/Athens",
        "take": "all",
    } | changes


def test_asked_for_answered_and_admitted_as_one(world: World, as_user: As) -> None:
    answer = as_user("jane").post(reverse("web:my-new"), filled_in(world))
    made = Series.objects.get()
    assert answer["Location"] == reverse("web:series", args=[made.pk])
    assert (made.rule, made.time_zone, made.occurrences) == ("FREQ=WEEKLY;COUNT=3", "Europe/Athens", 3)
    inbox = page_text(as_user("giorgos").get(reverse("web:my-inbox")))
    assert inbox.count(f">{made.reference}<") == 1 and "3 times" in inbox
    as_user("giorgos").post(reverse("web:series-consent", args=[made.pk]), {"answer": "agree"})
    queue = page_text(as_user("nora").get(f"{reverse('web:queue')}?group=decision"))
    assert queue.count(f">{made.reference}<") == 1
    page = page_text(as_user("nora").get(reverse("web:series", args=[made.pk])))
    assert page.count("fits<") == 3 and "FREQ=WEEKLY;COUNT=3" in page
    as_user("nora").post(reverse("web:series-admit", args=[made.pk]), {"reason": "a course"})
    assert set(PremiumRequest.objects.filter(series=made).values_list("state", flat=True)) == {"ADMITTED"}
    queue = page_text(as_user("nora").get(f"{reverse('web:queue')}?group=admitted"))
    assert queue.count(f">{made.reference}<") == 1
    as_user("jane").post(reverse("web:series-withdraw", args=[made.pk]), {"reason": "no course"})
    assert set(PremiumRequest.objects.filter(series=made).values_list("state", flat=True)) == {"WITHDRAWN"}


def test_what_does_not_fit_is_named_and_nothing_granted(world: World, as_user: As) -> None:
    made = weekly(world, rate="6 Mbit/s")
    service.consent(actor=world.actor("giorgos"), series=made, agree=True)
    page = page_text(as_user("nora").get(reverse("web:series", args=[made.pk])))
    # JANET holds 1.5 Mbit/s until further notice and 3 more from the third day to the twelfth, of 7.75: 4.512 with headers.
    assert "1 of 4 occurrences" in page and "3.229 Mbit/s would fit every one" in page
    assert "Not every occurrence fits, and it was asked for whole." in page
    answer = as_user("nora").post(reverse("web:series-admit", args=[made.pk]), {"reason": "try"}, follow=True)
    assert "Nothing was granted" in page_text(answer)
    seen = page_text(as_user("jane").get(reverse("web:series", args=[made.pk])))
    assert "1 of 4 occurrences" in seen and "committed" not in seen.split("GRNET@gr6")[-1][:200]


def test_held_and_the_hold_ended_on_its_page(world: World, as_user: As) -> None:
    made = weekly(world)
    until = f"{world.now + timedelta(days=1):%Y-%m-%dT%H:%M}"
    as_user("nora").post(reverse("web:series-hold", args=[made.pk]), {"until": until, "reason": "they talk"})
    assert set(PremiumRequest.objects.filter(series=made).values_list("state", flat=True)) == {"HELD"}
    as_user("nora").post(reverse("web:series-unhold", args=[made.pk]), {"reason": "they do not"})
    as_user("nora").post(reverse("web:series-refuse", args=[made.pk]), {"reason": "no such course"})
    assert set(PremiumRequest.objects.filter(series=made).values_list("state", flat=True)) == {"REFUSED"}


def test_what_is_wrong_stands_at_its_field(world: World, as_user: As) -> None:
    for changes, said in (
        ({"times": ""}, "Say how many times."),
        ({"repeat": "rule"}, "Write the rule"),
        ({"repeat": "rule", "rrule": "FREQ=HOURLY;COUNT=3"}, "FREQ is one of"),
        ({"time_zone": "Mars/Olympus"}, "There is no time zone"),
        ({"left_out": "tomorrow"}, "Write days such as"),
        ({"times": "367", "repeat": "DAILY"}, "More than 366 occurrences"),
    ):
        page = page_text(as_user("jane").post(reverse("web:my-new"), filled_in(world, **changes)))
        assert said in page, (changes, said)
    assert not Series.objects.exists()


def test_would_it_fit_asks_for_nothing(world: World, as_user: As) -> None:
    page = page_text(as_user("jane").post(reverse("web:my-new"), filled_in(world, **{"try": "1"})))
    assert "occurrences would fit at this moment; shown is the first" in page and not Series.objects.exists()


def test_an_occurrence_leads_to_its_series_and_is_not_decided_by_itself(world: World, as_user: As) -> None:
    made = weekly(world)
    one = PremiumRequest.objects.filter(series=made).first()
    assert one is not None
    page = page_text(as_user("nora").get(reverse("web:request", args=[one.pk])))
    assert made.reference in page and reverse("web:request-admit", args=[one.pk]) not in page


def test_times_are_by_the_clocks_of_the_series_with_utc_beside(world: World, as_user: As) -> None:
    """Nine in Athens is seven by UTC in winter and six in summer, and the page says both."""
    as_user("jane").post(
        reverse("web:my-new"),
        filled_in(world, start="2027-03-23T07:00", end="2027-03-23T09:00", repeat="WEEKLY", times="2"),
    )
    made = Series.objects.get()
    page = page_text(as_user("jane").get(reverse("web:series", args=[made.pk])))
    for local, utc in (
        ("Tue 2027-03-23 09:00 EET", "2027-03-23 07:00 UTC"),
        ("Tue 2027-03-30 09:00 EEST", "2027-03-30 06:00 UTC"),
    ):
        assert local in page and utc in page
    last = PremiumRequest.objects.filter(series=made).latest("start")
    assert "Tue 2027-03-30 09:00 EEST" in page_text(
        as_user("jane").get(reverse("web:request", args=[last.pk]))
    )


def test_a_series_is_found_by_its_number(world: World, as_user: As) -> None:
    as_user("jane").post(reverse("web:my-new"), filled_in(world))
    made = Series.objects.get()
    for text in (made.reference, made.reference.lower(), f"ser{made.pk}"):
        answer = as_user("nora").get(reverse("web:search"), {"q": text})
        assert answer["Location"] == reverse("web:series", args=[made.pk])
    (row,) = rows_of(as_user("nora").get(reverse("web:requests"), {"q": made.reference}))
    assert made.reference in row and "3 times, 3 to come JANET" in row
    assert as_user("nora").get(reverse("web:search"), {"q": "SER-99999"}, follow=True).status_code == 404
    assert as_user("nora").get(reverse("web:requests"), {"q": "SER-x"}).status_code == 200


def rows_of(answer: HttpResponse) -> list[str]:
    """The text of each row of the table of a page."""
    body = answer.content.decode().rsplit("<tbody>", 1)[1].split("</tbody>")[0]
    return [" ".join(strip_tags(row).split()) for row in body.split("</tr>")[:-1]]


def test_my_requests_have_one_row_for_a_series_with_what_comes_next(world: World, as_user: As) -> None:
    made = weekly(world)
    first, second, *_ = PremiumRequest.objects.filter(series=made).order_by("start")
    service_requests.withdraw(actor=world.actor("jane"), request=first, reason="not that week")
    url = reverse("web:my-requests")
    answer = as_user("jane").get(url)
    (row,) = [row for row in rows_of(answer) if made.reference in row]
    assert "4 times, 3 to come" in row and "Withdrawn 1" in row and "Submitted 3" in row
    assert second.start.strftime("%Y-%m-%d %H:%M UTC") in row and "the next one" in row
    assert reverse("web:series", args=[made.pk]) in answer.content.decode()
    listed = " ".join(rows_of(answer))
    of_series = [row.reference for row in PremiumRequest.objects.filter(series=made)]
    assert set(of_series) & set(listed.split()) == {second.reference}
    assert world.requests["active"].reference in listed
    (row,) = rows_of(as_user("jane").get(url, {"state": "WITHDRAWN"}))
    assert made.reference in row and first.start.strftime("%Y-%m-%d %H:%M UTC") in row
    assert "one of them" in row, "what is filtered out comes next"
    for text in (second.reference, made.reference):
        (row,) = rows_of(as_user("jane").get(url, {"q": text}))
        assert made.reference in row
    assert "Nothing matches" in page_text(as_user("jane").get(url, {"q": "SER-999"}))
    of_nren = rows_of(as_user("nora").get(reverse("web:nren", args=[made.nren_id])))
    assert len([row for row in of_nren if made.reference in row]) == 1


def test_a_series_of_both_ways_and_one_that_is_over_are_one_row(world: World, as_user: As) -> None:
    as_user("jane").post(reverse("web:my-new"), filled_in(world, direction="both"))
    made = Series.objects.get()
    (row,) = [row for row in rows_of(as_user("jane").get(reverse("web:my-requests"))) if "SER-" in row]
    assert "3 times, 3 to come" in row and "Submitted 3" in row
    service.withdraw(actor=world.actor("jane"), series=made, reason="over")
    (row,) = [row for row in rows_of(as_user("jane").get(reverse("web:my-requests"))) if "SER-" in row]
    assert "3 times, over" in row and "Withdrawn 3" in row and "the last one" in row


def test_the_noc_and_who_receives_have_one_row_for_a_series_too(world: World, as_user: As) -> None:
    made = weekly(world)
    first, second, *_ = PremiumRequest.objects.filter(series=made).order_by("start")
    noc, receiver = as_user("nora"), as_user("giorgos")
    (row,) = [row for row in rows_of(noc.get(reverse("web:requests"))) if "SER-" in row]
    assert "4 times, 4 to come JANET GRNET" in row and "Submitted 4" in row
    (row,) = rows_of(noc.get(reverse("web:requests"), {"q": second.reference}))
    assert made.reference in row and second.start.strftime("%Y-%m-%d %H:%M UTC") in row
    assert f"one of them {second.reference}" in row or f"the next one {second.reference}" in row
    assert not any("SER-" in row for row in rows_of(receiver.get(reverse("web:my-inbox")))), (
        "it is waited for"
    )
    service.consent(actor=world.actor("giorgos"), series=made, agree=True)
    (row,) = [row for row in rows_of(receiver.get(reverse("web:my-inbox"))) if "SER-" in row]
    assert "4 times, 4 to come JANET GRNET" in row and first.start.strftime("%Y-%m-%d %H:%M UTC") in row


@pytest.mark.parametrize(("who", "where"), [("jane", "my-requests"), ("nora", "requests")])
def test_more_series_ask_no_more_questions(world: World, as_user: As, who: str, where: str) -> None:
    client, asked = as_user(who), []
    client.get(reverse("web:me"))  # the first page notes that the session is in use
    for _each in range(2):
        for _series in range(3):
            weekly(world, rate="10 kbit/s")
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(reverse(f"web:{where}"))
        asked.append(len(queries))
    assert asked[0] == asked[1] and sum("SER-" in row for row in rows_of(answer)) == 6


def test_a_zone_without_a_word_is_said_by_its_offset() -> None:
    at = datetime(2027, 1, 5, 3, 15, tzinfo=UTC)
    assert clock_text(at, "Asia/Kathmandu") == "Tue 2027-01-05 09:00 +05:45"
    assert clock_text(at, "Europe/Athens") == "Tue 2027-01-05 05:15 EET"


def test_what_did_not_fit_any_more_is_counted_where_the_rest_is_granted(world: World, as_user: As) -> None:
    made = weekly(world, rate="100 kbit/s", only_whole=False)
    service.consent(actor=world.actor("giorgos"), series=made, agree=True)
    third = PremiumRequest.objects.filter(series=made).order_by("start")[2]
    # As a change after its hold would have it: this one alone asks for more than there is.
    PremiumRequest.objects.filter(pk=third.pk).update(rate_bps=900_000_000)
    answer = as_user("niels").post(
        reverse("web:series-admit", args=[made.pk]), {"reason": "a course"}, follow=True
    )
    assert "3 occurrences are admitted and charged; 1 did not fit by now and is refused." in page_text(answer)
