"""A deed on what was read: ETag, If-Match and If-None-Match, alone and when two meet."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.utils import timezone

from provisioning.models import AuditEvent, IdempotencyKey
from provisioning.services import audit
from tests.api import matrix
from tests.api.conftest import Speaker, asked, expect

URL = "/api/v1/premium-requests/"
made, ids, speakers = matrix.made, matrix.ids, matrix.speakers


@pytest.fixture
def row(speakers: dict[str, Speaker]) -> str:
    """The address of a request of JANET's that nobody has decided."""
    return f"{URL}{speakers['JANET'].post(URL, asked())['id']}/"


def tag(speaker: Speaker, address: str) -> str:
    response = speaker.send("GET", address)
    assert response.status_code == 200, response.content
    found: str = response["ETag"]
    return found


def modify(speaker: Speaker, row: str, tags: str, rate: int = 1_000_000, **headers: str) -> HttpResponse:
    body = {"rate_bps": rate, "reason": "less"}
    return speaker.send("POST", f"{row}modify/", body, If_Match=tags, **headers)


def test_a_deed_on_what_was_read_is_done_once(speakers: dict[str, Speaker], row: str) -> None:
    janet = speakers["JANET"]
    read = tag(janet, row)
    assert modify(janet, row, read).status_code == 200
    events = AuditEvent.objects.count()
    refused = expect(modify(janet, row, read, 2_000_000), 412)
    assert refused["code"] == "changed-since"
    assert (janet.get(row)["rate_bps"], AuditEvent.objects.count()) == (1_000_000, events)
    assert modify(janet, row, tag(janet, row), 2_000_000).status_code == 200


def test_what_moves_by_itself_refuses_nothing(speakers: dict[str, Speaker], row: str) -> None:
    read = tag(speakers["JANET"], row)
    other = speakers["JANET"].post(URL, asked())["id"]
    until = (timezone.now() + timedelta(days=5)).isoformat()
    speakers["noc"].post(f"{URL}{other}/hold/", {"until": until, "reason": "wait"}, status=200)
    now = tag(speakers["JANET"], row)
    assert now != read and now.partition("-")[0] == read.partition("-")[0], (
        "its evidence is another, and it is not"
    )
    assert modify(speakers["JANET"], row, read).status_code == 200


def test_each_reads_a_tag_of_their_own_with_the_same_version(speakers: dict[str, Speaker], row: str) -> None:
    tags = {name: tag(speakers[name], row) for name in ("JANET", "GRNET", "noc")}
    assert len({each.partition("-")[0] for each in tags.values()}) == 1
    assert modify(speakers["JANET"], row, tags["noc"]).status_code == 200


@pytest.mark.once
def test_what_is_no_tag_of_it_is_refused_and_any_will_do(speakers: dict[str, Speaker], row: str) -> None:
    janet, read = speakers["JANET"], tag(speakers["JANET"], row)
    for wrong in ('"x"', "x", "", f"W/{read}", '""', '"-"', '"*"'):
        assert modify(janet, row, wrong).status_code == 412, wrong
    assert modify(janet, row, f'"x", {read}').status_code == 200
    assert modify(janet, row, "*", 2_000_000).status_code == 200
    # Of what one does not see nothing is told by a tag.
    assert modify(speakers["DFN"], row, "*").status_code == 404
    assert {modify(speakers["DFN"], at, read).status_code for at in (row, f"{URL}999999/")} == {404}
    assert janet.send("POST", URL, asked(), If_Match=read).status_code == 412


def test_what_happens_to_its_request_happens_to_a_modification(
    speakers: dict[str, Speaker], ids: dict[str, Any]
) -> None:
    address = f"/api/v1/modifications/{ids['modification']}/"
    read = tag(speakers["JANET"], address)
    speakers["noc"].post(f"{address}admit/", {"reason": "it fits"}, status=200)
    late = speakers["JANET"].send("POST", f"{address}withdraw/", {"reason": "no"}, If_Match=read)
    assert late.status_code == 412
    assert speakers["JANET"].get(address)["state"] != "WITHDRAWN"


def test_two_who_declare_one_link_do_not_do_so_of_one_reading(
    speakers: dict[str, Speaker], ids: dict[str, Any]
) -> None:
    address = f"/api/v1/core-links/{ids['core_link']}/"
    read = tag(speakers["noc"], address)
    answers = [
        speakers["noc"]
        .send("POST", f"{address}declare/", {"deed": deed, "reason": "x"}, If_Match=read)
        .status_code
        for deed in ("down", "removed")
    ]
    assert answers == [200, 412]


