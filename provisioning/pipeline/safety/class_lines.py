"""Single lines inside a class-map or a class, as the parser reads them, and what they do to what is there."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from provisioning.pipeline import ios
from provisioning.pipeline.mqc import Action, Match, OpaqueAction, Police, RandomDetect, SetField
from provisioning.pipeline.mqc.actions import SET_FIELDS

_ALONE: Final = frozenset({"transmit", "drop"})


@lru_cache(maxsize=4096)
def matches_of(line: str) -> frozenset[Match]:
    """The conditions of one `match` line, as the parser reads it."""
    return ios.parse_fragment(f"class-map match-all X\n {line}\n").class_maps["X"].matches


@lru_cache(maxsize=4096)
def actions_of(line: str) -> frozenset[Action] | None:
    """The actions of one line inside a class; None when the parser does not know it as one."""
    entry = ios.parse_fragment(f"policy-map X\n class Y\n  {line}\n").policy_maps["X"].find("Y")
    if entry is None or not entry.actions:
        return None
    if any(isinstance(action, OpaqueAction) for action in entry.actions):
        return None
    return entry.actions


def with_colour(held: frozenset[Action], line: str) -> frozenset[Action] | None:
    """A class after a line of the mode that `police` opens, such as `conform-action set-qos-transmit 5`; None without a
    policer. `transmit` and `drop` stand alone, everything else adds up (12.2(8)T, ios-facts 2.1).
    """
    police = next((action for action in held if isinstance(action, Police)), None)
    keyword, _, typed = line.partition(" ")
    colour = keyword.removesuffix("-action")
    if police is None or colour not in ("conform", "exceed", "violate") or not typed:
        return None
    present: tuple[str, ...] = getattr(police, colour) or ()
    alone = typed in _ALONE or not _ALONE.isdisjoint(present)
    done: dict[str, Any] = {colour: (typed,) if alone else (*present, typed)}
    changed = dataclasses.replace(police, **done)
    return held - {police} | {changed}


def with_actions(held: frozenset[Action], typed: frozenset[Action]) -> frozenset[Action]:
    """A class after a line: the new action takes the place of the one of its kind; WRED lines add up."""
    result = set(held)
    for action in typed:
        replaced = tuple(_same_place(held, action))
        result.difference_update(replaced)
        wred = next((old for old in replaced if isinstance(old, RandomDetect)), None)
        result.add(
            _more_wred(wred, action) if wred is not None and isinstance(action, RandomDetect) else action
        )
    return frozenset(result)


def _more_wred(old: RandomDetect, new: RandomDetect) -> RandomDetect:
    return dataclasses.replace(
        new,
        mode=old.mode if new.mode == "precedence" else new.mode,
        thresholds=old.thresholds | new.thresholds,
        weight=old.weight if new.weight is None else new.weight,
        ecn=old.ecn or new.ecn,
        other_lines=old.other_lines | new.other_lines,
    )


def _same_place(held: frozenset[Action], action: Action) -> Iterator[Action]:
    for old in held:
        other_field = isinstance(old, SetField) and isinstance(action, SetField) and old.field != action.field
        if type(old) is type(action) and not other_field:
            yield old


def undoes(words: str, action: Action) -> bool:
    """Whether `no WORDS` takes this action away: by its first word is enough for a router, except for `set`."""
    keyword = {
        "Police": "police",
        "Priority": "priority",
        "Bandwidth": "bandwidth",
        "Shape": "shape",
        "RandomDetect": "random-detect",
        "QueueLimit": "queue-limit",
        "FairQueue": "fair-queue",
        "ChildPolicy": "service-policy",
    }.get(type(action).__name__)
    if isinstance(action, SetField):
        typed = words.removeprefix("set ")
        field = max(
            (each for each in SET_FIELDS if f"{typed} ".startswith(f"{each} ")), key=len, default=None
        )
        return action.field == field
    return keyword is not None and words.split()[0] == keyword
