"""What the NOC says of the network through the API: shown beforehand, done once, audited; and what an NREN reads of it."""

from __future__ import annotations

import datetime as dt
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command

from inventory.models import CoreLink
from provisioning.models import SYSTEM, AuditEvent, CapacityChange, PremiumRequest, Role, TopologyVersion
from provisioning.services import clock, decisions, people, tokens, topology
from tests.api.conftest import START, Speaker, expect
from tests.api.test_moving_paths import speaker
from tests.services.requests.sixnet import noc
from tests.services.topology.diamond import DIAMOND, MBIT, Core, access, ask, core, network, put
from tests.services.topology.test_work_and_drift import database

pytestmark = [pytest.mark.django_db, pytest.mark.once]
V1 = "/api/v1/"
AB, BD, AC, CD = (core(place) for place in range(4))
DAY = dt.timedelta(days=1)


@pytest.fixture(autouse=True)
def file(tmp_path: Path) -> Path:
    cache.clear()
    put(network(tmp_path / "network.yaml", DIAMOND))
    return tmp_path / "network.yaml"


@pytest.fixture
def nora() -> Speaker:
    user = people.put_person(actor=SYSTEM, username="nora-of-the-noc", roles=[Role.NOC])
    return Speaker(tokens.issue(actor=SYSTEM, user=user, nren=None, name="t")[1])


def grant(source: str, goal: str, rate: int, **changes: Any) -> PremiumRequest:
    request = ask(source, goal, rate, **changes)
    decisions.admit(actor=noc(), request=request, reason="fits")
    return request


def less(link: str = AB, bps: int = 10 * MBIT, **more: Any) -> dict[str, Any]:
    """The link carries less for a day."""
    window = {"start": (START + DAY).isoformat(), "end": (START + 2 * DAY).isoformat()}
    return {"link": link, "usable_bps": bps, **window, "reason": "a card is changed", **more}


def of(speaker: Speaker, link: CoreLink | str, deed: str) -> str:
    name = link if isinstance(link, str) else link.name
    return f"{V1}core-links/{CoreLink.objects.get(name=name).pk}/{deed}/"


def test_a_change_of_capacity_is_shown_said_once_and_taken_back(nora: Speaker) -> None:
    request = grant("a", "d", 3 * MBIT, start=START, end=START + 9 * DAY)
    shown = nora.post(f"{V1}capacity-changes/what-if/", less(), 200)
    (over,) = shown["breaks"]
    assert (over["link"], over["granted_bps"], over["shortfall_bps"]) == (AB, 3 * MBIT, MBIT)
    assert over["requests"] == [request.reference]
    assert (over["start"], over["to"]) == ((START + DAY).isoformat(), (START + 2 * DAY).isoformat())
    assert not CapacityChange.objects.exists() and TopologyVersion.objects.count() == 1
    made = nora.post(f"{V1}capacity-changes/", less(), Idempotency_Key="one")
    assert made["effect"] == shown
    assert (made["text"].split()[0], made["said_by"]) == (AB, "nora-of-the-noc")
    again = nora.post(f"{V1}capacity-changes/", less(), Idempotency_Key="one")
    assert again == made
    assert CapacityChange.objects.count() == 1
    assert AuditEvent.objects.filter(action="capacity.change", reason="a card is changed").count() == 1
    assert [row["id"] for row in nora.get(f"{V1}capacity-changes/?taken_back=false")["results"]] == [
        made["id"]
    ]
    back = f"{V1}capacity-changes/{made['id']}/take-back"
    mends = nora.post(f"{back}-what-if/", {}, 200)["mends"]
    assert [each["link"] for each in mends] == [AB]
    done = nora.post(f"{back}/", {"reason": "the card is in"}, 200, Idempotency_Key="two")
    assert done["taken_back_at"] is not None and done["effect"]["mends"] == mends
    assert nora.post(f"{back}/", {"reason": "the card is in"}, 200, Idempotency_Key="two") == done
    assert nora.post(f"{back}/", {"reason": "once more"}, 409)["code"] == "stale"
    assert nora.get(f"{V1}capacity-changes/?taken_back=false")["count"] == 0


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"link": "nowhere"}, "link"),
        ({"usable_bps": None}, "usable_bps"),
        ({"usable_bps": 21 * MBIT}, "usable_bps"),
        ({"usable_bps": -1}, "usable_bps"),
        ({"usable_bps": "10M"}, "usable_bps"),
        ({"end": START.isoformat()}, "end"),
        ({"start": "2020-01-01T00:00:00Z", "end": "2020-02-01T00:00:00Z"}, "end"),
        ({"start": "2026-12-24"}, "start"),
        ({"reason": " "}, "reason"),
        ({"pool": "ip-premium"}, "link"),
        ({"colour": "blue"}, "colour"),
        ({"domain": "elsewhere"}, "domain"),
    ],
)
def test_what_cannot_be_meant_is_named(nora: Speaker, body: dict[str, Any], field: str) -> None:
    given = {name: value for name, value in less(**body).items() if value is not None}
    answer = nora.post(f"{V1}capacity-changes/", given, 400)
    assert f"#/{field}" in {each["pointer"] for each in answer["errors"]}, answer
    assert not CapacityChange.objects.exists()


