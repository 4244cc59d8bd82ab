"""The audit trail: one event per deed, appended in the transaction of the deed, each chained to the one
before.

An event's digest covers all that it says and the digest before it, so an edit, a deletion or another order
shows up in ``verify_chain``. The head row remembers length and last digest: cutting off the tail shows up
too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from django.db import connection, models
from django.utils import timezone

from provisioning.models import Actor, AuditEvent, AuditHead
from provisioning.services.locking import locked

GENESIS = "0" * 64
_HEAD = 1
_LARGEST_VALUE = 20_000


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

    The head row is locked until that transaction ends, which is why this comes last in it (lock order: links,
    router leases, audit). ``nren_ids`` are the NRENs that may see the event. Raises RuntimeError outside a
    transaction: an event that can outlive its deed, or the deed its event, is a fault of the caller.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("an audit event belongs to the transaction of what it records")
    AuditHead.objects.get_or_create(pk=_HEAD)
    head = locked(AuditHead.objects.all()).get(pk=_HEAD)
    event = AuditEvent(
        sequence=head.sequence + 1,
        at=timezone.now(),
        actor=actor.label[:150],
        user_id=actor.user_id,
        via=actor.via.value,
        action=action[:60],
        object_type=obj._meta.object_name or "",
        object_id=str(obj.pk),
        object_label=_clean(str(obj))[:200],
        nren_ids=sorted(set(nren_ids)),
        reason=_clean(reason),
        before=None if before is None else plain(before),
        after=None if after is None else plain(after),
        previous_digest=head.digest,
    )
    event.digest = digest_of(event)
    event.save(force_insert=True)
    AuditHead.objects.filter(pk=_HEAD).update(sequence=event.sequence, digest=event.digest)
    return event


@dataclass(frozen=True)
class Fault:
    """Where the chain does not hold, and what is wrong there."""

    sequence: int
    reason: str


@dataclass(frozen=True)
class ChainCheck:
    """The outcome of reading the whole trail; ``digest`` is the last one, to be noted elsewhere."""

    length: int
    digest: str
    faults: tuple[Fault, ...]

    @property
    def intact(self) -> bool:
        """True when nothing was edited, removed, inserted or reordered."""
        return not self.faults


def verify_chain() -> ChainCheck:
    """Read every event from the first to the last and say where the chain breaks; changes nothing."""
    faults: list[Fault] = []
    previous, expected = GENESIS, 1
    for event in AuditEvent.objects.order_by("sequence").iterator(chunk_size=500):
        if event.sequence != expected:
            faults.append(Fault(expected, f"events {expected} to {event.sequence - 1} are missing"))
        if event.previous_digest != previous:
            faults.append(Fault(event.sequence, "does not follow the event before it"))
        if event.digest != digest_of(event):
            faults.append(Fault(event.sequence, "was changed after it was written"))
        previous, expected = event.digest, event.sequence + 1
    head = AuditHead.objects.filter(pk=_HEAD).first()
    sequence, digest = (head.sequence, head.digest) if head is not None else (0, GENESIS)
    if (sequence, digest) != (expected - 1, previous):
        faults.append(
            Fault(expected - 1, f"the head says {sequence} events: the end of the trail was altered")
        )
    return ChainCheck(expected - 1, previous, tuple(faults))


def digest_of(event: AuditEvent) -> str:
    """SHA-256 in hex over everything the event says and the digest of the one before it."""
    said = [
        event.sequence,
        event.at.astimezone(UTC).isoformat(timespec="microseconds"),
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
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def plain(value: Any) -> Any:
    """``value`` as JSON that every database gives back unchanged.

    Rows become their primary key, instants ISO 8601, fractions text (databases spell floats differently), and
    what is larger than 20 kB its size and SHA-256.
    """
    made = _plain(value)
    if isinstance(made, dict):
        return {key: _bounded(part) for key, part in made.items()}
    return _bounded(made)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, models.Model):
        return value.pk
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC).isoformat()
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {_clean(str(key)): _plain(part) for key, part in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((_plain(part) for part in value), key=str)
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return _clean(str(value))


def _bounded(value: Any) -> Any:
    text = json.dumps(value, sort_keys=True)
    if len(text) <= _LARGEST_VALUE:
        return value
    return {"bytes": len(text), "sha256": hashlib.sha256(text.encode()).hexdigest()}


def _clean(text: str) -> str:
    """Text that every database stores: PostgreSQL takes neither NUL nor half a surrogate pair."""
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode("utf-8")
