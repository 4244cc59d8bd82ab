"""The next step after the end of a push, done: whatever door it comes through, by the table of ends (`pipeline.ends`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models.functions import Now

from provisioning.errors import Conflict, InvalidInput
from provisioning.models import Actor, Change, ChangeKind, JobKind, Reservation, RouterPush
from provisioning.pipeline import authority
from provisioning.pipeline.ends import DEEDS, End, Verb
from provisioning.pipeline.states import PushState
from provisioning.pipeline.units import first_few
from provisioning.selectors.authority import permit
from provisioning.selectors.ends import (
    ASKED_BY_A_PERSON,
    end_of_push,
    not_dealt_with,
    seen_to,
    verbs_of,
)
from provisioning.selectors.since import DEALT_WITH
from provisioning.services import audit, intents, jobs, planning, queues, saving, undoing
from provisioning.services.locking import locked
from provisioning.services.wording import reason_text

NAMED = 5
"""So many requests or routers are named in a sentence."""


@dataclass(frozen=True, slots=True)
class Step:
    """What was done, in a sentence; `change` is the one that is being planned now, where one is."""

    verb: Verb
    said: str
    change: Change | None = None


def take(
    *, actor: Actor, push: RouterPush, verb: str, reason: str = "", seen: str = "", alone: bool = False
) -> Step:
    """Do one of the steps that the end of this push offers; return what was done.

    `alone`: of the rest of its change only its own router is planned (`finish`). `seen` is the digest of the unsaved lines that
    were shown, for saving. Raises NotPermitted, InvalidInput for a verb there is not, no reason or no `seen`, Conflict where the
    end of the push does not offer it or there is nothing to be done, and whatever the deed raises.
    """
    permit(actor, authority.Verb.MEND)
    chosen = _verb(verb)
    push.refresh_from_db()
    end = end_of_push(push)
    _offered(push, end, chosen)
    why = reason_text(reason) if DEEDS[chosen].reason else ""
    if chosen is Verb.SAVE:
        return _save(actor, push, why, seen)
    if chosen is Verb.FINISH:
        return _finish(actor, push, why, alone=alone)
    return _DEEDS[chosen](actor, push, why)


def _verb(text: str) -> Verb:
    try:
        return Verb(text)
    except ValueError:
        raise InvalidInput(
            f"there is no step {text!r:.40}; there are {', '.join(Verb)}", field="verb"
        ) from None


def _offered(push: RouterPush, end: End | None, verb: Verb) -> None:
    where = f"{push.change.reference} on {push.router.name}"
    if end is None:
        raise Conflict(f"{where} is {push.state.lower()}: it has not ended", field="verb")
    verbs = verbs_of(push)
    if verb not in verbs:
        if done := seen_to(push):
            raise Conflict(f"{where} is {done}", field="verb")
        offered = ", ".join(verbs)
        helps = f"what helps is {offered}" if offered else "nothing is to be done"
        raise Conflict(f"{where} is {push.state.lower().replace('_', ' ')}: {helps}", field="verb")


def _retry(actor: Actor, push: RouterPush, why: str) -> Step:
    """Plan anew what the push did not bring to its router."""
    change = push.change
    if change.kind in intents.FOLLOWS_REQUESTS:
        return _plan_requests(actor, push, why)
    kind = ChangeKind(change.kind)
    return _asked(Verb.RETRY, actor, kind, [push.router.name], why)


def _plan_requests(actor: Actor, push: RouterPush, why: str) -> Step:
    router, name = push.router_id, push.router.name
    entering = push.change.requests.filter(source_link__interface__router=router)
    open_ones = entering.filter(pk__in=Reservation.objects.filter(released_at=None).values("request"))
    found = list(open_ones.select_related("source_link__interface").order_by("pk"))
    if not found:
        raise Conflict(
            f"nothing that {push.change.reference} carried to {name} is charged any more: there is nothing to plan",
            field="verb",
        )
    for request in found:
        try:
            queues.retry(actor=actor, request=request, reason=why)
        except Conflict:
            continue  # it does not wait for a person: looking at the queue is all it needs
    queues.mark([router])
    names = first_few([each.reference for each in found], NAMED)
    return Step(Verb.RETRY, f"{names}: planned again as soon as a worker is free.")


def _repair(actor: Actor, push: RouterPush, why: str) -> Step:
    return _asked(Verb.REPAIR, actor, ChangeKind.REPAIR, [push.router.name], why)


def _finish(actor: Actor, push: RouterPush, why: str, *, alone: bool) -> Step:
    """Plan anew every router of the change that is not verified, that nobody has seen to, and that no newer plan has: that one
    would be put aside for it. `alone`: only the router of this push.
    """
    change = push.change
    if change.kind in intents.FOLLOWS_REQUESTS:
        return _plan_requests(actor, push, why)
    newer = Change.objects.filter(pk__gt=change.pk, kind__in=ASKED_BY_A_PERSON, finished_at=None)
    in_hand = RouterPush.objects.filter(change__in=newer).values("router")
    left = not_dealt_with(change.pushes.exclude(state=PushState.VERIFIED)).exclude(router__in=in_hand)
    names = sorted(set(left.values_list("router__name", flat=True)))
    if alone:
        names = [name for name in names if name == push.router.name]
    if not names:
        raise Conflict(f"a newer plan has what is left of {change.reference}: see to that", field="verb")
    return _asked(Verb.FINISH, actor, ChangeKind(change.kind), names, why)


def _asked(verb: Verb, actor: Actor, kind: ChangeKind, names: list[str], why: str) -> Step:
    change = planning.ask_for_plan(actor=actor, kind=kind, routers=names, reason=why)
    jobs.enqueue(JobKind.PLAN_CHANGE, [change.pk])
    return Step(
        verb,
        f"{change.reference} is being planned for {first_few(names, NAMED)}: nothing is sent before it is approved.",
        change,
    )


def _look(actor: Actor, push: RouterPush, _why: str) -> Step:
    if jobs.waits_to_be_read(push):
        jobs.try_now(actor=actor, push=push)
    else:
        jobs.enqueue(JobKind.VERIFY_ROUTER, [push.router_id])
    return Step(Verb.LOOK, f"{push.router.name} is read as soon as a worker is free.")


def _save(actor: Actor, push: RouterPush, why: str, seen: str) -> Step:
    name = push.router.name
    if not seen:
        raise InvalidInput(
            f"say which lines were shown, by their digest: they are on the page of {name}", field="seen"
        )
    done = saving.save_router(actor=actor, router=push.router, seen=seen, reason=why)
    if not done.saved:
        return Step(Verb.SAVE, f"{name}: startup-config holds everything already.")
    typed = f"; typed meanwhile, and saved too: {'; '.join(done.meanwhile)}" if done.meanwhile else ""
    return Step(Verb.SAVE, f"{name}: saved{typed}.")


def _dealt_with(actor: Actor, push: RouterPush, why: str) -> Step:
    """A person says that nothing is left to be done: it leaves the queue page, and the reason is kept."""
    said = f"{push.change.reference} on {push.router.name} is dealt with."
    with transaction.atomic():
        row = locked(RouterPush.objects.filter(pk=push.pk)).get()
        if row.dealt_with_at is not None:
            raise Conflict(f"{push.change.reference} on {push.router.name} is {seen_to(row)}", field="verb")
        RouterPush.objects.filter(pk=push.pk).update(dealt_with_at=Now())
        audit.record(
            actor=actor,
            action=DEALT_WITH,
            obj=push,
            reason=why,
            before={"state": push.state, "error_code": push.error_code},
            after={"dealt_with": True},
        )
    return Step(Verb.DEALT_WITH, said)


def _undo(actor: Actor, push: RouterPush, why: str) -> Step:
    """Set back what is wanted for the whole change, as its page does."""
    done = undoing.undo(actor=actor, change=push.change, reason=why)
    names = [one.reference for one in done.withdrawn]
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    left = f" Still to do: {' '.join(step.text for step in done.left)}" if done.left else ""
    return Step(
        Verb.UNDO,
        f"Withdrawn: {', '.join(names[:5])}{more}. Taking off what is on the routers is planned next, "
        f"router by router; nothing is sent before that is approved.{left}",
    )


_DEEDS: Mapping[Verb, Callable[[Actor, RouterPush, str], Step]] = {
    Verb.RETRY: _retry,
    Verb.UNDO: _undo,
    Verb.REPAIR: _repair,
    Verb.LOOK: _look,
    Verb.DEALT_WITH: _dealt_with,
}
