"""What people do to a change: approve exactly what they saw, release it, cancel it."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from provisioning.errors import Conflict, InvalidInput, NotPermitted, PushDisabled, StaleState
from provisioning.models import SYSTEM, Actor, Change, RouterPush
from provisioning.pipeline.change import PushState
from provisioning.selectors.plans import plan_of
from provisioning.selectors.pushing import why_no_push
from provisioning.services import approval, audit, intents, transitions
from provisioning.services.locking import locked
from provisioning.services.resolution import close_if_over
from provisioning.services.wording import reason_text

APPROVABLE = frozenset({PushState.PLANNED})
CANCELLABLE = frozenset({PushState.PLANNED, PushState.APPROVED})


def approve(
    *,
    actor: Actor,
    change: Change,
    confirm_gaps: bool = False,
    override: str = "",
    reason: str = "",
    save_others_edits: bool = False,
    seen: str | None = None,
) -> Change:
    """Approve every router of a change as planned; return the change.

    ``seen`` is the fingerprint under which the person read it (None: whoever asks has just made the plan); when what
    is stored by now is something else, nothing is approved. ``override`` says why it goes ahead although a platform
    would probably refuse something of it (``ChangePlan.doubts``); it is kept with the change and in the audit trail.

    Who submitted the change, or a request it carries out, cannot approve it; that and the states are checked under
    the row lock. Raises NotPermitted, Conflict (a router was not read, something is in the way, or a state does
    not allow it), InvalidInput when a gap was not confirmed or a doubt not overridden, and StaleState when the
    routers should no longer hold what was planned (then every push is STALE), or it is not what was seen.
    """
    reason = reason_text(reason, needed=False)
    override = reason_text(override, field="override", needed=False)
    why = intents.changed_since(change)  # reads rows only; the lock below is taken late
    with transaction.atomic():
        change = locked(Change.objects.all()).get(pk=change.pk)
        pushes = list(locked(change.pushes.select_related("router").order_by("position", "pk")))
        _may_approve(actor, change)
        if seen is not None and seen != approval.fingerprint(change):
            raise StaleState(f"{change.reference} is not what you read any more: read it again", field="seen")
        wanting = _approvable(change, pushes)
        _nothing_in_the_way(wanting)
        if why:
            for push in wanting:
                _move(push, PushState.STALE, why, actor, error=why, error_code="intent")
        else:
            _confirm(change, wanting, confirm_gaps)
            doubts = _overridden(change, wanting, override)
            now = timezone.now()
            Change.objects.filter(pk=change.pk).update(
                approved_by=actor.user_id,
                approved_at=now,
                approval_reason=reason,
                approved_fingerprint=approval.fingerprint(change),
                gaps_confirmed=confirm_gaps,
                override_reason=override if doubts else "",
                save_others_edits=save_others_edits,
            )
            for push in wanting:
                _move(push, PushState.APPROVED, reason or "approved", actor)
            before = {"approved_by": None}
            change.refresh_from_db()
            audit.record(
                actor=actor,
                action="change.approved",
                obj=change,
                reason=reason,
                before=before,
                after={
                    "approved_by": actor.label,
                    "fingerprint": change.approved_fingerprint,
                    "gaps_confirmed": confirm_gaps,
                    **({"override": override, "doubts": doubts} if doubts else {}),
                    "save_others_edits": save_others_edits,
                    "routers": [push.router.name for push in wanting],
                },
            )
    if why:
        raise StaleState(why, field="intent")
    return change


def release(*, actor: Actor, change: Change) -> Change:
    """Let an approved change be sent from now on; the next tick picks it up. Pressing twice changes nothing.

    Raises PushDisabled, NotPermitted, Conflict when nothing of it is approved.
    """
    if why := why_no_push():
        raise PushDisabled(why)
    if not (actor.is_noc or actor.is_system):
        raise NotPermitted("Only the NOC pushes a change.")
    with transaction.atomic():
        change = locked(Change.objects.all()).get(pk=change.pk)
        if change.released_at is not None:
            return change
        if not change.pushes.filter(state=PushState.APPROVED).exists():
            raise Conflict(f"{change.reference} has no approved router: approve it first", field="state")
        approval.approved_as_planned(change)
        change.released_at = timezone.now()
        change.released_by_id = actor.user_id
        change.save(update_fields=["released_at", "released_by"])
        audit.record(
            actor=actor,
            action="change.released",
            obj=change,
            before={"released_at": None},
            after={"released_at": change.released_at},
        )
    return change


def cancel(*, actor: Actor, change: Change, reason: str) -> Change:
    """Cancel what has not begun; what is under way or done stays as it is. Raises NotPermitted, Conflict."""
    if not (actor.is_noc or actor.is_system):
        raise NotPermitted("Only the NOC cancels a change.")
    reason = reason_text(reason)
    with transaction.atomic():
        change = locked(Change.objects.all()).get(pk=change.pk)
        pushes = [push for push in change.pushes.all() if _cancellable(push)]
        if not pushes:
            raise Conflict(f"{change.reference} has nothing left that could be cancelled", field="state")
        withdraw_unsent(change, pushes, reason, actor)
    change.refresh_from_db()
    return change


def withdraw_unsent(change: Change, pushes: list[RouterPush], reason: str, actor: Actor = SYSTEM) -> None:
    """Cancel these pushes inside the caller's transaction and close the change when nothing of it is left."""
    for push in pushes:
        _move(push, PushState.CANCELLED, reason, actor, error=reason)
    close_if_over(change)


