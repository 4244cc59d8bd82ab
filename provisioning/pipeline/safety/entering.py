"""What an input policy lets in: who marks, what limits EF, what becomes of the rest, who is let in by which entry."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from provisioning.pipeline.mqc import PolicyMap, permits
from provisioning.pipeline.safety.coverage import let_in_whole, taken_whole
from provisioning.pipeline.safety.holdings import Held
from provisioning.pipeline.safety.packets import (
    Fate,
    Packet,
    fates,
    lists_of,
    packets_on_lists,
    representatives,
    unnamed,
)
from provisioning.pipeline.safety.states import REST, Marker

EF = 46
PREMIUM = frozenset({EF})
UNLIMITED = "unlimited"
NO_EF = "none"

# What may leave an edge towards the backbone: best effort, LBE, and EF as far as it is policed (D4.4.2v2 table 1).
ALLOWED_DSCPS = frozenset({0, 8, EF})


@dataclass(frozen=True, slots=True)
class Entering:
    """What `InterfaceQos` says of an input policy, field by field."""

    marker: Marker
    ef_rate: str
    remarks_rest: bool
    authorised: tuple[str, ...]
    partial: tuple[str, ...]
    exempted: tuple[str, ...]
    lists: tuple[tuple[str, tuple[str, ...]], ...]
    kept: tuple[tuple[str, str], ...] = ()


def entering(
    config: Held,
    policy: PolicyMap | None,
    premium: frozenset[int] = PREMIUM,
    allowed: frozenset[int] = ALLOWED_DSCPS,
) -> Entering:
    """What becomes of every sort of packet that the policy tells from others: of either family, by its mark, and by the
    access lists it is on.
    """
    alike = representatives(config, policy, allowed | premium | {0})
    strangers = {
        (family, dscp): fates(config, policy, Packet(family, dscp)) for family in (4, 6) for dscp in alike
    }
    believed = {
        fate for (_, dscp), found in strangers.items() for fate in found if {dscp, fate.dscp} <= premium
    }
    making: set[Fate] = set()
    authorising: set[str] = set()
    exempting: set[str] = set()
    for names in sorted(set(packets_on_lists(config, policy)), key=lambda names: (len(names), sorted(names))):
        listed = _fates_on(config, policy, names, alike)
        making |= {fate for found in listed.values() for fate in found if fate.dscp in premium}
        # Whoever has the same of it off the lists needs none of them.
        if authorising.isdisjoint(names) and any(
            found != strangers[key] and any(fate.dscp in premium for fate in found)
            for key, found in listed.items()
        ):
            authorising |= names
        if exempting.isdisjoint(names) and any(
            {fate.dscp for fate in found} - {fate.dscp for fate in strangers[key]} - premium - {0}
            for key, found in listed.items()
        ):
            exempting |= names
    everything = making.union(*strangers.values())
    ef = {fate for fate in everything if fate.dscp in premium}
    if policy is None:
        marker = Marker.NOBODY
    elif believed:
        marker = Marker.NREN
    else:
        marker = Marker.ACL if authorising else Marker.ROUTER
    whole = taken_whole(config, policy, {fate.class_name for fate in making})
    return Entering(
        marker,
        _rate(ef),
        all(fate.dscp in allowed for fate in everything),
        _permits(config, authorising),
        _partial(config, authorising, whole),
        _permits(config, exempting),
        tuple((name, _let_in_whole(config, name)) for name in sorted(authorising - whole)),
        ()
        if policy is None
        else _kept(everything, strangers, allowed, unnamed(config, policy, allowed | premium | {0})),
    )


def _kept(
    everything: Iterable[Fate],
    strangers: Mapping[tuple[int, int], frozenset[Fate]],
    allowed: frozenset[int],
    rest: int | None,
) -> tuple[tuple[str, str], ...]:
    """The marks that leave and may not, each with what limits it; `rest` stands for all that no class names."""
    found: dict[int, set[Fate]] = {}
    for fate in everything:
        if fate.dscp not in allowed:
            found.setdefault(fate.dscp, set()).add(fate)
    keeps = rest is not None and any(
        fate.dscp == rest for (_, dscp), fates_of in strangers.items() if dscp == rest for fate in fates_of
    )
    names = {dscp: REST if keeps and dscp == rest else str(dscp) for dscp in sorted(found)}
    return tuple((names[dscp], _rate(found[dscp])) for dscp in sorted(found))


def _fates_on(
    config: Held, policy: PolicyMap | None, names: frozenset[str], dscps: Iterable[int]
) -> dict[tuple[int, int], frozenset[Fate]]:
    """What becomes of packets on all of these lists, by family and mark."""
    families = {each.family for name in names for each in lists_of(config, name)}
    return {
        (family, dscp): fates(config, policy, Packet(family, dscp, names))
        for family in sorted(families)
        for dscp in dscps
    }


def _rate(ef: Collection[Fate]) -> str:
    if any(fate.policer is None for fate in ef):
        return UNLIMITED
    # Two classes that police to the same rate let in twice of it: the sum is over classes.
    policers = {(fate.class_name, f"{fate.policer}") for fate in ef}
    return " + ".join(sorted(words for _, words in policers)) or NO_EF


def _permits(config: Held, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(
        sorted(text for name in names for each in lists_of(config, name) for text in permits(each.entries))
    )


def _partial(config: Held, names: Iterable[str], whole: frozenset[str]) -> tuple[str, ...]:
    """The permit entries of the lists that need not let in all they name, by any of the lists they are in."""
    let_in = {text for name in whole.intersection(names) for text in _let_in_whole(config, name)}
    return tuple(sorted(set(_permits(config, names)) - let_in))


def _let_in_whole(config: Held, name: str) -> tuple[str, ...]:
    return tuple(text for each in lists_of(config, name) for text in let_in_whole(each))
