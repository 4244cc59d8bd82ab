"""A policy on the interface that carries our own session can cut it, and then nothing can be taken back (ios-facts 5.6)."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from provisioning.pipeline.mqc import Binding, PolicyMap, RunningConfig

INSTEAD: Final = (
    "manage it by another address (a loopback, a port of its own), set `archive` with a `path` on the router itself where it "
    "knows `configure terminal revert timer`, or type this at the console"
)


def revert_minutes(lines: int) -> int:
    """How long a router is given to be told that it may keep so many lines, before it takes them back by itself."""
    return min(120, 5 + lines // 100)


def would_cut(base: RunningConfig, target: RunningConfig, interface: str) -> tuple[str, ...]:
    """What from `base` to `target` is bound, taken off or changed under a binding on `interface` or on what it is part of, in
    words; nothing where `interface` is empty. What stands there and stays as it is harms nobody.
    """
    if not interface:
        return ()
    places = {interface, interface.partition(".")[0]}
    before, after = _standing(base, places), _standing(target, places)
    return tuple(
        f"{bound.interface}: {_deed(bound, before, after)} {bound.policy} {bound.direction} could cut the session it is sent "
        f"over, for {interface} has the address by which this router is managed"
        for bound in sorted(
            before.keys() | after.keys(), key=lambda each: (each.interface, each.direction, each.policy)
        )
        if before.get(bound) != after.get(bound)
    )


def _standing(config: RunningConfig, places: set[str]) -> dict[Binding, dict[str, PolicyMap | None]]:
    """Every binding there with the policies it comes to, children included."""
    return {bound: _family(config, bound.policy) for bound in config.bindings if bound.interface in places}


def _family(config: RunningConfig, name: str) -> dict[str, PolicyMap | None]:
    found: dict[str, PolicyMap | None] = {}
    left = [name]
    while left:
        one = left.pop()
        if one not in found:
            held = found[one] = config.policy_maps.get(one)
            left += [] if held is None else [each.child for each in held.classes if each.child is not None]
    return found


def _deed(bound: Binding, before: Container[Binding], after: Container[Binding]) -> str:
    if bound not in before:
        return "binding"
    return "changing" if bound in after else "taking off"
