"""Who is let in by none of several states: a source is cut off only when nothing else lets it in."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache

from provisioning.pipeline.mqc import (
    AccessList,
    PolicyMap,
    common,
    covers,
    share,
)
from provisioning.pipeline.safety.holdings import Held
from provisioning.pipeline.safety.packets import lists_within, nested_classes
from provisioning.pipeline.safety.states import InterfaceQos


def uncovered(
    entries: Collection[str], others: Collection[InterfaceQos], of: Collection[InterfaceQos]
) -> frozenset[str]:
    """The entries that none of the `others` lets in as the states do that they are `of`: by the same entry or a wider one.

    Where an entry need not let in all that it names (`InterfaceQos.partial`), a wider one counts only in the same lists
    of the same policy, which asks of both what it asks.
    """
    found = frozenset(entries).difference(*(other.authorised for other in others))
    for other in others if found else ():
        found = without(found, frozenset(other.authorised) - frozenset(other.partial))
    return frozenset(
        entry
        for entry in found
        if not any(_by_the_same_lists(entry, one, other) for one in of for other in others)
    )


def _by_the_same_lists(entry: str, one: InterfaceQos, other: InterfaceQos) -> bool:
    if one.policy_in != other.policy_in or entry not in one.partial:
        return False
    there = dict(other.lists)
    by = [name for name, held in one.lists if not without([entry], held)]
    return bool(by) and not any(without([entry], there.get(name, ())) for name in by)


def without(entries: Collection[str], others: Collection[str]) -> frozenset[str]:
    """The entries that none of the others is or contains."""
    left = frozenset(entries) - frozenset(others)
    return frozenset(entry for entry in left if not any(covers(wide, entry) for wide in others))


def staying(first: InterfaceQos, last: InterfaceQos) -> frozenset[str]:
    """Who is let in before and after, as permit entries: by the same entry, or by what two entries have in common.

    Of entries that need not let in all they name only the same one counts.
    """
    return _in_both(first.authorised, first.partial, last.authorised, last.partial)


@lru_cache(maxsize=64)
def _in_both(
    first: tuple[str, ...], in_part: tuple[str, ...], last: tuple[str, ...], in_part_then: tuple[str, ...]
) -> frozenset[str]:
    same = frozenset(first) & frozenset(last)
    before, after = (set(one) - same - set(part) for one, part in ((first, in_part), (last, in_part_then)))
    both = {common(one, other) for one in before for other in after}
    return same.union(entry for entry in both if entry is not None)


def let_in_whole(held: AccessList) -> Iterator[str]:
    """The permit entries of a list that no deny of its own stands before which takes some of their packets."""
    denies: list[str] = []
    for entry in held.entries:
        if entry.action == "deny":
            denies.append(entry.text)
        elif entry.action == "permit" and not any(share(denied, entry.text) for denied in denies):
            yield entry.text


def taken_whole(config: Held, policy: PolicyMap | None, making: Collection[str]) -> frozenset[str]:
    """Names of the access lists of which the classes `making` EF take everything, whatever else a packet is.

    These are the lists of the first such classes up to the first class of another kind: what stands before all of them
    sees the packets of all alike, what stands behind that class may have lost some to it.
    """
    whole: set[str] = set()
    begun = False
    for entry in () if policy is None else policy.classes:
        held = config.class_maps.get(entry.name)
        listing = held is not None and any(
            match.kind in ("access-group", "class-map") for match in held.matches
        )
        begun = begun or (entry.name in making and listing)
        if begun and (entry.name not in making or entry.child is not None):
            break
        if begun and _asks_lists_alone(config, entry.name):
            whole |= lists_within(config, entry.name)
    return frozenset(whole)


def _asks_lists_alone(config: Held, name: str, depth: int = 0) -> bool:
    """Whether a packet that a list of the class permits is in the class whatever else it is."""
    held = config.class_maps.get(name)
    if held is None or held.mode == "match-none" or depth > 4:
        return False
    inverted = any(match.negated and match.kind in ("access-group", "class-map") for match in held.matches)
    if inverted or not (held.mode == "match-any" or len(held.matches) == 1):
        return False
    inner = sorted(nested_classes(held))
    return all(_asks_lists_alone(config, each, depth + 1) for each in inner)
