"""A proposal without what a network file cannot hold: one interface nobody can place keeps no network from being read."""

from __future__ import annotations

import dataclasses
import re
from typing import Final

from provisioning.pipeline.adoption.proposing import EdgeProposal, NetworkProposal

_PLACE: Final = re.compile(r"(routers|core_links|access_links|peerings)\[([0-9]+)\]")


def leave_out(proposal: NetworkProposal, path: str, reason: str) -> NetworkProposal | None:
    """The proposal without the entry of the file at `path`, which `reason` speaks against; None when it is none of its
    entries. An interface stays, as one that is neither link nor peering; a router goes with all that is on it.
    """
    found = _PLACE.match(path)
    if found is None:
        return None
    section, at = found[1], int(found[2])
    if section == "routers":
        name = proposal.routers[at].name
        return dataclasses.replace(
            proposal,
            routers=tuple(router for router in proposal.routers if router.name != name),
            core=tuple(pair for pair in proposal.core if name not in (pair.a[0], pair.z[0])),
            edges=tuple(edge for edge in proposal.edges if edge.router != name),
            unknown=(*proposal.unknown, f"{name}: left out of the network: its name {reason}"),
        )
    if section == "core_links":
        pair = proposal.core[at]
        said = f"{pair.a[0]} {pair.a[1].name} and {pair.z[0]} {pair.z[1].name}: no core link is proposed: {reason}"
        return dataclasses.replace(
            proposal,
            core=(*proposal.core[:at], *proposal.core[at + 1 :]),
            unknown=(*proposal.unknown, said),
        )
    kind = {"access_links": "access", "peerings": "peering"}[section]
    edge = [each for each in proposal.edges if each.kind == kind][at]
    return dataclasses.replace(
        proposal,
        edges=tuple(_neither(each, reason) if each is edge else each for each in proposal.edges),
        unknown=(*proposal.unknown, f"{edge.router} {edge.interface.name}: {edge.why}, but {reason}"),
    )


def _neither(edge: EdgeProposal, reason: str) -> EdgeProposal:
    return dataclasses.replace(edge, kind="other", why=f"{edge.why}, but {reason}")
