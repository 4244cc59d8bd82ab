"""What a network file would make of the network, worked out before a lock is taken; it counts where the rows came out so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace

from inventory.models import Domain, Router
from inventory.readers.entries import InterfaceEntry, NetworkFile
from provisioning.errors import InvalidInput
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import (
    AccessLinkValue,
    CoreLinkValue,
    Network,
    PeeringValue,
    RouterValue,
)
from provisioning.selectors import topology
from provisioning.selectors.network import bandwidths_shown
from provisioning.services.inventory.stranding import (
    Ground,
    exempt_of,
    fresh_obstacles,
    promised,
    promised_keys,
    readable,
)
from provisioning.services.topology.recharging import Prepared, prepare


@dataclass(frozen=True)
class Foreseen:
    """What promises rest on before (at `version` of the topology) and after the import, what everything live is charged to
    then, and why who could not be kept; `asked` are the keys for which that was looked at.
    """

    version: int
    before: Ground
    after: Ground
    ready: Prepared
    stranded: Mapping[int, str]
    asked: frozenset[int]


def foresee(file: NetworkFile) -> Foreseen | None:
    """What the import would come to; None where it has to be seen: a first import, rows of which there is no version, a file
    that is refused.
    """
    held = Domain.objects.filter(name=file.domain.name).first()
    known = None if held is None else topology.current(held)
    if held is None or known is None or not known.number:
        return None
    becoming = copy(held)
    becoming.scheme, becoming.policer = file.domain.scheme, file.domain.policer
    becoming.options = dict(file.domain.options)
    scheme = readable(becoming)
    if not isinstance(scheme, Scheme):
        return None
    exempt = exempt_of(held)
    before = Ground(known.network, readable(held), exempt)
    try:
        after = Ground(network_after(known.network, file, _shown(held)), scheme, _exempt_after(exempt, file))
    except InvalidInput:
        return None
    if after.network == before.network:
        after = replace(
            after, network=before.network
        )  # the paths that are kept with it need not be derived again
    ready = prepare(becoming, after.network, scheme)
    if before == after:  # whatever is promised rests on what it rested on
        return Foreseen(known.number, before, after, ready, {}, frozenset(promised_keys(held)))
    requests = promised(held)
    stranded = fresh_obstacles(before, after, requests)
    return Foreseen(
        known.number, before, after, ready, stranded, frozenset(request.pk for request in requests)
    )


def network_after(before: Network, file: NetworkFile, shown: Mapping[tuple[str, str], int]) -> Network:
    """The network as `selectors.network.load_network` reads it after the import; ``shown`` is the BW in bit/s that routers
    showed, by (router, interface). What the file does not mention stays.
    """

    def bw_of(end: InterfaceEntry) -> int:
        return min(end.bw_bps, shown.get((end.router, end.name), end.bw_bps))

    access = {
        entry.name: AccessLinkValue(
            id=entry.name,
            nren=entry.nren,
            router=entry.interface.router,
            interface=entry.interface.name,
            pvc=entry.interface.pvc or None,
            line_rate_bps=entry.interface.line_rate_bps,
            bw_bps=bw_of(entry.interface),
            usable_bps=entry.interface.usable_bps,
            case=entry.case,
            standing=entry.standing,
            dscp_map=tuple(sorted(entry.dscp_map)),
            prefix="" if entry.prefix is None else str(entry.prefix),
        )
        for entry in file.access_links
    }
    core = {}
    for entry in file.core_links:
        there = before.core_link(entry.name)
        stays_down = there is not None and there.down
        core[entry.name] = CoreLinkValue(
            id=entry.name,
            a_router=entry.a.router,
            a_interface=entry.a.name,
            z_router=entry.z.router,
            z_interface=entry.z.name,
            metric=entry.metric,
            line_rate_bps=min(entry.a.line_rate_bps, entry.z.line_rate_bps),
            bw_bps=min(bw_of(entry.a), bw_of(entry.z)),
            usable_bps=min(entry.a.usable_bps, entry.z.usable_bps),
            down=stays_down if entry.down is None else entry.down,
        )
    peerings = {
        entry.name: PeeringValue(
            id=entry.name,
            name=entry.peer,
            router=entry.interface.router,
            interface=entry.interface.name,
            pvc=entry.interface.pvc or None,
            line_rate_bps=entry.interface.line_rate_bps,
            bw_bps=bw_of(entry.interface),
            usable_bps=entry.interface.usable_bps,
            prefix="" if entry.prefix is None else str(entry.prefix),
        )
        for entry in file.peerings
    }
    access = {each.id: each for each in before.access_links} | access
    core = {each.id: each for each in before.core_links} | core
    peerings = {each.id: each for each in before.peerings} | peerings
    return Network(
        _routers_after(before, file),
        tuple(access[name] for name in sorted(access)),
        tuple(core[name] for name in sorted(core)),
        tuple(peerings[name] for name in sorted(peerings)),
        before.planned,
    )


def _routers_after(before: Network, file: NetworkFile) -> tuple[RouterValue, ...]:
    found = {router.name: router for router in before.routers}
    interfaces: defaultdict[str, set[str]] = defaultdict(set)
    for end in file.interfaces:
        interfaces[end.router].add(end.name)
    for entry in file.routers:
        there = found.get(entry.name)
        engines = {} if there is None else dict(there.engines)
        names = interfaces[entry.name].union(() if there is None else there.interfaces)
        found[entry.name] = RouterValue(
            entry.name, entry.platform, entry.ios, engines | dict(entry.engines), tuple(sorted(names))
        )
    return tuple(found[name] for name in sorted(found))


def _shown(domain: Domain) -> dict[tuple[str, str], int]:
    names = dict(Router.objects.filter(domain=domain).values_list("pk", "name"))
    return {(names[router], interface): bps for (router, interface), bps in bandwidths_shown(domain).items()}


def _exempt_after(before: Mapping[str, Mapping[str, str]], file: NetworkFile) -> dict[str, dict[str, str]]:
    found = {router: dict(interfaces) for router, interfaces in before.items()}
    for end in file.interfaces:
        if end.exempt_reason:
            found.setdefault(end.router, {})[end.name] = end.exempt_reason
        else:
            found.get(end.router, {}).pop(end.name, None)
    return {router: interfaces for router, interfaces in found.items() if interfaces}
