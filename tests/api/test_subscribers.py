"""Subscribers through the API: who is told, and that nothing of a webhook but its host is ever said again."""

from __future__ import annotations

from datetime import datetime, timedelta
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inventory.models import Nren
from provisioning.models import (
    AuditEvent,
    IdempotencyKey,
    Message,
    Notification,
    Subscriber,
    Telling,
    Topic,
)
from provisioning.services.telling import replaying
from tests.api.conftest import Speaker

URL = "/api/v1/subscribers/"
SECRET = "a-secret-of-the-receiver"
HOOK = {"channel": "webhook", "url": "https://hooks.example.net/T0/B0/token", "secret": SECRET}


def pointers(problem: dict[str, object]) -> set[str]:
    return {each["pointer"] for each in problem["errors"]}  # type: ignore[index]


def test_a_mail_address_is_told_changed_tested_and_told_no_more(speakers: dict[str, Speaker]) -> None:
    noc = speakers["noc"]
    made = noc.post(URL, {"channel": "mail", "address": "noc@example.net", "topics": ["push-unknown"]})
    assert (made["address"], made["topics"], made["nren"]) == ("noc@example.net", ["push-unknown"], None)
    assert (made["waiting"], made["given_up"], made["sent_at"], made["error"]) == (0, 0, None, "")
    one = f"{URL}{made['id']}/"
    changed = noc.post(f"{one}change/", {"topics": ["push-failed", "bare-interface"]}, 200)
    assert changed["topics"] == ["bare-interface", "push-failed"], "the most urgent first"
    assert noc.post(f"{one}change/", {}, 200)["topics"] == ["bare-interface", "push-failed"]
    assert noc.post(f"{one}change/", {"topics": []}, 200)["topics"] == []
    message = noc.post(f"{one}test/", {}, 200)["message"]
    assert Message.objects.get(pk=message).subscriber_id == made["id"]
    assert speakers["auditor"].get(one)["waiting"] == 1
    assert speakers["auditor"].get(URL)["results"][0]["id"] == made["id"]
    for _ in range(2):  # sent twice, as its answer was lost
        assert noc.post(f"{one}end/", {}, 200, Idempotency_Key="gone")["waiting"] == 0
    noc.get(one, 404)
    noc.post(f"{one}test/", {}, 404)
    assert speakers["noc"].get(URL)["count"] == 0


def test_of_a_webhook_nothing_but_the_host_is_said_again(speakers: dict[str, Speaker]) -> None:
    noc = speakers["noc"]
    made = noc.post(URL, HOOK, Idempotency_Key="hook")
    one = f"{URL}{made['id']}/"
    assert noc.post(URL, HOOK, Idempotency_Key="hook") == made
    new = noc.post(f"{one}change/", {"url": "https://other.example.net/x/y", "secret": SECRET[::-1]}, 200)
    assert new["address"] == "https://other.example.net/"
    row = Subscriber.objects.get(pk=made["id"])
    assert (row.url, row.secret) == ("https://other.example.net/x/y", SECRET[::-1])
    said = [made, new, noc.get(one), noc.get(URL), noc.post(f"{one}test/", {}, 200)]
    kept = [
        list(IdempotencyKey.objects.values_list("response", flat=True)),
        list(
            AuditEvent.objects.filter(action__startswith="subscriber.").values_list(
                "before", "after", "reason"
            )
        ),
    ]
    for hidden in (SECRET, SECRET[::-1], "T0/B0/token", "/x/y"):
        assert hidden not in str(said) and hidden not in str(kept), hidden
    change = AuditEvent.objects.get(action="subscriber.change")
    assert change.after["new_url"] and change.after["new_secret"]


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({"channel": "pigeon"}, {"#/channel"}),
        ({"channel": "mail"}, {"#/address"}),
        ({"channel": "mail", "address": "nobody"}, {"#/address"}),
        ({"channel": "mail", "address": "a@example.net", "url": "https://x.example.net/"}, {"#/url"}),
        ({"channel": "webhook", "url": "https://x.example.net/"}, {"#/secret"}),
        ({**HOOK, "address": "a@example.net"}, {"#/address"}),
        ({**HOOK, "secret": "short"}, {"#/secret"}),
        ({**HOOK, "url": "http://hooks.example.net/"}, {"#/url"}),
        ({**HOOK, "url": "https://user:word@hooks.example.net/"}, {"#/url"}),
        ({**HOOK, "url": "https://127.0.0.1/"}, {"#/url"}),
        ({**HOOK, "url": "https://[::ffff:10.0.0.1]:8443/x"}, {"#/url"}),
        ({**HOOK, "url": "https://169.254.169.254/latest/meta-data/"}, {"#/url"}),
        ({**HOOK, "topics": ["weather"]}, {"#/topics/0"}),
        ({**HOOK, "topics": ["test"]}, {"#/topics/0"}),
        ({**HOOK, "nren": 0}, {"#/nren"}),
        ({**HOOK, "pager": 1}, {"#/pager"}),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_made(
    speakers: dict[str, Speaker], body: dict[str, object], wrong: set[str]
) -> None:
    problem = speakers["noc"].post(URL, body, 400)
    assert {each.split("/0")[0] for each in pointers(problem)} >= {each.split("/0")[0] for each in wrong}
    assert SECRET not in str(problem)
    assert not Subscriber.objects.exists()


