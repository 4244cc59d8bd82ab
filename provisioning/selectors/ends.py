"""How pushes ended and what is to be done next, from their rows (`pipeline.ends`)."""

from __future__ import annotations

from dataclasses import replace

from django.db.models import Exists, F, Q, QuerySet

from inventory.models import Router
from provisioning.models import Change, ChangeKind, RouterPush, SyncState
from provisioning.pipeline.ends import PARTIAL, End, Verb, end_of
from provisioning.pipeline.states import ChangeState, PushState
from provisioning.selectors.changes import state_of
from provisioning.selectors.pushing import BEGUN
from provisioning.selectors.since import VERIFIED_SINCE, dealt_with, verified_since

ASKED_BY_A_PERSON = (ChangeKind.BASELINE, ChangeKind.REPAIR)


def end_of_push(push: RouterPush) -> End | None:
    """How a push ended; None while it has not. Somebody may have seen to it since: then nothing is left to be done about it, and
    `do` says why.
    """
    end = as_it_ended(push)
    if end is None or end.verb is None or not (done := seen_to(push)):
        return end
    return replace(end, do=f"Nothing: {done}.", verb=None, also=(), meanwhile="")


def seen_to(push: RouterPush) -> str:
    """What was done since a push ended badly, without a full stop: a person dealt with it, or a later change was verified on its
    router. Empty: nothing was, or it did not end badly.
    """
    if push.state == PushState.VERIFIED:
        return ""
    if push.dealt_with_at is not None:
        said = dealt_with(push)
        return "dealt with" if said is None else f"dealt with by {said[0]}: {said[1].rstrip('.')}"
    change = verified_since(push)
    return "" if change is None else f"verified since by CHG-{change}"


def as_it_ended(push: RouterPush) -> End | None:
    """How a push ended, whoever has seen to it since; None while it has not."""
    return end_of(push.state, push.error_code, saved=push.saved, read=push.has_plan)


def end_of_change(change: Change) -> End | None:
    """What is to be done about a change of which some routers hold it and some do not; None for every other, and where somebody
    has seen to each of those that do not.
    """
    if state_of(change) is not ChangeState.PARTIAL:
        return None
    left = not_dealt_with(RouterPush.objects.filter(change=change).exclude(state=PushState.VERIFIED))
    return PARTIAL if left.exists() else None


def verbs_of(push: RouterPush) -> tuple[Verb, ...]:
    """The steps that may be done about a push, the next one first: those of its end, and those of a change of which other routers
    hold their part: planning the rest, or undoing the whole where that is what requests put on.
    """
    end = end_of_push(push)
    if end is None or not end.verbs:
        return ()
    partial = None if push.state == PushState.VERIFIED else end_of_change(push.change)
    if partial is None:
        return end.verbs
    undone = push.change.kind == ChangeKind.RESERVATION and push.change.finished_at is not None
    more = [verb for verb in partial.verbs if verb is not Verb.UNDO or undone]
    return (*end.verbs, *(verb for verb in more if verb not in end.verbs))


def half_way() -> QuerySet[RouterPush]:
    """The pushes that have lines in and are not through, oldest first."""
    rows = RouterPush.objects.filter(BEGUN)
    return rows.select_related("router", "change").order_by("pk")


def half_way_on(router: Router) -> RouterPush | None:
    """The push that has lines in on a router and is not through."""
    return half_way().filter(router=router).first()


def not_dealt_with(pushes: QuerySet[RouterPush]) -> QuerySet[RouterPush]:
    """Of these pushes those that nobody has seen to: no other change was verified on their router since, and no person has said
    that it is dealt with.
    """
    return pushes.filter(~Exists(VERIFIED_SINCE), dealt_with_at=None)


def standing() -> QuerySet[RouterPush]:
    """The pushes that ended badly and that nobody has seen to, the newest change first.

    What a person asked for, and what was not known, is over as well once its router is read as intended; what went stale is
    planned again by itself where requests asked for it.
    """
    badly = Q(state__in=(PushState.FAILED, PushState.UNKNOWN, PushState.ROLLED_BACK))
    stale = Q(state=PushState.STALE, change__kind__in=ASKED_BY_A_PERSON) & ~Q(error_code="")
    read_since = (Q(change__kind__in=ASKED_BY_A_PERSON) | Q(state=PushState.UNKNOWN)) & Q(
        router__sync__state=SyncState.IN_SYNC,
        router__sync__checked_at__gt=F("state_changed_at"),
    )
    rows = RouterPush.objects.filter(badly | stale).exclude(read_since)
    return not_dealt_with(rows).select_related("router", "change").order_by("-change_id", "position", "pk")
