"""The page of who is told: what is shown of each, what may be pressed, and that no secret comes back."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from inventory.models import Nren
from provisioning.models import Message, Notification, Subscriber, Telling, Topic
from provisioning.services.telling import replaying
from tests.web.test_changes import page
from tests.web.world import World

As = Callable[[str], Client]
URL = "/notifications/"


def happened(to: Subscriber | None = None, **more: object) -> Notification:
    fields = {"topic": Topic.PUSH_FAILED, "subject": "push/1", "title": "CHG-1 on nl6 failed", **more}
    row = Notification.objects.create(at=timezone.now(), **fields)
    if to is not None:
        Telling.objects.create(notification=row, subscriber=to)
    return row


@pytest.fixture
def mail(world: World) -> Subscriber:
    Notification.objects.all().delete()
    return Subscriber.objects.create(channel="mail", address="noc@example.net")


def given_up(to: Subscriber, error: str = "smtp.example.net does not answer") -> Message:
    now = timezone.now()
    made = Message.objects.create(
        subscriber=to, state="given-up", attempts=150, error=error, next_at=now, created_at=now
    )
    Telling.objects.filter(notification=happened(to, subject=error)).update(message=made)
    return made


def test_that_nobody_is_told_is_said_plainly(world: World, as_user: As) -> None:
    text = page(as_user("nora"), URL)
    assert "Nobody." in text and "no person is called" in text
    assert "Add a mail address" in text and "Add a webhook" in text
    assert "Add a mail address" not in page(as_user("audrey"), URL)


def test_a_mail_address_is_added_and_tested_and_ended(world: World, as_user: As) -> None:
    nora = as_user("nora")
    wrong = nora.post(f"{URL}mail/", {"address": "nobody"}).content.decode()
    assert "is a mail address such as" in wrong and not Subscriber.objects.exists()
    answer = nora.post(f"{URL}mail/", {"address": "noc@example.net", "topics": ["bare-interface"]})
    assert answer.status_code == 302
    row = Subscriber.objects.get()
    assert (row.address, row.topics) == ("noc@example.net", ["bare-interface"])
    again = nora.post(f"{URL}mail/", {"address": "noc@example.net"}).content.decode()
    assert "is told already" in again
    text = page(nora, URL)
    assert "bare-interface" in text and f"{URL}{row.pk}/test/" in text
    nora.post(f"{URL}{row.pk}/test/")
    assert Message.objects.get().subscriber == row
    assert "A test by nora" in page(nora, URL)
    nora.post(f"{URL}{row.pk}/end/")
    row.refresh_from_db()
    assert row.ended_at is not None and f"{URL}{row.pk}/test/" not in page(nora, URL)


def test_a_webhooks_secret_is_shown_once_and_its_address_never(world: World, as_user: As) -> None:
    nora = as_user("nora")
    hook = {"url": "https://hooks.example.net/services/T0/B0/token"}
    made = nora.post(f"{URL}webhook/", hook)
    row = Subscriber.objects.get()
    assert made.status_code == 200 and row.secret in made.content.decode()
    assert made["Cache-Control"] == "private, no-store"
    text = page(nora, URL)
    assert "https://hooks.example.net/" in text
    assert "T0/B0/token" not in text and row.secret not in text
    inside = nora.post(f"{URL}webhook/", {"url": "https://10.0.0.1/"}).content.decode()
    assert "is an address inside" in inside and Subscriber.objects.count() == 1


def test_what_nobody_took_stands_on_top_with_the_reason_until_it_is_decided(
    world: World, as_user: As, mail: Subscriber
) -> None:
    first, second = given_up(mail), given_up(mail, "550 no such user <x@y>")
    nora = as_user("nora")
    text = page(nora, URL)
    assert "Given up: 2" in text and "smtp.example.net does not answer" in text
    assert "550 no such user &lt;x@y&gt;" in text, "what a server said is text"
    assert text.index("Given up: 2") < text.index("<h2>Who is told") < text.index("<h2>What happened")
    assert "2 messages given up" in page(nora, "/queue/")
    nora.post(f"{URL}messages/{first.pk}/again/")
    nora.post(f"{URL}messages/{second.pk}/let-go/")
    assert set(Message.objects.values_list("state", flat=True)) == {"waiting", "dropped"}
    assert "Given up" not in page(nora, URL)
    answer = nora.post(f"{URL}messages/{second.pk}/again/", follow=True).content.decode()
    assert "not given up" in answer


def test_an_auditor_sees_it_and_presses_nothing(world: World, as_user: As, mail: Subscriber) -> None:
    given_up(mail)
    text = page(as_user("audrey"), URL)
    assert "noc@example.net" in text and "Given up: 1" in text
    assert "<form" not in text.partition('id="main"')[2] and "Try again" not in text


def test_each_notification_leads_to_its_page_and_says_for_which_nren(
    world: World, as_user: As, mail: Subscriber
) -> None:
    request = world.requests["active"]
    for name in ("JANET", "GRNET"):
        happened(
            topic=Topic.DECIDED,
            subject=f"request/{request.pk}/{name}",
            title=f"{request.reference} was admitted",
            path=f"/requests/{request.pk}/",
            nren=Nren.objects.get(name=name),
        )
    happened(mail, title="<script>alert(1)</script>", subject="push/2")
    text = page(as_user("nora"), URL)
    assert "(for JANET)" in text and "(for GRNET)" in text
    assert "<script>alert(1)" not in text and "&lt;script&gt;" in text
    assert len(re.findall(rf'href="/requests/{request.pk}/"', text)) == 2


def sent(to: Subscriber, number: int = 3) -> list[Message]:
    """So many messages that it took, a day between them, the last a day ago."""
    made = []
    for each in range(number):
        at = timezone.now() - timedelta(days=number - each)
        message = Message.objects.create(
            subscriber=to, state="sent", attempts=1, next_at=at, created_at=at, finished_at=at
        )
        Telling.objects.filter(notification=happened(to, subject=f"push/{message.pk}")).update(
            message=message
        )
        made.append(message)
    return made


def typed(moment: datetime) -> str:
    """As a browser sends it: to the minute, in UTC."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M")


