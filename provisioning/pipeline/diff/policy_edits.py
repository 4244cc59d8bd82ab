"""Editing a policy-map that no packet meets: class by class, where the order of classes can be kept.

A class that is new comes last before class-default (ios-facts N26), so classes can be taken out and added at the end,
not put in another order; that takes making the policy anew.
"""

from __future__ import annotations

from dataclasses import dataclass

from provisioning.pipeline.mqc import (
    CLASS_DEFAULT,
    Action,
    Bandwidth,
    FairQueue,
    OpaqueAction,
    PolicyClass,
    PolicyMap,
    QueueLimit,
    RandomDetect,
    SetField,
    Shape,
)
from provisioning.pipeline.rendering.views import action_position

_SCHEDULERS = (Bandwidth, FairQueue, Shape)
"""What WRED and a queue's limit stand on: routers refuse to take it away from under them (ios-facts 2.3, 7.5)."""


@dataclass(frozen=True, slots=True)
class ClassEdit:
    """One class: actions to take away first, then actions to type, which take the place of those of their kind."""

    name: str
    removed: tuple[Action, ...]
    typed: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class PolicyEdit:
    """Classes to take out, then classes to edit or add, in order."""

    gone: tuple[str, ...]
    classes: tuple[ClassEdit, ...]


def edit_policy(current: PolicyMap, wanted: PolicyMap) -> PolicyEdit | None:
    """The edit from `current` to `wanted`, or None when only a policy made anew comes to it."""
    if current.other_lines != wanted.other_lines or _mixes_units(current, wanted):
        return None
    names = [entry.name for entry in wanted.classes if entry.name != CLASS_DEFAULT]
    stay = [
        entry.name for entry in current.classes if entry.name != CLASS_DEFAULT and wanted.find(entry.name)
    ]
    if names[: len(stay)] != stay:
        return None
    edits = [_class_edit(current.find(entry.name), entry) for entry in wanted.classes]
    if current.find(CLASS_DEFAULT) and not wanted.find(CLASS_DEFAULT):
        edits.append(_class_edit(current.find(CLASS_DEFAULT), PolicyClass(CLASS_DEFAULT)))
    if any(edit is None for edit in edits):
        return None
    gone = tuple(
        entry.name
        for entry in current.classes
        if entry.name != CLASS_DEFAULT and wanted.find(entry.name) is None
    )
    new = {entry.name for entry in wanted.classes} - {entry.name for entry in current.classes}
    changed = tuple(
        edit for edit in edits if edit is not None and (edit.removed or edit.typed or edit.name in new)
    )
    return PolicyEdit(gone, changed)


def _mixes_units(current: PolicyMap, wanted: PolicyMap) -> bool:
    """Whether, typed over class by class, some guarantees would be in one unit while others are in another: a
    policy-map has one unit for all (ios-facts 7.4).
    """
    held = {
        (entry.name, action.kind)
        for policy in (current, wanted)
        for entry in policy.classes
        for action in entry.actions
        if isinstance(action, Bandwidth)
    }
    return len({kind for _, kind in held}) > 1 and len({name for name, _ in held}) > 1


def _class_edit(current: PolicyClass | None, wanted: PolicyClass) -> ClassEdit | None:
    """None where a line that is not understood would have to go: what takes it away is not known. A tie is said with
    the class's name, so it is made with its class.
    """
    held = frozenset[Action]() if current is None else current.actions
    gone, new = held - wanted.actions, wanted.actions - held
    if any(isinstance(action, OpaqueAction) for action in gone) or wanted.tie in new:
        return None
    kinds = {_kind(action) for action in new}
    # WRED typed over WRED adds to it, so the old one goes first.
    removed = {action for action in gone if _kind(action) not in kinds or isinstance(action, RandomDetect)}
    if any(isinstance(action, _SCHEDULERS) for action in removed):
        standing = {
            action for action in held & wanted.actions if isinstance(action, (RandomDetect, QueueLimit))
        }
        removed, new = removed | standing, new | standing
    return ClassEdit(
        wanted.name,
        tuple(sorted(removed, key=action_position, reverse=True)),
        tuple(sorted(new, key=action_position)),
    )


def _kind(action: Action) -> tuple[type, str]:
    return type(action), action.field if isinstance(action, SetField) else ""
