"""What a router holds while lines are carried out: objects that come, change and go, and which of them a line touched."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Protocol

from provisioning.errors import ExpediteError
from provisioning.pipeline.mqc import AccessList, Binding, ClassMap, PolicyClass, PolicyMap, RunningConfig
from provisioning.pipeline.mqc.referring import (
    ACCESS_LIST,
    CLASS_MAP,
    POLICY_MAP,
    Key,
    Kind,
    MqcObject,
    kind_of,
)

Place = tuple[str, str | None, str]
"""Where a policy is bound: interface, PVC or None, direction."""


class Held(Protocol):
    """The objects of a router by name, as `RunningConfig` keeps them."""

    @property
    def access_lists(self) -> Mapping[str, AccessList]:
        """By name, or "ipv6 NAME" where an IPv4 list has that name too."""

    @property
    def class_maps(self) -> Mapping[str, ClassMap]:
        """By name."""

    @property
    def policy_maps(self) -> Mapping[str, PolicyMap]:
        """By name."""


class LineNotAccepted(ExpediteError):
    """A router would refuse the line here, or it is a line this interpreter does not know; `reason` in words."""

    code = "line-not-accepted"
    status = 409


class Holdings:
    """The objects and bindings of one router, changed one by one.

    `touched` and `moved` gather the objects, by kind and name, and the places that changed until `settle` empties them:
    what follows a plan line by line looks at those alone.
    """

    def __init__(self, config: RunningConfig) -> None:
        self._config = config
        self.interfaces = config.interfaces
        self.access_lists: dict[str, AccessList] = dict(config.access_lists)
        self.class_maps: dict[str, ClassMap] = dict(config.class_maps)
        self.policy_maps: dict[str, PolicyMap] = dict(config.policy_maps)
        self.bound: dict[Place, str] = {
            (each.interface, each.pvc, each.direction): each.policy for each in config.bindings
        }
        self.touched: set[Key] = set()
        self.moved: set[Place] = set()
        self._changed = False

    @property
    def config(self) -> RunningConfig:
        """All of it; the same value as long as nothing has changed."""
        if self._changed:
            self._config = dataclasses.replace(
                self._config,
                access_lists=self.access_lists,
                class_maps=self.class_maps,
                policy_maps=self.policy_maps,
                bindings=frozenset(Binding(*place, policy) for place, policy in self.bound.items()),
            )
            self._changed = False
        return self._config

    def settle(self) -> tuple[frozenset[Key], frozenset[Place]]:
        """What has been touched and moved since this was last asked."""
        found = frozenset(self.touched), frozenset(self.moved)
        self.touched.clear()
        self.moved.clear()
        return found

    def put(self, thing: MqcObject, name: str | None = None) -> None:
        """Hold an object in the place of the one of its name (or of the `name` it is kept by)."""
        kind = kind_of(thing)
        self._objects(kind)[name or thing.name] = thing
        self._touch(kind, name or thing.name)

    def put_class(self, policy: str, entry: PolicyClass) -> None:
        """Hold a class in the place of the one of its name, else as the policy's last."""
        held = self.policy_maps[policy]
        if any(old.name == entry.name for old in held.classes):
            classes = tuple(entry if old.name == entry.name else old for old in held.classes)
        else:
            classes = (*held.classes, entry)
        self.put(dataclasses.replace(held, classes=classes))

    def drop(self, kind: Kind, name: str) -> None:
        """Hold an object no longer; raises LineNotAccepted where there is none."""
        held = self._objects(kind)
        if name not in held:
            raise LineNotAccepted(f"there is no {kind.replace('access-', 'access ')} {name}")
        del held[name]
        self._touch(kind, name)

    def bind(self, place: Place, policy: str | None) -> None:
        """Bind a policy there, or none."""
        if policy is None:
            del self.bound[place]
        elif self.bound.get(place) == policy:
            return
        else:
            self.bound[place] = policy
        self.moved.add(place)
        self._changed = True

    def _objects(self, kind: Kind) -> dict[str, Any]:
        kinds: dict[Kind, dict[str, Any]] = {
            ACCESS_LIST: self.access_lists,
            CLASS_MAP: self.class_maps,
            POLICY_MAP: self.policy_maps,
        }
        return kinds[kind]

    def _touch(self, kind: Kind, name: str) -> None:
        self.touched.add((kind, name))
        self._changed = True