def test_what_is_told_twice_or_not_an_nrens_is_refused(speakers: dict[str, Speaker]) -> None:
    noc, janet = speakers["noc"], Nren.objects.get(name="JANET")
    mail = {"channel": "mail", "address": "noc@example.net"}
    made = noc.post(URL, mail)
    assert noc.post(URL, mail, 409)["code"] == "conflict"
    assert noc.post(URL, {**mail, "nren": janet.pk})["nren"] == janet.pk
    noc.post(URL, {**mail, "nren": janet.pk, "topics": ["push-failed"]}, 400)
    assert pointers(noc.post(f"{URL}{made['id']}/change/", {"url": "https://x.example.net/"}, 400)) == {
        "#/url"
    }


def told(one: str, number: int) -> list[Message]:
    """So many messages that this subscriber took, a minute between them, the last a minute ago."""
    subscriber, now = Subscriber.objects.get(pk=one.rstrip("/").split("/")[-1]), timezone.now()
    made = []
    for each in range(number):
        at = now - timedelta(minutes=number - each)
        message = Message.objects.create(
            subscriber=subscriber, state="sent", attempts=1, next_at=at, created_at=at, finished_at=at
        )
        for topic in [Topic.PUSH_FAILED] * each + [Topic.BARE]:
            note = Notification.objects.create(
                topic=topic, subject=f"{topic}/{Notification.objects.count()}", at=at, told_at=at, title="t"
            )
            Telling.objects.create(notification=note, subscriber=subscriber, message=message)
        made.append(message)
    return made


@pytest.fixture
def hook(speakers: dict[str, Speaker]) -> str:
    return f"{URL}{speakers['noc'].post(URL, HOOK)['id']}/"


def test_what_one_was_sent_is_listed_and_read_on(speakers: dict[str, Speaker], hook: str) -> None:
    rows = told(hook, 5)
    told(f"{URL}{speakers['noc'].post(URL, {'channel': 'mail', 'address': 'a@example.net'})['id']}/", 2)
    listed = speakers["auditor"].get(f"{hook}messages/")
    assert [row["id"] for row in listed["results"]] == [row.pk for row in reversed(rows)]
    assert (listed["count"], listed["next"]) == (5, None)
    first = listed["results"][0]
    assert first == {
        "id": rows[4].pk, "number": str(rows[4].number), "state": "sent", "attempts": 1,
        "made_at": first["made_at"], "finished_at": first["finished_at"], "error": "", "sent_again": False,
        "notifications": 5, "topics": ["bare-interface", "push-failed"],
    }  # fmt: skip
    assert datetime.fromisoformat(first["made_at"]) == rows[4].created_at
    seen, following = [], f"{hook}messages/?cursor=*&page_size=2"
    while following:
        page = speakers["noc"].get(following)
        seen += [row["id"] for row in page["results"]]
        following = page["next"]
        told(hook, 1)  # what comes meanwhile moves no page
    assert seen == [row.pk for row in reversed(rows)]


def test_a_list_of_messages_is_narrowed_and_says_what_it_does_not_know(
    speakers: dict[str, Speaker], hook: str
) -> None:
    rows = told(hook, 4)
    Message.objects.filter(pk=rows[1].pk).update(state="given-up", error="refused")
    Message.objects.filter(pk=rows[2].pk).update(state="dropped")

    def found(**asked: object) -> list[int]:
        query = urlencode(asked, doseq=True)
        return [row["id"] for row in speakers["noc"].get(f"{hook}messages/?{query}")["results"]]

    assert found(state="given-up") == [rows[1].pk]
    assert found(state=["given-up", "dropped"]) == [rows[2].pk, rows[1].pk]
    assert found(made_after=rows[1].created_at.isoformat()) == [rows[3].pk, rows[2].pk, rows[1].pk]
    assert found(made_before=rows[1].created_at.isoformat()) == [rows[0].pk]
    for wrong in ("state=SENT", "state=", "made_after=2026-01-01", "since=2026-01-01T00:00:00Z", "id=1"):
        said = speakers["noc"].get(f"{hook}messages/?{wrong}", 400)
        assert [each["parameter"] for each in said["errors"]] == [wrong.split("=")[0]]
    speakers["noc"].get(f"{URL}999999/messages/", 404)


