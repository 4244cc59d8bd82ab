"""Access lists that cannot be edited in place because an interface moves between two policies that both meet them."""

from __future__ import annotations

from collections.abc import Iterator

from provisioning.pipeline.diff.access_edits import AccessEdit, edit, permits
from provisioning.pipeline.diff.store import ACCESS_LIST, Key, Objects, place_of
from provisioning.pipeline.mqc import AccessList, share


def met_on_both_sides(running: Objects, target: Objects) -> frozenset[Key]:
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
    old, new = running.store, target.store
    found: set[Key] = set()
    for key in (key for key in old if key[0] == ACCESS_LIST and key in new and old[key] != new[key]):
        edited = _edited(old[key], new[key])
        policies = running.users.policies_reaching(key) | target.users.policies_reaching(key)
        sides = [(left, joined) for left, joined in moved if left in policies and joined in policies]
        if edited is None or not sides:
            continue
        if (edited.come and edited.go) or any(
            _shared(edited.go, _others(target, joined, key))
            or _shared(edited.come, _others(running, left, key))
            for left, joined in sides
        ):
            found.add(key)
    return frozenset(found)


def _edited(current: object, wanted: object) -> AccessEdit | None:
    """How the list is edited in place; None where it is not."""
    if not isinstance(current, AccessList) or not isinstance(wanted, AccessList):
        return None
    return edit(current, wanted)


def _others(objects: Objects, policy: str, but: Key) -> Iterator[str]:
    """The permit entries of the other lists that a policy meets."""
    for key, held in objects.store.items():
        if key != but and isinstance(held, AccessList) and policy in objects.users.policies_reaching(key):
            yield from permits(held.entries)


def _shared(entries: tuple[str, ...], others: Iterator[str]) -> bool:
    return bool(entries) and any(share(entry, other) for other in others for entry in entries)
