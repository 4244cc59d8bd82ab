"""What one object refers to by name, and the same object referring to other names."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Final

from provisioning.pipeline.mqc.access import AccessList
from provisioning.pipeline.mqc.actions import ChildPolicy
from provisioning.pipeline.mqc.classes import ClassMap, Match
from provisioning.pipeline.mqc.policies import CLASS_DEFAULT, PolicyClass, PolicyMap

Kind = str
Key = tuple[Kind, str]
MqcObject = AccessList | ClassMap | PolicyMap

ACCESS_LIST: Final[Kind] = "access-list"
CLASS_MAP: Final[Kind] = "class-map"
POLICY_MAP: Final[Kind] = "policy-map"


def kind_of(thing: MqcObject) -> Kind:
    """The kind as ownership rows spell it."""
    if isinstance(thing, AccessList):
        return ACCESS_LIST
    return CLASS_MAP if isinstance(thing, ClassMap) else POLICY_MAP


def needs(thing: MqcObject) -> frozenset[Key]:
    """The objects `thing` refers to by name, whether they exist or not."""
    if isinstance(thing, ClassMap):
        nested = {
            (CLASS_MAP, str(value))
            for match in thing.matches
            if match.kind == "class-map"
            for value in match.values
        }
        return frozenset({(ACCESS_LIST, name) for name in thing.access_lists} | nested)
    if isinstance(thing, PolicyMap):
        classes = {(CLASS_MAP, entry.name) for entry in thing.classes if entry.name != CLASS_DEFAULT}
        return frozenset(classes | {(POLICY_MAP, name) for name in thing.children})
    return frozenset()


def referring(thing: MqcObject, rename: Callable[[Key], str]) -> MqcObject:
    """`thing` with every name it refers to replaced by what `rename` says of its (kind, name)."""
    if all(rename(key) == key[1] for key in needs(thing)):
        return thing
    if isinstance(thing, ClassMap):
        return dataclasses.replace(thing, matches=frozenset(_match(match, rename) for match in thing.matches))
    if isinstance(thing, PolicyMap):
        return dataclasses.replace(thing, classes=tuple(_entry(entry, rename) for entry in thing.classes))
    return thing


def _match(match: Match, rename: Callable[[Key], str]) -> Match:
    kind = {"access-group": ACCESS_LIST, "class-map": CLASS_MAP}.get(match.kind)
    if kind is None:
        return match
    values = frozenset(rename((kind, value)) if isinstance(value, str) else value for value in match.values)
    return dataclasses.replace(match, values=values)


def _entry(entry: PolicyClass, rename: Callable[[Key], str]) -> PolicyClass:
    name = entry.name if entry.name == CLASS_DEFAULT else rename((CLASS_MAP, entry.name))
    actions = frozenset(
        ChildPolicy(rename((POLICY_MAP, action.name))) if isinstance(action, ChildPolicy) else action
        for action in entry.actions
    )
    return PolicyClass(name, actions)
