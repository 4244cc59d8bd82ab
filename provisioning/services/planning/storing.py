"""A plan as rows: the change, its pushes, and what it replaces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, Max
from django.db.models.functions import Now

from provisioning.models import SYSTEM, Actor, Change, ChangeKind, PremiumRequest, RouterPush, RouterQueue
from provisioning.pipeline.change import ChangePlan, Phase
from provisioning.pipeline.states import PushState
from provisioning.services import audit, clock, ingress, intents, queues, terms, transitions, unsaved
from provisioning.services.intents import Wanted
from provisioning.services.locking import locked
from provisioning.services.ownership import own
from provisioning.services.planning.carrying import carry_approvals
from provisioning.services.planning.reckoning import reckon
from provisioning.services.plans import keep_plan
from provisioning.services.reading import Reading, Unread
from provisioning.services.resolution import resolve_unknown
from provisioning.services.snapshots import store_snapshot

Begun = Mapping[str, tuple[int, datetime]]
"""Of each router that was ever written to: how many pushes have begun there, and when the last of them changed its state."""


def pushes_begun(names: Iterable[str]) -> Begun:
    """What has been written to these routers so far, asked before they are read: where it is other by the time a plan is stored,
    what was read may be what they held before.
    """
    begun = RouterPush.objects.filter(router__name__in=list(names), started_at__isnull=False)
    found = begun.values("router__name").annotate(pushes=Count("pk"), last=Max("state_changed_at"))
    return {
        name: (pushes, last) for name, pushes, last in found.values_list("router__name", "pushes", "last")
    }


def written_since(begun: Begun, names: Sequence[str]) -> tuple[str, ...]:
    """Of these routers those that a push was begun on, or went on, since `pushes_begun` was asked."""
    now = pushes_begun(names)
    return tuple(name for name in names if now.get(name) != begun.get(name))


@dataclass(frozen=True)
class Draft:
    """What a change will say, before it is stored. `takes_off` are keys of `requests`; it puts the others on, or
    changes what is on (`modifies`: the key of a request to that of its modification).
    """

    kind: ChangeKind
    title: str
    requests: tuple[PremiumRequest, ...]
    names: tuple[str, ...]
    reason: str = ""
    planner: int | None = None
    takes_off: tuple[int, ...] = ()
    modifies: Mapping[int, int] = field(default_factory=dict)
    base_lines: bool = False
    due_at: datetime | None = None


def store(
    actor: Actor,
    draft: Draft,
    wanted: Wanted,
    readings: Mapping[str, Reading | Unread],
    plans: Mapping[str, tuple[ChangePlan, ...]],
    edges: list[dict[str, str]],
    *,
    change: Change | None = None,
) -> Change:
    """Store the plans with everything they were made from, in `change` or a new one; inside the caller's transaction,
    after `lock_before_storing`.
    """
    intents.keep_names(wanted, draft.names)
    if change is None:
        change = Change.objects.create(kind=draft.kind, title=draft.title, submitted_by_id=draft.planner)
        # By the clock that dates the states of requests: "planned since" compares the two.
        Change.objects.filter(pk=change.pk).update(created_at=Now())
    Change.objects.filter(pk=change.pk).update(
        title=draft.title[:200],
        reason=draft.reason,
        scheme=wanted.scheme.name,
        scheme_digest=wanted.scheme_digest,
        template_digest=wanted.template_digest,
        intent_digest=wanted.digest(draft.names),
        open_edges=edges,
        rates=reckon(wanted, draft.names, readings, plans),
        takes_off=sorted(draft.takes_off),
        modifies={str(pk): modification for pk, modification in sorted(draft.modifies.items())},
        base_lines=draft.base_lines,
        due_at=draft.due_at,
        planned_at=Now(),
    )
    change.requests.set(draft.requests)
    change.refresh_from_db()
    for order, name in enumerate(draft.names):
        reading = readings[name]
        if isinstance(reading, Unread):
            _store_unread(change, wanted, reading, order)
        else:
            _store_plans(change, wanted, reading, plans[name], order)
    pushes = list(change.pushes.select_related("router"))
    audit.record(
        actor=actor,
        action="change.planned",
        obj=change,
        reason=draft.reason,
        after={
            "kind": change.kind,
            "requests": [request.reference for request in draft.requests],
            "takes_off": sorted(draft.takes_off),
            **({"modifies": sorted(draft.modifies.values())} if draft.modifies else {}),
            "base_lines": draft.base_lines,
            "pushes": [
                {
                    "router": push.router.name,
                    "phase": push.phase,
                    "state": push.state,
                    "fingerprint": push.fingerprint,
                }
                for push in pushes
            ],
            "open_edges": edges,
        },
        nren_ids=[request.nren_id for request in draft.requests],
    )
    states = {push.state for push in pushes}
    if states <= {PushState.VERIFIED}:
        Change.objects.filter(pk=change.pk).update(finished_at=clock.now())
    elif change.kind in intents.FOLLOWS_REQUESTS and states <= {PushState.VERIFIED, PushState.PLANNED}:
        carry_approvals(change)
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
    foreign = unsaved.sort_out(router, reading).foreign
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
            unsaved=list(foreign),
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
                finished_at=clock.now(),
                verification={"result": "in-sync", "save": "seen as intended; nothing was sent"},
            )
            ingress.note_seen(change, router)


def lock_before_storing(
    draft: Draft, replaced: Iterable[int] = (), *, queue: RouterQueue | None = None
) -> None:
    """Lock what storing a draft touches, in order: what its modifications touch, its reservations, then the queue it comes
    from, then the changes that it replaces (their keys) and those that left one of its routers unknown.
    """
    terms.lock_for(list(draft.modifies.values()))
    queues.lock_reservations(draft.requests)
    if queue is not None:
        locked(RouterQueue.objects.filter(pk=queue.pk)).get()
    left = RouterPush.objects.filter(router__name__in=draft.names, state=PushState.UNKNOWN)
    keys = {*replaced, *left.values_list("change_id", flat=True)}
    list(locked(Change.objects.filter(pk__in=keys).order_by("pk")).values_list("pk"))
