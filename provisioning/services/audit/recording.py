"""One event per deed, appended in the transaction of the deed, chained to the one before *about the same subject*.

Whoever acts on something else neither waits nor is waited for. What puts all events in one order comes afterwards
(`sealing`); until then nothing that was committed is outside a chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, models
from django.db.models import Sum

from provisioning.models import Actor, AuditEvent, AuditSubject, AuditWaiting
from provisioning.services import clock
from provisioning.services.audit import sealing
from provisioning.services.audit.sealing import GENESIS
from provisioning.services.audit.subjects import digests_of_subjects
from provisioning.services.audit.values import clean, instant, plain, sha256_of
from provisioning.services.copying import insert_all

_GATHERED: ContextVar[list[AuditEvent] | None] = ContextVar("events gathered", default=None)

# How a digest is made: the first way had one chain for everything, and is how old events are verified.
_SECOND = 2

# Locks the subjects' rows, made if need be, and says the number of each event and the moment under its lock: along a chain
# both grow. The number is the event's key; one that was rolled back leaves a gap.
_APPEND = """
INSERT INTO provisioning_auditsubject (object_type, object_id, length, digest) VALUES {rows}
ON CONFLICT (object_type, object_id) DO UPDATE SET length = provisioning_auditsubject.length
RETURNING object_type, object_id, length, digest
"""
_NEXT_POSTGRESQL = "nextval(pg_get_serial_sequence('provisioning_auditevent', 'id'))"
_NEXT_SQLITE = "SELECT COALESCE(MAX(id), 0) + 1 FROM provisioning_auditevent"
# The same rows, held by now: where their chains end from here on.
_MOVE_ON = """
INSERT INTO provisioning_auditsubject (object_type, object_id, length, digest) VALUES {rows}
ON CONFLICT (object_type, object_id) DO UPDATE SET length = excluded.length, digest = excluded.digest
"""


@dataclass(frozen=True, slots=True)
class Deed:
    """What happened to one subject, as it is stored by now; `nren_ids` are the NRENs that may see it. Where ``is_plain``,
    before and after are as `plain` made them: of thousands that is done before anything is locked.
    """

    obj: models.Model
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    nren_ids: Iterable[int] = ()
    is_plain: bool = False

    @property
    def subject(self) -> tuple[str, str]:
        return self.obj._meta.object_name or "", str(self.obj.pk)


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
    deed = Deed(obj, before, after, nren_ids)
    return record_all(actor=actor, action=action, deeds=[deed], reason=reason)[0]


def record_all(*, actor: Actor, action: str, deeds: Sequence[Deed], reason: str = "") -> list[AuditEvent]:
    """Append an event for each of these deeds, all of one kind, and return them; as `record`, in a bounded number of
    statements.

    The places are locked in the order given: that of the subjects' keys. Raises ValueError for two deeds of one subject.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("an audit event belongs to the transaction of what it records")
    if not deeds:
        return []
    subjects = [deed.subject for deed in deeds]
    if len(set(subjects)) < len(subjects):
        raise ValueError("two deeds of one subject are two records")
    places, bound = _places(subjects), digests_of_subjects([deed.obj for deed in deeds])
    events = []
    for deed, (kind, key) in zip(deeds, subjects, strict=True):
        place = places[kind, key]
        event = AuditEvent(
            pk=place.sequence,
            sequence=place.sequence,
            at=place.at,
            actor=actor.label[:150],
            user_id=actor.user_id,
            via=actor.via.value,
            account=clean(actor.account)[:80],
            action=action[:60],
            object_type=kind,
            object_id=key,
            object_label=clean(str(deed.obj))[:200],
            nren_ids=sorted(set(deed.nren_ids)),
            reason=clean(reason),
            before=deed.before if deed.is_plain or deed.before is None else plain(deed.before),
            after=deed.after if deed.is_plain or deed.after is None else plain(deed.after),
            chain_index=place.length + 1,
            subject_digest=bound.get((kind, key), ""),
            previous_digest=place.digest,
        )
        event.digest = digest_of(event)
        events.append(event)
    insert_all(AuditEvent, events)
    if (gathered := _GATHERED.get()) is not None:
        gathered.extend(events)
    _execute(
        _MOVE_ON,
        [
            (*subject, event.chain_index, event.digest)
            for subject, event in zip(subjects, events, strict=True)
        ],
    )
    if connection.vendor == "sqlite":
        # One writer at a time: nobody waits for anybody who would not have waited anyhow.
        sealing.append(events, at=events[-1].at)
    else:
        AuditWaiting.objects.bulk_create(AuditWaiting(event_id=event.pk) for event in events)
    return events


@contextmanager
def gathered() -> Iterator[list[AuditEvent]]:
    """Gather the events that are recorded inside; some may have been rolled back by the end."""
    found: list[AuditEvent] = []
    before = _GATHERED.set(found)
    try:
        yield found
    finally:
        _GATHERED.reset(before)
        if (outer := _GATHERED.get()) is not None:
            outer.extend(found)


def length_of(subjects: Iterable[tuple[str, str]]) -> int:
    """How many events the chains of these subjects have in all; 0 where nothing ever happened to any."""
    keys: dict[str, list[str]] = {}
    for kind, key in subjects:
        keys.setdefault(kind, []).append(key)
    lengths = (
        AuditSubject.objects.filter(object_type=kind, object_id__in=of_kind).aggregate(all=Sum("length"))[
            "all"
        ]
        for kind, of_kind in keys.items()
    )
    return sum(length or 0 for length in lengths)


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
    if event.account:  # an event of before the account was kept, or of no command, says what it always said
        said.append({"account": event.account})
    if event.chain_index is not None:
        said += [_SECOND, event.chain_index, event.subject_digest]
    return sha256_of(said)


def _places(subjects: Sequence[tuple[str, str]]) -> dict[tuple[str, str], _Place]:
    rows = [(*subject, 0, GENESIS) for subject in subjects]
    now = clock.ASKED[connection.vendor]
    if connection.vendor == "postgresql":
        append = f"{_APPEND.rstrip()}, {_NEXT_POSTGRESQL}, {now}"
        return {
            (kind, key): _Place(length, digest, sequence, clock.read(at))
            for kind, key, length, digest, sequence, at in _execute(append, rows)
        }
    found = {(kind, key): (length, digest) for kind, key, length, digest in _execute(_APPEND, rows)}
    ((first, at),) = _execute(f"SELECT ({_NEXT_SQLITE}), {now}", ())
    return {
        subject: _Place(*found[subject], first + number, clock.read(at))
        for number, subject in enumerate(subjects)
    }


def _execute(statement: str, rows: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Run a statement with these rows in the place of `{rows}`; what it returns."""
    values = ", ".join(["(%s, %s, %s, %s)"] * len(rows))
    with connection.cursor() as cursor:
        cursor.execute(statement.format(rows=values), [value for row in rows for value in row] or None)
        return cursor.fetchall() if cursor.description else []
