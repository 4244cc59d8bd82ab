"""The objects of a running-config by (kind, name), what refers to what, and the same config with other objects."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from functools import lru_cache

from provisioning.pipeline.diff.access_edits import settled
from provisioning.pipeline.mqc import AccessList, Binding, ClassMap, PolicyMap, RunningConfig, digest
from provisioning.pipeline.mqc.referring import (
    ACCESS_LIST,
    CLASS_MAP,
    POLICY_MAP,
    Key,
    Kind,
    MqcObject,
    kind_of,
    needs,
    referring,
)

__all__ = [
    "ACCESS_LIST",
    "CLASS_MAP",
    "POLICY_MAP",
    "Key",
    "Kind",
    "MqcObject",
    "Place",
    "Store",
    "Users",
    "digest_of",
    "bottom_up",
    "kind_of",
    "live",
    "needs",
    "place_of",
    "place_order",
    "referring",
    "store_of",
    "with_store",
]

Store = dict[Key, MqcObject]
Place = tuple[str, str | None, str]
"""Where a policy can be bound: interface, PVC or None, direction. IOS takes one policy a place."""


@lru_cache(maxsize=8192)
def digest_of(thing: MqcObject) -> str:
    """The digest by which an object is known again: `mqc.digest` of it, of a list as far as routers agree on it."""
    return digest(settled(thing) if isinstance(thing, AccessList) else thing)


def place_of(binding: Binding) -> Place:
    """Where the binding is."""
    return binding.interface, binding.pvc, binding.direction


def place_order(place: Place) -> tuple[str, str, str]:
    """A key to sort places by: an interface before its PVCs."""
    return place[0], place[1] or "", place[2]


def store_of(config: RunningConfig) -> Store:
    """All objects of `config`; an IPv6 list that shares its name with an IPv4 one is keyed "ipv6 NAME"."""
    return {
        **{(ACCESS_LIST, name): thing for name, thing in config.access_lists.items()},
        **{(CLASS_MAP, name): thing for name, thing in config.class_maps.items()},
        **{(POLICY_MAP, name): thing for name, thing in config.policy_maps.items()},
    }


def with_store(
    config: RunningConfig, store: Mapping[Key, MqcObject], bindings: Iterable[Binding]
) -> RunningConfig:
    """`config` with exactly these objects and bindings; interfaces and everything else as they were."""
    return dataclasses.replace(
        config,
        access_lists={name: thing for (_, name), thing in store.items() if isinstance(thing, AccessList)},
        class_maps={name: thing for (_, name), thing in store.items() if isinstance(thing, ClassMap)},
        policy_maps={name: thing for (_, name), thing in store.items() if isinstance(thing, PolicyMap)},
        bindings=frozenset(bindings),
    )


class Users:
    """Who refers to what in one store, looked up once; `of` and `policies_reaching` answer from it."""

    def __init__(self, store: Mapping[Key, MqcObject]) -> None:
        self._users: dict[Key, set[Key]] = {}
        for user, thing in store.items():
            for needed in needs(thing):
                self._users.setdefault(needed, set()).add(user)

    def of(self, key: Key) -> frozenset[Key]:
        """The objects that refer to `key`."""
        kind, name = key
        return frozenset(self._users.get((kind, name.removeprefix("ipv6 ")), ()))

    def policies_reaching(self, key: Key) -> frozenset[str]:
        """Names of the policy-maps whose packets can meet the object: itself, its users, their users."""
        found: set[Key] = set()
        todo = [key]
        while todo:
            at = todo.pop()
            if at not in found:
                found.add(at)
                todo += self.of(at)
        return frozenset(name for kind, name in found if kind == POLICY_MAP)


def live(
    store: Mapping[Key, MqcObject], config: RunningConfig, bindings: Iterable[Binding]
) -> frozenset[Key]:
    """Everything packets can meet: what is bound, what is used by things that are not MQC, and all those refer to."""
    reached: set[Key] = set()
    todo: list[Key] = [(POLICY_MAP, binding.policy) for binding in bindings]
    todo += [(reference.kind, reference.name) for reference in config.references]
    while todo:
        key = todo.pop()
        if key in reached:
            continue
        reached.add(key)
        thing = store.get(key)
        if thing is not None:
            todo += needs(thing)
        if key[0] == ACCESS_LIST and (ACCESS_LIST, f"ipv6 {key[1]}") in store:
            reached.add((ACCESS_LIST, f"ipv6 {key[1]}"))
    return frozenset(reached)


def bottom_up(things: Mapping[Key, MqcObject]) -> list[Key]:
    """Keys in the order they can be made: lists, class-maps, policies, each after what it refers to; names break ties.

    A circle (which no router holds) is broken at its first name, not refused: the router will judge it.
    """
    rank = {ACCESS_LIST: 0, CLASS_MAP: 1, POLICY_MAP: 2}
    done: list[Key] = []
    seen: set[Key] = set()

    def visit(key: Key) -> None:
        if key in seen or key not in things:
            return
        seen.add(key)
        for needed in sorted(needs(things[key])):
            visit(needed)
        done.append(key)

    for key in sorted(things, key=lambda key: (rank[key[0]], key[1])):
        visit(key)
    return sorted(done, key=lambda key: rank[key[0]])
