"""Planning: read every router concerned, work out what each lacks, keep it as one Change to be approved.

Reading happens before the transaction, storing inside it. What could not be read is stored as UNKNOWN with the reason,
what is in the way as a conflict; neither is hidden, neither can be approved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from django.db import transaction

from provisioning.errors import Conflict, InvalidInput, NotPermitted
from provisioning.models import (
    SYSTEM,
    Actor,
    Change,
    ChangeKind,
    PremiumRequest,
    RouterPush,
    RouterSync,
    SyncState,
)
from provisioning.pipeline.change import ChangePlan, Phase, RequestState, build_plans
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import simulate
from provisioning.selectors.templates import shared_ios_environment
from provisioning.services import intents, verifying, versions
from provisioning.services.edges import edges_of, open_edges
from provisioning.services.intents import Wanted
from provisioning.services.ownership import owned_on
from provisioning.services.planning.storing import UNDER_WAY, Draft, store
from provisioning.services.pushing.freshness import circumstances
from provisioning.services.reading import Reading, Unread
from provisioning.services.routes import with_route_warnings
from provisioning.services.wording import reason_text, title_text

__all__ = ["plan_domain", "plan_for_request"]


def plan_domain(
    *,
    actor: Actor,
    kind: str = ChangeKind.BASELINE,
    routers: Sequence[str] | None = None,
    title: str = "",
    reason: str = "",
) -> Change:
    """Read the routers (all, or those named), plan what they lack of baseline and running reservations; return the
    change.

    Raises NotPermitted, InvalidInput for an unknown router or a text nobody can read, Conflict while one of the
    routers is being pushed to.
    """
    versions.check()
    if not (actor.is_noc or actor.is_system):
        raise NotPermitted("Only the NOC plans the domain.")
    title, reason = title_text(title), reason_text(reason, needed=False)
    wanted = intents.wanted(ahead=intents.lead(kind), routers=routers or None)
    names = tuple(sorted(set(routers))) if routers else tuple(sorted(wanted.routers))
    unknown = [name for name in names if name not in wanted.routers]
    if unknown:
        raise InvalidInput(f"there is no router {unknown[0]!r:.80}", field="router")
    where = wanted.domain.name if not routers else ", ".join(names)
    draft = Draft(
        kind=ChangeKind(kind),
        title=(title or f"{ChangeKind(kind).label} of {where}")[:200],
        reason=reason,
        submitted_by=actor.user_id,
        requests=_carried(wanted, names),
        names=names,
    )
    return _plan(actor, draft, wanted)


def plan_for_request(*, request: PremiumRequest, actor: Actor = SYSTEM) -> Change:
    """Plan putting a due reservation on, or taking one that is over off; return the change.

    An empty plan needs nobody: it is settled by what was just read. Submitted by whoever asked for the request.
    Raises Conflict when nothing is due for it, or while one of its routers is being pushed to.
    """
    versions.check()
    request = PremiumRequest.objects.select_related(
        "reservation", "source_link__interface__router", "submitted_by"
    ).get(pk=request.pk)
    state = RequestState(request.state)
    if state not in (RequestState.ADMITTED, RequestState.ACTIVE, *intents.OVER):
        raise Conflict(f"{request.reference} is {state}: nothing of it is on a router", field="state")
    kind = ChangeKind.REMOVAL if state in intents.OVER else ChangeKind.RESERVATION
    wanted = intents.wanted(ahead=intents.lead(kind), routers=intents.routers_concerned(request))
    if kind is ChangeKind.RESERVATION and request.pk not in {each.pk for each in wanted.requests}:
        raise Conflict(
            f"{request.reference} is not due: its window has not started or is over", field="start"
        )
    names = tuple(sorted(wanted.routers))
    carried = {
        each.pk: each for each in (*_carried(wanted, [request.source_link.interface.router.name]), request)
    }
    verb = "off" if kind is ChangeKind.REMOVAL else "on"
    draft = Draft(
        kind=kind,
        title=f"{request.reference} {verb}: {request.source_link.name}",
        reason=request.reason,
        submitted_by=request.submitted_by_id,
        requests=tuple(carried[pk] for pk in sorted(carried)),
        names=names,
    )
    return _plan(actor, draft, wanted)


def _carried(wanted: Wanted, names: Collection[str]) -> tuple[PremiumRequest, ...]:
    """The requests whose putting on, or taking off, a plan for these routers carries out."""
    return tuple(
        request
        for request in (*wanted.requests, *intents.leaving(wanted.domain, names))
        if request.state != RequestState.ACTIVE and request.source_link.interface.router.name in names
    )


def _plan(actor: Actor, draft: Draft, wanted: Wanted) -> Change:
    _nothing_under_way(draft.names)
    readings = wanted.judged(verifying.read_routers([wanted.routers[name] for name in draft.names]))
    plans = {
        name: _plans_of(wanted, name, reading, repair=draft.kind is ChangeKind.REPAIR)
        if isinstance(reading, Reading)
        else ()
        for name, reading in readings.items()
    }
    edges = _edges(wanted, readings, plans)
    if edges:
        plans = {
            name: tuple(plan for plan in each if plan.phase is not Phase.CORE_ON)
            for name, each in plans.items()
        }
    with transaction.atomic():
        _nothing_under_way(draft.names)
        change = store(actor, draft, wanted, readings, plans, edges)
    # What is due within the lead time is planned, but nobody can be out of sync with it yet.
    now = intents.wanted(routers=draft.names)
    for name in draft.names:
        verifying.record(router=now.routers[name], reading=readings[name], wanted=now)
    verifying.settle_requests(routers=draft.names)
    return change


def _plans_of(wanted: Wanted, name: str, reading: Reading, *, repair: bool) -> tuple[ChangePlan, ...]:
    return build_plans(
        name,
        reading.config,
        with_route_warnings(wanted, reading),
        owned_on(wanted.routers[name]),
        Renderer(shared_ios_environment()),
        wanted.profiles[name],
        circumstances(reading, wanted.intents[name], wanted),
        repair=repair,
        engines=_engines(wanted, name),
    )


def _engines(wanted: Wanted, name: str) -> dict[str, str]:
    """The engine of the line card under each managed interface, where the inventory knows one."""
    router = wanted.network.router(name)
    managed = sorted(wanted.intents[name].managed)
    cards = {} if router is None else {interface: router.engine_of(interface) for interface in managed}
    return {interface: card[1] for interface, card in cards.items() if card is not None}


def _edges(
    wanted: Wanted, readings: Mapping[str, Reading | Unread], plans: Mapping[str, tuple[ChangePlan, ...]]
) -> list[dict[str, str]]:
    """The edges of the whole domain that are open once the edge phase of this change is through.

    Routers outside the change count as they were last seen, and as unread when they were not.
    """
    if not any(plan.phase is Phase.CORE_ON for each in plans.values() for plan in each):
        return []
    found: list[dict[str, str]] = []
    seen = {row.router.name: row for row in RouterSync.objects.select_related("router").defer("detail")}
    for name in wanted.domain.routers.order_by("name").values_list("name", flat=True):
        reading = readings.get(name)
        if isinstance(reading, Reading):
            found += open_edges(name, _after_edges(wanted, name, reading, plans[name]), wanted)
        elif reading is not None:
            found += edges_of(reading, wanted)
        elif name in seen and seen[name].state != SyncState.UNKNOWN:
            found += seen[name].open_edges
        else:
            found += edges_of(Unread(name, "unread", "it was not read"), wanted)
    return found


def _after_edges(wanted: Wanted, name: str, reading: Reading, plans: Iterable[ChangePlan]) -> RunningConfig:
    """What a router holds once every phase before the core queues is through."""
    config = reading.config
    for plan in plans:
        if plan.phase is not Phase.CORE_ON and plan.commands:
            config = simulate(config, plan.commands, wanted.profiles[name])[-1]
    return config


def _nothing_under_way(names: Collection[str]) -> None:
    busy = (
        RouterPush.objects.filter(router__name__in=names, state__in=UNDER_WAY)
        .select_related("router")
        .first()
    )
    if busy is not None:
        raise Conflict(
            f"{busy.router.name} is being pushed to ({busy.change.reference}): plan when that is over"
        )
