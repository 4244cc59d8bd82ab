"""Reading routers and saying what is true: in sync, differs, unknown; and what follows for the promises.

ACTIVE is written only when every router concerned was seen in sync with an intent that contains the reservation,
COMPLETED only when it was seen in sync with one that does not (architecture.md, "Baseline and reservations").

A reading speaks for the moment it began. However late it is written down, it never takes the place of a newer one, and
it says nothing about a request that changed, or a push that ended, after it began.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import product
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from inventory.models import Router
from provisioning.errors import DeviceError, InvalidInput, StaleState
from provisioning.models import SYSTEM, PremiumRequest, RouterPush, RouterSync, SyncState
from provisioning.pipeline import verification
from provisioning.pipeline.change import PushState, RequestState
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.verification import Differs, InSync, Outcome
from provisioning.selectors.changes import UNRECOGNISED
from provisioning.selectors.templates import shared_ios_environment
from provisioning.services import clock, credentials, decisions, intents
from provisioning.services.apart import apart
from provisioning.services.edges import core_is_live, edges_of
from provisioning.services.intents import Wanted
from provisioning.services.ownership import owned_on
from provisioning.services.reading import Reading, Unread, read_all
from provisioning.services.routes import routes_at_risk
from provisioning.services.snapshots import store_snapshot

BEGUN = (PushState.PUSHING, PushState.PUSHED, PushState.UNKNOWN)

log = structlog.get_logger(__name__)


def verify_router_id(*, router_id: int) -> RouterSync:
    """Read one router by its key and record what was seen."""
    return verify_router(router=Router.objects.get(pk=router_id))


def verify_router(*, router: Router) -> RouterSync:
    """Read one router, record how it stands against the intent, settle what follows."""
    return verify_routers(names=[router.name])[0]


def verify_routers(*, names: Sequence[str] | None = None) -> list[RouterSync]:
    """Read these routers (or all), side by side, and record how each stands; then settle the promises.

    Raises InvalidInput for a name the domain does not know. A router that cannot be read is UNKNOWN with a reason.
    """
    wanted = intents.wanted(routers=names)
    chosen = sorted(wanted.routers) if names is None else list(names)
    unknown = [name for name in chosen if name not in wanted.routers]
    if unknown:
        raise InvalidInput(f"there is no router {unknown[0]!r:.80}", field="router")
    readings = read_routers([wanted.routers[name] for name in chosen])
    found = [record(router=wanted.routers[name], reading=readings[name], wanted=wanted) for name in chosen]
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
    return {**read_all(targets, going), **unread}


def record(*, router: Router, reading: Reading | Unread, wanted: Wanted) -> RouterSync:
    """Store how a router stands against the intent, unless a newer reading is stored; returns the row as it is then."""
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
        fields |= {"state": SyncState.UNKNOWN, "detail": {"reason": reading.reason, "code": reading.code}}
    else:
        outcome = _compare(router, reading, intent)
        on, over = _seen(router, reading, wanted, outcome)
        fields |= {
            "state": SyncState.IN_SYNC if isinstance(outcome, InSync) else SyncState.DIFFERS,
            "detail": {
                "items": [item.to_json() for item in outcome.items] if isinstance(outcome, Differs) else [],
                "equal_today": [each.to_json() for each in outcome.equal_today]
                if isinstance(outcome, Differs)
                else [],
                "requests_on": on,
                "requests_gone": over,
                "unsaved": list(reading.unsaved),
                "at_risk": routes_at_risk(wanted, reading),
            },
            "core_live": core_is_live(reading.config, intent),
        }
    row, _created = RouterSync.objects.get_or_create(router=router)
    mine = RouterSync.objects.filter(pk=row.pk)
    with transaction.atomic():
        newest = Q(checked_at__isnull=True) | Q(checked_at__lte=fields["checked_at"])
        if mine.filter(newest).update(**fields) and isinstance(reading, Reading):
            mine.update(snapshot=store_snapshot(router, reading))
    return mine.select_related("router").get()


def settle_requests(now: datetime | None = None, *, routers: Collection[str] | None = None) -> list[str]:
    """Move requests whose promise was seen kept, or seen gone; return them as "PIP-1 ACTIVE".

    Reads rows only: what the routers showed is in `RouterSync`. With `routers` only requests are looked at whose promise
    can depend on one of these; whatever that leaves, the next tick looks at all that wait.
    """
    moment = now or timezone.now()
    settled = []
    waiting = PremiumRequest.objects.filter(
        Q(state=RequestState.ADMITTED, start__lte=moment) | Q(state__in=intents.OVER),
        reservation__isnull=False,
    ).select_related("reservation", "source_link__interface__router")
    if routers is not None:
        waiting = intents.depending_on(waiting, routers)
    found = list(waiting.order_by("pk"))
    names = {name for request in found for name in intents.crossed(request)}
    rows = RouterSync.objects.filter(router__name__in=names).select_related("router")
    standing = {row.router.name: row for row in rows}
    for request in found:
        with apart("the settling of a request", request.pk):
            if (reached := _settled(request, standing, moment)) is not None:
                settled.append(f"{request.reference} {reached}")
    return settled


def _settled(
    request: PremiumRequest, standing: Mapping[str, RouterSync], moment: datetime
) -> RequestState | None:
    """Move one request if every router concerned shows it kept, or gone; return the state reached."""
    rows = [standing.get(name) for name in intents.routers_concerned(request)]
    try:
        if request.state == RequestState.ADMITTED:
            if request.start <= moment and _show(rows, request, "requests_on"):
                decisions.activate(request=request, reason="seen on every router concerned", actor=SYSTEM)
                return RequestState.ACTIVE
        elif _show(rows, request, "requests_gone"):
            decisions.complete(request=request, reason="seen gone from every router concerned", actor=SYSTEM)
            return RequestState.COMPLETED
    except StaleState as error:
        log.info("not settled", request=request.pk, reason=error.reason)  # a person was faster
    return None


def _show(rows: Sequence[RouterSync | None], request: PremiumRequest, key: str) -> bool:
    """Whether every router was seen, since the request last changed, in a state that shows what `key` says of it."""
    return all(
        row and _shows(row, request, key) and not (_being_written(row) or predates_a_push(row))
        for row in rows
    )


def _shows(row: RouterSync, request: PremiumRequest, key: str) -> bool:
    if row.state == SyncState.UNKNOWN or row.checked_at is None or row.checked_at <= request.state_changed_at:
        return False
    return request.pk in row.detail.get(key, [])


def _being_written(row: RouterSync) -> bool:
    """Whether lines are being sent to the router, or may yet be: the approved rest of what broke off."""
    begun = RouterPush.objects.filter(router=row.router_id, state__in=BEGUN).exclude(plan_digest="")
    return begun.exclude(error_code=UNRECOGNISED).exists()


def predates_a_push(row: RouterSync) -> bool:
    """Whether a push was verified by a newer reading that nobody lived to write down here."""
    verified = (
        RouterPush.objects.filter(
            router=row.router_id, state=PushState.VERIFIED, verification__has_key="read_at"
        )
        .order_by("pk")
        .last()
    )
    if verified is None or verified.verification is None or row.checked_at is None:
        return False
    return row.checked_at < datetime.fromisoformat(verified.verification["read_at"])


def _compare(router: Router, reading: Reading, intent: RouterIntent) -> Outcome:
    return verification.verify(
        reading.config,
        intent,
        owned_on(router),
        Renderer(shared_ios_environment()),
        profile(router.platform, router.ios),
        reading.bandwidths,
    )


def _seen(router: Router, reading: Reading, wanted: Wanted, outcome: Outcome) -> tuple[list[int], list[int]]:
    """Return which of the requests that concern the router it shows on, and which it shows gone.

    A router that differs only because another reservation waits for its approval, or its removal, still shows the
    rest: it is compared with the intents in which those that wait are on or off.
    """
    # What was to be on when the intent was worked out is not gone because the router is in sync with that intent.
    due = wanted.concerning(router.name)
    still = {request.pk for request in due}
    over = [request for request in intents.leaving_over(wanted, router.name) if request.pk not in still]
    if isinstance(outcome, InSync):
        return [request.pk for request in due], [request.pk for request in over]
    on: set[int] = set()
    gone: set[int] = set()
    for present, remaining in _alternatives(router, due, over):
        entering = [request for request in present if _enters(request, router)]
        intent = wanted.with_requests(router.name, [*entering, *remaining])
        if isinstance(_compare(router, reading, intent), InSync):
            on |= {request.pk for request in present}
            gone |= {request.pk for request in over if request not in remaining}
    return sorted(on), sorted(gone)


def _alternatives(
    router: Router, due: Sequence[PremiumRequest], over: Sequence[PremiumRequest]
) -> Iterator[tuple[list[PremiumRequest], list[PremiumRequest]]]:
    """The sets of requests a router may rightly show while some that enter here wait: (on, not yet gone)."""
    pending = [
        request for request in due if request.state == RequestState.ADMITTED and _enters(request, router)
    ]
    lingering = [request for request in over if _enters(request, router)]
    for missing, remaining in product(_choices(pending), _choices(lingering)):
        if missing or remaining:
            yield [request for request in due if request not in missing], remaining


def _choices(requests: Sequence[PremiumRequest]) -> list[list[PremiumRequest]]:
    """None of them, all, all but one, only one: not every subset, which would be exponential."""
    everything = list(requests)
    choices = [[], everything]
    for request in everything:
        choices += [[request], [other for other in everything if other is not request]]
    unique: list[list[PremiumRequest]] = []
    for choice in choices:
        if choice not in unique:
            unique.append(choice)
    return unique


def _enters(request: PremiumRequest, router: Router) -> bool:
    return request.source_link.interface.router_id == router.pk
