"""Mail and webhooks: one message to one address, whatever its words are."""

from __future__ import annotations

import email
import json
from email import policy
from email.message import EmailMessage
from typing import Any

import pytest
from django.core import mail as outbox
from django.db import transaction
from django.utils import timezone

from provisioning.models import Channel, Message, Notification, Subscriber, Telling, Topic
from provisioning.services.telling import mail
from provisioning.services.telling.noting import Note, note
from provisioning.services.telling.writing import json_of, letter_of
from tests.fuzz.reading import steering
from tests.fuzz.values import SEED, Drawn, storable

FIELDS = {
    *(
        "Content-Type",
        "MIME-Version",
        "Content-Transfer-Encoding",
        "Subject",
        "From",
        "To",
        "Message-ID",
        "Date",
    ),
    "Auto-Submitted",
}


def tried(settings: Any, drawn: Drawn, count: int) -> None:
    """Tell of so many values, a few in each message; fails at the first message that is more or less than one."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    to = Subscriber.objects.create(channel=Channel.MAIL, address="noc@example.net")
    while drawn.tried.get("told", 0) < count:
        values = [storable(drawn.one()) for _ in range(1 + drawn.tried.get("told", 0) % 3)]
        message = Message.objects.create(subscriber=to, next_at=timezone.now(), created_at=timezone.now())
        _noted(message, values)
        letter = letter_of(message)
        where = (f"FUZZ_SEED={drawn.seed}", values)
        outbox.outbox = []
        mail.deliver(message, letter)
        (made,) = outbox.outbox
        raw = made.message().as_bytes()
        read: EmailMessage = email.message_from_bytes(raw, policy=policy.default)  # type: ignore[assignment]
        assert set(read.keys()) == FIELDS and len(read.keys()) == len(FIELDS), (*where, read.keys())
        assert read["To"] == "noc@example.net" and not read.is_multipart(), where
        assert made.recipients() == ["noc@example.net"], where
        assert read["Subject"].startswith("[Expedite] ") and not steering(read["Subject"]), where
        body = read.get_content()
        assert not steering(body.replace("\r\n", "\n")), (*where, steering(body))
        # SMTP: a dot alone ends a mail; Django's and smtplib's ways double it, and no line of ours is one.
        assert "." not in body.splitlines(), where
        posted = json.loads(json_of(message, letter))
        assert posted["count"] == len(values) == len(posted["notifications"]), where
        assert not steering("".join(each["title"] + each["text"] for each in posted["notifications"])), where
        drawn.count("told", 2 * len(values))
        Notification.objects.all().delete()


def _noted(message: Message, values: list[str]) -> None:
    """Each value as the title of one thing and the words of it."""
    with transaction.atomic():
        note(
            *(
                Note(Topic.PUSH_FAILED, f"push/{at}", f"CHG-1 on {value}", value)
                for at, value in enumerate(values)
            )
        )
    for row in Notification.objects.all():
        Telling.objects.create(notification=row, subscriber=message.subscriber, message=message)


def test_a_message_is_one_message(db: None, settings: Any) -> None:
    tried(settings, Drawn(SEED), 150)


@pytest.mark.deep
def test_messages_deeply(db: None, settings: Any) -> None:
    drawn = Drawn(SEED)
    tried(settings, drawn, 10_000)
    print(f"messages: seed {drawn.seed}, {drawn.tried}")
