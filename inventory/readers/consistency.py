"""What a network file must satisfy as a whole: references resolve, nothing is used twice, nothing
overlaps.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from inventory.readers.entries import (
    AccessLinkEntry,
    CoreLinkEntry,
    InterfaceEntry,
    IPNetwork,
    NetworkFile,
    PeeringEntry,
)
from inventory.readers.errors import NetworkFileError


def faults_of(network: NetworkFile, unread: Collection[str] = ()) -> Iterator[NetworkFileError]:
    """Yield every entry that contradicts another one. `unread` are the names of entries that could not be read: who refers to
    them is not at fault.
    """
    yield from _unique(network, "routers", (router.name for router in network.routers), "name")
    yield from _unique(network, "nrens", (nren.name for nren in network.nrens), "name")
    classes = network.domain.classes
    yield from _unique(network, "domain.classes", (entry.abbreviation for entry in classes), "abbreviation")
    yield from _unique(network, "domain.classes", (str(entry.dscp) for entry in classes), "dscp")
    yield from _pops_have_one_country(network)
    yield from _references(network, unread)
    yield from _core_links_leave_their_router(network)
    yield from _interfaces_used_once(network)
    yield from _no_overlap(
        network,
        (
            (f"nrens[{index}].prefixes[{place}]", f"{nren.name}'s {prefix}", prefix)
            for index, nren in enumerate(network.nrens)
            for place, prefix in enumerate(nren.prefixes)
        ),
    )
    yield from _no_overlap(network, _link_prefixes(network))
    yield from _dscp_maps_keep_classes_apart(network)


def _unique(network: NetworkFile, path: str, values: Iterable[str], key: str) -> Iterator[NetworkFileError]:
    seen: dict[str, int] = {}
    for index, value in enumerate(values):
        first = seen.setdefault(value.casefold(), index)
        if first != index:
            yield NetworkFileError(
                network.source, f"{path}[{index}].{key}", f"{value!r} is already at {path}[{first}].{key}"
            )


def _dscp_maps_keep_classes_apart(network: NetworkFile) -> Iterator[NetworkFileError]:
    """A neighbour's DSCP for one class is not ours for another, unless that one has another there too."""
    known = {entry.dscp: entry.name for entry in network.domain.classes}
    for index, link in enumerate(network.access_links):
        ours = dict(link.dscp_map)
        for dscp, theirs in link.dscp_map:
            if theirs != dscp and theirs in known and theirs not in ours:
                yield NetworkFileError(
                    network.source,
                    f"access_links[{index}].neighbour.dscp",
                    f"{theirs} is {known[theirs]} here and would be taken for the class of {dscp}",
                )


def _pops_have_one_country(network: NetworkFile) -> Iterator[NetworkFileError]:
    countries: dict[str, str] = {}
    for index, router in enumerate(network.routers):
        if countries.setdefault(router.pop, router.country) != router.country:
            yield NetworkFileError(
                network.source,
                f"routers[{index}].country",
                f"PoP {router.pop!r} is in {countries[router.pop]!r} elsewhere, not in {router.country!r}",
            )


def placed_interfaces(network: NetworkFile) -> Iterator[tuple[str, str, InterfaceEntry]]:
    """Yield (path of the router, path of the interface, entry) for every interface of the file."""
    for index, core in enumerate(network.core_links):
        for key, end in (("a", core.a), ("z", core.z)):
            yield f"core_links[{index}].{key}[0]", f"core_links[{index}].{key}[1]", end
    for index, link in enumerate(network.access_links):
        yield f"access_links[{index}].router", f"access_links[{index}].interface", link.interface
    for index, peering in enumerate(network.peerings):
        yield f"peerings[{index}].router", f"peerings[{index}].interface", peering.interface
    for index, entry in enumerate(network.other_interfaces):
        yield f"interfaces[{index}].router", f"interfaces[{index}].interface", entry


def _core_links_leave_their_router(network: NetworkFile) -> Iterator[NetworkFileError]:
    for index, link in enumerate(network.core_links):
        if link.a.router == link.z.router:
            yield NetworkFileError(
                network.source, f"core_links[{index}].z[0]", f"both ends of the link are on {link.a.router}"
            )


def _references(network: NetworkFile, unread: Collection[str]) -> Iterator[NetworkFileError]:
    routers = {router.name for router in network.routers} | set(unread)
    for router_path, _, interface in placed_interfaces(network):
        if interface.router not in routers:
            yield NetworkFileError(network.source, router_path, f"there is no router {interface.router!r}")
    nrens = {nren.name for nren in network.nrens} | set(unread)
    for index, link in enumerate(network.access_links):
        if link.nren not in nrens:
            yield NetworkFileError(
                network.source, f"access_links[{index}].nren", f"there is no NREN {link.nren!r}"
            )


def _interfaces_used_once(network: NetworkFile) -> Iterator[NetworkFileError]:
    used: dict[str, str] = {}
    for _, path, interface in placed_interfaces(network):
        first = used.setdefault(interface.label, path)
        if first != path:
            yield NetworkFileError(
                network.source, path, f"interface {interface.label} is already used at {first}"
            )


def _link_prefixes(network: NetworkFile) -> Iterator[tuple[str, str, IPNetwork]]:
    sections: tuple[tuple[str, tuple[CoreLinkEntry | AccessLinkEntry | PeeringEntry, ...]], ...] = (
        ("core_links", network.core_links),
        ("access_links", network.access_links),
        ("peerings", network.peerings),
    )
    for section, links in sections:
        for index, link in enumerate(links):
            if link.prefix is not None:
                yield f"{section}[{index}].prefix", f"{link.name}'s {link.prefix}", link.prefix


def _no_overlap(
    network: NetworkFile, prefixes: Iterable[tuple[str, str, IPNetwork]]
) -> Iterator[NetworkFileError]:
    """Yield each prefix that overlaps one before it; sorted by address, prefixes that overlap include two neighbours."""
    ordered = sorted(
        prefixes, key=lambda item: (item[2].version, int(item[2].network_address), item[2].prefixlen)
    )
    reach: tuple[str, str, IPNetwork] | None = None
    for item in ordered:
        path, _, prefix = item
        if reach is not None and prefix.overlaps(reach[2]):
            yield NetworkFileError(network.source, path, f"{prefix} overlaps {reach[1]} at {reach[0]}")
        else:
            reach = item
