"""The feed of a calendar: who holds a token sees what it may read, and nobody else anything."""

from __future__ import annotations

import base64
import re
from datetime import timedelta

import pytest
import structlog
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from provisioning.models import SYSTEM, PremiumRequest
from provisioning.services import attempts, tokens
from provisioning.services import requests as service
from provisioning.web import feeds
from tests.web.test_ics import unfolded
from tests.web.world import World

FEED = "/calendar/feed.ics"


def basic(text: str) -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(f'anybody:{text}'.encode()).decode()}"}


def issued(world: World, name: str, **more: object) -> str:
    return tokens.issue(actor=SYSTEM, user=world.users[name], nren=None, name="calendar", **more)[1]  # type: ignore[arg-type]


def seen(answer: object) -> dict[str, list[str]]:
    """The lines of each event, by the reference of its request."""
    found: dict[str, list[str]] = {}
    for part in "\n".join(unfolded(answer.content.decode())).split("BEGIN:VEVENT")[1:]:  # type: ignore[attr-defined]
        match = re.search(r"SUMMARY:(PIP-\d+)", part)
        assert match
        found[match[1]] = part.splitlines()
    return found


def test_a_token_is_taken_as_bearer_or_as_the_password_of_basic(world: World) -> None:
    text = issued(world, "nora")
    for headers in (basic(text), {"Authorization": f"Bearer {text}"}):
        answer = Client().get(FEED, headers=headers)
        assert answer.status_code == 200 and answer["Content-Type"] == "text/calendar; charset=utf-8"
        assert set(seen(answer)) == {each.reference for each in PremiumRequest.objects.all()}


def test_nobody_reads_it_without_a_live_token_that_may_read(world: World) -> None:
    cache.clear()
    text = issued(world, "jane")
    client = Client()
    client.force_login(world.users["nora"])
    wrong = (
        {},
        basic("exp_no_such"),
        {"Authorization": "Basic ***"},
        {"Authorization": "Digest x"},
        basic(""),
    )
    for headers in (*wrong, basic(issued(world, "jane", scopes=["write"]))):
        answer = client.get(FEED, headers=headers)
        assert answer.status_code == 401 and "VEVENT" not in answer.content.decode()
        assert answer["WWW-Authenticate"].startswith("Basic ")
    assert client.get(f"{FEED}?token={text}").status_code == 401, "an address is no place for a token"
    row = world.users["jane"].api_tokens.filter(name="calendar").first()
    tokens.revoke(actor=world.actor("jane"), token=row, reason="lost")
    assert client.get(FEED, headers=basic(text)).status_code == 401
    assert client.get(FEED, headers=basic(issued(world, "nemo"))).status_code == 403
    assert client.post(FEED, headers=basic(issued(world, "nora"))).status_code == 405


def test_who_guesses_rests(world: World) -> None:
    cache.clear()
    answers = [Client().get(FEED, headers=basic("exp_abcdefgh_guess")).status_code for _ in range(12)]
    assert answers[0] == 401 and answers[-1] == 429
    cache.clear()