def test_an_nren_reads_what_its_own_link_carries_and_not_why(nora: Speaker) -> None:
    own = speaker("a")
    made = nora.post(f"{V1}capacity-changes/", less(access("a"), MBIT, reason="because of Nb"))
    nora.post(f"{V1}capacity-changes/", less(access("b"), MBIT))
    nora.post(f"{V1}capacity-changes/", less())
    nora.post(
        f"{V1}capacity-changes/", {"pool": "ip-premium", "kind": "access", "percent": "4.5", "reason": "x"}
    )
    (row,) = own.get(f"{V1}capacity-changes/")["results"]
    assert (row["id"], row["link"], row["usable_bps"]) == (made["id"], access("a"), MBIT)
    assert (row["reason"], row["said_by"]) == (None, None)
    assert "effect" not in row
    assert nora.get(f"{V1}capacity-changes/?pool=ip-premium")["results"][0]["percent"] == "4.500"
    assert nora.get(f"{V1}capacity-changes/")["count"] == 4


def test_a_link_is_declared_after_it_was_shown_and_an_answer_comes_again(nora: Speaker) -> None:
    one, two = grant("a", "d", 3 * MBIT, start=START), grant("c", "d", 2 * MBIT, start=START)
    shown = nora.post(of(nora, AB, "declare-what-if"), {"deed": "removed"}, 200)
    assert (shown["moved_in_all"], shown["without_path_in_all"], shown["too_much_in_all"]) == (1, 0, 1)
    (moved,) = shown["moved"]
    assert moved["request"] == one.reference
    assert {"link": AC, "direction": "a-z"} in moved["after"]
    assert moved["leaving"] == [{"link": AB, "direction": "a-z"}, {"link": BD, "direction": "a-z"}]
    assert shown["too_much"][0]["link"] == CD
    assert set(shown["too_much"][0]["requests"]) == {one.reference, two.reference}
    assert CoreLink.objects.filter(name=AB).exists() and not topology.moving()
    url = of(nora, AB, "declare")
    done = nora.post(url, {"deed": "removed", "reason": "it was sold"}, 200, Idempotency_Key="k")
    assert {**done, "version": 0} == {**shown, "version": 0}
    assert nora.post(url, {"deed": "removed", "reason": "it was sold"}, 200, Idempotency_Key="k") == done
    nora.post(url, {"deed": "removed", "reason": "it was sold"}, 404)
    assert AuditEvent.objects.filter(action="core-link.removed", reason="it was sold").count() == 1
    assert nora.post(of(nora, BD, "declare"), {"deed": "burnt", "reason": "x"}, 400)["errors"]
    down = of(nora, CD, "declare")
    assert nora.post(down, {"deed": "down", "reason": "x"}, 200)["without_path"] == [
        one.reference,
        two.reference,
    ]
    assert nora.get(f"{V1}core-links/?name={CD}")["results"][0]["down"] is True
    assert nora.post(down, {"deed": "up", "reason": "x"}, 200)["without_path"] == []


