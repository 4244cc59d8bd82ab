"""Access lists that cannot be edited in place because an interface moves between two policies that both meet them."""

from __future__ import annotations

from provisioning.pipeline.diff.access_edits import edit
from provisioning.pipeline.diff.store import ACCESS_LIST, Key, Objects, place_of
from provisioning.pipeline.mqc import AccessEntry, AccessList


def met_on_both_sides(running: Objects, target: Objects) -> frozenset[Key]:
    """Lists in which sources come and others go, met by the old and by the new policy of some place.

    Edited before the move, who is new would meet the old policer; edited after it, who shall go would meet the new
    one, which may be the first that makes EF of them. Such a list gets a new version.
    """
    before = {place_of(bound): bound.policy for bound in running.config.bindings - target.config.bindings}
    moved = {
        (before[place_of(bound)], bound.policy)
        for bound in target.config.bindings - running.config.bindings
        if place_of(bound) in before
    }
    if not moved:
        return frozenset()
    old, new = running.store, target.store
    changed = [key for key in old if key[0] == ACCESS_LIST and key in new and old[key] != new[key]]
    mixed = [key for key in changed if _mixed(old[key], new[key])]
    if not mixed:
        return frozenset()
    found: set[Key] = set()
    for key in mixed:
        policies = running.users.policies_reaching(key) | target.users.policies_reaching(key)
        if any(left in policies and joined in policies for left, joined in moved):
            found.add(key)
    return frozenset(found)


def _mixed(current: object, wanted: object) -> bool:
    if not isinstance(current, AccessList) or not isinstance(wanted, AccessList):
        return False
    edited = edit(current, wanted)
    return edited is not None and _permits(edited.added) and _permits(edited.removed)


def _permits(entries: tuple[AccessEntry, ...]) -> bool:
    return any(entry.action == "permit" for entry in entries)
