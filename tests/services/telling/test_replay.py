"""What was sent, sent again: the same bytes under the same number, in turn, and nobody else waits for it."""

from __future__ import annotations

import email
import json
import re
import time
from datetime import datetime, timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from provisioning.errors import Conflict, ExpediteError, InvalidInput, NotPermitted
from provisioning.models import (
    THE_ONE,
    Actor,
    AuditEvent,
    Installation,
    Message,
    Notification,
    Subscriber,
    Telling,
    Topic,
)
from provisioning.selectors import telling as reading
from provisioning.services import retention
from provisioning.services.telling import gathering, in_turn, sending, subscribing, webhooks
from provisioning.services.telling.replaying import MOST, Replay, foresee, replay
from tests.services.in_threads import at_once
from tests.services.telling.conftest import deliver, happened, states
from tests.services.telling.listeners import Hook, Mailbox

LONG_AGO = datetime.fromisoformat("2020-01-01T00:00:00+00:00")


@pytest.fixture
def hooked(nora: Actor, hook: Hook) -> Subscriber:
    return subscribing.add_webhook(actor=nora, url=hook.url)[0]


def sent(number: int) -> list[Message]:
    """So many messages, one after the other, each taken."""
    before = Notification.objects.count()
    for each in range(before, before + number):
        happened(f"push {each}", f"push/{each}", topic=Topic.PUSH_FAILED)
        deliver()
    assert set(states()) == {"sent"}
    return list(Message.objects.order_by("pk"))


def stored(to: Subscriber, number: int, state: str = "sent") -> list[Message]:
    """So many messages as they were left by deliveries, a second between them, the last a minute ago."""
    now = timezone.now()
    made = [
        Message(
            subscriber=to, state=state, attempts=1, next_at=now, finished_at=now,
            created_at=now - timedelta(seconds=60 + number - each),
        )
        for each in range(number)
    ]  # fmt: skip
    Message.objects.bulk_create(made)
    notes = [
        Notification(topic=Topic.PUSH_FAILED, subject=f"of {each.pk}", at=now, title="t", told_at=now)
        for each in made
    ]
    Notification.objects.bulk_create(notes)
    Telling.objects.bulk_create(
        Telling(notification=note, subscriber=to, message=each)
        for note, each in zip(notes, made, strict=True)
    )
    return made


def numbers(hook: Hook) -> list[str]:
    return [headers["Expedite-Message"] for headers, _body in hook.got]


