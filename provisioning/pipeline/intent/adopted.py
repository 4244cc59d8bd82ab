"""An intent under the names a router already had: what adoption took over is never renamed (ADR 12)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from provisioning.errors import InvalidInput
from provisioning.pipeline.intent.values import RouterIntent
from provisioning.pipeline.mqc import AccessList, Binding, PolicyMap, digest, in_bps
from provisioning.pipeline.mqc.referring import POLICY_MAP, Key, MqcObject, kind_of, needs, referring

_OURS_BESIDE = "xp-{}"


@dataclass(frozen=True, slots=True)
class AdoptedObject:
    """What the scheme calls `base` goes by `name` on one router; on one link of it where `link` names one.

    `form` is the object as the router had it where that says the same in other words (a description, a policer in
    bit/s that is the per cent of today's BW); it stands for exactly the object of digest `stands_for`. When
    something else is wanted there, or the rates are no longer the same, the form is not used.
    """

    kind: str
    base: str
    name: str
    link: str = ""
    stands_for: str = ""
    form: MqcObject | None = None


def names_for(adopted: Iterable[AdoptedObject], key: Key) -> frozenset[str]:
    """Every name the scheme's object `key` (kind, name) can have on a router that adopted these."""
    names = _Names(tuple(adopted))
    return names.all_of(key) | {names.of(key, "")}


def under_adopted_names(
    intent: RouterIntent, adopted: Iterable[AdoptedObject], bandwidths: Mapping[str, int]
) -> RouterIntent:
    """Return `intent` with every object under the name its link, else its router, has for it.

    `bandwidths` is BW in bit/s by link. Two links may have names of their own for one object: then there is one of
    each. An object without an adopted name keeps the scheme's, or `xp-NAME` where that name was adopted for
    something else. Raises InvalidInput (field names) when one name would have to hold two contents.
    """
    entries = tuple(adopted)
    if not entries:
        return intent
    names = _Names(entries)
    things = {(kind_of(thing), thing.name): thing for thing in intent.objects()}
    links = {(entry.interface, entry.pvc): entry.link for entry in intent.interfaces}
    made = _Made()
    left = set(things)
    bindings: set[Binding] = set()
    for bound in sorted(intent.bindings, key=lambda each: (each.interface, each.pvc or "", each.direction)):
        link = links.get((bound.interface, bound.pvc), "")
        for key in _reached((POLICY_MAP, bound.policy), things):
            left.discard(key)
            made.put(key, things[key], names, link, bandwidths.get(link))
        bindings.add(dataclasses.replace(bound, policy=names.of((POLICY_MAP, bound.policy), link)))
    for key in sorted(left):
        made.put(key, things[key], names, "", None)
    objects = made.objects()
    return dataclasses.replace(
        intent,
        access_lists=tuple(thing for thing in objects if isinstance(thing, AccessList)),
        class_maps=tuple(
            thing
            for thing in objects
            if not isinstance(thing, AccessList) and not isinstance(thing, PolicyMap)
        ),
        policy_maps=tuple(thing for thing in objects if isinstance(thing, PolicyMap)),
        bindings=frozenset(bindings),
    )


class _Names:
    """Which name an object has on a link."""

    def __init__(self, entries: tuple[AdoptedObject, ...]) -> None:
        self._entries = {(entry.link, entry.kind, entry.base): entry for entry in entries}
        self._taken = {(entry.kind, entry.name) for entry in entries}

    def entry(self, key: Key, link: str) -> AdoptedObject | None:
        return self._entries.get((link, *key)) or self._entries.get(("", *key))

    def all_of(self, key: Key) -> frozenset[str]:
        return frozenset(entry.name for entry in self._entries.values() if (entry.kind, entry.base) == key)

    def of(self, key: Key, link: str) -> str:
        entry = self.entry(key, link)
        if entry is not None:
            return entry.name
        return _OURS_BESIDE.format(key[1]) if key in self._taken else key[1]


class _Made:
    """The renamed objects, each with the entry it was named by and the BW of every link that has it."""

    def __init__(self) -> None:
        self._objects: dict[Key, MqcObject] = {}
        self._entries: dict[Key, AdoptedObject] = {}
        self._bandwidths: dict[Key, set[int | None]] = {}

    def put(self, key: Key, thing: MqcObject, names: _Names, link: str, bw_bps: int | None) -> None:
        name = names.of(key, link)
        renamed = dataclasses.replace(referring(thing, lambda needed: names.of(needed, link)), name=name)
        place = (key[0], name)
        if self._objects.setdefault(place, renamed) != renamed:
            raise InvalidInput(f"{key[0]} {name} would have to be two different things", field="names")
        self._bandwidths.setdefault(place, set()).add(bw_bps)
        entry = names.entry(key, link)
        if entry is not None and (entry.form is not None or place not in self._entries):
            self._entries[place] = entry

    def objects(self) -> tuple[MqcObject, ...]:
        return tuple(self._as_adopted(place) for place in sorted(self._objects))

    def _as_adopted(self, place: Key) -> MqcObject:
        plain = self._objects[place]
        entry = self._entries.get(place)
        if entry is None or entry.form is None:
            return plain
        if digest(plain) == entry.stands_for and all(
            _same_rates(entry.form, plain, bw_bps) for bw_bps in self._bandwidths[place]
        ):
            return entry.form
        if isinstance(plain, AccessList) or isinstance(entry.form, AccessList):
            return plain
        return dataclasses.replace(plain, description=entry.form.description)


def _reached(start: Key, things: Mapping[Key, MqcObject]) -> list[Key]:
    """`start` and everything it refers to, directly or not, as far as the intent has it."""
    found: list[Key] = []
    todo = [start]
    while todo:
        key = todo.pop()
        if key in things and key not in found:
            found.append(key)
            todo += sorted(needs(things[key]))
    return found


def _same_rates(form: MqcObject, plain: MqcObject, bw_bps: int | None) -> bool:
    """Whether every policer lets the same through at this BW, in whatever unit it is written."""
    if not isinstance(form, PolicyMap) or not isinstance(plain, PolicyMap):
        return True
    for held, wanted in zip(form.classes, plain.classes, strict=False):
        if held.police is None or wanted.police is None or held.police.rate == wanted.police.rate:
            continue
        now = in_bps(held.police.rate, bw_bps)
        if now is None or now != in_bps(wanted.police.rate, bw_bps):
            return False
    return True
