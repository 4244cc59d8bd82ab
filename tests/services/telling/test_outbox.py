"""The outbox: noted once, gathered into one message, sent until it is taken, over mail and webhook that really listen."""

from __future__ import annotations

import email
import hashlib
import hmac
import json
from datetime import timedelta
from email import policy
from email.message import EmailMessage
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from provisioning.errors import Conflict, InvalidInput, NotPermitted
from provisioning.models import (
    THE_ONE,
    Actor,
    AuditEvent,
    Installation,
    JobKind,
    Message,
    Notification,
    Subscriber,
    Telling,
    Topic,
)
from provisioning.services import jobs, patience
from provisioning.services.telling import gathering, noting, sending, subscribing, webhooks
from provisioning.services.telling.undelivered import Undelivered
from tests.services.in_threads import at_once
from tests.services.telling.conftest import deliver, happened, states
from tests.services.telling.listeners import Hook, Mailbox


def read(raw: bytes) -> EmailMessage:
    return email.message_from_bytes(raw, policy=policy.default)  # type: ignore[return-value]


def test_what_happens_is_mailed_once_however_often_it_is_noted(nora: Actor, mailbox: Mailbox) -> None:
    subscribing.add_mail(actor=nora, address="noc@example.net")
    for _ in range(3):
        happened(text="Left so by CH-7.")
        deliver()
    assert len(mailbox.taken) == 1
    mail = read(mailbox.taken[0])
    assert mail["Subject"] == "[Expedite] uk6 Serial1/0 input has no policy"
    assert mail["To"] == "noc@example.net"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert "Left so by CH-7." in mail.get_content()
    assert states() == ["sent"]


def test_what_is_over_and_comes_again_is_told_again(nora: Actor, mailbox: Mailbox) -> None:
    subscribing.add_mail(actor=nora, address="noc@example.net")
    happened()
    deliver()
    noting.over(Topic.BARE, ["router/1/a"])
    happened()
    deliver()
    assert len(mailbox.taken) == 2
    first, second = (read(raw)["Message-ID"] for raw in mailbox.taken)
    assert first != second


def test_what_is_rolled_back_is_told_to_nobody(nora: Actor, mailbox: Mailbox) -> None:
    subscribing.add_mail(actor=nora, address="noc@example.net")
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        noting.note(noting.Note(Topic.BARE, "router/1/a", "never"))
        raise ZeroDivisionError
    assert deliver() == []
    assert mailbox.taken == []


def test_a_note_outside_a_transaction_is_a_fault(nora: Actor) -> None:
    with pytest.raises(RuntimeError):
        noting.note(noting.Note(Topic.BARE, "router/1/a", "alone"))


def test_a_storm_is_two_messages_and_the_rest_is_counted(
    nora: Actor, mailbox: Mailbox, settings: Any
) -> None:
    settings.NOTIFY_WINDOW_SECONDS = 60
    subscribing.add_mail(actor=nora, address="noc@example.net")
    happened("CH-1 on r0 failed before its first line", "push/0", topic=Topic.PUSH_FAILED)
    deliver()
    for number in range(1, 150):
        happened(f"CH-1 on r{number} failed before its first line", f"push/{number}", topic=Topic.PUSH_FAILED)
        if number % 50 == 0:
            deliver()
    happened("r7 Serial1/0 input has no policy", "router/7")
    assert deliver() == []
    assert len(mailbox.taken) == 1
    Subscriber.objects.update(gathered_at=timezone.now() - timedelta(seconds=61))
    deliver()
    assert len(mailbox.taken) == 2
    mail = read(mailbox.taken[1])
    assert mail["Subject"] == (
        "[Expedite] 150 notifications: 1 x interface without a policy, 149 x push failed"
    )
    lines = mail.get_content().splitlines()
    assert "r7 Serial1/0 input has no policy" in lines[0], "the most urgent first"
    assert any("And 50 more" in line for line in lines)


