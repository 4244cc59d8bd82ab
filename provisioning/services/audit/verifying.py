"""Reading the whole trail: every chain, every seal, and the rows that events bind; changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from provisioning.models import (
    AuditEvent,
    AuditHead,
    AuditSeal,
    AuditSubject,
    Rehearsal,
    RouterPush,
    Transcript,
)
from provisioning.services import clock
from provisioning.services.audit.recording import digest_of
from provisioning.services.audit.sealing import GENESIS, OLD_CHAIN, SEALS, seal_digest
from provisioning.services.audit.sealing import head as head_of_seals
from provisioning.services.audit.subjects import push_digests, request_digests
from provisioning.services.audit.values import transcript_digest

LATE = timedelta(hours=1)
"""A seal comes within seconds. One that comes later than this was withheld, or nothing ran that seals."""


_WORDS = {"PremiumRequest": "request", "RouterPush": "plan of the push"}
"""The kinds of subject whose rows are bound, in words."""


@dataclass(frozen=True)
class Fault:
    """Where the trail does not hold (the number of an event), and what is wrong there."""

    sequence: int
    reason: str


@dataclass(frozen=True)
class ChainCheck:
    """The outcome of reading the whole trail: how many events, the last digest of the seals, to be noted elsewhere, and
    how many events are committed and wait for their seal.
    """

    length: int
    digest: str
    faults: tuple[Fault, ...]
    waiting: int = 0

    @property
    def intact(self) -> bool:
        """True when nothing was edited, removed, inserted or reordered."""
        return not self.faults


@dataclass
class _Read:
    """What the chains said, for what is checked after them."""

    sealed: dict[int, tuple[bytes, datetime]] = field(default_factory=dict)
    bound: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    transcripts: dict[int, tuple[int, str]] = field(default_factory=dict)
    pruned: dict[int, str] = field(default_factory=dict)
    plans_pruned: dict[int, str] = field(default_factory=dict)
    rehearsals: dict[int, tuple[int, str]] = field(default_factory=dict)
    rehearsals_pruned: dict[int, str] = field(default_factory=dict)
    old: int = 0


def verify_chain(*, noted: str = "") -> ChainCheck:
    """Read every event and every seal and say where the trail breaks.

    `noted` is a head that was noted earlier: it has to be in the trail still. That finds what nothing inside the database
    can: a tail that was cut off together with its head.
    """
    read = _Read()
    faults = [*_old_chain(read), *_chains(read), *_subjects(read), *_transcripts(read), *_rehearsals(read)]
    seals = _Seals(read)
    faults += seals.faults()
    if noted and not holds(noted):
        faults.append(
            Fault(
                seals.length,
                f"the head {noted[:16]}... was noted and is not here: the trail was cut or made anew",
            )
        )
    length = read.old + len(read.sealed)
    return ChainCheck(length, head_of_seals()[1], tuple(faults), seals.waiting)


def holds(head: str) -> bool:
    """Whether a head that was noted is part of the trail: the digest of a seal, or of an event of the old chain."""
    return (
        head == GENESIS
        or AuditSeal.objects.filter(digest=head).exists()
        or AuditEvent.objects.filter(chain_index=None, digest=head).exists()
    )


def _old_chain(read: _Read) -> Iterator[Fault]:
    """The one chain of every event from before chains were per subject, and its head, which does not move any more."""
    previous, expected = GENESIS, 1
    for event in AuditEvent.objects.filter(chain_index=None).order_by("sequence").iterator(chunk_size=500):
        if event.sequence != expected:
            yield Fault(expected, f"events {expected} to {event.sequence - 1} are missing")
        if event.previous_digest != previous:
            yield Fault(event.sequence, "does not follow the event before it")
        if event.digest != digest_of(event):
            yield Fault(event.sequence, "was changed after it was written")
        previous, expected = event.digest, event.sequence + 1
        read.old += 1
        _note(read, event)
    head = AuditHead.objects.filter(pk=OLD_CHAIN).first()
    sequence, digest = (head.sequence, head.digest) if head is not None else (0, GENESIS)
    if (sequence, digest) != (expected - 1, previous):
        yield Fault(expected - 1, f"the head says {sequence} events: the end of the first chain was altered")


def _chains(read: _Read) -> Iterator[Fault]:
    """The chain of each subject, against what its own row says of its length and end."""
    ends = {
        (row.object_type, row.object_id): (row.length, row.digest)
        for row in AuditSubject.objects.iterator(chunk_size=1000)
    }
    here: dict[tuple[str, str], tuple[int, str, int]] = {}
    events = AuditEvent.objects.exclude(chain_index=None).order_by("sequence")
    for event in events.iterator(chunk_size=500):
        subject = (event.object_type, event.object_id)
        length, digest, _ = here.get(subject, (0, GENESIS, 0))
        if event.chain_index != length + 1 or event.previous_digest != digest:
            yield Fault(event.sequence, f"does not follow the event before it about {event.object_label}")
        if event.digest != digest_of(event):
            yield Fault(event.sequence, "was changed after it was written")
        here[subject] = (event.chain_index or 0, event.digest, event.sequence)
        read.sealed[event.pk] = (event.digest.encode(), event.at)
        _note(read, event)
    for subject in sorted(ends.keys() | here.keys()):
        length, digest, sequence = here.get(subject, (0, GENESIS, 0))
        if ends.get(subject) != (length, digest):
            yield Fault(sequence, f"the end of the chain of {' '.join(subject)} was altered")


def _note(read: _Read, event: AuditEvent) -> None:
    """Keep what the event binds. What somebody else wrote into it is a fault of the chain and tells nothing here."""
    if event.subject_digest and event.object_type in _WORDS:
        read.bound[event.object_type, event.object_id] = (event.sequence, event.subject_digest)
    try:
        if event.action == "push.transcript":
            read.transcripts[int(event.after["transcript"])] = (event.sequence, str(event.after["digest"]))  # type: ignore[index]
        elif event.action == "change.rehearsed":
            read.rehearsals[int(event.after["rehearsal"])] = (event.sequence, str(event.after["digest"]))  # type: ignore[index]
        elif event.action == "retention.prune":
            kinds = {
                "transcripts": read.pruned,
                "plans": read.plans_pruned,
                "rehearsals": read.rehearsals_pruned,
            }
            gone = kinds.get(event.after["kind"], {})  # type: ignore[index]
            gone.update((int(key), str(digest)) for key, digest in event.after["rows"])  # type: ignore[index]
    except (KeyError, TypeError, ValueError):
        return


def _subjects(read: _Read) -> Iterator[Fault]:
    """Requests and approved plans as they are stored, against what the last event about each bound."""
    # Here and below: what reads plans loads the planner, and every command loads this module.
    from provisioning.selectors.plans import edited, is_emptied

    now = {"PremiumRequest": request_digests(), "RouterPush": push_digests()}
    for (kind, key), (sequence, bound) in read.bound.items():
        found = now[kind].get(int(key) if key.isdecimal() else 0)
        if found is None:
            yield Fault(sequence, f"the {_WORDS[kind]} it is about is gone")
        elif found != bound:
            yield Fault(sequence, f"the {_WORDS[kind]} it is about was changed since, past the trail")
    keys = {
        int(key): sequence
        for (kind, key), (sequence, _) in read.bound.items()
        if kind == "RouterPush" and key.isdecimal()
    }
    for push in edited(
        RouterPush.objects.filter(pk__in=keys).defer("conflicts", "verification", "counters", "health")
    ):
        pruned = read.plans_pruned.get(push.pk) == push.plan_digest and is_emptied(push)
        if not pruned:
            yield Fault(keys[push.pk], "the text of the plan it is about is not the one that was approved")


def _transcripts(read: _Read) -> Iterator[Fault]:
    stored = Transcript.objects.filter(pk__in=read.transcripts).values_list("pk", "lines")
    found = {pk: transcript_digest(lines) for pk, lines in stored.iterator(chunk_size=50)}
    for pk, (sequence, digest) in read.transcripts.items():
        if found.get(pk, read.pruned.get(pk)) != digest:
            what = "was changed" if pk in found else "is gone, and nothing says that it was pruned"
            yield Fault(sequence, f"the transcript {pk} {what}")


def _rehearsals(read: _Read) -> Iterator[Fault]:
    """What became of the pushes that were rehearsed, as it is stored, against what the trail says of it."""
    from provisioning.selectors.rehearsals import digest_of as rehearsal_digest

    found = {row.pk: rehearsal_digest(row) for row in Rehearsal.objects.filter(pk__in=read.rehearsals)}
    for pk, (sequence, digest) in read.rehearsals.items():
        if found.get(pk, read.rehearsals_pruned.get(pk)) != digest:
            what = "was changed" if pk in found else "is gone, and nothing says that it was pruned"
            yield Fault(sequence, f"the rehearsal {pk} {what}")


class _Seals:
    """The seals, in their order, each on the one before; and what has none."""

    def __init__(self, read: _Read) -> None:
        self._read = read
        self.length = 0
        self.waiting = 0

    def faults(self) -> Iterator[Fault]:
        old = AuditHead.objects.filter(pk=OLD_CHAIN).first()
        position, previous = (old.sequence, old.digest) if old is not None else (0, GENESIS)
        left = dict(self._read.sealed)
        for seal in AuditSeal.objects.order_by("position").iterator(chunk_size=1000):
            position += 1
            found = left.pop(seal.event_id, None)
            if found is None:
                yield Fault(seal.event_id, "is sealed and missing, or sealed twice")
            elif seal.digest != seal_digest(seal, found[0].decode()):
                yield Fault(seal.event_id, "is not what was sealed")
            elif seal.sealed_at - found[1] > LATE:
                yield Fault(seal.event_id, f"was sealed {seal.sealed_at - found[1]} after it was written")
            if (seal.position, seal.previous_digest) != (position, previous):
                yield Fault(seal.event_id, "its seal does not follow the seal before it")
            position, previous = seal.position, seal.digest
        self.length = position
        head = AuditHead.objects.filter(pk=SEALS).first()
        if head is None:
            if position != (old.sequence if old is not None else 0):
                yield Fault(position, "the head of the seals is gone")
        elif (head.sequence, head.digest) != (position, previous):
            yield Fault(position, f"the head says {head.sequence} events: the end of the trail was altered")
        now = clock.now()
        self.waiting = len(left)
        for pk, (_, at) in left.items():
            if now - at > LATE:
                yield Fault(
                    pk, f"has had no seal for {now - at}: was it taken away, or does nothing run that seals?"
                )