def test_what_one_was_sent_is_a_page_of_its_own(world: World, as_user: As, mail: Subscriber) -> None:
    _first, second, third = sent(mail)
    Message.objects.filter(pk=second.pk).update(state="given-up", error="550 no such user <x@y>")
    Message.objects.filter(pk=third.pk).update(state="waiting", before_replay="sent")
    other = Subscriber.objects.create(channel="webhook", address="https://hooks.example.net/")
    given_up(other, "503 of another")
    assert f'href="{URL}{mail.pk}/"' in page(as_user("nora"), URL)
    text = page(as_user("audrey"), f"{URL}{mail.pk}/")
    assert "550 no such user &lt;x@y&gt;" in text and "503 of another" not in text
    assert text.count("1 x push failed") == 3
    assert text.index("Waiting, again") < text.index("Given up</span>") < text.index("Sent</span>")
    assert "Send again" not in text, "an auditor looks"
    assert f"{URL}{mail.pk}/replay/" in page(as_user("nora"), f"{URL}{mail.pk}/")
    Subscriber.objects.filter(pk=mail.pk).update(ended_at=timezone.now())
    ended = page(as_user("nora"), f"{URL}{mail.pk}/")
    assert "told no more since" in ended and f"{URL}{mail.pk}/replay/" not in ended
    assert as_user("nora").get(f"{URL}999999/").status_code == 404


def test_sending_again_says_how_many_before_it_does(world: World, as_user: As, mail: Subscriber) -> None:
    rows, nora, where = sent(mail), as_user("nora"), f"{URL}{mail.pk}/replay/"
    asked = {"since": typed(rows[1].created_at - timedelta(hours=1)), "until": ""}
    assert "Send again to noc@example.net" in page(nora, where)
    shown = nora.post(where, asked).content.decode()
    assert "2 messages go again to noc@example.net." in shown
    assert 'name="seen" value="2"' in shown and 'name="do"' in shown
    assert not Message.objects.filter(state="waiting").exists(), "it is only shown"
    nora.post(where, {**asked, "do": "1"})
    assert not Message.objects.filter(state="waiting").exists(), "nobody said how many"
    sent(mail, 1)
    moved = nora.post(where, {**asked, "seen": "2", "do": "1"}).content.decode()
    assert "3 messages go again to noc@example.net." in moved, "there are others by now: it is asked again"
    assert not Message.objects.filter(state="waiting").exists()
    answer = nora.post(where, {**asked, "seen": "3", "do": "1"}, follow=True)
    assert answer.redirect_chain == [(f"{URL}{mail.pk}/", 302)]
    assert "3 messages go again: mail to noc@example.net." in answer.content.decode()
    assert Message.objects.filter(state="waiting", before_replay="sent").count() == 3
    again = " ".join(nora.post(where, {**asked, "seen": "3", "do": "1"}).content.decode().split())
    assert "Nothing to send again." in again and "3 of that time wait already" in again
    assert 'name="do"' not in again


def test_what_cannot_be_sent_again_is_said_at_its_field(
    world: World, as_user: As, mail: Subscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, nora, where = sent(mail), as_user("nora"), f"{URL}{mail.pk}/replay/"
    old, now = typed(rows[0].created_at - timedelta(days=1)), timezone.now()
    for asked, said in (
        ({}, "Say since when."),
        ({"since": "yesterday"}, "Write a day and a time in UTC"),
        ({"since": typed(now + timedelta(days=1))}, "Lies in the future: nothing was sent since then."),
        ({"since": old, "until": old}, "Is not after the beginning."),
        ({"since": old, "seen": "many"}, "whole number"),
    ):
        text = nora.post(where, {**asked, "do": "1"}).content.decode()
        assert said in text and "Nothing was sent." in text, (asked, said)
    monkeypatch.setattr(replaying, "MOST", 2)
    text = nora.post(where, {"since": old, "seen": "3", "do": "1"}).content.decode()
    assert "3 messages are of that time, and at most 2 are sent again at once" in text
    assert (
        rows[2].created_at.isoformat().replace("+", "&#43;") in text or rows[2].created_at.isoformat() in text
    )
    Subscriber.objects.filter(pk=mail.pk).update(ended_at=now)
    assert "is ended" in nora.post(where, {"since": old, "seen": "2", "do": "1"}).content.decode()
    assert not Message.objects.filter(state="waiting").exists()
    assert as_user("audrey").post(where, {"since": old, "seen": "3", "do": "1"}).status_code == 403