def test_what_was_too_much_before_a_declaration_is_told_from_what_it_does(nora: Speaker) -> None:
    one, two = grant("a", "d", 3 * MBIT, start=START), grant("c", "d", 2 * MBIT, start=START)
    third = grant("b", "a", 2 * MBIT, start=START)
    nora.post(
        f"{V1}capacity-changes/", {**less(bps=5 * MBIT), "end": None}
    )  # b to a holds 1 Mbit/s from then on
    shown = nora.post(of(nora, BD, "declare-what-if"), {"deed": "down"}, 200)
    told = {(row["link"], row["direction"]): row["already"] for row in shown["too_much"]}
    assert told[AB, "z-a"] is True and told[CD, "a-z"] is False
    before = [row for row in shown["too_much"] if row["already"]]
    assert [row["already"] for row in shown["too_much"]] == sorted(told.values()), "what it does comes first"
    assert third.reference in before[-1]["requests"]
    assert shown["too_much_in_all"] == len(shown["too_much"])
    assert shown["too_much_by_this_in_all"] == len(shown["too_much"]) - len(before) > 0
    done = nora.post(of(nora, BD, "declare"), {"deed": "down", "reason": "dug up"}, 200)
    assert done["too_much"] == shown["too_much"]
    again = nora.post(of(nora, BD, "declare"), {"deed": "down", "reason": "as it was"}, 200)
    assert again["too_much_by_this_in_all"] == 0 and all(row["already"] for row in again["too_much"])
    assert {one.reference, two.reference} <= {name for row in again["too_much"] for name in row["requests"]}
    out = StringIO()
    call_command("core_link", BD, "--down", "--reason", "as it was", "--dry-run", stdout=out)
    assert "NO LONGER FITS" not in out.getvalue() and "DID NOT FIT BEFORE" in out.getvalue()


def test_planned_work_is_asked_in_the_query(nora: Speaker) -> None:
    one, two = grant("a", "d", 3 * MBIT, start=START), grant("c", "d", 2 * MBIT, start=START)
    url = f"{V1}core-links/planned-work/"
    span = f"start={(START + DAY).strftime('%Y-%m-%dT%H:%M:%SZ')}&end={(START + 2 * DAY).strftime('%Y-%m-%dT%H:%M:%SZ')}"
    found = nora.get(f"{url}?link={AB}&{span}")
    assert (found["affected"], found["affected_in_all"]) == ([one.reference, two.reference], 2)
    (move,) = found["moves"]
    assert (move["request"], move["start"], move["to"]) == (one.reference, found["start"], found["to"])
    assert found["too_much"][0]["shortfall_bps"] == MBIT
    assert nora.get(f"{url}?link={AB}&link={AC}&{span}")["without_path"] == [one.reference]
    for query, name in (
        ("link=nowhere", "link"),
        ("", "link"),
        (f"link={AB}&end=2020-01-01T00:00:00Z", "end"),
        (f"link={AB}&start=now", "start"),
        (f"link={AB}&until=x", "until"),
        (f"link={AB}&{span}&end=2030-01-01T00:00:00Z", "end"),
    ):
        errors = nora.get(f"{url}?{query}", 400)["errors"]
        assert [each["parameter"].split(".")[0] for each in errors] == [name], query


