"""What people do to a change: approve exactly what they saw, release it, cancel it."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Now

from provisioning.errors import Conflict, InvalidInput, PushDisabled, StaleState
from provisioning.models import SYSTEM, Actor, Approval, Change, RouterPush, Verb
from provisioning.pipeline.authority import Why
from provisioning.pipeline.states import PushState
from provisioning.pipeline.units import how_many
from provisioning.selectors.approvals import missing_of
from provisioning.selectors.authority import permit, permit_named, to_approving
from provisioning.selectors.changes import planning_of
from provisioning.selectors.plans import plan_of
from provisioning.selectors.pushing import why_no_push
from provisioning.selectors.steering import why_held, window_over
from provisioning.services import ahead, approval, audit, clock, intents, queues, transitions
from provisioning.services import break_glass as glass
from provisioning.services.closing import close_if_over
from provisioning.services.leases import from_now
from provisioning.services.locking import locked
from provisioning.services.wording import reason_text

LOOK_SECONDS = 20
"""A page that is fetched again and again counts as one look in so many seconds."""

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
    break_glass: str = "",
) -> Change:
    """Give one person's approval to every router of a change as planned; return the change.

    It is APPROVED once every part of it has the word of somebody who did not submit it, and lines that no request asked
    for have two people of the NOC behind them; until then what is still needed is in `selectors.approvals.missing_of`.
    ``seen`` is the fingerprint under which the person read it (None: whoever asks has just made the plan); when what
    is stored by now is something else, nothing is approved. ``override`` says why it goes ahead although a platform
    would probably refuse something of it (``ChangePlan.doubts``); it is kept with the change and in the audit trail.
    A router that was not read is left out and named. ``break_glass`` is why this person approves it alone although somebody
    else should (`services.break_glass`).

    Raises NotPermitted for whoever planned it or stands behind a request it carries, Conflict (something is in the way, or a
    state does not allow it), InvalidInput when a gap was not confirmed or a doubt not overridden, and StaleState when
    the routers should no longer hold what was planned (then every push is STALE), or it is not what was seen.
    """
    reason = reason_text(reason, needed=False)
    override = reason_text(override, field="override", needed=False)
    alone = glass.reason_of(break_glass)
    person = permit_named(actor, Verb.APPROVE)
    why = intents.changed_since(change)  # reads rows only; the lock below is taken late
    with transaction.atomic():
        change = locked(Change.objects.all()).get(pk=change.pk)
        pushes = list(locked(change.pushes.select_related("router").order_by("position", "pk")))
        _is_planned(change)
        against = _against(actor, change, alone)
        if seen is not None and seen != approval.fingerprint(change):
            raise StaleState(f"{change.reference} is not what you read any more: read it again", field="seen")
        wanting = _approvable(change, pushes)
        _nothing_in_the_way(wanting)
        if why:
            for push in wanting:
                _move(push, PushState.STALE, why, actor, error=why, error_code="intent")
            close_if_over(change)
        else:
            _confirm(change, wanting, confirm_gaps)
            doubts = _overridden(change, wanting, override)
            # Whoever gave the word already gives it again where it has become enough since (TWO_PEOPLE).
            before = change.approvals.count()
            change.approvals.filter(user_id=person).delete()
            given = Approval.objects.create(
                change=change,
                user_id=person,
                issuer_id=actor.issuer_id,
                fingerprint=approval.fingerprint(change),
                reason=reason,
                gaps_confirmed=confirm_gaps,
                override_reason=override if doubts else "",
                save_others_edits=save_others_edits,
            )
            glass.record(actor=actor, deed=Verb.APPROVE, about=change, against=against, reason=alone)
            audit.record(
                actor=actor,
                action="change.approval",
                obj=change,
                reason=reason,
                before={"approvals": before},
                after={
                    "approvals": change.approvals.count(),
                    "fingerprint": given.fingerprint,
                    "gaps_confirmed": confirm_gaps,
                    **({"override": override, "doubts": doubts} if doubts else {}),
                    "save_others_edits": save_others_edits,
                },
            )
            if not approval.let_go(change, reason=reason or "approved", actor=actor):
                _note_look(change)  # it stands still for whoever approves next
            change.refresh_from_db()
    if why:
        queues.mark([push.router_id for push in pushes])
        raise StaleState(why, field="intent")
    return change


def look(*, actor: Actor, change: Change) -> None:
    """Note that a member of the NOC reads a plan nobody has approved: newcomers do not replace it meanwhile."""
    if (
        not actor.is_noc
        or actor.user_id is None
        or change.finished_at is not None
        or change.approved_at is not None
    ):
        return
    if change.kind not in intents.FOLLOWS_REQUESTS:
        return
    recently = Change.objects.filter(pk=change.pk, looked_at__gt=from_now(-LOOK_SECONDS)).exists()
    if not recently:
        _note_look(change)


def _note_look(change: Change) -> None:
    Change.objects.filter(pk=change.pk).update(opened_at=Coalesce(F("opened_at"), Now()), looked_at=Now())


def release(*, actor: Actor, change: Change) -> Change:
    """Let an approved change be sent from now on; the next tick picks it up. Pressing twice changes nothing.

    Raises PushDisabled, NotPermitted, Conflict when nothing of it is approved.
    """
    permit(actor, Verb.RELEASE)
    if why := why_no_push():
        raise PushDisabled(why)
    with transaction.atomic():
        change = locked(Change.objects.all()).get(pk=change.pk)
        if change.released_at is not None:
            return change
        _is_planned(change)
        if not change.pushes.filter(state=PushState.APPROVED).exists():
            raise Conflict(f"{change.reference} has no approved router: approve it first", field="state")
        if change.paused_at is not None or window_over(change, clock.now()):
            raise Conflict(why_held(change, clock.now()), field="state")
        approval.approved_as_planned(change)
        change.released_at = clock.now()
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
    """Cancel what has not begun; what is under way or done stays as it is. Raises NotPermitted, Conflict.

    What was approved ahead for it is taken back: else the next plan of the same lines would go out by itself.
    """
    permit(actor, Verb.CANCEL)
    reason = reason_text(reason)
    with transaction.atomic():
        queues.lock_reservations(change.requests.all())
        given = ahead.lock_given(change)
        change = locked(Change.objects.all()).get(pk=change.pk)
        pushes = [push for push in change.pushes.all() if _cancellable(push)]
        if not pushes:
            raise Conflict(f"{change.reference} has nothing left that could be cancelled", field="state")
        withdraw_unsent(change, pushes, reason, actor)
        if change.kind in intents.FOLLOWS_REQUESTS:
            said = f"{change.reference} was cancelled by {actor.label}: {reason}"
            queues.hold_out(change.requests.all(), said, cause="", actor=actor)
            # Both NRENs of a request read this; what is said of the change may speak of others.
            ahead.take_back(given, actor=actor, reason=f"{change.reference} was cancelled by the NOC")
    queues.mark([push.router_id for push in pushes])
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


def _is_planned(change: Change) -> None:
    """Raise Conflict while the plan is being made, or when it could not be: nothing is there to be approved or sent."""
    planning = planning_of(change)
    if planning is None:
        return
    if planning.error:
        raise Conflict(f"{change.reference} could not be planned: {planning.error}", field="state")
    read = f"{planning.read} of {how_many(planning.routers, 'router')} read"
    raise Conflict(f"{change.reference} is still being planned: {read}", field="state")


def _approvable(change: Change, pushes: list[RouterPush]) -> list[RouterPush]:
    """The pushes that wait for approval. Raises Conflict when there are none, or one is in another state."""
    wanting = [push for push in pushes if PushState(push.state) is not PushState.VERIFIED]
    unread = [push for push in wanting if not push.has_plan]
    wanting = [push for push in wanting if push.has_plan]
    if not wanting and unread:
        why = "; ".join(f"{push.router.name}: {push.error}" for push in unread)
        raise Conflict(
            f"{change.reference} has nothing to approve: {', '.join(push.router.name for push in unread)} could not be "
            f"read ({why}); plan again when it answers",
            field="routers",
            routers=[push.router.name for push in unread],
        )
    if not wanting:
        raise Conflict(f"{change.reference} has nothing left to approve")
    wrong = [push for push in wanting if PushState(push.state) not in APPROVABLE]
    if wrong:
        states = ", ".join(f"{push.router.name} is {push.state}" for push in wrong)
        raise Conflict(f"only a planned change is approved: {states}", field="state")
    return wanting


def _against(actor: Actor, change: Change, alone: str) -> tuple[str, ...]:
    """What an approver goes against by break-glass; raises NotPermitted, or Conflict when this person has approved already."""
    found = to_approving(actor, change)
    if any(each.why is Why.GIVEN for each in found):
        if not alone:
            raise Conflict(found[0].text.rstrip("."), field="approved_by")
        found = ()
    lacking = missing_of(change, besides=actor) if alone and not found else ()
    return glass.weigh(found, alone, lacking=lacking)


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