def test_what_happens_to_an_occurrence_happens_to_its_series(
    speakers: dict[str, Speaker], ids: dict[str, Any]
) -> None:
    address = f"/api/v1/series/{ids['series']}/"
    read = tag(speakers["JANET"], address)
    occurrence = speakers["JANET"].get(f"{URL}?series={ids['series']}")["results"][0]["id"]
    speakers["JANET"].post(f"{URL}{occurrence}/withdraw/", {"reason": "not then"}, status=200)
    late = speakers["JANET"].send("POST", f"{address}withdraw/", {"reason": "none"}, If_Match=read)
    assert late.status_code == 412


@pytest.mark.once
def test_what_was_done_under_a_key_is_answered_again(speakers: dict[str, Speaker], row: str) -> None:
    janet, read = speakers["JANET"], tag(speakers["JANET"], row)
    first = modify(janet, row, read, Idempotency_Key="mine")
    again = modify(janet, row, read, Idempotency_Key="mine")
    assert (first.status_code, again.status_code, again["Idempotency-Replayed"]) == (200, 200, "true")
    assert first.json() == again.json()
    assert modify(janet, row, read, Idempotency_Key="another").status_code == 412
    assert not IdempotencyKey.objects.filter(key="another").exists(), "its key is left free"


@pytest.mark.once
def test_what_is_known_is_not_sent_again(speakers: dict[str, Speaker], row: str) -> None:
    noc = speakers["noc"]
    noc.post(f"{row}refuse/", {"reason": "no"}, status=200)
    read = tag(noc, row)
    for known in (read, f"W/{read}", f'"x", {read}', "*"):
        same = noc.send("GET", row, If_None_Match=known)
        assert (same.status_code, same.content, same["ETag"]) == (304, b"", read)
        assert "Content-Type" not in same.headers
    assert noc.send("GET", row, If_None_Match='"x"').status_code == 200
    speakers["JANET"].post(f"{row}modify/", {"rate_bps": 1_000_000, "reason": "less"}, status=409)
    assert noc.send("GET", row, If_None_Match=read).status_code == 304
    assert "ETag" not in noc.send("GET", URL).headers
    assert "ETag" not in noc.send("GET", f"{URL}999999/").headers


@pytest.mark.once
def test_one_row_of_every_resource_has_one(speakers: dict[str, Speaker], ids: dict[str, Any]) -> None:
    seen = 0
    for name in (
        "nrens", "routers", "access-links", "core-links", "premium-requests", "modifications", "series", "changes",
        "pushes", "capacity-changes", "moves", "break-glass", "tokens", "subscribers", "audit-events",
    ):  # fmt: skip
        for found in speakers["noc"].get(f"/api/v1/{name}/")["results"][:1]:
            address = f"/api/v1/{name}/{found.get('id', found.get('sequence'))}/"
            assert tag(speakers["noc"], address) == tag(speakers["noc"], address) or name == "tokens"
            seen += 1
    assert seen > 9


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_of_eight_at_once_with_one_tag_one_is_done(postgres: None, speakers: dict[str, Speaker]) -> None:
    row = f"{URL}{speakers['JANET'].post(URL, asked())['id']}/"
    for turn in range(4):
        read, barrier = tag(speakers["JANET"], row), threading.Barrier(8)

        def send(
            number: int, read: str = read, barrier: threading.Barrier = barrier, turn: int = turn
        ) -> int:
            speaker = Speaker(speakers["JANET"].token)
            barrier.wait(timeout=120)
            keyed = {"Idempotency_Key": f"{turn} {number}"} if number % 2 else {}
            try:
                return modify(
                    speaker, row, read, 1_000_000 + 100_000 * (8 * turn + number), **keyed
                ).status_code
            finally:
                connection.close()

        with ThreadPoolExecutor(8) as pool:
            answers = sorted(pool.map(send, range(8)))
        assert answers == [200] + [412] * 7
    about = AuditEvent.objects.filter(object_type="PremiumRequest", object_id=row.split("/")[-2])
    assert [event.action for event in about.order_by("sequence")] == [
        "request.submit",
        *["request.replaced"] * 4,
    ]
    assert audit.verify_chain().intact