def test_a_page_of_messages_takes_as_many_queries_as_another(speakers: dict[str, Speaker], hook: str) -> None:
    told(hook, 12)
    counted = []
    for size in (2, 12):
        with CaptureQueriesContext(connection) as asked:
            assert len(speakers["noc"].get(f"{hook}messages/?page_size={size}")["results"]) == size
        counted.append(len(asked))
    assert counted[0] == counted[1]


def test_it_is_sent_again_once_under_a_key(speakers: dict[str, Speaker], hook: str) -> None:
    noc, rows = speakers["noc"], told(hook, 3)
    asked = {"since": rows[1].created_at.isoformat()}
    for _ in range(2):  # sent twice, as its answer was lost
        assert noc.post(f"{hook}replay/", asked, 200, Idempotency_Key="lost") == {"messages": 2, "waiting": 0}
    assert noc.post(f"{hook}replay/", asked, 200) == {"messages": 0, "waiting": 2}
    listed = noc.get(f"{hook}messages/")["results"]
    assert [(row["id"], row["state"], row["sent_again"], row["attempts"]) for row in listed] == [
        (rows[2].pk, "waiting", True, 0),
        (rows[1].pk, "waiting", True, 0),
        (rows[0].pk, "sent", False, 1),
    ]
    assert (noc.get(hook)["waiting"], noc.get(hook)["error"]) == (2, "")
    event = AuditEvent.objects.get(action="subscriber.replay")
    assert (event.actor, event.after["messages"], event.after["until"]) == ("the-noc", 2, None)
    assert datetime.fromisoformat(event.after["since"]) == rows[1].created_at


def test_a_replay_that_cannot_be_meant_is_named_and_sends_nothing(
    speakers: dict[str, Speaker], hook: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    noc = speakers["noc"]
    rows, now = told(hook, 3), timezone.now()
    old, future = "2026-01-01T00:00:00Z", (now + timedelta(hours=1)).isoformat()
    for body, wrong in (
        ({}, "#/since"),
        ({"since": None}, "#/since"),
        ({"since": "yesterday"}, "#/since"),
        ({"since": "2026-01-01T00:00:00"}, "#/since"),
        ({"since": 1767225600}, "#/since"),
        ({"since": "0001-01-01T00:00:00+14:00"}, "#/since"),
        ({"since": future}, "#/since"),
        ({"since": old, "until": old}, "#/until"),
        ({"since": old, "until": "2025-12-31T23:59:59Z"}, "#/until"),
        ({"since": old, "until": "soon"}, "#/until"),
        ({"since": old, "topics": []}, "#/topics"),
    ):
        assert pointers(noc.post(f"{hook}replay/", body, 400)) == {wrong}, body
    monkeypatch.setattr(replaying, "MOST", 2)
    many = noc.post(f"{hook}replay/", {"since": old}, 400)
    assert pointers(many) == {"#/since"}
    assert rows[2].created_at.isoformat() in str(many), "it says how far one gets"
    assert not Message.objects.filter(state="waiting").exists()
    assert noc.post(f"{hook}replay/", {"since": old, "until": future}, 400)
    assert noc.post(f"{hook}replay/", {"since": old, "until": rows[2].created_at.isoformat()}, 200) == {
        "messages": 2,
        "waiting": 0,
    }


def test_who_may_have_it_sent_again_and_who_is_ended_is_not_found(
    speakers: dict[str, Speaker], hook: str
) -> None:
    told(hook, 1)
    asked = {"since": "2026-01-01T00:00:00Z"}
    for role in ("auditor", "JANET", "read-only"):
        speakers[role].post(f"{hook}replay/", asked, 403)
    for role in ("JANET", "read-only"):
        speakers[role].get(f"{hook}messages/", 403)
    speakers["noc"].post(f"{hook}end/", {}, 200)
    speakers["noc"].post(f"{hook}replay/", asked, 404)
    speakers["noc"].get(f"{hook}messages/", 404)
    assert Message.objects.get().state == "sent"


def test_it_is_sent_again_only_if_nothing_happened_to_it_since(
    speakers: dict[str, Speaker], hook: str
) -> None:
    told(hook, 1)
    noc = speakers["noc"]
    tag = noc.send("GET", hook)["ETag"]
    noc.post(f"{hook}change/", {"topics": []}, 200)
    asked = {"since": "2026-01-01T00:00:00Z"}
    assert noc.send("POST", f"{hook}replay/", asked, If_Match=tag).status_code == 412
    assert Message.objects.get().state == "sent"
    tag = noc.send("GET", hook)["ETag"]
    assert noc.send("POST", f"{hook}replay/", asked, If_Match=tag).status_code == 200
