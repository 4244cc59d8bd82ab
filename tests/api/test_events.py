"""The event log: read on from a cursor nothing is missed and nothing comes twice, whoever commits when; a reader may wait."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from provisioning.api.v1 import events
from provisioning.models import SYSTEM, AuditEvent
from provisioning.services import audit
from tests.api.conftest import Speaker, asked

LOG = "/api/v1/events/"
ROOT = Path(__file__).resolve().parents[2]


def read(speaker: Speaker, **query: Any) -> dict[str, Any]:
    said = "&".join(f"{name}={value}" for name, value in query.items())
    found: dict[str, Any] = speaker.get(f"{LOG}?{said}")
    return found


def read_all(speaker: Speaker, after: int = 0, limit: int = 7) -> tuple[list[dict[str, Any]], int]:
    """Everything behind a cursor, part by part, and the cursor at the end."""
    found: list[dict[str, Any]] = []
    while True:
        part = read(speaker, after=after, limit=limit)
        found += part["events"]
        after = part["next"]
        if not part["more"]:
            return found, after


@pytest.mark.once
def test_each_reads_what_it_may_see_once_and_in_order(speakers: dict[str, Speaker]) -> None:
    made = speakers["JANET"].post("/api/v1/premium-requests/", asked())
    audit.seal_waiting()
    everything, end = read_all(speakers["noc"])
    positions = [event["position"] for event in everything]
    assert positions == sorted(set(positions)) and len(everything) == AuditEvent.objects.count()
    own, end_of_janet = read_all(speakers["JANET"])
    assert [(event["action"], event["object_id"]) for event in own] == [("request.submit", str(made["id"]))]
    assert own[0]["before"] is None and own[0]["after"] is None and own[0]["account"] is None
    # The cursor goes behind what is others': it is not read through again and again.
    assert end_of_janet == end
    assert read_all(speakers["DFN"]) == ([], end)
    assert read(speakers["JANET"], after=end) == {"events": [], "next": end, "more": False, "end": end}
    assert read(speakers["JANET"], after=end + 5)["next"] == end + 5
    speakers["GRNET"].post(f"/api/v1/premium-requests/{made['id']}/consent/", {"agree": True}, 200)
    audit.seal_waiting()
    later, _end = read_all(speakers["JANET"], after=end)
    assert [event["action"] for event in later] == ["request.consent"]


@pytest.mark.once
def test_digests_are_told_to_those_who_see_everything_alone(speakers: dict[str, Speaker]) -> None:
    """They have no key: whoever knows all of an event but one sum of others finds that sum by trying."""
    made = speakers["JANET"].post("/api/v1/premium-requests/", asked())
    audit.seal_waiting()

    def shown(who: str) -> list[dict[str, Any]]:
        trail = f"/api/v1/audit-events/?object_type=PremiumRequest&object_id={made['id']}"
        rows: list[dict[str, Any]] = speakers[who].get(trail)["results"]
        rows.append(speakers[who].get(f"/api/v1/audit-events/{rows[0]['sequence']}/"))
        return rows + [each for each in read_all(speakers[who])[0] if each["object_id"] == str(made["id"])]

    for row in shown("JANET"):
        assert (row["digest"], row["previous_digest"]) == (None, None)
    kept = {row.digest for row in AuditEvent.objects.all()}
    for row in shown("noc"):
        assert row["digest"] in kept and len(row["previous_digest"]) == 64
    browser = Client()
    browser.force_login(User.objects.get(username="janet"))
    page = browser.get(reverse("web:request", args=[made["id"]]), secure=True)
    assert page.status_code == 200 and 'class="history"' in page.content.decode()
    assert not any(digest in page.content.decode() for digest in kept)
    event = reverse("web:audit-event", args=[AuditEvent.objects.latest("pk").sequence])
    assert browser.get(event, secure=True).status_code in (403, 404)


@pytest.mark.once
@pytest.mark.parametrize(
    "query", ["after=-1", "after=x", "limit=0", "limit=201", "wait=26", "colour=blue", "limit=1&limit=2"]
)
def test_what_cannot_be_meant_is_refused_and_named(speakers: dict[str, Speaker], query: str) -> None:
    refused = speakers["JANET"].get(f"{LOG}?{query}", 400)
    assert [each["parameter"] for each in refused["errors"]] == [query.partition("=")[0]]


@pytest.mark.once
def test_the_longest_wait_without_anything_new_is_what_was_asked(speakers: dict[str, Speaker]) -> None:
    audit.seal_waiting()
    _all, end = read_all(speakers["noc"])
    began = time.monotonic()
    assert read(speakers["noc"], after=end, wait=1)["events"] == []
    assert 0.4 < time.monotonic() - began < 5


@pytest.mark.once
def test_where_as_many_wait_as_may_the_next_is_answered_at_once(speakers: dict[str, Speaker]) -> None:
    _all, end = read_all(speakers["noc"])
    taken = [events._WAITING.acquire(blocking=False) for _ in range(events.MOST_WAITING)]
    try:
        assert all(taken) and events.MOST_WAITING == settings.WEB_THREADS // 2 == 4
        began = time.monotonic()
        assert read(speakers["noc"], after=end, wait=20) == {
            "events": [],
            "next": end,
            "more": False,
            "end": end,
        }
        assert time.monotonic() - began < 5
    finally:
        for _ in taken:
            events._WAITING.release()


@pytest.mark.once
def test_one_user_has_two_of_the_places_and_leaves_the_others(speakers: dict[str, Speaker]) -> None:
    """One token took them all, and everybody else was answered at once for ever."""
    _all, end = read_all(speakers["JANET"])
    janet, noc = (User.objects.get(username=name).pk for name in ("janet", "the-noc"))
    assert [events._take_a_place(janet) for _ in range(3)] == [True, True, False]
    try:
        began = time.monotonic()
        assert read(speakers["JANET"], after=end, wait=20)["events"] == []
        assert time.monotonic() - began < 5
        assert [events._take_a_place(noc) for _ in range(2)] == [True, True]
        assert not events._take_a_place(0), "as many wait as may"
        for _ in range(2):
            events._leave_a_place(noc)
        began = time.monotonic()
        assert read(speakers["noc"], after=end, wait=1)["next"] == end
        assert time.monotonic() - began > 0.4
    finally:
        for _ in range(2):
            events._leave_a_place(janet)
    assert events._take_a_place(janet)
    events._leave_a_place(janet)
    assert not events._PLACES, "nothing is kept of who waits no more"


WAITING = """
import sys
from types import SimpleNamespace
import django
from provisioning import gunicorn
gunicorn.post_fork(None, SimpleNamespace(cfg=SimpleNamespace(threads=int(sys.argv[1] or gunicorn.threads))))
django.setup()
from provisioning.api.v1 import events
print(events.MOST_WAITING, events._WAITING.acquire(blocking=False))
"""


@pytest.mark.once
@pytest.mark.parametrize(
    ("setting", "option", "said"),
    [("8", "", "4 True"), ("3", "", "1 True"), ("1", "", "0 False"), ("8", "4", "2 True")],
)
def test_half_of_the_threads_that_there_are_may_wait(setting: str, option: str, said: str) -> None:
    """Of the setting, or of what gunicorn was told otherwise on its command line (`--threads`)."""
    done = subprocess.run(
        [sys.executable, "-c", WAITING, option],
        env={**os.environ, "WEB_THREADS": setting},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == said


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_nothing_is_missed_while_many_commit_in_another_order_than_they_began(
    postgres: None, speakers: dict[str, Speaker]
) -> None:
    """Twelve deeds begin one after the other and commit in any order, while a reader reads on."""
    noc = speakers["noc"]
    audit.seal_waiting()
    _all, start = read_all(noc)
    before, users = AuditEvent.objects.count(), list(User.objects.order_by("pk"))
    done = threading.Event()

    def write(number: int) -> None:
        try:
            with transaction.atomic():
                audit.record(actor=SYSTEM, action=f"test.{number}", obj=users[number % len(users)])
                time.sleep(0.02 * (number % 4))
        finally:
            connection.close()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(12)]
    seen: list[str] = []

    def follow() -> None:
        try:
            cursor = start
            while True:
                over = done.is_set()
                audit.seal_waiting()
                found, cursor = read_all(noc, cursor, limit=2)
                seen.extend(event["action"] for event in found)
                if over:
                    return
        finally:
            connection.close()

    reader = threading.Thread(target=follow)
    reader.start()
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    done.set()
    reader.join(30)
    assert AuditEvent.objects.count() == before + 12
    assert sorted(seen) == sorted(f"test.{number}" for number in range(12))
