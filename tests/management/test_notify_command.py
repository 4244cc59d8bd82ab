"""`notify messages` and `notify replay`: what one was sent, and that again."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from provisioning.models import AuditEvent, Message, Notification, Subscriber, Telling
from provisioning.services.telling import replaying


@pytest.fixture
def hook(db: None) -> Subscriber:
    call_command("person", "nora", "--role", "noc", stdout=StringIO())
    call_command("person", "audrey", "--role", "auditor", stdout=StringIO())
    return Subscriber.objects.create(channel="webhook", address="https://hooks.example.net/")


def sent(to: Subscriber, number: int) -> list[Message]:
    """So many messages that it took, an hour between them, the last an hour ago."""
    made = []
    for each in range(number):
        at = timezone.now() - timedelta(hours=number - each)
        message = Message.objects.create(
            subscriber=to, state="sent", attempts=1, next_at=at, created_at=at, finished_at=at
        )
        note = Notification.objects.create(
            topic="push-failed", subject=f"push/{message.pk}", at=at, title="t"
        )
        Telling.objects.create(notification=note, subscriber=to, message=message)
        made.append(message)
    return made


def told(*words: object) -> str:
    out = StringIO()
    call_command("notify", *map(str, words), stdout=out)
    return out.getvalue()


def refused(*words: object) -> tuple[int, str]:
    with pytest.raises(CommandError) as error:
        told(*words)
    return error.value.returncode, str(error.value)


def test_what_one_was_sent_is_listed_the_newest_first(hook: Subscriber) -> None:
    first, second = sent(hook, 2)
    Message.objects.filter(pk=first.pk).update(state="given-up", error="503\x1b[2J")
    Message.objects.filter(pk=second.pk).update(state="waiting", before_replay="sent")
    newest, oldest = told("messages", hook.pk).splitlines()
    assert newest.startswith(f"{second.pk}: {second.created_at:%Y-%m-%d %H:%M:%S} UTC: ")
    assert newest.endswith(": waiting again: 1 x push-failed")
    assert oldest.endswith(": given-up: 1 x push-failed: 503\\x1b[2J")
    assert refused("messages", 999)[0] == 2
    assert refused("messages", "x") == (2, "'x' is no number of the list.")
    assert refused("messages")[0] == 2


def test_it_is_sent_again_by_whom_is_named(hook: Subscriber) -> None:
    rows = sent(hook, 3)
    since, until = rows[1].created_at.isoformat(), rows[2].created_at.isoformat()
    Message.objects.filter(pk=rows[0].pk).update(state="waiting")
    assert told("replay", hook.pk, "--since", since, "--until", until, "--as", "nora") == (
        "1 message again: webhook to https://hooks.example.net/.\n"
    )
    told_again = told("replay", hook.pk, "--since", "2020-01-01T00:00Z", "--as", "nora")
    assert told_again.startswith("1 message again: ") and "; 2 of that time waiting already." in told_again
    assert set(Message.objects.values_list("state", flat=True)) == {"waiting"}
    events = AuditEvent.objects.filter(action="subscriber.replay").order_by("sequence")
    assert [(event.actor, event.after["messages"]) for event in events] == [("nora", 1), ("nora", 1)]


def test_what_cannot_be_sent_again_is_refused_with_a_status(
    hook: Subscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent(hook, 3)
    old = ("--since", "2020-01-01T00:00Z")
    assert refused("replay", hook.pk, *old)[0] == 2, "nobody is named"
    assert refused("replay", hook.pk, "--as", "nora") == (2, "Say since when: --since INSTANT.")
    assert refused("replay", 999, *old, "--as", "nora")[0] == 2
    assert refused("replay", hook.pk, "--since", "2020-01-01T00:00", "--as", "nora")[0] == 1, "no offset"
    assert refused("replay", hook.pk, "--since", "2999-01-01T00:00Z", "--as", "nora")[0] == 2
    assert refused("replay", hook.pk, *old, "--until", "2019-01-01T00:00Z", "--as", "nora")[0] == 2
    assert refused("replay", hook.pk, *old, "--as", "audrey")[0] == 1, "an auditor looks"
    monkeypatch.setattr(replaying, "MOST", 2)
    status, said = refused("replay", hook.pk, *old, "--as", "nora")
    assert status == 2 and "3 messages are of that time, and at most 2" in said
    Subscriber.objects.update(ended_at=timezone.now())
    assert refused("replay", hook.pk, *old, "--as", "nora")[0] == 1
    assert set(Message.objects.values_list("state", flat=True)) == {"sent"}
