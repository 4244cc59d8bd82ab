"""The pages, the command and the API of drift, on practice routers that somebody edits."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from inventory.models import Router
from provisioning.models import AdoptedName, RouterDifference, RouterSync, SyncState
from provisioning.services import clock, verifying
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house

NAME = "uk6"


pytestmark = pytest.mark.once


@pytest.fixture
def noc(house: House) -> Client:
    client = Client()
    client.force_login(User.objects.get(pk=house.noc[0].user_id))
    return client


def read() -> RouterSync:
    return verifying.verify_router(router=Router.objects.get(name=NAME))


def edit(house: House, dscp: int = 8) -> RouterDifference:
    """By hand: what comes from JANET is marked otherwise."""
    house.routers.type(NAME, "policy-map NON-PARTICIPANT", "class class-default", f"set dscp {dscp}")
    read()
    return RouterDifference.objects.get(gone_at=None)


def text(answer: object) -> str:
    return " ".join(answer.content.decode().split())  # type: ignore[attr-defined]


def until(days: float = 7) -> str:
    return (clock.now() + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M")


def test_the_list_says_what_stands_since_when_and_the_page_what_to_do(house: House, noc: Client) -> None:
    row = edit(house)
    page = text(noc.get("/differences/"))
    assert "policy-map NON-PARTICIPANT" in page and "1 differ</a>" in page
    page = text(noc.get(f"/differences/{row.pk}/"))
    assert "set dscp 8" in page and "set dscp 0" in page
    assert re.search(r"The router says: Last configuration change at .* by \w+", page), "whom to ask"
    assert f"/changes/new/?router={NAME}&amp;repair=1" in page and f"/routers/{NAME}/adopt/" in page
    assert noc.get("/differences/?state=gone").status_code == 200
    assert "no filter" in text(noc.get("/differences/?sate=gone"))
    assert noc.get("/differences/999999/").status_code == 404
    csv = noc.get("/differences/?state=standing&format=csv")
    assert b"policy-map NON-PARTICIPANT" in b"".join(csv.streaming_content)  # type: ignore[attr-defined]


def test_ignoring_is_two_clicks_and_ends_the_alarm_on_the_queue(house: House, noc: Client) -> None:
    row = edit(house)
    alarm = "what was read is not what is intended"
    assert alarm in text(noc.get("/queue/"))
    wrong = noc.post(f"/differences/{row.pk}/ignore/", {"until": until(91), "reason": ""})
    assert "Say why" in text(wrong), "nothing that was typed is lost"
    assert f'value="{until(91)[:13]}' in text(wrong)
    said = {"until": until(), "reason": "until the card is changed"}
    page = text(noc.post(f"/differences/{row.pk}/ignore/", said, follow=True))
    assert "Ignored until" in page and "until the card is changed" in page
    assert alarm not in text(noc.get("/queue/"))
    assert "1 only in what is ignored" in text(noc.get("/differences/"))
    page = text(noc.post(f"/differences/{row.pk}/heed/", {"reason": "it comes tomorrow"}, follow=True))
    assert "Ignored until" not in page
    assert alarm in text(noc.get("/queue/"))


def test_what_does_the_same_under_another_name_is_taken_over(house: House, noc: Client) -> None:
    house.routers.type(NAME, "policy-map NOBODY", "class class-default", "set dscp 0")
    house.routers.type(NAME, "interface POS1/0", "no service-policy input NON-PARTICIPANT")
    house.routers.type(NAME, "interface POS1/0", "service-policy input NOBODY")
    house.routers.type(NAME, "no policy-map NON-PARTICIPANT")
    assert read().state == SyncState.DIFFERS
    page = text(noc.get(f"/routers/{NAME}/adopt/"))
    assert "Proven: re-rendering changes nothing." in page and "NOBODY" in page
    seen = re.search(r'name="seen" value="([0-9a-f]+)"', page)
    assert seen is not None
    said = {"seen": seen[1], "reason": "it was renamed on purpose"}
    house.routers.type(NAME, "policy-map NOBODY", "class class-default", "set dscp 8")
    refused = text(noc.post(f"/routers/{NAME}/adopt/", said))
    assert "not what was seen" in refused and not AdoptedName.objects.exists(), "somebody typed meanwhile"
    house.routers.type(NAME, "policy-map NOBODY", "class class-default", "set dscp 0")
    done = noc.post(f"/routers/{NAME}/adopt/", said)
    assert done.status_code == 302 and done["Location"].endswith(f"/changes/new/?router={NAME}")
    assert set(AdoptedName.objects.values_list("name", flat=True)) >= {"NOBODY"}
    assert read().state == SyncState.IN_SYNC
    assert not RouterDifference.objects.filter(gone_at=None).exists()


def test_what_does_something_else_is_not_taken_over(house: House, noc: Client) -> None:
    edit(house)
    page = text(noc.get(f"/routers/{NAME}/adopt/"))
    assert "Not proven." in page and "Take over as it is" not in page
    seen = {"seen": "0" * 64, "reason": "try"}
    assert "Nothing was written." in text(noc.post(f"/routers/{NAME}/adopt/", seen))
    assert not AdoptedName.objects.exists()


def run(*words: str) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("differences", *words, stdout=out)
    except SystemExit as ended:
        return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


def test_the_command_lists_ignores_and_heeds(house: House) -> None:
    assert run() == (0, "0 stand, 0 of them ignored.\n")
    row = edit(house)
    status, said = run("--router", NAME)
    assert status == 1 and "policy-map NON-PARTICIPANT: other content, since" in said
    who = [
        "--as",
        User.objects.get(pk=house.noc[0].user_id).username,
        "--reason",
        "until the card is changed",
    ]
    moment = (clock.now() + timedelta(days=3)).strftime("%Y-%m-%dT%H:%MZ")
    status, said = run("--ignore", str(row.pk), "--until", moment, *who)
    assert status == 0 and "the router differs all the same" in said
    status, said = run()
    assert status == 0 and "1 stand, 1 of them ignored." in said and "until the card is changed" in said
    assert run("--heed", str(row.pk), *who)[0] == 0
    assert run()[0] == 1


def test_the_api_lists_and_ignores(house: House, api: Callable[[str], Client]) -> None:
    row = edit(house)
    noc = api("noc")
    (shown,) = noc.get("/api/v1/differences/?state=heeded").json()["results"]
    assert (shown["id"], shown["router"], shown["gone_at"]) == (row.pk, NAME, None)
    said = {"until": (clock.now() + timedelta(days=91)).isoformat(), "reason": "why"}
    refused = noc.post(f"/api/v1/differences/{row.pk}/ignore/", said, content_type="application/json")
    assert refused.status_code == 400 and "until" in str(refused.json()["errors"])
    said["until"] = (clock.now() + timedelta(days=9)).isoformat()
    taken = noc.post(f"/api/v1/differences/{row.pk}/ignore/", said, content_type="application/json")
    assert taken.status_code == 200 and taken.json()["ignored_reason"] == "why"
    assert noc.get("/api/v1/differences/?state=heeded").json()["results"] == []
    house.routers.type(NAME, "policy-map NON-PARTICIPANT", "class class-default", "set dscp 0")
    read()
    late = noc.post(f"/api/v1/differences/{row.pk}/heed/", {"reason": "x"}, content_type="application/json")
    assert late.status_code == 409
    assert (
        noc.post("/api/v1/differences/0/heed/", {"reason": "x"}, content_type="application/json").status_code
        == 404
    )


@pytest.fixture
def api(house: House) -> Callable[[str], Client]:
    from provisioning.models import SYSTEM
    from provisioning.services import tokens

    def client(_who: str) -> Client:
        user = User.objects.get(pk=house.noc[0].user_id)
        word = tokens.issue(actor=SYSTEM, user=user, nren=None, name="drift")[1]
        return Client(headers={"Authorization": f"Bearer {word}"})

    return client
