"""The figures of `/metrics`, counted from the rows at the moment they are asked for: any web process says the same.

Every query counts or takes an extreme in the database; none brings more rows than there are states, kinds or routers
with an open edge, or interfaces without a policy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, Max, Min, OuterRef, Q
from django.db.models.functions import Now

from inventory.models import Router
from provisioning.models import (
    CounterLook,
    Heartbeat,
    Job,
    JobKind,
    JobState,
    Message,
    MessageState,
    PremiumRequest,
    RouterLease,
    RouterPush,
    RouterSync,
    SyncState,
    UsageSeries,
)
from provisioning.pipeline.states import PushState, RequestState
from provisioning.selectors import health, workers
from provisioning.selectors.pushing import stop, why_no_push
from provisioning.selectors.steering import paused
from provisioning.selectors.swaps import bare_interfaces

WAITS = (PushState.PLANNED, PushState.APPROVED, PushState.PUSHING, PushState.PUSHED, PushState.UNKNOWN)

_READ = RouterSync.objects.filter(router__retired_at=None)


@dataclass(frozen=True, slots=True)
class Figure:
    """One family: its name without the prefix, what it says, and (label values, value) for each label set."""

    name: str
    text: str
    labels: tuple[str, ...] = ()
    samples: tuple[tuple[tuple[str, ...], float], ...] = field(default=())
    counts: bool = False  # only ever grows


def figures() -> Iterator[Figure]:
    """Every family of `/metrics` but those of HTTP. A bounded number of queries, whatever the number of rows."""
    yield _by_state("requests", "Premium requests by state", PremiumRequest.objects, RequestState)
    yield _by_state("pushes", "Router pushes kept, by state", RouterPush.objects, PushState)
    yield from _changes()
    yield from _routers()
    yield from _jobs()
    yield from _messages()
    yield from _usage()
    yield from _processes()
    yield _one("push_enabled", "Whether anything may be written to a router", 0 if why_no_push() else 1)


def _by_state(name: str, text: str, rows: Any, states: Any) -> Figure:
    """All states, those that nobody is in too: a series that comes and goes cannot be watched."""
    found = dict(rows.order_by().values_list("state").annotate(Count("pk")))
    return Figure(
        name, text, ("state",), tuple(((str(each.value),), found.get(each.value, 0)) for each in states)
    )


def _changes() -> Iterator[Figure]:
    rows = (
        RouterPush.objects.filter(state__in=WAITS, change__finished_at__isnull=True)
        .order_by()
        .values("state")
        .annotate(changes=Count("change", distinct=True), age=Now() - Min("change__created_at"))
    )
    found: dict[str, dict[str, Any]] = {row["state"]: dict(row) for row in rows}
    yield Figure(
        "changes_waiting",
        "Open changes with a router in this state: planned waits for approval, approved for its time or its router",
        ("state",),
        tuple(((each.value,), found.get(each, {}).get("changes", 0)) for each in WAITS),
    )
    yield Figure(
        "change_oldest_seconds",
        "Age of the oldest of them",
        ("state",),
        tuple(((each.value,), _seconds(found.get(each, {}).get("age"))) for each in WAITS),
    )


def _routers() -> Iterator[Figure]:
    counted = dict(_READ.order_by().values_list("state").annotate(Count("pk")))
    unread = Router.objects.filter(~Exists(RouterSync.objects.filter(router=OuterRef("pk")))).count()
    samples = [((state.value,), float(counted.get(state.value, 0))) for state in SyncState]
    yield Figure(
        "routers",
        "Routers by the outcome of their last reading",
        ("sync",),
        (*samples, (("never-read",), unread)),
    )
    ages = dict(
        _READ.filter(checked_at__isnull=False)
        .order_by()
        .values_list("state")
        .annotate(age=Now() - Min("checked_at"))
    )
    yield Figure(
        "router_reading_oldest_seconds",
        "How long ago the router of this outcome was read that has not been read for longest",
        ("sync",),
        tuple(((state.value,), _seconds(ages.get(state.value))) for state in SyncState),
    )
    yield _one("pushes_stopped", "Whether a person or a restore holds every push", int(stop() is not None))
    yield _one("changes_paused", "Changes that somebody paused", paused().count())
    with_open = list(_READ.exclude(open_edges=[]).values_list("open_edges", "core_live"))
    yield _one(
        "open_edges", "Interfaces that could let unpoliced EF in", sum(len(edges) for edges, _ in with_open)
    )
    bare = list(bare_interfaces())
    yield _one("bare_interfaces", "Interfaces that a swap left without a policy, or may have", len(bare))
    yield Figure(
        "bare_interface_since_seconds",
        "Since when an interface has no policy because a swap was refused, in seconds since the epoch",
        ("router", "interface"),
        tuple(((row.router.name, row.where), row.since.timestamp()) for row in bare),
    )
    live = _READ.filter(core_live=True).exists()
    yield _one(
        "live_core_with_open_edges",
        "Whether a core queue is live while an edge is open",
        int(live and bool(with_open)),
    )
    held = RouterLease.objects.filter(until__gt=Now()).count()
    yield _one("driver_sessions_writing", "Routers that a worker holds the right to write to", held)
    running = Job.objects.filter(state=JobState.LEASED, lease_until__gt=Now()).exclude(
        kind__in=(JobKind.PRUNE, JobKind.NOTIFY)
    )
    yield _one("driver_sessions", "Jobs under way that speak to routers", running.count())


def _jobs() -> Iterator[Figure]:
    counted = {
        (kind, state): number
        for kind, state, number in Job.objects.order_by().values_list("kind", "state").annotate(Count("pk"))
    }
    yield Figure(
        "jobs",
        "Job rows kept, by kind and state",
        ("kind", "state"),
        tuple(
            ((kind.value, state.value), counted.get((kind.value, state.value), 0))
            for kind in JobKind
            for state in JobState
        ),
    )
    due = Q(state=JobState.QUEUED, available_at__lte=Now())
    left = Q(state=JobState.LEASED, lease_until__lt=Now())
    ages = {
        kind: max(_seconds(waiting), _seconds(abandoned))
        for kind, waiting, abandoned in Job.objects.filter(due | left)
        .order_by()
        .values_list("kind")
        .annotate(
            waiting=Now() - Min("available_at", filter=due), abandoned=Now() - Min("lease_until", filter=left)
        )
    }
    yield Figure(
        "job_oldest_due_seconds",
        "How long the job of this kind has been due that nobody has taken for longest",
        ("kind",),
        tuple(((kind.value,), ages.get(kind.value, 0.0)) for kind in JobKind),
    )


def _messages() -> Iterator[Figure]:
    yield _by_state(
        "messages",
        "Messages kept, by state: given-up is one that nobody was told by",
        Message.objects,
        MessageState,
    )
    waiting = Message.objects.filter(state=MessageState.WAITING).aggregate(age=Now() - Min("created_at"))
    yield _one(
        "message_oldest_waiting_seconds",
        "How long the oldest message waits to be taken",
        _seconds(waiting["age"]),
    )


_CLASS = ("link", "router", "interface", "direction", "class")
_USED: dict[str, tuple[str, str]] = {
    "sent_bps": ("usage_sent_bits_per_second", "What was sent in a class that carries a service, at layer 3"),
    "passed_bps": ("usage_passed_bits_per_second", "What its policer let through, at layer 3"),
    "reserved_bps": ("usage_reserved_bits_per_second", "What is reserved for it, at layer 3"),
    "lost": ("usage_lost_ratio", "Packets that its policer dropped, in parts of all"),
}


def _usage() -> Iterator[Figure]:
    """As of the last look at each router, where that is fresh: nothing of one that is not looked at any more, nor of any where
    counters are not read at all.
    """
    if settings.USAGE_SECONDS <= 0:
        return
    fresh = Now() - timedelta(seconds=3 * settings.USAGE_SECONDS)
    rows = list(
        UsageSeries.objects.exclude(services=[])
        .filter(seen_at__gt=fresh)
        .order_by("pk")
        .values_list("link", "router__name", "interface", "direction", "classes", *_USED)
    )
    for place, (name, text) in enumerate(_USED.values(), start=len(_CLASS)):
        samples = tuple((row[: len(_CLASS)], row[place]) for row in rows if row[place] is not None)
        yield Figure(name, text, _CLASS, samples)
    looks = CounterLook.objects.filter(router__retired_at=None).aggregate(
        age=Now() - Min("read_at"), unread=Count("pk", filter=~Q(error=""))
    )
    yield Figure(
        "counters_oldest_seconds",
        "How long ago the router was counted that was not for longest",
        samples=() if looks["age"] is None else (((), _seconds(looks["age"])),),
    )
    yield _one("counters_unread", "Routers whose counters could not be read at the last try", looks["unread"])


def _processes() -> Iterator[Figure]:
    ticks = Heartbeat.objects.filter(kind=Heartbeat.TICK).aggregate(
        beats=Max("beats"), age=Now() - Max("heard_at")
    )
    yield Figure("ticks_total", "Ticks that went through", (), (((), ticks["beats"] or 0),), counts=True)
    # No tick at all is the oldest of all: an alarm on the age must not miss it.
    age = _seconds(ticks["age"]) if ticks["beats"] else float("inf")
    yield _one("last_tick_age_seconds", "How long ago the last tick was", age)
    served = dict.fromkeys(workers.QUEUES, 0)
    for queues in Heartbeat.objects.filter(
        kind=Heartbeat.WORKER, heard_at__gt=Now() - workers.silent_after()
    ).values_list("queues", flat=True)[:1000]:
        for queue in queues.split(","):
            if queue in served:
                served[queue] += 1
    yield Figure(
        "workers",
        "Workers heard from lately, by the queue they serve",
        ("queue",),
        tuple(((queue,), number) for queue, number in served.items()),
    )
    yield _one("broker_up", "Whether the broker answers, or none is configured", int(health.broker().ok))


def _one(name: str, text: str, value: float) -> Figure:
    return Figure(name, text, (), (((), value),))


def _seconds(age: timedelta | None) -> float:
    return max(0.0, age.total_seconds()) if age is not None else 0.0