def test_who_guesses_other_tokens_rests_too_and_others_at_the_address_do_not_after_few(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("provisioning.web.views.feeds.FAILURES_OF_ADDRESS", 15)
    headers = basic(issued(world, "nora"))
    for guess in range(14):
        assert Client().get(FEED, headers=basic(f"exp_{guess:012x}_guess")).status_code == 401
    assert Client().get(FEED, headers=headers).status_code == 200
    assert Client().get(FEED, headers=basic("exp_00000000ffff_guess")).status_code == 401
    answer = Client().get(FEED, headers=basic("exp_00000000fffe_guess"))
    assert answer.status_code == 429 and answer["Retry-After"] == str(attempts.REST_SECONDS)
    elsewhere = Client(REMOTE_ADDR="192.0.2.9")
    assert elsewhere.get(FEED, headers=headers).status_code == 200
    cache.clear()


def test_one_token_reads_so_often_in_a_minute_and_so_does_one_address(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("provisioning.web.views.feeds.PER_TOKEN", 3)
    monkeypatch.setattr("provisioning.web.views.feeds.PER_ADDRESS", 6)
    at = timezone.now().replace(second=20, microsecond=0)
    monkeypatch.setattr("provisioning.web.views.feeds.clock.now", lambda: at)
    noras, janes = basic(issued(world, "nora")), basic(issued(world, "jane"))
    assert [Client().get(FEED, headers=noras).status_code for _ in range(3)] == [200] * 3
    answer = Client().get(FEED, headers=noras)
    assert answer.status_code == 429 and answer["Retry-After"] == "40"
    assert "VEVENT" not in answer.content.decode() and answer["Cache-Control"] == "no-store"
    elsewhere = Client(REMOTE_ADDR="192.0.2.9")
    assert elsewhere.get(FEED, headers=noras).status_code == 429, "the token, wherever it is shown"
    assert [Client().get(FEED, headers=janes).status_code for _ in range(3)] == [200, 200, 429]
    assert Client().get(FEED).status_code == 429, "without a token, too"
    at += timedelta(seconds=40)
    assert Client().get(FEED, headers=noras).status_code == 200


def test_refusals_are_noted(world: World) -> None:
    writes, jane = issued(world, "nora", scopes=["write"]), issued(world, "jane")
    with structlog.testing.capture_logs() as logs:
        assert Client().get(FEED, headers=basic(writes)).status_code == 401
        assert Client().get(f"{FEED}?router=nl6", headers=basic(jane)).status_code == 403
        assert Client().get(FEED, headers=basic(issued(world, "nemo"))).status_code == 403
    noted = [(line["who"], line["path"], line["address"]) for line in logs if line["event"] == "refused"]
    assert noted == [(who, FEED, "127.0.0.1") for who in ("nora", "jane", "nemo")]


@pytest.mark.parametrize("person", ("jane", "giorgos", "dieter"))
def test_an_nren_has_what_it_sends_and_receives(world: World, person: str) -> None:
    cache.clear()
    own = {"jane": "JANET", "giorgos": "GRNET", "dieter": "DFN"}[person]
    headers = basic(issued(world, person))
    found = seen(Client().get(FEED, headers=headers))
    for request in world.requests.values():
        assert (request.reference in found) == (own in {request.nren.name, request.receiving_nren.name})
    other = "DFN" if own == "JANET" else "JANET"
    narrowed = seen(Client().get(f"{FEED}?nren={other}", headers=headers))
    assert set(narrowed) <= set(found), "another's name opens nothing"
    for asked in ("link=JANET@uk6:POS1/0", "router=nl6", "link="):
        assert Client().get(f"{FEED}?{asked}", headers=headers).status_code == 403


def test_a_link_a_router_an_nren_and_what_there_is_not(world: World) -> None:
    headers = basic(issued(world, "nora"))
    link = world.requests["overdue"].source_link.name
    found = seen(Client().get(FEED, {"link": link}, headers=headers))
    assert world.requests["overdue"].reference in found
    assert set(seen(Client().get(FEED, {"nren": "DFN"}, headers=headers))) == {
        each.reference
        for each in PremiumRequest.objects.all()
        if "DFN" in {each.nren.name, each.receiving_nren.name}
    }
    for asked in ({"link": "no"}, {"router": "no"}, {"nren": "no"}, {"token": "x"}):
        assert Client().get(FEED, asked, headers=headers).status_code == 400


def test_an_event_keeps_its_uid_grows_in_sequence_and_is_cancelled_when_it_is_withdrawn(world: World) -> None:
    headers = basic(issued(world, "nora"))
    request = world.requests["decision"]

    def lines() -> dict[str, str]:
        told = seen(Client().get(FEED, headers=headers))[request.reference]
        return dict(line.split(":", 1) for line in told if ":" in line)

    before = lines()
    assert before["STATUS"] == "TENTATIVE" and before["URL"].endswith(f"/requests/{request.pk}/")
    PremiumRequest.objects.filter(pk=request.pk).update(state_changed_at=timezone.now() - timedelta(hours=1))
    before = lines()
    service.withdraw(actor=world.actor("jane"), request=request, reason="not needed")
    after = lines()
    assert after["UID"] == before["UID"] and int(after["SEQUENCE"]) > int(before["SEQUENCE"])
    assert after["STATUS"] == "CANCELLED"


def test_what_has_not_changed_is_not_sent_again_and_there_is_a_bound(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = basic(issued(world, "nora"))
    first = Client().get(FEED, headers=headers)
    assert Client().get(FEED, headers={**headers, "If-None-Match": first["ETag"]}).status_code == 304
    monkeypatch.setattr("provisioning.web.views.feeds.MOST", 3)
    answer = Client().get(FEED, headers=headers)
    assert len(seen(answer)) == 3 and "There are more than 3" in "".join(unfolded(answer.content.decode()))
    assert feeds.MOST == 2000
