"""Whether the policies a plan bound are really at work: what `show policy-map interface` says, not the running-config."""

from __future__ import annotations

from collections.abc import Iterable

from provisioning.drivers.base import RouterDriver
from provisioning.errors import LineRefused, ParseFailure
from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.counters import InterfacePolicyCounters
from provisioning.pipeline.mqc import Binding, RunningConfig


def counted(driver: RouterDriver, plan: ChangePlan) -> tuple[InterfacePolicyCounters, ...]:
    """What the router counts on all its interfaces; where that cannot be had, on those the plan touches.

    A policy of somebody else that nobody can read, and a release that wants the name of an interface, say nothing
    about ours. Raises ParseFailure or LineRefused when one of ours cannot be read either.
    """
    try:
        return driver.counted()
    except (ParseFailure, LineRefused):
        names = sorted(_touched(plan))
        return tuple(each for name in names for each in driver.counted(name))


def uncounted(plan: ChangePlan, config: RunningConfig, shown: Iterable[InterfacePolicyCounters]) -> list[str]:
    """Return, in words, every binding on an interface of the plan for which the router counts nothing.

    A binding can stand in the running-config and not be installed (a line card refused it: ios-facts 2.2); then
    the interface, direction and policy are absent here.
    """
    counted = {(each.interface, each.pvc, each.direction, each.policy) for each in shown}
    touched = _touched(plan)
    return [
        _words(binding)
        for binding in sorted(config.bindings, key=_words)
        if binding.interface in touched
        and (binding.interface, binding.pvc, binding.direction, binding.policy) not in counted
    ]


def _touched(plan: ChangePlan) -> set[str]:
    return {
        line.text.removeprefix("interface ").strip()
        for line in plan.commands
        if line.text.startswith("interface ")
    }


def _words(binding: Binding) -> str:
    where = binding.interface if binding.pvc is None else f"{binding.interface} pvc {binding.pvc}"
    return f"{binding.policy} {binding.direction} on {where}"
