"""From readings to plans, router by router; changes no row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_address

from provisioning.models import RouterSync, SyncState
from provisioning.pipeline.adoption import read_text
from provisioning.pipeline.change import ChangePlan, Phase, build_plans
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms.capabilities import REVERT
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import simulate
from provisioning.selectors.templates import shared_ios_environment
from provisioning.services import capabilities
from provisioning.services.edges import edges_of, open_edges
from provisioning.services.intents import Wanted
from provisioning.services.ownership import owned_on
from provisioning.services.pushing.freshness import circumstances
from provisioning.services.pushing.reverting import local_archive
from provisioning.services.reading import Reading, Unread
from provisioning.services.routes import with_route_warnings


def plans_for(wanted: Wanted, reading: Reading, *, repair: bool = False) -> tuple[ChangePlan, ...]:
    """The plans that take the router as read to what is wanted of it, one for each phase that has lines."""
    name = reading.router
    said = capabilities.under(wanted.routers[name], reading.version)
    return build_plans(
        name,
        reading.config,
        with_route_warnings(wanted, reading),
        owned_on(wanted.routers[name]),
        Renderer(shared_ios_environment()),
        wanted.profiles[name],
        circumstances(reading, wanted.intents[name], wanted),
        repair=repair,
        engines=wanted.engines(name),
        lacking={each.capability: each for each in said if each.can is False},
        reverts=any(each.capability == REVERT and each.can for each in said)
        and bool(local_archive(reading.text)),
        reached_by=_reached_by(wanted.routers[name].management_host, reading),
    )


def _reached_by(host: str, reading: Reading) -> str:
    """The interface that shows the address by which the router is managed; empty where none does, or it is a name."""
    try:
        address = ip_address(host)
    except ValueError:
        return ""
    if host.lower() not in reading.text.lower() and address.version == 4:
        return ""
    shown = read_text(reading.text, reading.config).interfaces
    return next((each.name for each in shown if address in {at.ip for at in each.addresses}), "")


def edges_left_open(
    wanted: Wanted, readings: Mapping[str, Reading | Unread], plans: Mapping[str, tuple[ChangePlan, ...]]
) -> list[dict[str, str]]:
    """The edges of the whole domain that are open once the edge phase of these plans is through.

    Asked only where a plan attaches a core queue. Routers outside the plans count as they were last seen, and as unread
    when they were not.
    """
    if not any(plan.phase is Phase.CORE_ON for each in plans.values() for plan in each):
        return []
    found: list[dict[str, str]] = []
    for name in sorted(wanted.routers):
        reading = readings.get(name)
        if isinstance(reading, Reading):
            found += open_edges(name, _after_edges(wanted, name, reading, plans[name]), wanted)
        elif reading is not None:
            found += edges_of(reading, wanted)
    elsewhere = wanted.domain.routers.exclude(name__in=readings.keys()).order_by("name")
    seen = {row.router_id: row for row in RouterSync.objects.filter(router__in=elsewhere).defer("detail")}
    for router in elsewhere:
        row = seen.get(router.pk)
        if row is not None and row.state != SyncState.UNKNOWN:
            found += row.open_edges
        else:
            found += edges_of(Unread(router.name, "unread", "it was not read"), wanted)
    return found


def without_core_queues(
    plans: Mapping[str, tuple[ChangePlan, ...]],
) -> dict[str, tuple[ChangePlan, ...]]:
    """The plans but for those that attach a priority queue to the core."""
    return {
        name: tuple(plan for plan in each if plan.phase is not Phase.CORE_ON) for name, each in plans.items()
    }


def _after_edges(wanted: Wanted, name: str, reading: Reading, plans: Iterable[ChangePlan]) -> RunningConfig:
    """What a router holds once every phase before the core queues is through."""
    config = reading.config
    for plan in plans:
        if plan.phase is not Phase.CORE_ON and plan.commands:
            config = simulate(config, plan.commands, wanted.profiles[name])[-1]
    return config


def obstacles(plans: Iterable[ChangePlan]) -> str:
    """What keeps these plans from ever being approved, in one sentence; empty when nothing does."""
    conflicts = [conflict.text for plan in plans for conflict in plan.conflicts]
    unsafe = [text for plan in plans for text in plan.violations]
    return "; ".join([*conflicts, *unsafe])
