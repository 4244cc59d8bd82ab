"""Planning what is due on one router: its queue read, the rule asked, one plan made for what goes together (ADR 16).

What cannot be built, conflicts or would be unsafe is held out with its sentence, and the rest is planned without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache, partial

from django.conf import settings
from django.db import transaction
from django.db.models import F

from inventory.models import Router
from provisioning.models import (
    SYSTEM,
    ChangeKind,
    PremiumRequest,
    RouterPush,
    RouterQueue,
    SyncState,
)
from provisioning.pipeline.change import ChangePlan, Phase
from provisioning.pipeline.queue import LOOKED_AT_AFTER, Decision, Work, decide
from provisioning.pipeline.states import SENDING
from provisioning.pipeline.units import how_many
from provisioning.selectors.queues import needs_person
from provisioning.services import clock, guarding, intents, living, queues, verifying, versions
from provisioning.services.asides import put_aside
from provisioning.services.intents import Wanted
from provisioning.services.patience import First, pause_after
from provisioning.services.planning.making import edges_left_open, obstacles, plans_for, without_core_queues
from provisioning.services.planning.storing import (
    Draft,
    lock_before_storing,
    pushes_begun,
    store,
    written_since,
)
from provisioning.services.reading import Reading, Unread

_UNREAD = " cannot be read: "


def plan_router(*, router_id: int) -> str:
    """Look at the queue of a router and plan what its rule says; return the outcome as a sentence."""
    versions.check()
    router = living.router_of(router_id)
    queue, _made = RouterQueue.objects.get_or_create(router=router)
    began = clock.now()
    if needs_person(queue):
        queues.done(queue, began=began, look_at=None)
        return queue.waits_for
    decision = decide_for(router, began)
    if not decision.batch:
        _put_aside(decision)
        queues.done(queue, began=began, look_at=decision.look_at)
        return "nothing to plan now"
    outcome, look_at = _plan(router, queue, decision, began)
    found = [moment for moment in (look_at, decision.look_at) if moment is not None]
    queues.done(queue, began=began, look_at=min(found, default=None))
    return outcome


def _put_aside(decision: Decision) -> None:
    for change_id, why in decision.put_aside:
        with transaction.atomic():
            put_aside(change_id, why)


def decide_for(router: Router, now: datetime) -> Decision:
    """What the rule says of the queue of this router as its rows stand."""
    lead = timedelta(seconds=settings.LEAD_TIME_SECONDS)
    work = queues.work_of(
        router, now=now, until=now + LOOKED_AHEAD + lead, cause=partial(queues.cause_of, router)
    )
    must_wait = partial(guarding.must_wait, now=now)
    return decide(work, queues.plans_of(router), now=now, lead=lead, must_wait=must_wait)


LOOKED_AHEAD = timedelta(days=2)
"""So far ahead an instant is known to a queue; the hourly mark brings later ones into view."""


def _plan(
    router: Router, queue: RouterQueue, decision: Decision, now: datetime
) -> tuple[str, datetime | None]:
    busy = RouterPush.objects.filter(router=router, state__in=SENDING).exists()
    if busy:
        return "the router is being pushed to; its end marks the queue", None
    begun = pushes_begun([router.name])
    reading = verifying.read_routers([router])[router.name]
    before = intents.wanted(domain=router.domain, routers=[router.name])
    sync = verifying.record(router=router, reading=reading, wanted=before)
    if isinstance(reading, Unread):
        return _unread(queue, reading, now)
    if _UNREAD in queue.waits_for:
        # It answers again; what is counted from here on are plans that went out of date.
        RouterQueue.objects.filter(pk=queue.pk).update(tries=0, waits_for="")
    kept, plans, wanted = _what_can_be_planned(router, reading, decision.batch)
    if not kept:
        # What carries those that are held out by now goes; and what was left out of their batch is the next.
        queues.mark([router.pk])
        return "nothing of what is due can be planned; each says why", None
    if all(plan.empty for plan in plans) and any(each.due > now for each in kept):
        queues.say(queue, "")
        return "planned ahead: nothing has to be sent", min(each.due for each in kept if each.due > now)
    if all(plan.empty for plan in plans) and guarding.must_wait(kept, now):
        # What waits is a push, and there is none to keep back: stored it would be on at once.
        _put_aside(decision)
        return "nothing has to be sent, but what went before is not seen gone", now + LOOKED_AT_AFTER
    edges = edges_left_open(wanted, {router.name: reading}, {router.name: plans})
    base_lines = sync.state != SyncState.IN_SYNC and _lacks_more(before, reading, core=not edges)
    draft = _draft(router, kept, base_lines=base_lines)
    with transaction.atomic():
        lock_before_storing(draft, [change_id for change_id, _why in decision.put_aside], queue=queue)
        again = decide_for(router, now)
        if (
            again.batch != decision.batch
            or RouterPush.objects.filter(router=router, state__in=SENDING).exists()
            or written_since(begun, [router.name])
        ):
            queues.mark([router.pk])
            return "the queue changed while the router was read; looked at again", None
        for change_id, why in again.put_aside:
            put_aside(change_id, why)
        by_router = {router.name: plans}
        change = store(
            SYSTEM,
            draft,
            wanted,
            {router.name: reading},
            without_core_queues(by_router) if edges else by_router,
            edges,
        )
        queues.let_in(draft.requests)
        RouterQueue.objects.filter(pk=queue.pk).update(waits_for="")
    if len(kept) < len(decision.batch):
        queues.mark([router.pk])  # what follows what is held out by now must not be in one plan with the rest
    if change.ahead_covered is False:
        queues.mark([router.pk])  # it waits for a person, so what was left out of it may as well be in it
    if change.finished_at is not None:
        now_on = intents.wanted(domain=router.domain, routers=[router.name])
        verifying.record(router=router, reading=reading, wanted=now_on)
        verifying.settle_requests(routers=[router.name])
    return change.reference, None


def _lacks_more(before: Wanted, reading: Reading, *, core: bool) -> bool:
    """Whether the router lacks lines that no request asks for, such as its baseline: a plan then carries them too.

    `core`: core queues would be among them; while an edge is open they are left out.
    """
    if reading.router in before.unbuildable:
        return True
    plans = plans_for(before, reading)
    return any(plan.commands or plan.conflicts for plan in plans if core or plan.phase is not Phase.CORE_ON)


def _unread(queue: RouterQueue, reading: Unread, now: datetime) -> tuple[str, datetime | None]:
    """The router cannot be read: say so, and try again, later each time."""
    RouterQueue.objects.filter(pk=queue.pk).update(tries=F("tries") + 1)
    sentence = f"{reading.router}{_UNREAD}{reading.reason}"
    queues.say(queue, sentence)
    return sentence, now + pause_after(First.UNREAD, queue.tries + 1)


def _what_can_be_planned(
    router: Router, reading: Reading, batch: Sequence[Work]
) -> tuple[list[Work], tuple[ChangePlan, ...], Wanted]:
    """The work of a batch that can be planned together, its plans and what they are made from.

    When all of it together cannot, it is tried one after the other; what cannot join is held out with the reason.
    """
    plans, why, wanted = _try(router, reading, batch)
    if not why:
        return list(batch), plans, wanted
    cause = cache(partial(queues.cause_of, router))
    kept: list[Work] = []
    found: tuple[tuple[ChangePlan, ...], Wanted] = ((), wanted)
    for each in batch:
        plans, why, wanted = _try(router, reading, [*kept, each])
        if why:
            request = PremiumRequest.objects.get(pk=each.member.request)
            queues.hold_out([request], _sentence(router, why), cause=cause())
        else:
            kept.append(each)
            found = plans, wanted
    return kept, *found


def _try(
    router: Router, reading: Reading, batch: Sequence[Work]
) -> tuple[tuple[ChangePlan, ...], str, Wanted]:
    wanted = intents.wanted(
        domain=router.domain,
        routers=[router.name],
        puts_on=[each.member.request for each in batch if each.member.puts_on],
        takes_off=[each.member.request for each in batch if not each.member.puts_on],
        modifies=[each.member.modification for each in batch if each.member.modification],
    )
    if router.name in wanted.unbuildable:
        return (
            (),
            f"what {router.name} is to hold cannot be worked out: {wanted.unbuildable[router.name]}",
            wanted,
        )
    plans = plans_for(wanted, reading)
    return plans, obstacles(plans), wanted


def _sentence(router: Router, why: str) -> str:
    if "edited by hand" in why:
        return f"{router.name}: {why}. Agree with whoever edited it, then plan a repair of this router."
    return f"{router.name}: {why}. Clear it, then have it planned again."


def _draft(router: Router, kept: Sequence[Work], *, base_lines: bool) -> Draft:
    rows = PremiumRequest.objects.select_related("source_link").in_bulk(
        [each.member.request for each in kept]
    )
    requests = tuple(rows[each.member.request] for each in kept)
    off = tuple(each.member.request for each in kept if not each.member.puts_on)
    kind = ChangeKind.REMOVAL if len(off) == len(kept) else ChangeKind.RESERVATION
    modifies = {each.member.request: each.member.modification for each in kept if each.member.modification}
    words = [
        f"{row.reference} {'off' if row.pk in off else 'changed' if row.pk in modifies else 'on'}"
        for row in requests[:5]
    ]
    if len(requests) > len(words):
        words.append(f"{how_many(len(requests) - len(words), 'request')} more")
    where = requests[0].source_link.name if len(requests) == 1 else router.name
    title = f"{', '.join(words)}: {where}"
    return Draft(
        kind=kind,
        title=title,
        reason=requests[0].reason if len(requests) == 1 else "",
        requests=requests,
        names=(router.name,),
        takes_off=off,
        modifies=modifies,
        base_lines=base_lines,
        due_at=max(each.due for each in kept),
    )
