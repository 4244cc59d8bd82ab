"""Our objects on one router before a plan and after it, printed the way IOS shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from provisioning.errors import ExpediteError
from provisioning.models import RouterPush
from provisioning.pipeline import ios, platforms, safety
from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.rendering import MqcObject, Renderer
from provisioning.selectors.plans import plans_of, removed
from provisioning.selectors.templates import shared_ios_environment
from provisioning.web.sides import Comparison, compared

_KINDS = {"access-list": "access_lists", "class-map": "class_maps", "policy-map": "policy_maps"}


@dataclass(frozen=True)
class Compared:
    """One router in one phase: its objects before and after, or why they cannot be shown."""

    push: RouterPush
    objects: tuple[Comparison, ...]
    problem: str


def comparisons_of(pushes: Iterable[RouterPush]) -> list[Compared]:
    """Return every push of a change, in push order, with only the objects its plan touches or depends on.

    "After" is what the interpreter says of the plan's lines, run on what was read before; a phase that has not begun
    is run on what the phase before it leaves behind.
    """
    left_by: dict[int, RunningConfig] = {}
    found = []
    pushes = list(pushes)
    plans = plans_of(pushes)
    for push in pushes:
        plan = plans.get(push.pk)
        if push.plan_removed:
            found.append(Compared(push, (), removed(push)))
            continue
        if plan is None or push.before is None:
            why = "The router was not read when this was planned, so there is nothing to compare."
            found.append(Compared(push, (), why))
            continue
        try:
            profile = platforms.profile(push.router.platform, push.router.ios)
            earlier = left_by.get(push.router_id) if push.started_at is None else None
            before = earlier or ios.parse(push.before.text, profile)
            states = safety.simulate(before, plan.commands, profile)
        except ExpediteError as error:
            why = error.reason if error.field else str(error)
            found.append(Compared(push, (), f"What was read cannot be compared: {why}"))
            continue
        after = states[-1] if states else before
        left_by[push.router_id] = after
        found.append(
            Compared(push, _objects(plan, before, after, Renderer(shared_ios_environment(), profile)), "")
        )
    return found


def _objects(
    plan: ChangePlan, before: RunningConfig, after: RunningConfig, renderer: Renderer
) -> tuple[Comparison, ...]:
    names = sorted({*plan.owned_after, *plan.released}, key=_order)
    found = [
        compared(name, _lines(renderer, _named(before, name)), _lines(renderer, _named(after, name)))
        for name in names
    ]
    return (*found, *_interfaces(renderer, before, after, plan))


def _order(name: str) -> tuple[int, str]:
    kind = name.partition(" ")[0]
    return (list(_KINDS).index(kind) if kind in _KINDS else len(_KINDS), name)


def _named(config: RunningConfig, name: str) -> MqcObject | None:
    kind, _, key = name.partition(" ")
    objects: Mapping[str, MqcObject] = getattr(config, _KINDS[kind]) if kind in _KINDS else {}
    return objects.get(key)


def _lines(renderer: Renderer, thing: MqcObject | None) -> tuple[str, ...]:
    return () if thing is None else renderer.lines(thing)


def _interfaces(
    renderer: Renderer, before: RunningConfig, after: RunningConfig, plan: ChangePlan
) -> list[Comparison]:
    managed = {state.interface for line in plan.proof for state in line.states}
    managed |= {binding.interface for binding in before.bindings ^ after.bindings}

    def bound(config: RunningConfig, interface: str) -> tuple[str, ...]:
        chosen = [binding for binding in config.bindings if binding.interface == interface]
        chosen.sort(key=lambda binding: (binding.pvc or "", binding.direction))
        lines = [line for binding in chosen for line in renderer.lines(binding)]
        return tuple(dict.fromkeys(lines))

    return [
        compared(f"interface {name}: policies bound", bound(before, name), bound(after, name))
        for name in sorted(managed)
    ]
