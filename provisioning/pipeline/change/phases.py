"""Edges before core queues, and the reverse when taking off (D4.4.2v2 section 2.6)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from provisioning.pipeline.change.plan import Phase
from provisioning.pipeline.diff.store import needs, store_of, with_store
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import Binding, PolicyMap, RunningConfig


def phase_targets(
    running: RunningConfig, final: RunningConfig, intended: RouterIntent
) -> Iterator[tuple[Phase, RunningConfig]]:
    """Yield the config each phase ends in.

    CORE_OFF only unbinds priority queues from interfaces that shall have none; EDGES does everything else but
    attach a priority queue where there is none; CORE_ON attaches those. A swap of one priority policy for another
    is an ordinary change: the gate is about a backbone that begins to trust EF, on its core links and, where the scheme
    queues there too, outbound on its access links.
    """
    core = {entry.interface for entry in intended.interfaces}
    queued_before, queued_after = _queued(running, core), _queued(final, core)
    off = dataclasses.replace(
        running,
        bindings=frozenset(
            binding
            for binding in running.bindings
            if not (_output(binding, core) and binding.interface in queued_before - queued_after)
        ),
    )
    yield Phase.CORE_OFF, off
    later = queued_after - queued_before
    edges_bindings = {
        binding for binding in final.bindings if not (_output(binding, core) and binding.interface in later)
    } | {binding for binding in off.bindings if _output(binding, core) and binding.interface in later}
    yield Phase.EDGES, _holding(final, off, frozenset(edges_bindings))
    yield Phase.CORE_ON, final


def _output(binding: Binding, core: set[str]) -> bool:
    return binding.direction == "output" and binding.interface in core


def _queued(config: RunningConfig, core: set[str]) -> set[str]:
    """Interfaces on which a policy with a priority class is bound outbound."""
    return {
        binding.interface
        for binding in config.bindings
        if _output(binding, core) and _queues_first(config, config.policy_maps.get(binding.policy))
    }


def _queues_first(config: RunningConfig, policy: PolicyMap | None, depth: int = 0) -> bool:
    """Whether a policy, or one inside it, has a priority queue; nothing nests deeper than a router lets it."""
    if policy is None or depth > 4:
        return False
    if any(entry.priority is not None for entry in policy.classes):
        return True
    return any(_queues_first(config, config.policy_maps.get(name), depth + 1) for name in policy.children)


def _holding(final: RunningConfig, before: RunningConfig, bindings: frozenset[Binding]) -> RunningConfig:
    """`final` with these bindings, and whatever of `before` they still need."""
    store, old = store_of(final), store_of(before)
    todo = [("policy-map", binding.policy) for binding in bindings]
    while todo:
        key = todo.pop()
        if key not in store and key in old:
            store[key] = old[key]
            todo += needs(old[key])
    return with_store(final, store, bindings)
