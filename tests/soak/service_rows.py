"""The rows at the end as the values that the oracles hold against what was told and what the routers did."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime
from typing import Any

from django.db.models import Q

from inventory.models import Router
from provisioning.models import (
    AuditEvent,
    Change,
    ChangeKind,
    Job,
    JobState,
    LedgerEntry,
    PremiumRequest,
    Reservation,
    RouterLease,
    RouterPush,
    RouterQueue,
)
from provisioning.services import clock
from tests.soak.service_journal import Flow
from tests.soak.service_network import Made
from tests.soak.service_oracles import Charge, Claim, Told

FOLLOWS = (ChangeKind.RESERVATION, ChangeKind.REMOVAL)


def told(made: Made) -> dict[int, Told]:
    """Every request with its claims, oldest first."""
    cases = {link.name: link for link in made.links}
    claims: defaultdict[int, list[Claim]] = defaultdict(list)
    events = AuditEvent.objects.filter(object_type="PremiumRequest", after__has_key="state")
    wanted = ("at", "object_id", "after__state", "reason")
    for at, key, state, reason in events.order_by("sequence").values_list(*wanted):
        claims[int(key)].append(Claim(at.timestamp(), str(state), reason))
    found = {}
    for row in PremiumRequest.objects.select_related("source_link__interface__router", "reservation"):
        held: Reservation | None = getattr(row, "reservation", None)
        link = cases[row.source_link.name]
        interface = row.source_link.interface.name
        flow: Flow | None = (interface, row.source_prefixes[0].lower(), row.destination_prefixes[0].lower())
        if link.case == "trusted":
            # A standing policy is there with and without a reservation: it says nothing of this one.
            flow = None if link.standing else (interface, "", "")
        found[row.pk] = Told(
            pk=row.pk,
            key=row.reason,
            state=row.state,
            consent=row.consent,
            router=row.source_link.interface.router.name,
            flow=flow,
            start=row.start.timestamp(),
            end=_seconds(row.end),
            claims=sorted(claims[row.pk], key=lambda claim: claim.at),
            admitted=None if held is None else held.created_at.timestamp(),
            released=None if held is None else _seconds(held.released_at),
            waits_for="" if held is None else held.waits_for,
        )
    return found


def charges() -> list[Charge]:
    """Every charge there ever was, over the part of its window in which it counted."""
    rows = LedgerEntry.objects.select_related("reservation")
    found = []
    for row in rows:
        begin, end = row.start.timestamp(), _seconds(row.end)
        if row.reservation is not None:
            begin = max(begin, row.reservation.created_at.timestamp())
        if row.released_at is not None:
            released = row.released_at.timestamp()
            end = released if end is None else min(end, released)
        request = row.hold_id if row.reservation is None else row.reservation.request_id
        found.append(Charge(int(request or 0), row.link, row.direction, row.pool, row.rate_bps, begin, end))
    return found


def _seconds(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()


def unrest() -> list[str]:
    """What is still under way or waits, a sentence each; empty: at rest."""
    now = clock.now()
    found = [
        f"{row.reference} {row.state}"
        for row in PremiumRequest.objects.filter(
            Q(reservation__released_at__isnull=True, reservation__isnull=False)
            & ~Q(state="ACTIVE", end__isnull=True)
            | Q(state__in=("SUBMITTED", "HELD"), end__isnull=False)
        )
    ]
    found += [
        f"{change.reference} {change.kind} unfinished"
        for change in Change.objects.filter(finished_at__isnull=True)
    ]
    found += [
        f"{lease.router} leased to {lease.owner}"
        for lease in RouterLease.objects.filter(until__gt=now).select_related("router")
    ]
    live = Job.objects.filter(state__in=(JobState.QUEUED, JobState.LEASED)).exclude(
        kind__in=("verify-router",)
    )
    found += [f"job {job.pk} {job.kind} {job.subject_id} {job.state}" for job in live]
    return found


def unsaid() -> tuple[list[str], list[str]]:
    """Of what is unfinished at the end: what waits for a person with a sentence, and what says nothing."""
    waits: list[str] = []
    silent: list[str] = []
    for change in Change.objects.filter(finished_at__isnull=True).prefetch_related(
        "pushes__router", "requests"
    ):
        said = [push.error for push in change.pushes.all() if push.error]
        routers = [push.router_id for push in change.pushes.all()]
        said += (
            RouterQueue.objects.filter(router__in=routers)
            .exclude(waits_for="")
            .values_list("waits_for", flat=True)
        )
        said += [
            "waits for an approval"
            for _ in range(1)
            if change.approved_at is None and change.planned_at is not None
        ]
        states = ", ".join(f"{push.router.name} {push.phase} {push.state}" for push in change.pushes.all())
        (waits if said else silent).append(
            f"{change.reference} {change.kind} ({states}): {'; '.join(said[:2])[:300]}"
        )
    return waits, silent


def plans_and_events(edits: Counter[str]) -> tuple[Counter[str], Counter[str]]:
    """Per router: plans stored since the baseline, and what reached it: begins, ends, hand edits, deeds of people."""
    names = dict(Router.objects.values_list("pk", "name"))
    first = Change.objects.order_by("pk").values_list("pk", flat=True)[0]
    plans: Counter[str] = Counter()
    for (router,) in RouterPush.objects.exclude(change=first).exclude(plan_digest="").values_list("router"):
        plans[names[router]] += 1
    events: Counter[str] = Counter(edits)
    granted = PremiumRequest.objects.filter(reservation__isnull=False)
    for router, state in granted.values_list("source_link__interface__router", "state"):
        events[names[router]] += 1 if state in ("ADMITTED", "ACTIVE") else 2
    deeds: dict[str, Any] = {"action__in": ("request.retry", "change.asked", "push.cancelled")}
    for action, key in AuditEvent.objects.filter(**deeds).values_list("action", "object_id"):
        if action == "request.retry":
            row = PremiumRequest.objects.select_related("source_link__interface").get(pk=int(key))
            events[names[row.source_link.interface.router_id]] += 1
        elif action == "change.asked":
            change = Change.objects.get(pk=int(key))
            if change.pk != first:
                for name in change.asked["routers"]:
                    events[name] += 1
    return plans, events
