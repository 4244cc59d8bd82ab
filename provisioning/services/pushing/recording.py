"""What a push leaves behind as rows. Every step is its own short transaction; no router is spoken to in here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet

from provisioning.drivers.base import TranscriptLine
from provisioning.errors import StaleState
from provisioning.models import SYSTEM, Actor, Modification, PremiumRequest, RouterPush, Transcript
from provisioning.pipeline.change import ChangePlan, Phase
from provisioning.pipeline.states import ModificationState, PushState, RequestState
from provisioning.services import audit, clock, ingress, transitions
from provisioning.services.closing import close_if_over
from provisioning.services.leases import Lease
from provisioning.services.locking import locked
from provisioning.services.ownership import own
from provisioning.services.reading import Reading
from provisioning.services.resolution import lock_changes, resolve_unknown
from provisioning.services.snapshots import store_snapshot

IDLE = "push, locked out"
HANDED_OVER = "push, handed over"
UNDO_WENT_WRONG: Final = "; the undo went wrong too: "
TRIED_AGAIN: Final = "; it is tried again. "


def move(
    push: RouterPush,
    to_state: PushState,
    reason: str,
    *,
    actor: Actor = SYSTEM,
    from_states: Sequence[PushState] | None = None,
    **fields: Any,
) -> None:
    """Move a push along the table, from the state it was last seen in unless `from_states` says otherwise.

    Raises StaleState when somebody else moved it meanwhile. `push` carries the new state afterwards.
    """
    moved = transitions.move(
        model=RouterPush,
        pk=push.pk,
        from_states=from_states or (PushState(push.state),),
        to_state=to_state,
        actor=actor,
        reason=reason,
        beside=push,
        **fields,
    )
    bring_up_to_date(push, moved)


def bring_up_to_date(push: RouterPush, row: RouterPush) -> None:
    """Let `push` be as `row`, which was read with its change and its router, says it now."""
    for field in RouterPush._meta.concrete_fields:
        setattr(push, field.attname, getattr(row, field.attname))
    push.change, push.router = row.change, row.router


def begin(push: RouterPush, reading: Reading, health: dict[str, Any] | None) -> None:
    """APPROVED -> PUSHING, with what the router showed right before its first line, and how it fared."""
    with transaction.atomic():
        before = store_snapshot(push.router, reading)
        move(
            push,
            PushState.PUSHING,
            "read again and found as approved; sending the first line",
            before=before,
            health=health,
            line=0,
            started_at=clock.now(),
            error="",
            error_code="",
        )
        push.before = before


class NoLongerRight(StaleState):
    """A request that the push puts on is over by now, or one that it takes off is not."""


def still_right(push: RouterPush) -> None:
    """Raise NoLongerRight when a request that the push puts on is over, or one that it takes off is not. Only those
    that enter at its router: no other router has lines of theirs.

    Their rows are locked, in key order: none ends between this look and the state that says that lines are being sent.
    """
    entering = push.change.requests.filter(source_link__interface__router=push.router_id)
    members = list(entering.values_list("pk", flat=True))
    if not members:
        return
    off = {int(pk) for pk in push.change.takes_off}
    for row in locked(PremiumRequest.objects.filter(pk__in=members).order_by("pk")):
        live = RequestState(row.state) in (RequestState.ADMITTED, RequestState.ACTIVE)
        if live is (row.pk in off):
            what = "is not over" if live else f"is {row.state.lower().replace('_', ' ')} by now"
            raise NoLongerRight(f"{row.reference} {what}", field="requests")
    changing = [key for pk, key in push.change.modifies.items() if int(pk) in members]
    for each in Modification.objects.filter(pk__in=changing).exclude(state=ModificationState.ADMITTED):
        raise NoLongerRight(f"{each.reference} is {each.state.lower()} by now", field="requests")


def while_ours(push: RouterPush, lease: Lease) -> QuerySet[RouterPush]:
    """The row of a push as long as no other worker has taken its router over; none after that."""
    return RouterPush.objects.filter(pk=push.pk, router__lease__epoch=lease.epoch)


def progress(push: RouterPush, lease: Lease, line: int) -> None:
    """How many commands were answered so far; committed at once, so that whoever watches sees it.

    Without effect once another worker has taken the router over: then it counts.
    """
    while_ours(push, lease).update(line=line)
    push.line = line


def begin_undo(push: RouterPush, undo_from: int, code: str, reason: str, known: dict[str, Any]) -> None:
    """From here on nothing but the undo of `undo_from` commands may be sent, by whomever. `known` is how far it came."""
    with transaction.atomic():
        RouterPush.objects.filter(pk=push.pk).update(
            undo_from=undo_from, error=reason, error_code=code, verification=known
        )
        audit.record(
            actor=SYSTEM,
            action="push.undo",
            obj=push,
            reason=reason,
            before={"state": push.state, "line": push.line},
            after={"undo_from": undo_from},
        )
    push.refresh_from_db()


def open_transcript(push: RouterPush, purpose: str) -> Transcript:
    """Begin the record of a session: there from its first moment, so that a killed worker leaves a trace too."""
    return Transcript.objects.create(router=push.router, push=push, purpose=purpose)


def mark_idle(transcript: Transcript) -> None:
    """This session could not write a line: it says so, and is no try."""
    _mark(transcript, IDLE)


def mark_handed_over(transcript: Transcript) -> None:
    """The worker of this session was told to stop: another goes on, and this was no try either."""
    _mark(transcript, HANDED_OVER)


def _mark(transcript: Transcript, purpose: str) -> None:
    transcript.purpose = purpose
    Transcript.objects.filter(pk=transcript.pk).update(purpose=purpose)


def first_reason(push: RouterPush) -> str:
    """Why lines are taken back, without what was said of an undo before this one."""
    return push.error.partition(UNDO_WENT_WRONG)[0].rpartition(TRIED_AGAIN)[2]


def tries(push: RouterPush) -> int:
    """In how many sessions lines of this push could have been sent, this one included."""
    return push.transcripts.exclude(purpose__in=(IDLE, HANDED_OVER)).count()


def write_transcript(transcript: Transcript, lines: Sequence[TranscriptLine]) -> list[list[Any]]:
    """Store what was said so far; the driver has removed the secrets. Returns what was stored."""
    said = [[round(line.at_offset_s, 3), line.direction, line.text] for line in lines]
    transcript.digest = audit.transcript_digest(said)
    Transcript.objects.filter(pk=transcript.pk).update(lines=said, digest=transcript.digest)
    return said


def close_transcript(push: RouterPush, transcript: Transcript, lines: Sequence[TranscriptLine]) -> None:
    """Store the whole of a session and put its digest into the audit trail."""
    with transaction.atomic():
        said = write_transcript(transcript, lines)
        audit.record(
            actor=SYSTEM,
            action="push.transcript",
            obj=push,
            reason=transcript.purpose,
            before=None,
            after={"transcript": transcript.pk, "digest": transcript.digest, "lines": len(said)},
        )


def verified(
    push: RouterPush,
    plan: ChangePlan,
    reading: Reading,
    *,
    reason: str,
    saved: bool,
    error_code: str,
    verification: dict[str, Any],
    counters: Any,
) -> None:
    """-> VERIFIED, with the ownership of every object the plan left on the router, in one transaction; `error_code`
    says why it is not saved.
    """
    now = clock.now()
    others = push.change.pushes.filter(router=push.router, phase=Phase.EDGES).exclude(pk=push.pk)
    with transaction.atomic():
        if not others.exclude(state=PushState.VERIFIED).exists():
            ingress.note_seen(push.change, push.router)
        lock_changes(push.router, push.change)
        list(locked(RouterPush.objects.filter(pk=push.pk)).values_list("pk"))
        own(push.router, plan)
        after = store_snapshot(push.router, reading)
        move(
            push,
            PushState.VERIFIED,
            reason,
            after=after,
            line=len(plan.commands),
            saved=saved,
            verification=verification,
            counters=counters,
            finished_at=now,
            error="",
            error_code=error_code,
        )
        resolve_unknown(push.router, push.change, reading.config)
        close_if_over(push.change)
        note_end(push)


def note_end(push: RouterPush) -> None:
    """Note, in the transaction that ends a push, that something follows from it: a worker may die before it is done."""
    RouterPush.objects.filter(pk=push.pk).update(follow_up_due=True)
    push.follow_up_due = True
