"""Reading routers and saying what is true: in sync, differs, unknown; and what follows for the promises.

ACTIVE is written only when the ingress was seen in sync with an intent that contains the reservation and every other
router concerned in sync with its own, COMPLETED only when they were seen in sync with intents that do not
(architecture.md, "Baseline and reservations"). NEVER_PROVIDED is what ends without ever having been seen on its ingress.

A reading speaks for the moment it began. However late it is written down, it never takes the place of a newer one, and
it says nothing about a request that changed, or a push that ended, after it began.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Exists, F, Max, Q, QuerySet

from inventory.models import Router
from provisioning.errors import Conflict, DeviceError, InvalidInput, StaleState
from provisioning.models import SYSTEM, PremiumRequest, Reservation, RouterPush, RouterSync, SyncState
from provisioning.pipeline import verification
from provisioning.pipeline.change import content_digest
from provisioning.pipeline.diff.store import place_of
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.states import UNSURE, PushState, RequestState
from provisioning.pipeline.verification import Differs, InSync, Outcome
from provisioning.selectors.changes import UNRECOGNISED
from provisioning.selectors.templates import shared_ios_environment
from provisioning.services import (
    bare,
    capabilities,
    chassis,
    clock,
    credentials,
    decisions,
    differences,
    intents,
    living,
    queues,
    unsaved,
)
from provisioning.services.apart import apart
from provisioning.services.edges import core_is_live, edges_of
from provisioning.services.intents import Wanted
from provisioning.services.ownership import owned_on
from provisioning.services.reading import Reading, Unread, read_all
from provisioning.services.routes import routes_at_risk
from provisioning.services.snapshots import store_snapshot
from provisioning.services.telling import standing

log = structlog.get_logger(__name__)


def verify_router_id(*, router_id: int) -> RouterSync:
    """Read one router by its key and record what was seen. Raises StaleState where it was retired."""
    return verify_router(router=living.router_of(router_id))


def verify_router(*, router: Router) -> RouterSync:
    """Read one router, record how it stands against the intent, settle what follows.

    Raises InvalidInput where it was retired, StaleState where it is while it is read.
    """
    found = verify_routers(names=[router.name])
    if not found:
        raise living.retired(router)
    return found[0]


def verify_routers(*, names: Sequence[str] | None = None) -> list[RouterSync]:
    """Read these routers (or all), side by side, and record how each stands; then settle the promises.

    Raises InvalidInput for a name the domain does not know. A router that cannot be read is UNKNOWN with a reason;
    of one that is retired while it is read nothing is kept.
    """
    wanted = intents.wanted(routers=names)
    chosen = sorted(wanted.routers) if names is None else list(names)
    unknown = [name for name in chosen if name not in wanted.routers]
    if unknown:
        raise InvalidInput(f"there is no router {unknown[0]!r:.80}", field="router")
    readings = read_routers([wanted.routers[name] for name in chosen])
    found = []
    for name in chosen:
        try:
            row = record(router=wanted.routers[name], reading=readings[name], wanted=wanted, checked=True)
        except StaleState as error:
            log.info("not recorded", router=name, reason=error.reason)
        else:
            found.append(row)
    settle_requests(routers=names)
    return found


def read_routers(routers: Iterable[Router]) -> dict[str, Reading | Unread]:
    """Read routers side by side; one that has no address, credential or pinned key is unread like any other."""
    targets, unread = [], {}
    going = clock.started()
    for router in routers:
        try:
            targets.append(credentials.for_router(router=router))
        except DeviceError as error:
            unread[router.name] = Unread(router.name, error.code, error.reason, going())
    readings = read_all(capabilities.to_be_asked(targets), going)
    capabilities.remember(readings.values())
    return {**readings, **unread}


def record(*, router: Router, reading: Reading | Unread, wanted: Wanted, checked: bool = False) -> RouterSync:
    """Store how a router stands against the intent, unless a newer reading is stored; returns the row as it is then.

    A router that shows something else than when it was last read marks its queue: what waited may go on. `checked`: it was read
    to see whether it is as intended. Raises StaleState where the router was retired meanwhile: nothing of it is kept.
    """
    reading = wanted.judged({router.name: reading})[router.name]
    intent = wanted.intents.get(router.name)
    edges = edges_of(reading, wanted)
    fields: dict[str, Any] = {
        "intent_digest": "" if intent is None else intent.revision,
        "open_edges": edges,
        "checked_at": reading.read_at or clock.now(),
    }
    if isinstance(reading, Unread) or intent is None:
        assert isinstance(reading, Unread)  # `judged` lets no other through
        # What was seen last (the snapshot, whether its core is live) stays on record; it just no longer counts.
        fields |= {
            "state": SyncState.UNKNOWN,
            "detail": {
                "reason": reading.reason,
                "code": reading.code,
                **({"said": dict(reading.said)} if reading.said else {}),
            },
            "content_digest": "",
        }
    else:
        outcome = _compare(router, reading, intent)
        in_sync = isinstance(outcome, InSync)
        fields |= {
            "state": SyncState.IN_SYNC if in_sync else SyncState.DIFFERS,
            "detail": {
                "items": [item.to_json() for item in outcome.items] if isinstance(outcome, Differs) else [],
                "equal_today": [each.to_json() for each in outcome.equal_today]
                if isinstance(outcome, Differs)
                else [],
                "requests_on": [row.pk for row in wanted.requests if in_sync and _enters(row, router)],
                "unsaved": list(reading.unsaved),
                "at_risk": routes_at_risk(wanted, reading),
                "remarks": list(reading.remarks),
            },
            "unsaved": unsaved.as_row(router, unsaved.sort_out(router, reading), reading.read_at),
            "edges_seen": edges,
            "core_live": core_is_live(reading.config, intent),
            "content_digest": content_digest(reading.config, intent.managed),
        }
    with transaction.atomic():
        living.hold_one(router)
        # Of pushes before it, whatever was read since; pushes are locked before the row of the reading.
        if fields.get("unsaved") == {}:
            unsaved.note_saved(router, fields["checked_at"])
        row, _created = RouterSync.objects.get_or_create(router=router)
        same = row.state == fields["state"] and row.content_digest == fields["content_digest"]
        fields["same_since"] = row.same_since if same and row.same_since else fields["checked_at"]
        was = row.content_digest
        # Whoever stores a reading holds the router's row: nobody stores a newer one between the look and the write.
        if stored := row.checked_at is None or row.checked_at <= fields["checked_at"]:
            if isinstance(reading, Reading):
                fields["snapshot"] = store_snapshot(router, reading)
            RouterSync.objects.filter(pk=row.pk).update(**fields)
            for name, value in fields.items():
                setattr(row, name, value)
            heeded = fields["state"] != SyncState.UNKNOWN and differences.note_seen(
                router, fields["detail"]["items"], fields["checked_at"], checked=checked
            )
            standing.read(router, fields, checked=checked, heeded=heeded)
    if isinstance(reading, Reading) and reading.serial and not router.serial:
        chassis.learn(router=router, serial=reading.serial)
    if isinstance(reading, Reading) and intent is not None:
        bare.look(
            router,
            reading.config,
            read_at=fields["checked_at"],
            wanted={place_of(each) for each in intent.bindings},
        )
    if stored and was != fields["content_digest"]:
        queues.mark_waiting([router.pk])
    row.router = router
    return row


def settle_requests(now: datetime | None = None, *, routers: Collection[str] | None = None) -> list[str]:
    """Move requests whose promise was seen kept, or seen gone, or never kept; return them as "PIP-1 ACTIVE".

    Reads rows only: what the routers showed is in `RouterSync`. With `routers` only requests are looked at whose promise
    can depend on one of these; whatever that leaves, the next tick looks at all that wait.
    """
    moment = now or clock.now()
    settled = []
    waiting = _waiting(moment).filter(_SEEN_SINCE).exclude(_STILL_ON)
    if not waiting.exists():
        return []
    found = _with_routers(waiting if routers is None else intents.depending_on(waiting, routers))
    names = {name for _request, concerned in found for name in concerned}
    standing = {
        row.router.name: row
        for row in RouterSync.objects.filter(router__name__in=names).select_related("router")
    }
    unsettled = _unsettled({row.router_id: row.checked_at for row in standing.values()})
    for request, concerned in found:
        with apart("the settling of a request", request.pk):
            rows = {
                name: row
                if (row := standing.get(name)) is not None and row.router_id not in unsettled
                else None
                for name in concerned
            }
            if (reached := _settled(request, rows)) is not None:
                settled.append(f"{request.reference} {reached}")
    return settled


def unseen(now: datetime, *, most: int, without: Exists) -> set[int]:
    """The routers (their keys) that were not read since something that waits to be seen there: a reservation that was
    put on, or is over. A bounded number of statements; of so many requests, the oldest `without` that.

    A reading and the note that nothing had to be sent may cross: the ingress was read after the window ended, and
    compared with an intent of a moment before the note. Such a reading says the opposite of what the rows say, in
    sync; it is read again.
    """
    concerned: dict[str, datetime] = {}
    entering: dict[str, dict[int, bool]] = {}
    for request, crossed in _with_routers(_waiting(now).exclude(_STILL_ON).exclude(without)[:most]):
        held: Reservation = request.reservation
        since, names = request.state_changed_at, crossed
        if request.state == RequestState.ADMITTED:
            since = max(since, request.start)
        elif held.put_on_at is None:
            names = {request.source_link.interface.router.name}
        entering.setdefault(request.source_link.interface.router.name, {})[request.pk] = (
            request.state == RequestState.ADMITTED
        )
        for name in names:
            concerned[name] = max(since, concerned.get(name, since))
    if not concerned:
        return set()
    rows = RouterSync.objects.filter(router__name__in=concerned)
    read, contrary = {}, set()
    for pk, name, checked_at, state, seen_on in rows.values_list(
        "router_id", "router__name", "checked_at", "state", "detail__requests_on"
    ):
        read[pk] = checked_at
        if state == SyncState.IN_SYNC and any(
            (request in (seen_on or [])) is not on for request, on in entering.get(name, {}).items()
        ):
            contrary.add(pk)
    pushed = _newest_reading_of_pushes(read)
    keys = Router.objects.filter(name__in=concerned).values_list("pk", "name")
    return {
        pk
        for pk, name in keys
        if pk in contrary
        or (seen := read.get(pk)) is None
        or seen <= concerned[name]
        or (pk in pushed and seen < pushed[pk])
    }


def _with_routers(requests: Iterable[PremiumRequest]) -> list[tuple[PremiumRequest, Collection[str]]]:
    """Each request with the routers it concerns; one whose path cannot be read is logged and left out."""
    found: list[tuple[PremiumRequest, Collection[str]]] = []
    for request in requests:
        with apart("the path of a request", request.pk):
            found.append((request, intents.routers_concerned(request)))
    return found


def _newest_reading_of_pushes(routers: Iterable[int]) -> dict[int, datetime]:
    """When the reading began by which the last push to each of these routers was verified."""
    newest = (
        RouterPush.objects.filter(
            router__in=list(routers), state=PushState.VERIFIED, verification__has_key="read_at"
        )
        .order_by()
        .values("router")
        .annotate(newest=Max("pk"))
        .values("newest")
    )
    rows = RouterPush.objects.filter(pk__in=newest).values_list("router_id", "verification__read_at")
    return {pk: datetime.fromisoformat(read_at) for pk, read_at in rows}


_INGRESS = "source_link__interface__router__sync"
_SEEN_SINCE = Q(
    **{f"{_INGRESS}__state": SyncState.IN_SYNC, f"{_INGRESS}__checked_at__gt": F("state_changed_at")}
)
"""Whose ingress was seen in sync since: nothing else can be settled, however much waits for a reading (`_shown`)."""
_STILL_ON = Q(
    state__in=intents.OVER, reservation__put_on_at__isnull=False, reservation__taken_off_at__isnull=True
)
"""Over, on its ingress, and waiting to be taken off: a push, not a reading."""


def _waiting(now: datetime) -> QuerySet[PremiumRequest]:
    """Requests that wait to be seen: put on and not ACTIVE, or over and not released."""
    return (
        PremiumRequest.objects.filter(
            Q(state=RequestState.ADMITTED, start__lte=now, reservation__put_on_at__isnull=False)
            | Q(state__in=intents.OVER, reservation__isnull=False, reservation__released_at__isnull=True)
        )
        .select_related("reservation", "source_link__interface__router")
        .order_by("pk")
    )


def _settled(request: PremiumRequest, rows: Mapping[str, RouterSync | None]) -> RequestState | None:
    """Move one request if every router concerned shows it kept, or gone; return the state reached."""
    held: Reservation = request.reservation
    ingress = request.source_link.interface.router.name
    try:
        if request.state == RequestState.ADMITTED:
            if _shown(request, rows, ingress, on=True):
                decisions.activate(request=request, reason="seen on every router concerned", actor=SYSTEM)
                return RequestState.ACTIVE
        elif held.put_on_at is None:
            # It was on no router: only its ingress could hold anything of it.
            if _shown(request, {ingress: rows[ingress]}, ingress, on=False):
                decisions.never_provide(request=request, actor=SYSTEM)
                return RequestState.NEVER_PROVIDED
        elif held.taken_off_at is not None and _shown(request, rows, ingress, on=False):
            decisions.complete(request=request, reason="seen gone from every router concerned", actor=SYSTEM)
            return RequestState.COMPLETED
    except (StaleState, Conflict) as error:
        log.info("not settled", request=request.pk, reason=error.reason)  # a person, or a push, was faster
    return None


def _shown(request: PremiumRequest, rows: Mapping[str, RouterSync | None], ingress: str, *, on: bool) -> bool:
    """Whether every router was seen in sync since the request last changed, the ingress with (or without) it."""
    for name, row in rows.items():
        if row is None or row.state != SyncState.IN_SYNC or row.checked_at is None:
            return False
        since = max(request.state_changed_at, request.start) if on else request.state_changed_at
        if row.checked_at <= since:
            return False
        if name == ingress and (request.pk in row.detail.get("requests_on", [])) is not on:
            return False
    return True


def _unsettled(read: Mapping[int, datetime | None]) -> set[int]:
    """The routers (of these keys, last read then) of which that reading says nothing about a promise: lines are being
    sent, or may yet be, as the approved rest of what broke off; or a push was verified by a newer reading that nobody
    lived to write down.
    """
    begun = RouterPush.objects.filter(router__in=list(read), state__in=UNSURE).exclude(plan_digest="")
    busy = set(begun.exclude(error_code=UNRECOGNISED).values_list("router_id", flat=True))
    newer = _newest_reading_of_pushes(read)
    return busy | {pk for pk, when in newer.items() if (seen := read[pk]) is not None and seen < when}


def _compare(router: Router, reading: Reading, intent: RouterIntent) -> Outcome:
    return verification.verify(
        reading.config,
        intent,
        owned_on(router),
        Renderer(shared_ios_environment()),
        profile(router.platform, router.ios),
        reading.bandwidths,
    )


def _enters(request: PremiumRequest, router: Router) -> bool:
    return request.source_link.interface.router_id == router.pk