def test_the_same_bytes_under_the_same_number_signed_anew(
    nora: Actor, hooked: Subscriber, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent(2)
    first = list(hook.got)
    later = int(time.time()) + 7200
    monkeypatch.setattr(webhooks.time, "time", lambda: later)
    assert replay(actor=nora, subscriber=hooked, since=LONG_AGO) == Replay(2, 0)
    assert [each.attempts for each in Message.objects.all()] == [0, 0]
    deliver()
    again = hook.got[2:]
    assert [body for _headers, body in again] == [body for _headers, body in first]
    assert numbers(hook)[2:] == numbers(hook)[:2]
    for headers, body in again:
        assert json.loads(body)["id"] == headers["Expedite-Message"]
        secret = Subscriber.objects.get().secret
        assert headers["Expedite-Signature"] == webhooks.signature(secret, body, later)
    assert states() == ["sent", "sent"]
    assert [(each.attempts, each.before_replay) for each in Message.objects.all()] == [(1, "")] * 2
    assert not gathering.gather()
    event = AuditEvent.objects.get(action="subscriber.replay")
    assert event.after == {"since": LONG_AGO.isoformat(), "until": None, "messages": 2}
    assert (event.object_type, event.object_id, event.actor) == ("Subscriber", str(hooked.pk), "nora")


def test_a_mail_comes_again_as_the_same_mail(nora: Actor, mailbox: Mailbox) -> None:
    row = subscribing.add_mail(actor=nora, address="noc@example.net")
    happened()
    deliver()
    replay(actor=nora, subscriber=row, since=LONG_AGO)
    deliver()
    first, again = map(email.message_from_bytes, mailbox.taken)
    assert first["Message-ID"] == again["Message-ID"] and first["Date"] == again["Date"]
    assert first.as_bytes() == again.as_bytes()


def test_they_go_one_at_a_time_the_oldest_first_in_one_job(
    nora: Actor, hooked: Subscriber, hook: Hook, settings: Any
) -> None:
    settings.NOTIFY_TIMEOUT_SECONDS = 60
    rows = sent(5)
    hook.got.clear()
    replay(actor=nora, subscriber=hooked, since=LONG_AGO)
    assert gathering.gather() == [rows[0].pk], "the others have no turn yet"
    assert deliver() == [f"{hooked}: sent at try 1; 4 messages before it"]
    assert numbers(hook) == [str(row.number) for row in rows]


def test_a_job_of_them_ends_where_one_may_last_no_longer(
    nora: Actor, hooked: Subscriber, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, clock = sent(3), [0.0]
    replay(actor=nora, subscriber=hooked, since=LONG_AGO)
    (pk,) = gathering.gather()
    monkeypatch.setattr(sending, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def slowly(_number: int) -> int:
        clock[0] += 1.5  # of the two seconds that one may last
        return 204

    hook.answer = slowly
    assert sending.send(message_id=pk) == f"{hooked}: sent at try 1; 1 message before it"
    assert gathering.gather() == [rows[2].pk]


def test_four_workers_send_each_once_and_in_order(
    nora: Actor, hooked: Subscriber, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A pause, so that a message under way is nobody else's.
    monkeypatch.setattr(sending, "pause_after", lambda *_args: timedelta(seconds=30))
    rows = sent(12)
    hook.got.clear()
    replay(actor=nora, subscriber=hooked, since=LONG_AGO)

    def worker() -> None:
        for _ in range(200):
            for pk in gathering.gather():
                sending.send(message_id=pk)
            if not Message.objects.filter(state="waiting").exists():
                return

    said = at_once(*[worker] * 4)
    assert not [each for each in said if isinstance(each, Exception)], said
    assert numbers(hook) == [str(row.number) for row in rows]


def test_what_is_new_does_not_wait_for_a_replay(nora: Actor, hooked: Subscriber, hook: Hook) -> None:
    rows = stored(hooked, 300)
    replay(actor=nora, subscriber=hooked, since=LONG_AGO)
    Message.objects.filter(pk=rows[0].pk).update(attempts=1)  # a worker is at it, or was killed there
    happened("r7 Serial1/0 input has no policy", "router/7")
    first, new = gathering.gather()
    assert first == rows[0].pk
    assert Notification.objects.get(tellings__message=new).subject == "router/7"


def test_while_nobody_answers_one_is_tried_and_what_is_new_is_gathered(
    nora: Actor, hooked: Subscriber, hook: Hook
) -> None:
    rows = sent(3)
    hook.got.clear()
    replay(actor=nora, subscriber=hooked, since=LONG_AGO)
    hook.answer = lambda number: 503 if number < 4 else 204
    assert "answered 503" in deliver()[0]
    happened("bare", "router/8")
    happened("bare", "router/9")
    for _ in range(2):
        assert len(deliver()) == 1, "one call, however many wait"
    assert numbers(hook) == [str(rows[0].number)] * 3
    deliver()
    deliver()
    assert numbers(hook)[3:6] == [str(row.number) for row in rows]
    assert json.loads(hook.got[-1][1])["count"] == 2, "together, as ever"
    assert set(states()) == {"sent"}


def test_where_nobody_answers_for_long_one_is_given_up_and_the_others_are_what_they_were(
    nora: Actor, hooked: Subscriber, hook: Hook, settings: Any
) -> None:
    rows = sent(4)
    taken = Message.objects.get(pk=rows[1].pk).finished_at
    Message.objects.filter(pk=rows[2].pk).update(state="given-up", error="no route")
    Message.objects.filter(pk=rows[3].pk).update(state="dropped")
    settings.NOTIFY_TRIES = 2
    hook.answer = lambda _number: 503
    replay(actor=nora, subscriber=hooked, since=LONG_AGO)
    deliver()
    assert "given up after 2 tries" in deliver()[0]
    assert states() == ["given-up", "sent", "given-up", "dropped"]
    assert not Message.objects.exclude(before_replay="").exists()
    assert gathering.gather() == []
    second, third = Message.objects.filter(pk__in=[rows[1].pk, rows[2].pk]).order_by("pk")
    assert (second.error, second.finished_at) == ("", taken)
    assert third.error == "localhost answered 503", "it was never taken, and an alarm says why"
    hook.answer = lambda _number: 204
    assert replay(actor=nora, subscriber=hooked, since=LONG_AGO).messages == 4
    deliver()
    assert set(states()) == {"sent"}


def test_one_that_is_turned_down_for_its_own_sake_keeps_none_back(
    nora: Actor, hooked: Subscriber, hook: Hook
) -> None:
    rows = sent(3)
    hook.got.clear()
    wrong = str(rows[0].number)
    hook.answer = lambda number: 413 if hook.got[number - 1][0]["Expedite-Message"] == wrong else 204
    replay(actor=nora, subscriber=hooked, since=LONG_AGO)
    for _ in range(sending.REFUSALS + 1):
        deliver()
    assert states() == ["given-up", "sent", "sent"]
    others = [each for each in numbers(hook) if each != wrong]
    assert others == [str(row.number) for row in rows[1:]]


def test_a_worker_that_is_killed_leaves_it_to_the_next(
    nora: Actor, hooked: Subscriber, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = sent(3)
    hook.got.clear()
    replay(actor=nora, subscriber=hooked, since=LONG_AGO)

    class Killed(BaseException):
        pass

    def killed(*_args: Any) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(webhooks, "deliver", killed)
        with pytest.raises(Killed):
            sending.send(message_id=rows[0].pk)
    assert gathering.gather() == [rows[0].pk]
    deliver()
    assert numbers(hook) == [str(row.number) for row in rows]
    assert [each.attempts for each in Message.objects.order_by("pk")] == [2, 1, 1]


def test_only_what_was_made_in_that_time_for_this_one_and_does_not_wait(
    nora: Actor, hooked: Subscriber, mailbox: Mailbox
) -> None:
    other = subscribing.add_mail(actor=nora, address="noc@example.net")
    stored(other, 3)
    rows = stored(hooked, 6)
    since, until = rows[1].created_at, rows[5].created_at
    Message.objects.filter(pk=rows[2].pk).update(state="waiting")
    Telling.objects.filter(message=rows[3]).delete()  # its NREN left, and what was told of it
    for said in (foresee, partial(replay, actor=nora)):
        assert said(subscriber=hooked, since=since, until=until) == Replay(2, 1)
    waiting = Message.objects.exclude(before_replay="").order_by("pk")
    assert [row.pk for row in waiting] == [rows[1].pk, rows[4].pk]
    assert {row.state for row in waiting} == {"waiting"}
    assert replay(actor=nora, subscriber=hooked, since=since, until=until) == Replay(0, 3)
    assert AuditEvent.objects.filter(action="subscriber.replay").count() == 1, "nothing was done"


def test_too_many_are_refused_and_it_says_how_to_ask(nora: Actor, hooked: Subscriber) -> None:
    rows = stored(hooked, MOST + 3)
    with pytest.raises(InvalidInput) as refused:
        replay(actor=nora, subscriber=hooked, since=LONG_AGO)
    assert refused.value.field == "since"
    assert refused.value.reason.startswith(f"{MOST + 3} messages are of that time, and at most {MOST}")
    assert not Message.objects.filter(state="waiting").exists()
    until = datetime.fromisoformat(refused.value.reason.split("such as ")[1].split(",")[0])
    assert until == rows[MOST].created_at
    assert replay(actor=nora, subscriber=hooked, since=LONG_AGO, until=until) == Replay(MOST, 0)
    assert replay(actor=nora, subscriber=hooked, since=until) == Replay(3, 0)
    assert gathering.gather() == [rows[0].pk]


def test_a_time_that_cannot_be_meant_is_named(nora: Actor, hooked: Subscriber) -> None:
    sent(1)
    now = timezone.now()
    for since, until, field in (
        (now + timedelta(minutes=5), None, "since"),
        (now - timedelta(hours=1), now - timedelta(hours=2), "until"),
        (now - timedelta(hours=1), now - timedelta(hours=1), "until"),
    ):
        for said in (foresee, partial(replay, actor=nora)):
            with pytest.raises(InvalidInput) as refused:
                said(subscriber=hooked, since=since, until=until)
            assert refused.value.field == field
    assert states() == ["sent"]
    assert not AuditEvent.objects.filter(action="subscriber.replay").exists()


def test_who_may_and_to_whom(nora: Actor, jane: Actor, hooked: Subscriber) -> None:
    sent(1)
    with pytest.raises(NotPermitted):
        replay(actor=jane, subscriber=hooked, since=LONG_AGO)
    subscribing.end(actor=nora, subscriber=hooked)
    for said in (foresee, partial(replay, actor=nora)):
        with pytest.raises(Conflict):
            said(subscriber=Subscriber.objects.get(), since=LONG_AGO)
    with pytest.raises(Conflict):
        replay(actor=nora, subscriber=hooked, since=LONG_AGO)  # as it was read before
    assert states() == ["sent"]


def test_who_is_ended_meanwhile_is_sent_none_of_it(nora: Actor, hooked: Subscriber, hook: Hook) -> None:
    sent(2)
    replay(actor=nora, subscriber=hooked, since=LONG_AGO)
    subscribing.end(actor=nora, subscriber=hooked)
    assert deliver() == [] and len(hook.got) == 2
    assert states() == ["dropped", "dropped"]
    assert not Message.objects.exclude(before_replay="").exists()


def test_a_test_comes_again_too(nora: Actor, hooked: Subscriber, hook: Hook) -> None:
    subscribing.test(actor=nora, subscriber=hooked)
    deliver()
    replay(actor=nora, subscriber=hooked, since=LONG_AGO)
    deliver()
    assert hook.got[0][1] == hook.got[1][1]
    assert json.loads(hook.got[1][1])["notifications"][0]["topic"] == "test"


def test_a_restored_copy_sends_none_of_it_until_somebody_says_so(
    nora: Actor, hooked: Subscriber, hook: Hook
) -> None:
    (row,) = sent(1)
    Installation.objects.create(pk=THE_ONE, push_held="restored from a backup")
    replay(actor=nora, subscriber=hooked, since=LONG_AGO)
    assert gathering.gather() == []
    assert "restored from a backup" in sending.send(message_id=row.pk)
    assert len(hook.got) == 1
    Installation.objects.update(push_held="")
    deliver()
    assert len(hook.got) == 2


def test_what_retention_removed_is_not_sent_and_what_waits_stays(
    nora: Actor, hooked: Subscriber, hook: Hook, settings: Any
) -> None:
    settings.KEEP_NOTIFICATIONS_DAYS = 90
    old, kept = sent(2)
    long_ago = timezone.now() - timedelta(days=100)
    Message.objects.update(created_at=long_ago, finished_at=long_ago)
    Notification.objects.update(at=long_ago, told_at=long_ago)
    until = timezone.now() - timedelta(days=1)
    Message.objects.filter(pk=old.pk).update(created_at=long_ago - timedelta(days=1))
    assert replay(actor=nora, subscriber=hooked, since=long_ago, until=until) == Replay(1, 0)
    retention.prune()
    assert list(Message.objects.values_list("pk", flat=True)) == [kept.pk]
    assert replay(actor=nora, subscriber=hooked, since=LONG_AGO, until=until) == Replay(0, 1)
    hook.got.clear()
    deliver()
    assert json.loads(hook.got[0][1])["count"] == 1, "it says what it said"
    retention.prune()
    assert Message.objects.exists(), "it was sent today"


def test_when_one_was_sent_last_is_said_while_it_waits_for_more(nora: Actor, hooked: Subscriber) -> None:
    sent(2)
    before = reading.subscribers().get().sent_at
    assert before is not None
    replay(actor=nora, subscriber=hooked, since=LONG_AGO)
    shown = reading.subscribers().get()
    assert (shown.sent_at, shown.waiting) == (before, 2)


def test_replays_at_the_same_instant_send_each_once(nora: Actor, hooked: Subscriber, hook: Hook) -> None:
    rows = sent(20)
    hook.got.clear()
    middle = rows[10].created_at
    deeds = [
        partial(replay, actor=nora, subscriber=hooked, since=since)
        for since in (LONG_AGO, middle, LONG_AGO, middle)
    ]
    said = at_once(*deeds)
    assert not [each for each in said if isinstance(each, Exception)], said
    assert sum(each.messages for each in said if isinstance(each, Replay)) == 20, said
    assert Message.objects.filter(state="waiting", before_replay="sent").count() == 20
    while deliver():
        pass
    assert sorted(numbers(hook)) == sorted(str(row.number) for row in rows)


def test_a_replay_beside_an_end_a_prune_and_a_worker_leaves_nothing_half_way(
    nora: Actor, hooked: Subscriber, hook: Hook, settings: Any
) -> None:
    settings.KEEP_NOTIFICATIONS_DAYS = 1
    for turn in range(4):
        row, _secret = subscribing.add_webhook(actor=nora, url=hook.url)
        made = stored(row, 30)
        old = timezone.now() - timedelta(days=2)
        Message.objects.filter(pk__in=[each.pk for each in made[::2]]).update(finished_at=old)

        def sends(row: Subscriber = row) -> None:
            for pk in gathering.gather():
                sending.send(message_id=pk)

        deeds = [partial(replay, actor=nora, subscriber=row, since=LONG_AGO), retention.prune, sends]
        if turn % 2:
            deeds.append(partial(subscribing.end, actor=nora, subscriber=row))
        said = at_once(*deeds)
        assert not [e for e in said if isinstance(e, Exception) and not isinstance(e, ExpediteError)], said
        while deliver():
            pass
        left = Message.objects.filter(subscriber=row)
        assert {each.state for each in left} <= {"sent", "dropped"}
        assert not left.exclude(before_replay="").exists()
        assert all(json.loads(body)["count"] for _headers, body in hook.got), "none is empty"


@pytest.mark.postgres
def test_of_a_hundred_thousand_messages_no_more_are_read_than_are_meant(
    postgres: None, nora: Actor, hooked: Subscriber
) -> None:
    other = subscribing.add_mail(actor=nora, address="noc@example.net")
    with connection.cursor() as cursor:
        # The older half is of one, the newer of the other: neither time nor subscriber alone finds the newest of the first.
        cursor.execute(
            "INSERT INTO provisioning_message (number, subscriber_id, state, attempts, next_at, refused, error, created_at,"
            " finished_at, before_replay) SELECT gen_random_uuid(), CASE WHEN n > 50000 THEN %s ELSE %s END, 'sent', 1,"
            " now(), false, '', now() - (100000 - n) * interval '1 second', now(), '' FROM generate_series(1, 100000) n",
            [other.pk, hooked.pk],
        )
        # Else it depends on when autovacuum comes by whether the join below takes a second or, loop in loop, half an hour.
        cursor.execute("ANALYZE provisioning_message")
        cursor.execute(
            "WITH noted AS (INSERT INTO provisioning_notification (topic, subject, at, title, text, path, told_at)"
            " SELECT 'push-failed', 'message ' || id, created_at, 't', '', '', created_at FROM provisioning_message"
            " RETURNING id, subject) INSERT INTO provisioning_telling (notification_id, subscriber_id, message_id)"
            " SELECT noted.id, m.subscriber_id, m.id FROM noted JOIN provisioning_message m ON noted.subject = 'message ' || m.id"
        )
        cursor.execute("ANALYZE")
    now = timezone.now()
    since, until = now - timedelta(hours=20), now - timedelta(hours=19)
    newest = reading.messages_of(hooked)[:50]
    meant = reading.made_between(hooked, since, until).order_by("created_at", "pk")[: MOST + 1]
    assert "messages_of_one_in_time" in newest.explain(), newest.explain()
    for rows in (newest, meant):
        plan = rows.explain(analyze=True)
        assert "Seq Scan" not in plan, plan
        read = [int(found) for found in re.findall(r"provisioning_message .*?actual .*?rows=(\d+)", plan)]
        assert read and max(read) < 2 * MOST, plan
    with pytest.raises(InvalidInput, match="3600 messages are of that time"):
        foresee(subscriber=hooked, since=since, until=until)
    keys = list(reading.messages_of(hooked).values_list("pk", flat=True)[:MOST])
    Message.objects.filter(pk__in=keys).update(state="waiting", before_replay="sent")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE provisioning_message")
    plan = in_turn.due().explain(analyze=True)
    assert "Seq Scan" not in plan, plan
    assert gathering.gather() == [min(keys)]
