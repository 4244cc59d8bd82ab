"""When two objects mean the same, and how one can become the other while packets meet it."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from fractions import Fraction

from provisioning.pipeline.diff.access_edits import edit, same_meaning
from provisioning.pipeline.diff.policy_edits import edit_policy
from provisioning.pipeline.diff.store import MqcObject
from provisioning.pipeline.mqc import AccessList, Bps, ClassMap, Police, PolicyClass, PolicyMap, Rate


def named(thing: MqcObject, name: str) -> MqcObject:
    """The same object under another name."""
    return thing if thing.name == name else dataclasses.replace(thing, name=name)


def same(left: MqcObject, right: MqcObject) -> bool:
    """Whether two objects mean the same but for their own names."""
    if isinstance(left, AccessList) and isinstance(right, AccessList):
        return same_meaning(left, right)
    return type(left) is type(right) and named(left, right.name) == right


def editable_in_use(current: MqcObject, wanted: MqcObject) -> MqcObject | None:
    """What `current` becomes when edited in place while packets meet it; None when that would not be safe.

    Access lists entry by entry; of a class-map the description; of a policy-map the rates and bursts of its policers
    and the description. Everything else takes a new version and a swap: also where the order of classes
    demands it.
    """
    if isinstance(current, AccessList) and isinstance(wanted, AccessList):
        edited = edit(current, wanted)
        if edited is None:
            return None
        # The way back has to be as safe: from entries to none, for one, there is no way while packets meet the list.
        back = edit(edited.result, current)
        return edited.result if back is not None and same_meaning(back.result, current) else None
    if isinstance(current, ClassMap) and isinstance(wanted, ClassMap):
        described = dataclasses.replace(current, description=wanted.description)
        return described if same(described, wanted) else None
    if (
        isinstance(current, PolicyMap)
        and isinstance(wanted, PolicyMap)
        and policer_rates_only(current, wanted)
    ):
        return named(wanted, current.name)
    return None


def editable_unused(current: MqcObject, wanted: MqcObject) -> MqcObject | None:
    """What `current` becomes when edited in place while other objects refer to it but no packet meets it."""
    edited = editable_in_use(current, wanted)
    if edited is not None:
        return edited
    if isinstance(current, ClassMap) and isinstance(wanted, ClassMap) and current.mode == wanted.mode:
        return named(wanted, current.name) if current.other_lines == wanted.other_lines else None
    if isinstance(current, PolicyMap) and isinstance(wanted, PolicyMap):
        both_ways = edit_policy(current, wanted) is not None and edit_policy(wanted, current) is not None
        return named(wanted, current.name) if both_ways else None
    return None


def policer_rates_only(current: PolicyMap, wanted: PolicyMap) -> bool:
    """Whether the two differ in nothing but rates and bursts of policers and their own name and description."""
    if [entry.name for entry in current.classes] != [entry.name for entry in wanted.classes]:
        return False
    if current.other_lines != wanted.other_lines:
        return False
    return all(_rate_only(old, new) for old, new in zip(current.classes, wanted.classes, strict=True))


def _rate_only(old: PolicyClass, new: PolicyClass) -> bool:
    was, becomes = old.police, new.police
    if was is None or becomes is None:
        return old == new
    if old.actions - {was} != new.actions - {becomes}:
        return False
    return _actions(was) == _actions(becomes)


def _actions(police: Police) -> tuple[object, ...]:
    """What re-entering a `police` line must leave as it is: rate and bucket are replaced together, in one line."""
    return police.peak_rate, police.conform, police.exceed, police.violate, police.keyword


def rate_order(old: Police, new: Police, bandwidth_bps: int | None = None) -> int | None:
    """-1 when the new policer lets less through, 1 when more, 0 when as much; None when that is not known.

    A percentage and a rate can be compared only where the bandwidth is known; two of one sort always.
    """
    before: Decimal | Fraction | int | None
    after: Decimal | Fraction | int | None
    before, after = old.rate.value, new.rate.value
    if type(old.rate) is not type(new.rate):
        before, after = _bps(old.rate, bandwidth_bps), _bps(new.rate, bandwidth_bps)
    if before is None or after is None:
        return None
    return (after > before) - (after < before)


def _bps(rate: Rate, bandwidth_bps: int | None) -> Fraction | None:
    if isinstance(rate, Bps):
        return Fraction(rate.value)
    return None if bandwidth_bps is None else Fraction(rate.value) * bandwidth_bps / 100