def test_nothing_in_a_title_becomes_a_header(nora: Actor, mailbox: Mailbox) -> None:
    subscribing.add_mail(actor=nora, address="noc@example.net")
    happened("nl6\r\nBcc: thief@example.org\r\n\r\nhello\u202e \u2028x", text="% refused\r\nBcc: a\x00b")
    happened("Αθήνα: Δίκτυο – GRNET", "router/2")
    deliver()
    noting.over(Topic.BARE, ["router/2"])
    happened("Αθήνα: Δίκτυο – GRNET", "router/2")
    deliver()
    first, second = (read(raw) for raw in mailbox.taken)
    assert mailbox.recipients == [["noc@example.net"]] * 2
    assert first["Bcc"] is None and second["Bcc"] is None
    assert second["Subject"].strip() == "[Expedite] Αθήνα: Δίκτυο – GRNET"
    assert "nl6 Bcc: thief@example.org hello" in first.get_content()
    assert all(byte < 128 for byte in mailbox.taken[1].split(b"\r\n\r\n")[0])


def test_a_webhook_gets_json_that_it_can_check(nora: Actor, hook: Hook, settings: Any) -> None:
    settings.SITE_URL = "https://expedite.example.net/"
    row, secret = subscribing.add_webhook(actor=nora, url=hook.url)
    happened(path="/pushes/7/")
    assert deliver() == [f"{row}: sent at try 1"]
    headers, body = hook.got[0]
    said = json.loads(body)
    assert (said["count"], said["left_out"]) == (1, 0)
    assert said["notifications"][0]["topic"] == "bare-interface"
    assert said["notifications"][0]["url"] == "https://expedite.example.net/pushes/7/"
    assert headers["Expedite-Message"] == said["id"]
    at, made = (part.split("=")[1] for part in headers["Expedite-Signature"].split(","))
    assert hmac.compare_digest(
        made, hmac.new(secret.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest()
    )
    assert abs(int(at) - timezone.now().timestamp()) < 60


def test_what_a_failing_webhook_misses_comes_with_the_next_and_the_number_stays(
    nora: Actor, hook: Hook
) -> None:
    subscribing.add_webhook(actor=nora, url=hook.url)
    hook.answer = lambda number: 503 if number < 3 else 204
    happened()
    assert "answered 503" in deliver()[0]
    happened("second", "router/2")
    assert "answered 503" in deliver()[0], "the same message; no second one while nobody takes the first"
    deliver()
    assert states() == ["sent"]
    assert len({headers["Expedite-Message"] for headers, _body in hook.got}) == 1
    assert len({body for _headers, body in hook.got}) == 1
    deliver()
    assert json.loads(hook.got[-1][1])["notifications"][0]["title"] == "second"
    assert states() == ["sent", "sent"]


def test_a_message_that_is_turned_down_keeps_no_other_back_and_is_given_up(nora: Actor, hook: Hook) -> None:
    subscribing.add_webhook(actor=nora, url=hook.url)
    hook.answer = lambda number: 413 if number == 1 or number > 2 else 204
    happened()
    deliver()
    happened("second", "router/2")
    deliver()
    assert sorted(states()) == ["sent", "waiting"]
    for _ in range(sending.REFUSALS):
        deliver()
    assert sorted(states()) == ["given-up", "sent"]
    given_up = Message.objects.get(state="given-up")
    assert (given_up.attempts, given_up.error) == (sending.REFUSALS, "localhost answered 413")


def test_redirects_are_not_followed(nora: Actor, hook: Hook) -> None:
    subscribing.add_webhook(actor=nora, url=hook.url)
    hook.answer, hook.location = (lambda _number: 307), "https://localhost/elsewhere"
    happened()
    assert "answered 307: redirects are not followed" in deliver()[0]
    assert len(hook.got) == 1


def test_a_hook_that_does_not_answer_is_not_waited_for(nora: Actor, hook: Hook, settings: Any) -> None:
    settings.NOTIFY_TIMEOUT_SECONDS = 0.2
    subscribing.add_webhook(actor=nora, url=hook.url)
    hook.hold.clear()
    happened()
    assert "not sent" in deliver()[0]


def test_addresses_inside_are_called_only_where_the_machine_allows_it(
    nora: Actor, hook: Hook, settings: Any
) -> None:
    subscribing.add_webhook(actor=nora, url=hook.url)
    settings.WEBHOOK_HOSTS = []
    happened()
    assert "is an address inside" in deliver()[0]
    assert hook.got == []


@pytest.mark.parametrize(
    ("address", "inside"),
    [
        ("127.0.0.1", True),
        ("10.1.2.3", True),
        ("169.254.169.254", True),
        ("224.0.0.1", True),
        ("0.0.0.0", True),
        ("::1", True),
        ("fe80::1%eth0", True),
        ("fd00::1", True),
        ("::ffff:10.0.0.1", True),
        ("64:ff9b::a00:1", True),
        ("2002:a00:1::", True),
        ("fec0::1", True),
        ("feff::1", True),
        ("64:ff9b:1::1", True),
        ("64:ff9b:1::c2b1:d2d2", True),
        ("64:ff9b::7f00:1", True),
        ("64:ff9b::a9fe:a9fe", True),
        ("::10.0.0.1", True),
        ("::194.177.210.210", True),
        ("::ffff:0:10.0.0.1", True),
        ("::ffff:0:194.177.210.210", True),
        ("64:ff9b::c2b1:d2d2", False),
        ("194.177.210.210", False),
        ("2001:648:2ffc::1", False),
        ("::ffff:194.177.210.210", False),
    ],
)
def test_what_is_inside(address: str, inside: bool) -> None:
    assert webhooks.is_inside(address) is inside


def test_a_certificate_that_is_not_the_hosts_is_not_spoken_to(nora: Actor, hook: Hook, settings: Any) -> None:
    settings.WEBHOOK_CA_FILE = ""
    subscribing.add_webhook(actor=nora, url=hook.url)
    happened()
    assert "CERTIFICATE_VERIFY_FAILED" in deliver()[0]
    assert hook.got == []


def test_a_mail_server_that_is_away_is_tried_until_it_is_back_and_given_up_in_the_end(
    nora: Actor, mailbox: Mailbox, settings: Any
) -> None:
    settings.NOTIFY_TRIES = 4
    subscribing.add_mail(actor=nora, address="noc@example.net")
    port, settings.EMAIL_PORT = settings.EMAIL_PORT, 1
    happened()
    assert "ConnectionRefused" in deliver()[0]
    settings.EMAIL_PORT = port
    mailbox.answers = ["451 try later"]
    assert "451 try later" in deliver()[0]
    deliver()
    assert (len(mailbox.taken), states()) == (1, ["sent"])
    settings.EMAIL_PORT = 1
    happened("second", "router/2")
    said = [deliver()[0] for _ in range(4)]
    assert "given up after 4 tries" in said[-1]
    assert deliver() == []
    settings.EMAIL_PORT = port
    message = Message.objects.get(state="given-up")
    subscribing.try_again(actor=nora, message=message)
    deliver()
    assert states() == ["sent", "sent"]
    with pytest.raises(Conflict):
        subscribing.let_go(actor=nora, message=message)


def test_an_address_that_is_refused(nora: Actor, mailbox: Mailbox) -> None:
    subscribing.add_mail(actor=nora, address="gone@example.net")
    mailbox.rcpt = "550 no such user"
    happened()
    assert "550 no such user" in deliver()[0]
    assert Message.objects.get().refused


def test_without_a_mail_server_it_says_so(nora: Actor, mailbox: Mailbox, settings: Any) -> None:
    settings.EMAIL_HOST = ""
    subscribing.add_mail(actor=nora, address="noc@example.net")
    happened()
    assert "no mail server is set (EMAIL_HOST)" in deliver()[0]


def test_a_worker_that_dies_after_sending_leaves_a_message_that_comes_twice_and_is_one(
    nora: Actor, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribing.add_mail(actor=nora, address="noc@example.net")
    happened()
    (pk,) = gathering.gather()

    class Killed(BaseException):
        pass

    real = sending._waiting

    def killed(message: Message) -> Any:
        if message.attempts:
            raise Killed  # it was sent, and this worker does not live to say so
        return real(message)

    monkeypatch.setattr(sending, "_waiting", killed)
    with pytest.raises(Killed):
        sending.send(message_id=pk)
    monkeypatch.setattr(sending, "_waiting", real)
    assert (states(), Message.objects.get().attempts) == (["waiting"], 1)
    deliver()
    assert states() == ["sent"]
    assert len(mailbox.taken) == 2
    assert len({read(raw)["Message-ID"] for raw in mailbox.taken}) == 1


def test_who_is_told_of_what(six_for_all: None, nora: Actor, mailbox: Mailbox) -> None:
    from inventory.models import Nren

    grnet, janet = Nren.objects.get(name="GRNET"), Nren.objects.get(name="JANET")
    subscribing.add_mail(actor=nora, address="noc@example.net")
    subscribing.add_mail(actor=nora, address="save@example.net", topics=["not-saved"])
    subscribing.add_mail(actor=nora, address="grnet@example.net", nren=grnet)
    happened("bare", "a")
    happened("unsaved", "b", topic=Topic.NOT_SAVED)
    happened("PIP-1 was admitted", "c", topic=Topic.DECIDED, nren_id=grnet.pk)
    happened("PIP-1 was admitted", "d", topic=Topic.DECIDED, nren_id=janet.pk)
    deliver()
    got = {to[0]: read(raw).get_content() for to, raw in zip(mailbox.recipients, mailbox.taken, strict=True)}
    assert sorted(got) == ["grnet@example.net", "noc@example.net", "save@example.net"]
    assert "bare" in got["noc@example.net"] and "PIP-1" not in got["noc@example.net"]
    assert "bare" not in got["save@example.net"] and "unsaved" in got["save@example.net"]
    assert got["grnet@example.net"].count("PIP-1") == 1 and "bare" not in got["grnet@example.net"]


def test_a_restored_copy_tells_nobody_until_somebody_says_so(nora: Actor, mailbox: Mailbox) -> None:
    subscribing.add_mail(actor=nora, address="noc@example.net")
    happened()
    (pk,) = gathering.gather()
    Installation.objects.create(pk=THE_ONE, push_held="restored from a backup")
    assert gathering.gather() == []
    assert "restored from a backup" in sending.send(message_id=pk)
    assert mailbox.taken == []
    Installation.objects.update(held_by="nora")
    deliver()
    assert len(mailbox.taken) == 1, "a person who stops every push wants to know all the same"


def test_who_is_told_no_more_is_told_nothing_that_waits(nora: Actor, mailbox: Mailbox) -> None:
    row = subscribing.add_mail(actor=nora, address="noc@example.net")
    happened()
    gathering.gather()
    happened("second", "router/2")
    subscribing.end(actor=nora, subscriber=row)
    subscribing.end(actor=nora, subscriber=row)
    assert deliver() == []
    assert (states(), Telling.objects.filter(message=None).count()) == (["dropped"], 0)
    subscribing.add_mail(actor=nora, address="noc@example.net")
    assert deliver() == [], "what happened before is not for who comes later"
    assert AuditEvent.objects.filter(action="subscriber.end").count() == 1


@pytest.mark.parametrize(
    "url",
    [
        "http://example.net/x",
        "https://",
        "https://user:pw@example.net/",
        "https://example.net/#x",
        "https://exa mple.net/",
        "https://exämple.net/",
        "https://example.net/\r\nX: y",
        "https://example.net:99999/",
        "https://[::1/",
        "file:///etc/passwd",
        "https://a..b/",
        "https://.example.net/",
        f"https://{'a' * 64}.example.net/",
    ],
)
def test_an_address_that_is_not_called(nora: Actor, url: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        subscribing.add_webhook(actor=nora, url=url)
    assert raised.value.field == "url"


def test_a_host_that_no_name_service_can_be_asked_for_is_not_delivered_to() -> None:
    """`https://a..b/` was taken once, and may stand in the database."""
    with pytest.raises(Undelivered, match="has no address"):
        webhooks._connected("a..b", 443)


def test_a_host_may_end_with_a_dot_and_be_an_address() -> None:
    for url in ("https://example.net./", "https://[2001:648:2ffc::1]/", f"https://{'a' * 63}.net/"):
        assert webhooks.checked_url(url) == url


@pytest.mark.parametrize(
    "address", ["noc", "a@b\nBcc: c@d.net", "Noc <noc@example.net>", "a@b.net,c@d.net", "ä@b.net"]
)
def test_an_address_that_is_not_written_to(nora: Actor, address: str) -> None:
    with pytest.raises(InvalidInput):
        subscribing.add_mail(actor=nora, address=address)


def test_only_the_noc_says_who_is_told_and_an_address_is_told_once(nora: Actor, jane: Actor) -> None:
    with pytest.raises(NotPermitted):
        subscribing.add_mail(actor=jane, address="jane@example.net")
    row = subscribing.add_mail(actor=nora, address="noc@example.net")
    with pytest.raises(Conflict):
        subscribing.add_mail(actor=nora, address="noc@example.net")
    with pytest.raises(NotPermitted):
        subscribing.end(actor=jane, subscriber=row)
    with pytest.raises(InvalidInput):
        subscribing.add_mail(actor=nora, address="b@example.net", topics=["nothing"])


def test_a_secret_is_ciphertext_in_the_database_and_in_no_event(nora: Actor, hook: Hook) -> None:
    from django.db import connection

    row, secret = subscribing.add_webhook(actor=nora, url=hook.url)
    with connection.cursor() as cursor:
        cursor.execute("SELECT url, secret FROM provisioning_subscriber WHERE id = %s", [row.pk])
        url, stored = cursor.fetchone()
    assert "s3cret" not in url and secret not in stored
    assert row.address.endswith("/") and "s3cret" not in row.address
    event = AuditEvent.objects.get(action="subscriber.add")
    assert "s3cret" not in str(event.after) and secret not in str(event.after)


def test_a_test_goes_out_at_once_to_one(nora: Actor, mailbox: Mailbox) -> None:
    row = subscribing.add_mail(actor=nora, address="noc@example.net")
    subscribing.add_mail(actor=nora, address="other@example.net")
    subscribing.test(actor=nora, subscriber=row)
    deliver()
    assert mailbox.recipients == [["noc@example.net"]]
    assert Notification.objects.get().topic == Topic.TEST


def test_the_tick_makes_the_jobs(nora: Actor, mailbox: Mailbox) -> None:
    subscribing.add_mail(actor=nora, address="noc@example.net")
    happened()
    made = [job for job in jobs.tick() if job.kind == JobKind.NOTIFY]
    assert len(made) == 1
    assert [job for job in jobs.tick() if job.kind == JobKind.NOTIFY] == []


def test_ticks_at_the_same_instant_tell_each_thing_once(
    nora: Actor, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "pause_after", patience.pause_after)
    subscribing.add_mail(actor=nora, address="noc@example.net")
    for number in range(20):
        happened(f"push {number}", f"push/{number}", topic=Topic.PUSH_FAILED)
    said = at_once(*[gathering.gather] * 4)
    assert not [each for each in said if isinstance(each, Exception)], said
    gathering.gather()
    assert Telling.objects.count() == 20
    assert not Telling.objects.filter(message=None).exists()
    assert Message.objects.count() == 1
    (pk,) = gathering.gather()
    said = at_once(*[partial(sending.send, message_id=pk)] * 4)
    assert sum("sent at try 1" in str(each) for each in said) == 1, said
    assert len(mailbox.taken) == 1


def test_the_page_shows_how_a_receiver_checks_a_signature(nora: Actor, hook: Hook) -> None:
    page = (Path(__file__).parents[3] / "docs/howto/be-told.md").read_text()
    shown: dict[str, Any] = {}
    exec(page.split("```python\n")[1].split("```")[0], shown)
    _row, secret = subscribing.add_webhook(actor=nora, url=hook.url)
    happened()
    deliver()
    headers, body = hook.got[0]
    genuine = shown["genuine"]
    assert genuine(headers["Expedite-Signature"], body, secret)
    assert not genuine(headers["Expedite-Signature"], body + b" ", secret)
    assert not genuine(headers["Expedite-Signature"], body, "another")
    assert not genuine(webhooks.signature(secret, body, 1_000_000_000), body, secret), "it is old"
