"""A plan as rows: the change, its pushes, what it puts aside, and the approval it may carry over."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from django.db.models.functions import Now
from django.utils import timezone

from provisioning.models import (
    SYSTEM,
    Actor,
    Change,
    ChangeKind,
    PremiumRequest,
    RouterPush,
)
from provisioning.pipeline.change import ChangePlan, Phase, PushState
from provisioning.selectors.plans import content_of
from provisioning.services import approval, audit, intents, transitions
from provisioning.services.intents import Wanted
from provisioning.services.locking import locked
from provisioning.services.ownership import own
from provisioning.services.planning.reckoning import reckon
from provisioning.services.plans import keep_plan
from provisioning.services.reading import Reading, Unread
from provisioning.services.resolution import close_if_over, resolve_unknown
from provisioning.services.snapshots import store_snapshot

# A plan that waits may give way to a newer one for the same router; one that is under way may not.
WAITING = frozenset({PushState.PLANNED, PushState.APPROVED})
UNDER_WAY = frozenset({PushState.PUSHING, PushState.PUSHED})


@dataclass(frozen=True)
class Draft:
    """What a change will say, before it is stored."""

    kind: ChangeKind
    title: str
    reason: str
    submitted_by: int | None
    requests: tuple[PremiumRequest, ...]
    names: tuple[str, ...]


def store(
    actor: Actor,
    draft: Draft,
    wanted: Wanted,
    readings: Mapping[str, Reading | Unread],
    plans: Mapping[str, tuple[ChangePlan, ...]],
    edges: list[dict[str, str]],
) -> Change:
    """Store the change with everything it was planned from; to be called inside a transaction."""
    intents.keep_names(wanted, draft.names)
    waiting = RouterPush.objects.filter(router__name__in=draft.names, change__finished_at=None)
    older = Change.objects.filter(pk__in=waiting.values_list("change_id", flat=True))
    list(locked(older.order_by("pk")).values_list("pk"))
    change = Change.objects.create(
        kind=draft.kind,
        title=draft.title[:200],
        reason=draft.reason,
        submitted_by_id=draft.submitted_by,
        scheme=wanted.scheme.name,
        scheme_digest=wanted.scheme_digest,
        template_digest=wanted.template_digest,
        intent_digest=wanted.digest(draft.names),
        open_edges=edges,
        rates=reckon(wanted, draft.names, readings, plans),
        planned_at=timezone.now(),
    )
    # By the clock that dates the states of requests: "planned since" compares the two.
    Change.objects.filter(pk=change.pk).update(created_at=Now())
    change.requests.set(draft.requests)
    for order, name in enumerate(draft.names):
        reading = readings[name]
        if isinstance(reading, Unread):
            _store_unread(change, wanted, reading, order)
        else:
            _store_plans(change, wanted, reading, plans[name], order)
    _supersede(change, draft.names)
    audit.record(
        actor=actor,
        action="change.planned",
        obj=change,
        reason=draft.reason,
        after={
            "kind": change.kind,
            "requests": [request.reference for request in draft.requests],
            "pushes": [
                {
                    "router": push.router.name,
                    "phase": push.phase,
                    "state": push.state,
                    "fingerprint": push.fingerprint,
                }
                for push in change.pushes.select_related("router")
            ],
            "open_edges": edges,
        },
        nren_ids=[request.nren_id for request in draft.requests],
    )
    states = set(change.pushes.values_list("state", flat=True))
    if states <= {PushState.VERIFIED}:
        Change.objects.filter(pk=change.pk).update(finished_at=timezone.now())
    elif states <= {PushState.VERIFIED, PushState.PLANNED}:
        _carry_approval(change)
    change.refresh_from_db()
    return change


def _store_unread(change: Change, wanted: Wanted, unread: Unread, order: int) -> None:
    RouterPush.objects.create(
        change=change,
        router=wanted.routers[unread.router],
        phase=Phase.EDGES,
        position=Phase.EDGES.position * 1000 + order,
        state=PushState.UNKNOWN,
        error=unread.reason,
        error_code=unread.code,
    )


def _store_plans(
    change: Change, wanted: Wanted, reading: Reading, plans: Iterable[ChangePlan], order: int
) -> None:
    router = wanted.routers[reading.router]
    snapshot = store_snapshot(router, reading)
    for plan in plans:
        # Nothing to send and nothing in the way: reading alone has decided.
        settled = plan.empty and not plan.conflicts
        push = RouterPush.objects.create(
            change=change,
            router=router,
            phase=plan.phase,
            position=plan.phase.position * 1000 + order,
            state=PushState.PLANNED,
            fingerprint=plan.fingerprint,
            conflicts=[conflict.to_json() for conflict in plan.conflicts],
            before=snapshot,
            unsaved=list(reading.unsaved),
            lines=len(plan.commands),
        )
        keep_plan(push, plan)
        if settled:
            own(router, plan)
            resolve_unknown(router, change, reading.config)
            transitions.move(
                model=RouterPush,
                pk=push.pk,
                from_states=(PushState.PLANNED,),
                to_state=PushState.VERIFIED,
                actor=SYSTEM,
                reason="seen as intended; nothing to send",
                after=snapshot,
                finished_at=timezone.now(),
                verification={"result": "in-sync", "save": "seen as intended; nothing was sent"},
            )


def _supersede(change: Change, names: Collection[str]) -> None:
    """Put aside what waits for these routers, or was never read.

    One plan at a time per router: the older ones were made from an intent, or a router, that is no more.
    """
    older = (
        Change.objects.filter(finished_at__isnull=True, pushes__router__name__in=names)
        .exclude(pk=change.pk)
        .distinct()
        .order_by("pk")
    )
    for other in older:
        if other.pushes.filter(state__in=UNDER_WAY).exists():
            continue
        text = f"put aside: {change.reference} plans the same routers anew"
        for push in other.pushes.select_related("router"):
            state = PushState(push.state)
            if state in WAITING:
                to_state = PushState.STALE
            elif state is PushState.UNKNOWN and not push.has_plan:
                to_state = PushState.CANCELLED
            else:
                continue
            transitions.move(
                model=RouterPush,
                pk=push.pk,
                from_states=(state,),
                to_state=to_state,
                actor=SYSTEM,
                reason=text,
                error=push.error or text,
            )
        close_if_over(other)


def _carry_approval(change: Change) -> None:
    """When a reservation falls due its plan is made anew: the same commands as approved go out without asking again.

    The same means the same lines, the same way back, the same gaps and doubts for the same routers; only a reservation or
    a removal, only when that approval covered every request this one carries out, and only when the approved change
    went stale before its first line.
    """
    if change.kind not in intents.FOLLOWS_REQUESTS:
        return
    requests = set(change.requests.values_list("pk", flat=True))
    before = (
        Change.objects.filter(kind=change.kind, requests__in=requests)
        .exclude(pk=change.pk)
        .order_by("-pk")
        .first()
    )
    if before is None or before.approved_by_id is None:
        return
    if not requests <= set(before.requests.values_list("pk", flat=True)):
        return
    ended = {push.state for push in before.pushes.all() if push.lines}
    if PushState.STALE not in ended or not ended <= {PushState.STALE, PushState.CANCELLED}:
        return
    if _sent_by(before) != _sent_by(change):
        return
    Change.objects.filter(pk=change.pk).update(
        approved_by=before.approved_by_id,
        approved_at=before.approved_at,
        approval_reason=before.approval_reason,
        approved_fingerprint=approval.fingerprint(change),
        gaps_confirmed=before.gaps_confirmed,
        override_reason=before.override_reason,
        save_others_edits=False,
    )
    for push in change.pushes.filter(state=PushState.PLANNED):
        transitions.move(
            model=RouterPush,
            pk=push.pk,
            from_states=(PushState.PLANNED,),
            to_state=PushState.APPROVED,
            actor=SYSTEM,
            reason=f"the same lines as approved in {before.reference}",
        )


def _sent_by(change: Change) -> list[tuple[str, str, object, object, object, object]]:
    sending = change.pushes.select_related("router").filter(lines__gt=0).order_by("position", "pk")
    return [
        (
            push.router.name,
            push.phase,
            plan["commands"],
            plan["rollback"],
            plan["gaps"],
            plan.get("doubts", []),
        )
        for push in sending
        for plan in [content_of(push)]
    ]
