"""Access lists that cannot be edited in place: an interface moves between two policies that both meet them, sources move
among several in a circle, or one list keeps out of another who comes to both or goes from both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from provisioning.pipeline.diff.access_edits import edit
from provisioning.pipeline.diff.circles import in_circles
from provisioning.pipeline.diff.store import ACCESS_LIST, Key, Objects, place_of
from provisioning.pipeline.mqc import AccessList, Match, permits, share

_KEPT_OUT: Final = "kept out"


def not_in_place(running: Objects, target: Objects) -> frozenset[Key]:
    """Lists that are edited between the two and have to get a new version instead."""
    edits = list(_edits(running, target))
    before = {place_of(bound): bound.policy for bound in running.config.bindings - target.config.bindings}
    after = {place_of(bound): bound.policy for bound in target.config.bindings - running.config.bindings}
    moves = {_Move(before.get(place), after.get(place)) for place in {*before, *after}} if edits else set()
    return (
        _met_on_both_sides(running, target, edits, moves)
        | _going_round([*edits, *moves])
        | _told_apart(running, target, edits)
    )


@dataclass(frozen=True, slots=True)
class _Move:
    """Places that go from one policy (or none) to another (or none)."""

    old: str | None
    new: str | None

    def waits_for(self, other: _Move | _Edit) -> bool:
        return isinstance(other, _Edit) and (
            self.new in other.policies and (not other.come or self.old not in other.policies)
        )


@dataclass(frozen=True, slots=True)
class _Edit:
    """A list edited in place, the policies that meet it, and the permit entries of who comes to it and who goes."""

    key: Key
    policies: frozenset[str]
    come: tuple[str, ...]
    go: tuple[str, ...]

    def waits_for(self, other: _Move | _Edit) -> bool:
        if isinstance(other, _Move):
            return other.old in self.policies and (bool(self.come) or other.new not in self.policies)
        together = self is not other and not self.policies.isdisjoint(other.policies)
        return together and _shared(self.go, other.come)


def _met_on_both_sides(
    running: Objects, target: Objects, edits: Iterable[_Edit], moves: Iterable[_Move]
) -> frozenset[Key]:
    """Lists met by the old and by the new policy of some place in which sources come and others go, or come from another.

    Edited before the move, who is new would meet the old policer; edited after it, who shall go would meet the new
    one, which may be the first that makes EF of them. And whoever another list of the new policy lets in from then on
    would be cut off by the edit before the move; whoever another list of the old policy let in until then, by the
    move before the edit. Such a list gets a new version.
    """
    found: set[Key] = set()
    for step in edits:
        sides = [move for move in moves if {move.old, move.new} <= step.policies]
        if sides and (
            (step.come and step.go)
            or any(
                _shared(step.go, _others(target, move.new, step.key))
                or _shared(step.come, _others(running, move.old, step.key))
                for move in sides
            )
        ):
            found.add(step.key)
    return frozenset(found)


def _told_apart(running: Objects, target: Objects, edits: Sequence[_Edit]) -> frozenset[Key]:
    """Lists that the same sources come to, or go from, of which a policy marks one otherwise than the other or keeps its
    sources out.

    Edited in place, one after the other, the second would for a while not keep out of the first who is in both at one end
    and in none at the other.
    """
    found: set[Key] = set()
    for one, other in combinations(edits, 2):
        if not one.policies.isdisjoint(other.policies) and (
            _shared(one.come, other.come) or _shared(one.go, other.go)
        ):
            policies = one.policies & other.policies
            marks = {
                mark
                for objects in (running, target)
                for policy in policies
                for mark in _marks(objects, policy, {one.key, other.key})
            }
            if len(marks) > 1 or _KEPT_OUT in marks:
                found |= {one.key, other.key}
    return frozenset(found)


def _marks(objects: Objects, policy: str, keys: Collection[Key]) -> Iterator[object]:
    """What each class of a policy makes of sources on any of the lists; a policy inside a class decides by itself."""
    held = objects.config.policy_maps.get(policy)
    for entry in () if held is None else held.classes:
        if entry.child is not None:
            yield entry.child
        for match in _conditions(objects, entry.name):
            names = (
                {(ACCESS_LIST, str(value)) for value in match.values} if match.kind == "access-group" else ()
            )
            if any((kind, name.removeprefix("ipv6 ")) in names for kind, name in keys):
                yield _KEPT_OUT if match.negated else entry.set_fields


def _conditions(objects: Objects, name: str, depth: int = 0, *, negated: bool = False) -> Iterator[Match]:
    """The conditions of a class-map and of those within it, turned round where they keep out."""
    held = objects.config.class_maps.get(name)
    if held is None or depth > 4:
        return
    for match in held.matches:
        out = match.negated ^ negated ^ (held.mode == "match-none")
        if match.kind != "class-map":
            yield replace(match, negated=out)
            continue
        for value in match.values:
            yield from _conditions(objects, str(value), depth + 1, negated=out)


def _going_round(steps: Sequence[_Edit | _Move]) -> frozenset[Key]:
    """Lists among which sources change places in a circle, or that interfaces do between their policies.

    Edited in place, each would have to wait for the next one (`ordering`), and so for itself.
    """
    waits = {step: {other for other in steps if step.waits_for(other)} for step in steps}
    return frozenset(step.key for step in in_circles(waits) if isinstance(step, _Edit))


def _edits(running: Objects, target: Objects) -> Iterator[_Edit]:
    for key, held in running.store.items():
        wanted = target.store.get(key)
        if held is wanted or not isinstance(held, AccessList) or not isinstance(wanted, AccessList):
            continue
        edited = edit(held, wanted)
        if edited is not None and key in running.live:
            policies = running.users.policies_reaching(key) | target.users.policies_reaching(key)
            yield _Edit(key, policies, edited.come, edited.go)


def _others(objects: Objects, policy: str | None, but: Key) -> Iterator[str]:
    """The permit entries of the other lists that a policy meets."""
    for key, held in objects.store.items():
        if key != but and isinstance(held, AccessList) and policy in objects.users.policies_reaching(key):
            yield from permits(held.entries)


def _shared(entries: tuple[str, ...], others: Iterable[str]) -> bool:
    return bool(entries) and any(share(entry, other) for other in others for entry in entries)
