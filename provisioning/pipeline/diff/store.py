"""The objects of a running-config by (kind, name), what refers to what, and the same config with other objects."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache

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
    "Objects",
    "Place",
    "Store",
    "Users",
    "digest_of",
    "bottom_up",
    "kind_of",
    "needs",
    "needs_of",
    "place_of",
    "place_order",
    "plain",
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


def plain(key: Key) -> Key:
    """The key as other objects refer to it: by the name alone, whichever family a list is of."""
    return key[0], key[1].removeprefix("ipv6 ")


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


def needs_of(store: Mapping[Key, MqcObject]) -> dict[Key, frozenset[Key]]:
    """What each object refers to by name, whether it exists or not."""
    return {key: needs(thing) for key, thing in store.items()}


class Users:
    """Who refers to what, looked up once from `needs_of`; `of` and `policies_reaching` answer from it."""

    def __init__(self, needed_by: Mapping[Key, frozenset[Key]]) -> None:
        self._users: dict[Key, set[Key]] = {}
        for user, needed_keys in needed_by.items():
            for needed in needed_keys:
                self._users.setdefault(needed, set()).add(user)

    def of(self, key: Key) -> frozenset[Key]:
        """The objects that refer to `key`."""
        return frozenset(self._users.get(plain(key), ()))

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


class Objects:
    """The objects of one config, and what refers to what among them: found once, when it is asked for."""

    def __init__(self, config: RunningConfig) -> None:
        self.config = config
        self.store = store_of(config)

    @cached_property
    def needs(self) -> dict[Key, frozenset[Key]]:
        """`needs_of` the store."""
        return needs_of(self.store)

    @cached_property
    def users(self) -> Users:
        """Who refers to what."""
        return Users(self.needs)

    @cached_property
    def bound_to(self) -> dict[str, list[Binding]]:
        """Where each policy is bound."""
        bound: dict[str, list[Binding]] = {}
        for binding in self.config.bindings:
            bound.setdefault(binding.policy, []).append(binding)
        return bound

    @cached_property
    def referenced(self) -> frozenset[Key]:
        """What things that are not MQC use."""
        return frozenset((reference.kind, reference.name) for reference in self.config.references)

    def used(self, key: Key) -> bool:
        """Whether anything at all holds on to the object."""
        kind, name = key
        return (
            (kind == POLICY_MAP and name in self.bound_to)
            or key in self.referenced
            or bool(self.users.of(key))
        )

    @cached_property
    def live(self) -> frozenset[Key]:
        """Everything packets can meet: what is bound, what is used by things that are not MQC, and all those refer to."""
        reached: set[Key] = set()
        todo: set[Key] = {(POLICY_MAP, name) for name in self.bound_to} | self.referenced
        while todo:
            key = todo.pop()
            reached.add(key)
            todo |= self.needs.get(key, frozenset()) - reached
            if key[0] == ACCESS_LIST and (ACCESS_LIST, f"ipv6 {key[1]}") in self.store:
                reached.add((ACCESS_LIST, f"ipv6 {key[1]}"))
        return frozenset(reached)


def bottom_up(things: Mapping[Key, MqcObject]) -> list[Key]:
    """Keys in the order they can be made: lists, class-maps, policies, each after what it refers to; names break ties.

    A circle (which no router holds) is broken at its first name, not refused: the router will judge it.
    """
    rank = {ACCESS_LIST: 0, CLASS_MAP: 1, POLICY_MAP: 2}
    done: list[Key] = []
    seen: set[Key] = set()
    # Without recursion: a text may nest objects as deep as it is long.
    todo = [(key, False) for key in sorted(things, key=lambda key: (rank[key[0]], key[1]), reverse=True)]
    while todo:
        key, after_its_needs = todo.pop()
        if after_its_needs:
            done.append(key)
        elif key in things and key not in seen:
            seen.add(key)
            todo.append((key, True))
            todo += ((needed, False) for needed in sorted(needs(things[key]), reverse=True))
    return sorted(done, key=lambda key: rank[key[0]])
