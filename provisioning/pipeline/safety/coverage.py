"""Who is let in by none of several states: a source is cut off only when nothing else lets it in."""

from __future__ import annotations

from collections.abc import Collection

from provisioning.pipeline.mqc import (
    AccessEntry,
    AccessList,
    PolicyMap,
    RunningConfig,
    common,
    covers,
    share,
)
from provisioning.pipeline.safety.packets import lists_within, nested_classes
from provisioning.pipeline.safety.states import InterfaceQos


def uncovered(entries: Collection[str], *others: InterfaceQos) -> frozenset[str]:
    """The entries that none of the states lets in whole, by the same entry or by a wider one.

    Where an entry need not let in all that it names (`InterfaceQos.partial`), only the same entry counts.
    """
    return frozenset(
        entry
        for entry in entries
        if not any(
            entry in other.authorised
            or any(covers(wide, entry) for wide in other.authorised if wide not in other.partial)
            for other in others
        )
    )


def staying(first: InterfaceQos, last: InterfaceQos) -> frozenset[str]:
    """Who is let in before and after, as permit entries: by the same entry, or by what two entries have in common.

    Of entries that need not let in all they name only the same one counts.
    """
    same = frozenset(first.authorised) & frozenset(last.authorised)
    before, after = (
        [entry for entry in state.authorised if entry not in same and entry not in state.partial]
        for state in (first, last)
    )
    both = {common(one, other) for one in before for other in after}
    return same.union(entry for entry in both if entry is not None)


def denied_before(held: AccessList, entry: AccessEntry) -> bool:
    """Whether the list denies something that the entry permits, before it comes to it."""
    return any(
        earlier.action == "deny" and earlier.sequence < entry.sequence and share(earlier.text, entry.text)
        for earlier in held.entries
    )


def taken_whole(config: RunningConfig, policy: PolicyMap | None, making: Collection[str]) -> frozenset[str]:
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


def _asks_lists_alone(config: RunningConfig, name: str, depth: int = 0) -> bool:
    """Whether a packet that a list of the class permits is in the class whatever else it is."""
    held = config.class_maps.get(name)
    if held is None or held.mode == "match-none" or depth > 4:
        return False
    inverted = any(match.negated and match.kind in ("access-group", "class-map") for match in held.matches)
    if inverted or not (held.mode == "match-any" or len(held.matches) == 1):
        return False
    inner = sorted(nested_classes(held))
    return all(_asks_lists_alone(config, each, depth + 1) for each in inner)
