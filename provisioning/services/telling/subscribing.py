"""Who is told: set by the NOC, with an audit event; and what a person does about messages that nobody took."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from inventory.models import Nren
from provisioning.errors import Conflict, InvalidInput
from provisioning.models import (
    Actor,
    Channel,
    Message,
    MessageState,
    Notification,
    Subscriber,
    Telling,
    Topic,
    Verb,
)
from provisioning.selectors.authority import permit
from provisioning.services import audit
from provisioning.services.locking import locked
from provisioning.services.telling.webhooks import checked_url

SHORTEST_SECRET, LONGEST_SECRET = 16, 200


def add_mail(
    *, actor: Actor, address: str, topics: Collection[str] = (), nren: Nren | None = None
) -> Subscriber:
    """Tell a mail address from now on. Raises NotPermitted, InvalidInput, Conflict where it is told already."""
    _noc(actor)
    address = address.strip()
    try:
        if not address.isascii():
            raise ValidationError("not ASCII")
        validate_email(address)
    except ValidationError as error:
        raise InvalidInput("is a mail address such as noc@example.net, in ASCII", field="address") from error
    try:
        return _added(actor, Subscriber(channel=Channel.MAIL, address=address, **_what(topics, nren)))
    except IntegrityError as error:
        raise Conflict(f"{address} is told already") from error


def add_webhook(
    *,
    actor: Actor,
    url: str,
    secret: str | None = None,
    topics: Collection[str] = (),
    nren: Nren | None = None,
) -> tuple[Subscriber, str]:
    """Call a webhook from now on; returns the secret that its messages are signed with, which is shown this once. One is drawn
    where none is given.

    Raises NotPermitted, InvalidInput.
    """
    _noc(actor)
    url = checked_url(url)
    secret = secrets.token_urlsafe(32) if secret is None else checked_secret(secret)
    made = Subscriber(
        channel=Channel.WEBHOOK,
        address=_host_of(url),
        url=url,
        secret=secret,
        **_what(topics, nren),
    )
    return _added(actor, made), secret


def change(
    *,
    actor: Actor,
    subscriber: Subscriber,
    topics: Collection[str] | None = None,
    url: str | None = None,
    secret: str | None = None,
) -> Subscriber:
    """Tell this one of other topics, or call its webhook elsewhere or under another secret; None: as it is. What was put
    together goes there, too, from the next try on.

    Raises NotPermitted, InvalidInput, Conflict for one that is ended.
    """
    _noc(actor)
    with transaction.atomic():
        row = locked(Subscriber.objects.filter(pk=subscriber.pk).select_related("nren")).get()
        if row.ended_at is not None:
            raise Conflict(f"{row} is ended")
        if row.channel != Channel.WEBHOOK and (url is not None or secret is not None):
            raise InvalidInput("is of a webhook", field="url" if url is not None else "secret")
        before = _shown(row)
        if topics is not None:
            row.topics = _what(topics, row.nren)["topics"]
        if url is not None:
            row.url = checked_url(url)
            row.address = _host_of(row.url)
        if secret is not None:
            row.secret = checked_secret(secret)
        row.save(update_fields=["topics", "url", "address", "secret"])
        # That another secret holds is said; neither it nor the address behind the host is.
        also = {name: True for name, said in (("new_url", url), ("new_secret", secret)) if said is not None}
        audit.record(
            actor=actor, action="subscriber.change", obj=row, before=before, after=_shown(row) | also
        )
    return row


def end(*, actor: Actor, subscriber: Subscriber) -> None:
    """Tell this one no more; what waits for it is dropped. Twice is once. Raises NotPermitted."""
    _noc(actor)
    with transaction.atomic():
        row = locked(Subscriber.objects.filter(pk=subscriber.pk)).get()
        if row.ended_at is not None:
            return
        Subscriber.objects.filter(pk=row.pk).update(ended_at=Now(), url="", secret="")
        waiting = Message.objects.filter(subscriber=row, state=MessageState.WAITING)
        waiting.update(state=MessageState.DROPPED, finished_at=Now(), before_replay="")
        audit.record(actor=actor, action="subscriber.end", obj=row, before=_shown(row), after=None)
        Telling.objects.filter(subscriber=row, message=None).delete()


def test(*, actor: Actor, subscriber: Subscriber) -> Message:
    """Send a message that says nothing but that it is a test, at once. Raises NotPermitted, Conflict for one that is ended."""
    _noc(actor)
    with transaction.atomic():
        row = locked(Subscriber.objects.filter(pk=subscriber.pk)).get()
        if row.ended_at is not None:
            raise Conflict(f"{row} is ended")
        message = Message.objects.create(subscriber=row, next_at=Now(), created_at=Now())
        audit.record(actor=actor, action="subscriber.test", obj=row, after={"message": message.pk})
        note = Notification.objects.create(
            topic=Topic.TEST,
            subject=f"message/{message.pk}",
            at=Now(),
            told_at=Now(),
            title=f"A test by {actor.label}"[:300],
            text="Nothing happened: this says that you are told.",
            path="/notifications/",
        )
        Telling.objects.create(notification=note, subscriber=row, message=message)
    return message


def try_again(*, actor: Actor, message: Message) -> None:
    """Send a message that was given up, from the first try on. Raises NotPermitted, Conflict for one that is not."""
    _decide(actor, message, MessageState.WAITING, "message.try-again")


def let_go(*, actor: Actor, message: Message) -> None:
    """Say of a message that was given up that nobody needs it any more. Raises NotPermitted, Conflict."""
    _decide(actor, message, MessageState.DROPPED, "message.let-go")


def _decide(actor: Actor, message: Message, state: MessageState, action: str) -> None:
    _noc(actor)
    with transaction.atomic():
        row = locked(Message.objects.filter(pk=message.pk).select_related("subscriber")).get()
        if row.state != MessageState.GIVEN_UP:
            raise Conflict(f"{row} is {row.get_state_display().lower()}, not given up")
        if state == MessageState.WAITING and row.subscriber.ended_at is not None:
            raise Conflict(f"{row.subscriber} is ended")
        again = state == MessageState.WAITING
        Message.objects.filter(pk=row.pk).update(
            state=state,
            attempts=0 if again else row.attempts,
            refused=False,
            next_at=Now(),
            finished_at=None if again else Now(),
        )
        audit.record(
            actor=actor,
            action=action,
            obj=row,
            before={"state": row.state, "error": row.error},
            after={"state": state},
        )


def checked_secret(secret: str) -> str:
    """A secret that messages may be signed with; raises InvalidInput saying what is wrong with it."""
    if not (SHORTEST_SECRET <= len(secret) <= LONGEST_SECRET and secret.isascii() and secret.isprintable()):
        raise InvalidInput(
            f"is {SHORTEST_SECRET} to {LONGEST_SECRET} printable ASCII characters", field="secret"
        )
    return secret


def _host_of(url: str) -> str:
    return f"https://{urlsplit(url).netloc}/"[:254]


def _added(actor: Actor, row: Subscriber) -> Subscriber:
    with transaction.atomic():
        row.save(force_insert=True)
        audit.record(actor=actor, action="subscriber.add", obj=row, after=_shown(row))
    return row


def _what(topics: Collection[str], nren: Nren | None) -> dict[str, object]:
    """What somebody is told of. Raises InvalidInput for a topic there is not, or one that is not an NREN's."""
    known = [topic.value for topic in Topic if topic != Topic.TEST]
    if unknown := sorted(set(topics) - set(known)):
        raise InvalidInput(
            f"there is no topic {unknown[0]!r:.40}; there are {', '.join(known)}", field="topics"
        )
    if nren is not None and set(topics) - {Topic.DECIDED}:
        raise InvalidInput(
            "an NREN is told of decisions on its requests and of what is dropped of its traffic, and of nothing else",
            field="topics",
        )
    return {"topics": [topic for topic in known if topic in topics] if nren is None else [], "nren": nren}


def _shown(row: Subscriber) -> dict[str, object]:
    return {"channel": row.channel, "address": row.address, "topics": row.topics, "nren": row.nren_id}


def _noc(actor: Actor) -> None:
    permit(actor, Verb.NOTIFY)