def test_moves_are_listed_and_ended_one_by_one_or_several_at_once(nora: Speaker, file: Path) -> None:
    requests = [grant("a", "d", MBIT) for _ in range(3)]
    still = grant("c", "d", MBIT)
    put(network(file, (("a", "b", 100), *DIAMOND[1:])))
    listed = nora.get(f"{V1}moves/")
    assert [row["id"] for row in listed["results"]] == [request.pk for request in requests]
    assert listed["results"][0]["leaving"] == [
        {"link": AB, "direction": "a-z"},
        {"link": BD, "direction": "a-z"},
    ]
    assert nora.get(f"{V1}moves/?link={BD}")["count"] == 3 and nora.get(f"{V1}moves/?link={CD}")["count"] == 0
    first, second, third = (request.pk for request in requests)
    why = {"reason": "a traceroute"}
    done = nora.post(f"{V1}moves/{first}/end/", why, 200, Idempotency_Key="m")
    assert done == {"ended": [first], "not_moving": []}
    assert nora.post(f"{V1}moves/{first}/end/", why, 200, Idempotency_Key="m") == done
    nora.post(f"{V1}moves/{first}/end/", why, 409)
    nora.post(f"{V1}moves/{10**9}/end/", why, 404)
    several = nora.post(f"{V1}moves/end/", {"requests": [third, first, still.pk], **why}, 200)
    assert several == {"ended": [third], "not_moving": sorted([first, still.pk])}
    wrong = nora.post(f"{V1}moves/end/", {"requests": [second, 10**9], **why}, 400)
    assert [each["pointer"] for each in wrong["errors"]] == ["#/requests"]
    assert [row["id"] for row in nora.get(f"{V1}moves/")["results"]] == [second], "all of them or none"
    assert AuditEvent.objects.filter(action="reservation.path-moved", reason="a traceroute").count() == 2


def test_paths_are_compared_by_what_a_router_printed(nora: Speaker, file: Path) -> None:
    request = grant("a", "d", MBIT)
    url = f"{V1}path-drift/"
    higher: tuple[Core, ...] = (("a", "b", 100), *DIAMOND[1:])
    printed = database(higher)
    tried = nora.post(f"{url}compare/", {"text": printed, "dry_run": True}, 200)
    assert (tried["by"], tried["at"], tried["compared"], tried["differ"]) == ("IS-IS database", None, 1, 1)
    (row,) = tried["drifts"]
    assert (row["request"], row["uncharged"]) == (request.reference, [["a", "c"], ["c", "d"]])
    assert tried["links"][0] == "a to b: metric 100 on the routers, 10 in the inventory"
    assert nora.get(url)["count"] == 0
    soon = (clock.now() + dt.timedelta(seconds=1)).isoformat()
    nora.post(f"{url}compare/", {"text": printed, "taken_at": soon, "source": "a.txt"}, 200)
    (noted,) = nora.get(url)["results"]
    assert (noted["request"], noted["by"]) == (request.pk, "IS-IS database")
    assert ["a", "c"] in noted["hops"]
    put(network(file, higher))
    assert nora.get(url)["count"] == 0
    soon = (clock.now() + dt.timedelta(seconds=1)).isoformat()
    ended = nora.post(f"{url}compare/", {"text": printed, "taken_at": soon, "end_moves": True}, 200)["ended"]
    again = nora.post(f"{url}compare/", {"text": printed, "taken_at": soon, "end_moves": True}, 200)["ended"]
    assert (ended, again) == ([request.reference], [])


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "text"),
        ({"text": ""}, "text"),
        ({"text": 7}, "text"),
        ({"text": "\u0000\u0001"}, "text"),
        ({"text": "z" * 1_000_000}, "text"),
        ({"text": "Prefix  Next Hop  Interface\n10.0.0.0/8  attached  POS1/0\n"}, "router"),
        ({"text": "Prefix  Next Hop  Interface\n10.0.0.0/8  attached  POS1/0\n", "router": "x9"}, "router"),
        ({"text": "x", "taken_at": "yesterday"}, "taken_at"),
        ({"text": "x", "taken_at": "2099-01-01T00:00:00Z"}, "taken_at"),
        ({"text": database(DIAMOND), "end_moves": True}, "taken_at"),
        ({"text": database(DIAMOND)[:-100]}, "text"),
    ],
)
def test_what_is_no_evidence_is_refused_by_field(nora: Speaker, body: dict[str, Any], field: str) -> None:
    answer = nora.post(f"{V1}path-drift/compare/", body, 400)
    assert [each["pointer"] for each in answer["errors"]] == [f"#/{field}"]


def test_more_than_the_longest_database_is_not_read(nora: Speaker) -> None:
    body = b'{"text": "' + b"y" * (17 * 1024 * 1024) + b'"}'
    assert expect(nora.send("POST", f"{V1}path-drift/compare/", body), 413)["code"] == "body-too-large"
