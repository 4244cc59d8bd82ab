"""Every list alike: filters that refuse what they do not know, sizes, orders, and files of exactly what is filtered."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.paginator import Paginator
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.utils import timezone

from inventory.models import AccessLink, Nren
from provisioning.models import AuditEvent, Change, PremiumRequest
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]
LISTS = (
    "/requests/",
    "/changes/",
    "/audit/",
    "/links/",
    "/routers/",
    "/nrens/",
    "/tokens/",
    "/links/failures/",
)
WITH_FILES = ("/requests/", "/changes/", "/audit/", "/links/", "/routers/", "/nrens/")


def shown(client: Client, address: str, pattern: str = r"PIP-\d+") -> set[str]:
    answer = client.get(address)
    assert answer.status_code == 200, (address, page_text(answer)[-3000:])
    return set(re.findall(pattern, page_text(answer).partition('id="results"')[2]))


def file_of(client: Client, address: str) -> list[dict[str, str]]:
    answer = client.get(address)
    assert answer.status_code == 200 and answer.streaming
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode(), newline="")))


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("colour=red", "There is no filter “colour” here"),
        ("q=a&q=b", "“q” is given twice"),
        ("sort=colour", "“colour” is nothing to sort by"),
        ("per_page=7", "“7” is no number of rows; there are: 25, 50, 100, 250"),
        ("format=xlsx", "“xlsx” is no file of this list"),
    ],
)
def test_what_a_list_does_not_know_is_refused_and_no_row_is_shown(
    world: World, as_user: As, path: str, asked: str, said: str
) -> None:
    answer = as_user("audrey").get(f"{path}?{asked}")
    page = page_text(answer)
    assert answer.status_code == 400 and said in page
    assert "<tbody" not in page and 'role="alert"' in page


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/requests/?state=nonsense", "State: Select a valid choice"),
        ("/requests/?nren=999999", "From NREN: Select a valid choice"),
        ("/requests/?address=2001:db8:::1", "“2001:db8:::1” is no address and no prefix"),
        ("/requests/?begins=soon", "“soon” is no time"),
        ("/requests/?by=nobody-of-that-name", "nobody is called “nobody-of-that-name”"),
        ("/requests/?link=nowhere", "there is no access link “nowhere”"),
        ("/audit/?actor=boris", "nobody is called “boris”"),
        ("/audit/?since=yesterday", "From day (UTC): Enter a valid date"),
        ("/changes/?stage=nonsense", "Select a valid choice"),
        ("/links/?kind=nonsense", "Select a valid choice"),
        ("/links/?q=%00", "Null characters are not allowed"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused(world: World, as_user: As, address: str, said: str) -> None:
    answer = as_user("audrey").get(address)
    assert answer.status_code == 400 and said in page_text(answer)
    assert "<tbody" not in page_text(answer)


def test_a_browser_that_swaps_sees_the_refusal_too(world: World, as_user: As) -> None:
    answer = as_user("audrey").get("/audit/?actor=boris", headers={"HX-Request": "true"})
    assert answer.status_code == 200 and "nobody is called “boris”" in page_text(answer)


def test_requests_by_time_address_link_and_person(world: World, as_user: As) -> None:
    client, made = as_user("audrey"), world.requests
    active, admitted = made["active"], made["admitted"]
    assert admitted.end is not None
    day = admitted.start.date()
    assert shown(client, f"/requests/?begins={day}") == {admitted.reference, made["decision"].reference}
    assert shown(client, f"/requests/?ends={admitted.end.date()}") == {admitted.reference}
    later = (admitted.end + timedelta(days=3)).date()
    on = shown(client, f"/requests/?active={later}")
    assert active.reference in on and admitted.reference not in on
    assert shown(client, "/requests/?address=2001:638::1") == {
        made["own"].reference,
        made["overdue"].reference,
    }
    dfn = AccessLink.objects.get(nren__name="DFN").name
    assert shown(client, f"/requests/?link={dfn}") == {made["own"].reference, made["overdue"].reference}
    assert shown(client, "/requests/?by=giorgos") == {made["overdue"].reference}
    grnet = Nren.objects.get(name="GRNET").pk
    assert made["overdue"].reference not in shown(client, f"/requests/?to={grnet}")


def test_the_audit_of_one_person_alone(world: World, as_user: As) -> None:
    rows = file_of(as_user("audrey"), "/audit/?actor=nora&format=csv")
    assert rows and {row["actor"] for row in rows} == {"nora"}
    today = timezone.now().date()
    assert len(rows) == AuditEvent.objects.filter(actor="nora").count()
    assert len(file_of(as_user("audrey"), f"/audit/?actor=nora&at={today}&format=csv")) == len(rows)


def test_changes_routers_links_and_nrens_by_what_is_asked(world: World, as_user: As) -> None:
    client = as_user("audrey")
    dfn = Nren.objects.get(name="DFN")
    theirs = set(Change.objects.filter(requests__nren=dfn)) | set(
        Change.objects.filter(requests__receiving_nren=dfn)
    )
    assert shown(client, f"/changes/?nren={dfn.pk}", r"CHG-\d+") == {one.reference for one in theirs}
    by = {one.reference for one in Change.objects.filter(submitted_by__username="nora")}
    assert shown(client, "/changes/?by=nora", r"CHG-\d+") == by
    assert shown(client, f"/routers/?nren={dfn.pk}", r'href="/routers/([^/"]+)/"') == {"de6"}
    names = r'class="mono" href="[^"]+">([^<]+)</a>'
    assert shown(client, "/links/?address=2001:798:28:200::1", names) == {"JANET@uk6:POS1/0"}
    assert shown(client, "/links/?nren=GARR", names) == {"GARR@it6:Serial2/0"}
    assert shown(client, "/nrens/?address=2001:610:1::1", r'/nrens/\d+/">([^<]+)<') == {"SURFnet"}
    assert shown(client, "/nrens/?q=net", r'/nrens/\d+/">([^<]+)<') == {
        "GRNET",
        "JANET",
        "SURFnet",
        "NORDUnet",
        "ACOnet",
    }


def test_the_size_of_a_page_and_its_order_stay_in_the_address(world: World, as_user: As) -> None:
    for _ in range(30):
        one = PremiumRequest.objects.get(pk=world.requests["active"].pk)
        one.pk, one.state = None, "REFUSED"
        one.save(force_insert=True)
    client = as_user("audrey")
    assert len(shown(client, "/requests/?per_page=25")) == 25
    assert len(shown(client, "/requests/?per_page=50")) > 30
    page = page_text(client.get("/requests/?per_page=25&sort=rate_bps&state=REFUSED"))
    assert '<input type="hidden" name="sort" value="rate_bps"' in page
    assert 'value="25" selected' in page
    assert re.search(r'rel="next" href="\?[^"]*per_page=25[^"]*"', page)
    (file,) = re.findall(r'href="(\?[^"]*format=csv[^"]*)"', page)
    assert "state=REFUSED" in file and "sort=rate_bps" in file and "per_page" not in file


@pytest.mark.parametrize("path", WITH_FILES)
def test_both_files_have_the_same_rows(world: World, as_user: As, path: str) -> None:
    rows = file_of(as_user("audrey"), f"{path}?format=csv")
    answer = as_user("audrey").get(f"{path}?format=json")
    named = json.loads(answer.getvalue())
    assert len(rows) == len(named) > 0
    assert list(rows[0]) == list(named[0])
    assert answer["Content-Type"] == "application/json"
    assert answer["Content-Disposition"].startswith("attachment; filename=")
    assert answer["Cache-Control"] == "private, no-store"


def test_a_file_has_what_is_filtered_in_the_order_of_the_page(world: World, as_user: As) -> None:
    client = as_user("audrey")
    rows = file_of(client, "/requests/?state=SUBMITTED&sort=-rate_bps&format=csv")
    assert {row["state"] for row in rows} == {"SUBMITTED"}
    rates = [int(row["rate_bps"]) for row in rows]
    assert rates == sorted(rates, reverse=True) and len(set(rates)) > 1
    assert rows[0]["start"].endswith("Z") and rows[0]["source_prefixes"] == "2001:630::/32"
    empty = client.get("/requests/?q=no-such-thing&format=json")
    assert json.loads(empty.getvalue()) == []


def test_an_nren_has_its_own_rows_alone(world: World, as_user: As) -> None:
    rows = file_of(as_user("giorgos"), "/my/requests/?format=csv")
    assert {row["nren"] for row in rows} == {"GRNET"}
    for path in WITH_FILES:
        assert as_user("giorgos").get(f"{path}?format=csv").status_code == 403
    assert as_user("giorgos").get("/my/requests/?nren=1").status_code == 400


@pytest.mark.parametrize("begins", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_a_cell_that_begins_like_a_formula_is_defused(world: World, as_user: As, begins: str) -> None:
    text = f'{begins}HYPERLINK("http://evil.example"),"x"\n'
    PremiumRequest.objects.filter(pk=world.requests["active"].pk).update(reason=text)
    rows = file_of(as_user("audrey"), "/requests/?state=ACTIVE&format=csv")
    assert f"'{text}" in {row["reason"] for row in rows}
    named = json.loads(as_user("audrey").get("/requests/?state=ACTIVE&format=json").getvalue())
    assert text in {row["reason"] for row in named}


def test_the_pages_of_a_history_lead_to_each_other(rf: RequestFactory) -> None:
    context = {"page": Paginator(range(250), 100).page(2)}
    shown = render_to_string("web/parts/pager.html", context, request=rf.get("/x/?router=nl6&page=2"))
    assert re.findall(r'rel="(\w+)"\s+href="([^"]+)"', shown) == [
        ("prev", "?router=nl6&amp;page=1"),
        ("next", "?router=nl6&amp;page=3"),
    ]
