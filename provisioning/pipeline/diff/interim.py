"""Copies that stand in for what packets meet and what cannot be edited under them (decision 23).

A policy is changed while it is bound nowhere: its copy, already as it shall be, is on meanwhile. So every interface gets
the new treatment in one swap, from the old policy to the copy; the second swap, to the policy itself, changes nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from provisioning.errors import InvalidInput
from provisioning.pipeline.diff.circles import in_circles
from provisioning.pipeline.diff.compare import editable_in_use, named
from provisioning.pipeline.diff.store import (
    ACCESS_LIST,
    POLICY_MAP,
    Key,
    MqcObject,
    Objects,
    Store,
    bottom_up,
    needs,
    place_of,
    place_order,
    plain,
    referring,
    with_store,
)
from provisioning.pipeline.mqc import AccessList, Binding, base_name, versioned_name
from provisioning.pipeline.platforms import LONGEST_NAME


@dataclass(frozen=True)
class Interim:
    """The router while copies stand in: `copies` maps each object that has one to the copy's name.

    `waits` where a place keeps its old policy until the new one can be put on by its own name.
    """

    objects: Objects
    copies: dict[Key, str]
    waits: bool

    @property
    def needed(self) -> bool:
        """Whether the way leads over it at all."""
        return self.waits or bool(self.copies)


def interim_of(held: Objects, target: Objects, apart: frozenset[Key]) -> Interim:
    """Return what the router holds between `held` and `target`; `apart` are lists not to be edited in place.

    Raises InvalidInput for what would need a copy and can have none.
    """
    return _Copier(held, target, apart).interim()


@dataclass
class _Copier:
    held: Objects
    target: Objects
    apart: frozenset[Key]
    copies: dict[Key, str] = field(default_factory=dict)
    put: set[Key] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.before = {place_of(bound): bound.policy for bound in self.held.config.bindings}
        self.after = {place_of(bound): bound.policy for bound in self.target.config.bindings}
        was = self.held.store
        self.changes = [(key, thing) for key, thing in self.target.store.items() if was.get(key) is not thing]
        self.replaced = self._with_users(self._not_editable())

    def interim(self) -> Interim:
        """Only what packets meet is put as it shall be; all else is left for the second step."""
        if not self.replaced:
            return Interim(self.target, {}, waits=False)
        bindings, waits = [], False
        for place in sorted(self.after, key=place_order):
            old, new = self.before.get(place), self.after[place]
            if old != new and (POLICY_MAP, new) in self.replaced and not self._changes_under(old):
                # Nothing happens to it until then, so one swap does.
                waits = True
                if old is not None:
                    bindings.append(Binding(*place, self._put_whole((POLICY_MAP, old))))
            else:
                bindings.append(Binding(*place, self._put_whole((POLICY_MAP, new))))
        for reference in sorted(self.held.config.references):
            key = reference.kind, reference.name
            if key in self.replaced:
                raise InvalidInput(
                    f"{key[0]} {key[1]} cannot be changed in place, and `{reference.by}` holds on to it, where no copy can "
                    "stand in: give what is intended another name",
                    field=key[0],
                )
            self._put_whole(key)
        return Interim(Objects(with_store(self.held.config, self.store, bindings)), self.copies, waits)

    @cached_property
    def store(self) -> Store:
        """What the router holds meanwhile, as far as it is put there."""
        return dict(self.held.store)

    @cached_property
    def changed(self) -> frozenset[Key]:
        """What changes, as others refer to it."""
        return frozenset(plain(key) for key, _ in self.changes)

    @cached_property
    def twins(self) -> dict[Key, list[Key]]:
        """The objects of each name: two where a list of either family has it."""
        found: dict[Key, list[Key]] = {}
        for key in self.target.store:
            found.setdefault(plain(key), []).append(key)
        return found

    @cached_property
    def taken(self) -> set[Key]:
        """Names that no copy can have."""
        return {*_names(self.held), *_names(self.target)}

    def _not_editable(self) -> Iterator[Key]:
        """What packets meet and what cannot become what is wanted under them."""
        exchanging = self._exchanging()
        for key, wanted in self.changes:
            current, name = self.held.store.get(key), plain(key)
            if current is None:
                # A list that is used and missing would come into force entry by entry, and could not be taken back.
                if key[0] == ACCESS_LIST and not self.held.live.isdisjoint(self.held.users.of(key)):
                    yield name
            elif key in self.held.live and (
                name in self.apart
                or editable_in_use(current, wanted) is None
                or not exchanging.isdisjoint(self.held.users.policies_reaching(key))
            ):
                yield name

    def _exchanging(self) -> frozenset[str]:
        """Policies among which interfaces move in a circle: edited in place, each would wait for the other (`ordering`)."""
        leads_to: dict[str, set[str]] = {}
        for place, new in self.after.items():
            old = self.before.get(place)
            if old is not None and old != new:
                leads_to.setdefault(old, set()).add(new)
        return in_circles(leads_to)

    def _with_users(self, keys: Iterable[Key]) -> frozenset[Key]:
        """What refers to a copy has to be a copy too."""
        found: set[Key] = set()
        todo = [*keys]
        while todo:
            key = todo.pop()
            if key not in found:
                found.add(key)
                todo += self.held.users.of(key) | self.target.users.of(key)
        return frozenset(found)

    def _changes_under(self, policy: str | None) -> bool:
        """Whether anything changes that the policy's packets meet."""
        found: set[Key] = set()
        todo = set() if policy is None else {(POLICY_MAP, policy)}
        while todo:
            key = todo.pop()
            found.add(key)
            todo |= self.held.needs.get(key, frozenset()) - found
        return not found.isdisjoint(self.changed)

    def _put_whole(self, key: Key) -> str:
        """`_put`, what the object refers to first: however deep, nothing has to be put inside something else."""
        reached: set[Key] = set()
        todo = {key}
        while todo:
            at = todo.pop()
            reached.add(at)
            for twin in self.twins.get(at, ()):
                todo |= needs(self.target.store[twin]) - reached
        things = {each: self.target.store[twin] for each in reached for twin in self.twins.get(each, ())[:1]}
        for each in bottom_up(things):
            self._put(each)
        return self._put(key)

    def _put(self, key: Key) -> str:
        """Let the interim hold the object and all it refers to, as wanted; the name it goes by there."""
        name = self.copies.get(key)
        if name is not None:
            return name
        if key in self.replaced:
            name = self.copies[key] = self._free_name(*key)
            for twin in self.twins[key]:
                copy = _copy(referring(self.target.store[twin], self._put), name)
                self.store[key[0], twin[1].removesuffix(key[1]) + name] = copy
            return name
        if key not in self.put:
            self.put.add(key)
            for twin in self.twins.get(key, ()):
                self.store[twin] = self.target.store[twin]
                for needed in sorted(needs(self.target.store[twin])):
                    self._put(needed)
        return key[1]

    def _free_name(self, kind: str, name: str) -> str:
        if kind == ACCESS_LIST and name.isdigit():
            # A name begins with a letter, and a class that matches a number does not follow to a name.
            raise InvalidInput(
                f"access-list {name} cannot be edited in place, and no copy can stand in for a number: give it a name",
                field=kind,
            )
        base, version = base_name(name)[0], 2
        while True:
            free = versioned_name(base[: LONGEST_NAME - len(f"-{version}")], version)
            if (kind, free) not in self.taken:
                self.taken.add((kind, free))
                return free
            version += 1


def _copy(thing: MqcObject, name: str) -> MqcObject:
    """Under another name, and without what is said to people: it is there for a moment."""
    thing = named(thing, name)
    return thing if isinstance(thing, AccessList) else dataclasses.replace(thing, description="")


def _names(objects: Objects) -> Iterator[Key]:
    """Every name that anything has or refers to."""
    yield from ((key[0], thing.name) for key, thing in objects.store.items())
    for needed in objects.needs.values():
        yield from needed
    yield from ((POLICY_MAP, policy) for policy in objects.bound_to)
    yield from objects.referenced
