"""Plans that a person asks for: the baseline of the domain, or a repair, made by a job and reported as it goes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from inventory.models import Domain
from provisioning.errors import Conflict, ExpediteError, InvalidInput, StaleState
from provisioning.models import SYSTEM, Actor, Change, ChangeKind, PremiumRequest, RouterPush, Verb, Via
from provisioning.pipeline.queue import Work
from provisioning.pipeline.states import SENDING
from provisioning.pipeline.units import first_few
from provisioning.selectors.authority import permit
from provisioning.selectors.network import the_domain
from provisioning.selectors.schemes import scheme_of
from provisioning.selectors.templates import template_digest
from provisioning.services import audit, clock, guarding, intents, living, people, queues, verifying, versions
from provisioning.services.asides import put_aside
from provisioning.services.intents import Wanted
from provisioning.services.planning.making import edges_left_open, plans_for, without_core_queues
from provisioning.services.planning.storing import (
    Begun,
    Draft,
    lock_before_storing,
    pushes_begun,
    store,
    written_since,
)
from provisioning.services.reading import Reading, Unread
from provisioning.services.wording import reason_text, title_text

NAMED = 5
"""So many routers are named in a sentence."""
AT_ONCE = 16
"""Routers that are read before the progress is written down."""
ROUNDS = 4
"""So often routers are read that are written to while the plan is made."""


def ask_for_plan(
    *,
    actor: Actor,
    kind: str = ChangeKind.BASELINE,
    routers: Sequence[str] | None = None,
    title: str = "",
    reason: str = "",
) -> Change:
    """Store what is to be planned (all routers, or those named) and return the change, which has no plans yet: a job
    makes them (`plan_change`).

    Raises NotPermitted, InvalidInput for an unknown router or a text nobody can read, Conflict while one of the
    routers is being pushed to.
    """
    versions.check()
    permit(actor, Verb.PLAN)
    title, reason = title_text(title), reason_text(reason, needed=False)
    domain = the_domain()
    known = set(domain.routers.values_list("name", flat=True))
    names = sorted(set(routers)) if routers else sorted(known)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InvalidInput(f"there is no router {unknown[0]!r:.80}", field="router")
    _nothing_under_way(names)
    where = ", ".join(names) if routers else domain.name
    scheme = scheme_of(domain)
    with transaction.atomic():
        change = Change.objects.create(
            kind=ChangeKind(kind),
            title=(title or f"{ChangeKind(kind).label} of {where}")[:200],
            reason=reason,
            submitted_by_id=actor.user_id,
            issuer_id=actor.issuer_id,
            scheme=scheme.name,
            scheme_digest=scheme.digest(),
            template_digest=template_digest(),
            asked={"routers": names, "read": 0, **_asked_by(actor)},
        )
        # By the clock that dates the states of requests: "planned since" compares the two.
        Change.objects.filter(pk=change.pk).update(created_at=Now())
        audit.record(
            actor=actor,
            action="change.asked",
            obj=change,
            reason=reason,
            after={"routers": names, "kind": change.kind},
        )
    change.refresh_from_db()
    return change


def plan_change(*, change_id: int) -> str:
    """Read the routers of a change that was asked for and store its plans; return its reference. Done once only.

    What keeps it from being planned at all is written into the change and raised.
    """
    change = Change.objects.get(pk=change_id)
    if change.planned_at is not None or change.finished_at is not None:
        return change.reference
    try:
        return _plan(change).reference
    except ExpediteError as error:
        # Of two that make it the slower may meet the faster's plan: that one stands.
        Change.objects.filter(pk=change.pk, planned_at__isnull=True).update(
            asked={**change.asked, "error": str(error)}, finished_at=clock.now()
        )
        raise


def plan_domain(
    *,
    actor: Actor,
    kind: str = ChangeKind.BASELINE,
    routers: Sequence[str] | None = None,
    title: str = "",
    reason: str = "",
) -> Change:
    """Ask for a plan and make it here and now; return the change. Raises as `ask_for_plan`, and what reading raises."""
    change = ask_for_plan(actor=actor, kind=kind, routers=routers, title=title, reason=reason)
    plan_change(change_id=change.pk)
    change.refresh_from_db()
    return change


def _plan(change: Change) -> Change:
    domain = the_domain()
    names = tuple(change.asked["routers"])
    _nothing_under_way(names)
    readings: dict[str, Reading | Unread] = {}
    begun: dict[str, tuple[int, datetime]] = {}
    again = names
    for _round in range(ROUNDS):
        begun |= pushes_begun(again)
        stored, again = _read_and_store(change, domain, names, again, readings, begun)
        if not again:
            break
    else:
        raise Conflict(
            f"{first_few(again, NAMED)} was written to whenever it was read: plan when that is over"
        )
    if not stored:
        return change  # another worker was faster
    standing = intents.wanted(domain=domain, routers=names)
    for name, router in standing.routers.items():
        with suppress(StaleState):  # retired since
            verifying.record(router=router, reading=readings[name], wanted=standing)
    queues.mark_waiting([router.pk for router in standing.routers.values()])
    verifying.settle_requests(routers=names)
    return change


def _read_and_store(
    change: Change,
    domain: Domain,
    names: tuple[str, ...],
    unread: tuple[str, ...],
    readings: dict[str, Reading | Unread],
    begun: Begun,
) -> tuple[bool, tuple[str, ...]]:
    """Read the routers that are `unread` yet into `readings` and store the plans of all; whether they are stored here. Where
    routers were written to since they were read nothing is stored, and they are returned: they are read again.
    """
    actor = _asker(change.asked) if change.asked["by"] else SYSTEM
    wanted, requests, off = _wanted(domain, names)
    _still_there(wanted.routers, names)
    for first in range(0, len(unread), AT_ONCE):
        some = unread[first : first + AT_ONCE]
        readings |= wanted.judged(verifying.read_routers([wanted.routers[name] for name in some]))
        read = len(names) - len(unread) + min(first + AT_ONCE, len(unread))
        Change.objects.filter(pk=change.pk).update(asked={**change.asked, "read": read})
    repair = change.kind == ChangeKind.REPAIR
    plans = {
        name: plans_for(wanted, reading, repair=repair) if isinstance(reading, Reading) else ()
        for name, reading in readings.items()
    }
    edges = edges_left_open(wanted, readings, plans)
    draft = Draft(
        kind=ChangeKind(change.kind),
        title=change.title,
        reason=change.reason,
        planner=change.submitted_by_id,
        requests=requests,
        names=names,
        takes_off=off,
        base_lines=any(plan.commands for each in plans.values() for plan in each),
    )
    with transaction.atomic():
        held = living.hold(row.pk for row in wanted.routers.values())
        _still_there([name for name, row in wanted.routers.items() if row.pk in held], names)
        older = _older(change, names)
        lock_before_storing(draft, [change.pk, *older])
        if Change.objects.get(pk=change.pk).planned_at is not None:
            return False, ()
        _nothing_under_way(names)
        if written := written_since(begun, names):
            return False, written
        change = store(
            actor,
            draft,
            wanted,
            readings,
            without_core_queues(plans) if edges else plans,
            edges,
            change=change,
        )
        for pk in older:
            theirs = _routers_of(pk)
            both = [each for each in names if each in theirs]
            said = f"put aside: {change.reference} plans {first_few(both, NAMED)} anew"
            put_aside(pk, said, anew=names, left_out=f"{said}, and not this router")
    return True, ()


def _wanted(
    domain: Domain, names: Sequence[str]
) -> tuple[Wanted, tuple[PremiumRequest, ...], tuple[int, ...]]:
    """What these routers are to hold with everything that is due put on and taken off, but for what must wait until something
    is seen gone from another router (its queue plans that); the requests, and those taken off.
    """
    now = clock.now()
    work: list[Work] = []
    for router in domain.routers.filter(name__in=names):
        due = [
            each
            for each in queues.work_of(router, now=now, until=now, cause=lambda: "")
            if not each.held
            and not each.member.modification  # what is on becomes something else by its own plan
        ]
        later = guarding.must_wait(due, now)
        work += [each for each in due if each.member not in later]
    on = [each.member.request for each in work if each.member.puts_on]
    off = [each.member.request for each in work if not each.member.puts_on]
    rows = PremiumRequest.objects.in_bulk([*on, *off])
    requests = tuple(rows[pk] for pk in sorted(rows))
    return (
        intents.wanted(domain=domain, routers=names, puts_on=on, takes_off=off),
        requests,
        tuple(sorted(off)),
    )


def _older(change: Change, names: Sequence[str]) -> list[int]:
    """What a person asked for before for these routers, and nobody has approved or is reading."""
    older = Change.objects.filter(
        kind__in=(ChangeKind.BASELINE, ChangeKind.REPAIR),
        finished_at__isnull=True,
        approved_at__isnull=True,
        planned_at__isnull=False,
        pushes__router__name__in=names,
    ).exclude(pk=change.pk)
    now = clock.now()
    return [
        other.pk
        for other in older.distinct().order_by("pk")
        if not queues.is_frozen(other, now) and not other.pushes.filter(state__in=SENDING).exists()
    ]


def _routers_of(change: int) -> set[str]:
    return set(RouterPush.objects.filter(change=change).values_list("router__name", flat=True))


def _still_there(living_ones: Collection[str], names: Sequence[str]) -> None:
    """Raise StaleState where a router was retired since it was asked for."""
    if gone := [name for name in names if name not in living_ones]:
        raise StaleState(
            f"{first_few(gone, NAMED)} was retired since this was asked for: ask for a plan of the others",
            field="router",
        )


def _nothing_under_way(names: Sequence[str]) -> None:
    busy = (
        RouterPush.objects.filter(router__name__in=names, state__in=SENDING)
        .select_related("router", "change")
        .first()
    )
    if busy is not None:
        raise Conflict(
            f"{busy.router.name} is being pushed to ({busy.change.reference}): plan when that is over"
        )


def _asker(asked: Mapping[str, Any]) -> Actor:
    """Whoever asked for a plan, as they did: the job that makes it speaks for them."""
    return people.actor_named(asked["by"], via=Via(asked["via"]), account=asked.get("account", ""))


def _asked_by(actor: Actor) -> dict[str, str]:
    by = actor.label if actor.user_id else ""
    return {"by": by, "via": actor.via, "account": actor.account}
