"""The total order of the trail: one appender seals what was committed, one seal after the other, each on the one before.

What waits for a seal is found by its own row in a table of those that wait, never by "a number beyond the last one": a
number is given when an event is written, and who was given an earlier one may commit later.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import connection, transaction

from provisioning.models import AuditEvent, AuditHead, AuditSeal, AuditWaiting
from provisioning.services import clock
from provisioning.services.audit.values import instant, sha256_of
from provisioning.services.locking import locked

GENESIS = "0" * 64
OLD_CHAIN = 1
"""The head of the one chain that every event belonged to until chains were per subject; it does not move any more."""
SEALS = 2
"""The head of the seals: their number and the last digest."""
_AT_ONCE = 1000


def seal_waiting() -> int:
    """Seal what was committed and has no seal yet, in the order of its numbers; return how many events that were.

    One appender at a time: another one that comes meanwhile has nothing to do and returns 0.
    """
    done = 0
    while (sealed := _seal_some()) > 0:
        done += sealed
    return done


def _seal_some() -> int:
    if connection.vendor != "postgresql":
        return 0  # sealed in the transaction of the deed
    _head()
    with transaction.atomic():
        if locked(AuditHead.objects.filter(pk=SEALS), skip_locked=True).first() is None:
            return 0
        # One statement is one snapshot. Numbers grow along the chain of a subject, so a chain is never sealed out of order.
        waiting = AuditWaiting.objects.order_by("event_id").values("event_id")[:_AT_ONCE]
        events = list(AuditEvent.objects.filter(pk__in=waiting).order_by("pk").only("pk", "digest"))
        append(events, at=clock.now())
        AuditWaiting.objects.filter(event_id__in=[event.pk for event in events]).delete()
    return len(events)


def append(events: Iterable[AuditEvent], *, at: datetime) -> None:
    """Seal these events in this order, by the database's moment `at`, in the caller's transaction, which holds the head."""
    head = _head()
    seals = []
    position, digest = head.sequence, head.digest
    for event in events:
        position += 1
        seal = AuditSeal(position=position, event_id=event.pk, sealed_at=at, previous_digest=digest)
        digest = seal.digest = seal_digest(seal, event.digest)
        seals.append(seal)
    AuditSeal.objects.bulk_create(seals)
    AuditHead.objects.filter(pk=SEALS).update(sequence=position, digest=digest)


def seal_digest(seal: AuditSeal, event_digest: str) -> str:
    """SHA-256 (hex) over the seal's place, its event and moment, and the seal before it."""
    return sha256_of(
        [seal.position, seal.event_id, event_digest, instant(seal.sealed_at), seal.previous_digest]
    )


def head() -> tuple[int, str]:
    """How many events are sealed, and the last digest: to be noted elsewhere. Changes nothing."""
    for key in (SEALS, OLD_CHAIN):
        row = AuditHead.objects.filter(pk=key).first()
        if row is not None:
            return row.sequence, row.digest
    return 0, GENESIS


def _head() -> AuditHead:
    """The row of the seals' head; the first seal follows the last event of the old chain, if there was one."""
    row = AuditHead.objects.filter(pk=SEALS).first()
    if row is not None:
        return row
    old = AuditHead.objects.filter(pk=OLD_CHAIN).first()
    begins = {"sequence": 0, "digest": GENESIS}
    if old is not None:
        begins = {"sequence": old.sequence, "digest": old.digest}
    return AuditHead.objects.get_or_create(pk=SEALS, defaults=begins)[0]
