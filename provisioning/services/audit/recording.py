"""One event per deed, appended in the transaction of the deed, chained to the one before *about the same subject*.

Whoever acts on something else neither waits nor is waited for. What puts all events in one order comes afterwards
(`sealing`); until then nothing that was committed is outside a chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import connection, models

from provisioning.models import Actor, AuditEvent, AuditSubject, AuditWaiting
from provisioning.services import clock
from provisioning.services.audit import sealing
from provisioning.services.audit.sealing import GENESIS
from provisioning.services.audit.subjects import digest_of_subject
from provisioning.services.audit.values import clean, instant, plain, sha256_of

# How a digest is made: the first way had one chain for everything, and is how old events are verified.
_SECOND = 2

# Locks the subject's row, made if need be, and says the number of the event and the moment under that lock: along a chain
# both grow. The number is the event's key; one that was rolled back leaves a gap.
_APPEND = """
INSERT INTO provisioning_auditsubject (object_type, object_id, length, digest) VALUES (%s, %s, 0, %s)
ON CONFLICT (object_type, object_id) DO UPDATE SET length = provisioning_auditsubject.length
RETURNING length, digest
"""
_APPEND_POSTGRESQL = _APPEND.rstrip() + (
    ", nextval(pg_get_serial_sequence('provisioning_auditevent', 'id')), clock_timestamp()"
)

_NEXT_SQLITE = (
    f"SELECT (SELECT COALESCE(MAX(id), 0) + 1 FROM provisioning_auditevent), {clock.ASKED['sqlite']}"  # noqa: S608
)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the next event of a subject goes: after `length` others, number `sequence`, at the database's moment `at`."""

    length: int
    digest: str
    sequence: int
    at: datetime


def record(
    *,
    actor: Actor,
    action: str,
    obj: models.Model,
    reason: str = "",
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    nren_ids: Iterable[int] = (),
) -> AuditEvent:
    """Append an event about ``obj`` and return it; it stands or falls with the caller's transaction.

    The subject's place in the trail is locked until that transaction ends, which is why this comes last in it (lock
    order: docs/explanation/locks.md); call it once ``obj`` is stored as it will be, for the event binds its digest.
    ``nren_ids`` are the NRENs that may see the event. Raises RuntimeError outside a transaction: an event that can
    outlive its deed, or the deed its event, is a fault of the caller.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("an audit event belongs to the transaction of what it records")
    kind, key = obj._meta.object_name or "", str(obj.pk)
    place = _place(kind, key)
    event = AuditEvent(
        pk=place.sequence,
        sequence=place.sequence,
        at=place.at,
        actor=actor.label[:150],
        user_id=actor.user_id,
        via=actor.via.value,
        action=action[:60],
        object_type=kind,
        object_id=key,
        object_label=clean(str(obj))[:200],
        nren_ids=sorted(set(nren_ids)),
        reason=clean(reason),
        before=None if before is None else plain(before),
        after=None if after is None else plain(after),
        chain_index=place.length + 1,
        subject_digest=digest_of_subject(obj),
        previous_digest=place.digest,
    )
    event.digest = digest_of(event)
    event.save(force_insert=True)
    AuditSubject.objects.filter(object_type=kind, object_id=key).update(
        length=event.chain_index, digest=event.digest
    )
    if connection.vendor == "sqlite":
        # One writer at a time: nobody waits for anybody who would not have waited anyhow.
        sealing.append([event], at=event.at)
    else:
        AuditWaiting.objects.create(event_id=event.pk)
    return event


def digest_of(event: AuditEvent) -> str:
    """SHA-256 in hex over everything the event says and the digest of the one before it."""
    said = [
        event.sequence,
        instant(event.at),
        event.actor,
        event.user_id,
        event.via,
        event.action,
        event.object_type,
        event.object_id,
        event.object_label,
        event.nren_ids,
        event.reason,
        event.before,
        event.after,
        event.previous_digest,
    ]
    if event.chain_index is not None:
        said += [_SECOND, event.chain_index, event.subject_digest]
    return sha256_of(said)


def _place(kind: str, key: str) -> _Place:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_APPEND_POSTGRESQL, [kind, key, GENESIS])
            length, digest, sequence, at = cursor.fetchone()
            return _Place(length, digest, sequence, at.astimezone(UTC))
        cursor.execute(_APPEND, [kind, key, GENESIS])
        length, digest = cursor.fetchone()
        cursor.execute(_NEXT_SQLITE)
        sequence, at = cursor.fetchone()
    return _Place(length, digest, sequence, clock.read(at))