def _cancellable(push: RouterPush) -> bool:
    # A push that is UNKNOWN because its router was never read holds nothing; one that broke half way does.
    return PushState(push.state) in CANCELLABLE or (push.state == PushState.UNKNOWN and not push.has_plan)


def _approvable(change: Change, pushes: list[RouterPush]) -> list[RouterPush]:
    """The pushes that wait for approval. Raises Conflict when there are none, or one is unread or in another state."""
    wanting = [push for push in pushes if PushState(push.state) is not PushState.VERIFIED]
    if not wanting:
        raise Conflict(f"{change.reference} has nothing left to approve")
    unread = [push for push in wanting if not push.has_plan]
    if unread:
        names = [push.router.name for push in unread]
        why = "; ".join(f"{push.router.name}: {push.error}" for push in unread)
        raise Conflict(
            f"{', '.join(names)} could not be read ({why}), so {change.reference} cannot be approved as a whole; plan "
            "again when it answers, or plan the other routers by themselves",
            field="routers",
            routers=names,
        )
    wrong = [push for push in wanting if PushState(push.state) not in APPROVABLE]
    if wrong:
        states = ", ".join(f"{push.router.name} is {push.state}" for push in wrong)
        raise Conflict(f"only a planned change is approved: {states}", field="state")
    return wanting


def _may_approve(actor: Actor, change: Change) -> None:
    if not actor.is_noc or actor.user_id is None:
        raise NotPermitted("Only a member of the NOC approves a change.")
    if change.submitted_by_id == actor.user_id:
        raise NotPermitted(
            f"{actor.label} submitted {change.reference} and cannot approve it: ask a colleague."
        )
    asked = [
        request.reference for request in change.requests.all() if request.submitted_by_id == actor.user_id
    ]
    if asked:
        raise NotPermitted(f"{actor.label} submitted {', '.join(asked)} and cannot approve carrying it out.")


def _nothing_in_the_way(pushes: list[RouterPush]) -> None:
    """Conflicts and unsafe lines are for a person to clear on the router, never to be approved."""
    for push in pushes:
        if push.conflicts:
            texts = "; ".join(conflict["text"] for conflict in push.conflicts)
            raise Conflict(f"{push.router.name}: {texts}", field="conflicts", router=push.router.name)
        violations = plan_of(push).violations
        if violations:
            raise Conflict(
                f"{push.router.name}: {'; '.join(violations)}", field="plan", router=push.router.name
            )


def _confirm(change: Change, pushes: list[RouterPush], confirmed: bool) -> None:
    gaps = [(push.router.name, gap) for push in pushes for gap in plan_of(push).gaps]
    if gaps and not confirmed:
        named = "; ".join(f"{router}: {gap.text}" for router, gap in gaps)
        raise InvalidInput(f"the gaps of {change.reference} must be confirmed: {named}", field="confirm_gaps")


def _overridden(change: Change, pushes: list[RouterPush], override: str) -> list[str]:
    """Every doubt of the plans, router first; raises InvalidInput when there is one and no reason was given."""
    doubts = [f"{push.router.name} {doubt.text}" for push in pushes for doubt in plan_of(push).doubts]
    if doubts and not override.strip():
        raise InvalidInput(
            f"say why {change.reference} goes ahead although a router would probably refuse: {'; '.join(doubts)}",
            field="override",
        )
    return doubts


def _move(push: RouterPush, to_state: PushState, reason: str, actor: Actor, **fields: Any) -> None:
    transitions.move(
        model=RouterPush,
        pk=push.pk,
        from_states=(PushState(push.state),),
        to_state=to_state,
        actor=actor,
        reason=reason,
        **fields,
    )
