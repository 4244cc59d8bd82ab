"""Access lists that cannot be edited in place: an interface moves between two policies that both meet them, or sources
move among several in a circle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from provisioning.pipeline.diff.access_edits import edit, permits
from provisioning.pipeline.diff.store import Key, Objects, place_of
from provisioning.pipeline.mqc import AccessList, covers, share

Moved = tuple[tuple[str, ...], tuple[str, ...]]
"""Who comes to a list and who goes, as permit entries."""


def not_in_place(running: Objects, target: Objects) -> frozenset[Key]:
    """Lists that are edited between the two and have to get a new version instead."""
    edits = _edits(running, target)
    return met_on_both_sides(running, target, edits) | going_round(running, target, edits)


def met_on_both_sides(running: Objects, target: Objects, edits: Mapping[Key, Moved]) -> frozenset[Key]:
    """Lists met by the old and by the new policy of some place in which sources come and others go, or come from another.

    Edited before the move, who is new would meet the old policer; edited after it, who shall go would meet the new
    one, which may be the first that makes EF of them. And whoever another list of the new policy lets in from then on
    would be cut off by the edit before the move; whoever another list of the old policy let in until then, by the
    move before the edit. Such a list gets a new version.
    """
    before = {place_of(bound): bound.policy for bound in running.config.bindings - target.config.bindings}
    moved = {
        (before[place_of(bound)], bound.policy)
        for bound in target.config.bindings - running.config.bindings
        if place_of(bound) in before
    }
    if not moved:
        return frozenset()
    found: set[Key] = set()
    for key, (come, go) in edits.items():
        policies = _met_by(key, running, target)
        sides = [(left, joined) for left, joined in moved if left in policies and joined in policies]
        if sides and (
            (come and go)
            or any(
                _shared(go, _others(target, joined, key)) or _shared(come, _others(running, left, key))
                for left, joined in sides
            )
        ):
            found.add(key)
    return frozenset(found)


def going_round(running: Objects, target: Objects, edits: Mapping[Key, Moved]) -> frozenset[Key]:
    """Lists among which sources of one policy move in a circle.

    Edited in place, each would have to let in who comes before the one they come from lets go of them (`ordering`).
    """
    both = {key: moved for key, moved in edits.items() if all(moved)}
    if len(both) < 2:
        return frozenset()
    policies = {key: _met_by(key, running, target) for key in both}
    leads_to = {
        key: {
            other
            for other, (come, _) in both.items()
            if other != key and not policies[key].isdisjoint(policies[other]) and _shared(go, come)
        }
        for key, (_, go) in both.items()
    }
    return frozenset(key for key in leads_to if key in _reached(key, leads_to))


def _reached(start: Key, leads_to: Mapping[Key, set[Key]]) -> set[Key]:
    found: set[Key] = set()
    todo = [start]
    while todo:
        more = leads_to[todo.pop()] - found
        found |= more
        todo += more
    return found


def _met_by(key: Key, running: Objects, target: Objects) -> frozenset[str]:
    return running.users.policies_reaching(key) | target.users.policies_reaching(key)


def _edits(running: Objects, target: Objects) -> dict[Key, Moved]:
    """Who comes to each list that is edited in place, and who goes, but for those that the list lets in anyway."""
    found: dict[Key, Moved] = {}
    for key, held in running.store.items():
        wanted = target.store.get(key)
        if held is wanted or not isinstance(held, AccessList) or not isinstance(wanted, AccessList):
            continue
        edited = edit(held, wanted)
        if edited is not None:
            found[key] = _beyond(edited.come, held), _beyond(edited.go, edited.result)
    return found


def _beyond(entries: tuple[str, ...], held: AccessList) -> tuple[str, ...]:
    others = permits(held.entries) if entries else ()
    return tuple(entry for entry in entries if not any(covers(wide, entry) for wide in others))


def _others(objects: Objects, policy: str, but: Key) -> Iterator[str]:
    """The permit entries of the other lists that a policy meets."""
    for key, held in objects.store.items():
        if key != but and isinstance(held, AccessList) and policy in objects.users.policies_reaching(key):
            yield from permits(held.entries)


def _shared(entries: tuple[str, ...], others: Iterable[str]) -> bool:
    return bool(entries) and any(share(entry, other) for other in others for entry in entries)
