"""What a map shows: which part of the network, how full its links are, and the same numbers as rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from inventory.models import AccessLink, CoreLink, Domain, Router
from provisioning.errors import InvalidInput
from provisioning.models import PremiumRequest
from provisioning.pipeline.scheme import Pool, Scheme
from provisioning.pipeline.topology import (
    AccessLinkValue,
    CoreLinkValue,
    Direction,
    Failure,
    LinkDirection,
    Network,
)
from provisioning.pipeline.units import how_many
from provisioning.selectors import topology
from provisioning.selectors.schemes import scheme_of
from provisioning.web.layout import near
from provisioning.web.mapping import Map, Spot, drawn
from provisioning.web.reading.loads import (
    AFTER,
    QUESTIONS,
    Asked,
    Load,
    Loads,
    failure_named,
    loads_of,
    worst_failure,
)
from provisioning.web.words import word

MOST = 40
"""Routers on one map: more cannot be read. Of a larger network those nearest to one are drawn."""
MOST_LINES = 200
"""Core links on one map."""
MOST_ROWS = 100
"""Access links listed below a map, the fullest first."""
BESIDE_A_PATH = 16


@dataclass(frozen=True)
class Row:
    """A core link with the load of each direction: (from, to, load)."""

    name: str
    url: str
    down: bool
    ways: tuple[tuple[str, str, Load], ...]


@dataclass(frozen=True)
class Edge:
    """An access link of a router that is shown, with what enters and leaves there."""

    name: str
    nren: str
    router: str
    url: str
    enters: Load
    leaves: Load

    @property
    def fullest(self) -> Load:
        return max(self.enters, self.leaves, key=lambda load: load.rank)


@dataclass(frozen=True)
class MapPage:
    """What the page shows. ``of`` routers there are in all; ``around`` is the one in the middle where not all are drawn."""

    map: Map
    question: str
    pool: Pool
    pools: tuple[str, ...]
    rows: tuple[Row, ...]
    edges: tuple[Edge, ...]
    more_edges: int
    more_lines: int
    of: int
    around: str
    failure: Failure | None
    version: int

    @property
    def shown(self) -> int:
        return len(self.map.nodes)


def map_page(domain: Domain, now: datetime, *, question: str, pool: str, router: str, fails: str) -> MapPage:
    """Return the map of a domain. Work is bounded by what is drawn, whatever the network; a failure is worked out for all.

    Raises InvalidInput for a scheme that cannot be read, and for a pool, router or failure that there is not.
    """
    known = topology.current(domain)
    network, scheme = known.network, scheme_of(known.domain)
    failure = _failure(known.domain, network, question, fails)
    if router and network.router(router) is None:
        raise InvalidInput(f"there is no router “{router:.80}”", field="router")
    names, around = _chosen(network, router, failure)
    shown = set(names)
    core = sorted(
        {
            link.id: link
            for name in names
            for far, link in network.around.get(name, ())
            if far in shown
        }.values(),
        key=lambda link: link.id,
    )  # fmt: skip
    lines = core[:MOST_LINES]
    access = [link for link in network.access_links if link.router in shown]
    asked = Asked(question, _pool(scheme, pool), now, failure)
    loads = loads_of(known.domain, network, scheme, [*lines, *access], asked)
    urls = _urls(names, lines)
    edges = _edges(access, loads)
    return MapPage(
        drawn(
            names,
            lines,
            loads,
            urls,
            spots=_spots(names, edges),
            summary=f"{how_many(len(names), 'router')} and {how_many(len(lines), 'core link')}. "
            f"{QUESTIONS[question]}, in per cent of the share of pool {asked.pool.name}. The same numbers stand below.",
            fails=failure.name if failure is not None and failure.kind == "router" else "",
        ),
        question,
        asked.pool,
        tuple(scheme.pools),
        tuple(
            sorted((_row(link, loads, urls) for link in lines), key=lambda row: (-_fullest(row), row.name))
        ),
        _with_urls(edges[:MOST_ROWS]),
        max(0, len(edges) - MOST_ROWS),
        len(core) - len(lines),
        len(network.routers),
        around,
        failure,
        known.number,
    )


def path_map(asked: PremiumRequest) -> Map | None:
    """Return the path of a request among the routers around it; None where it has none, or its routers are there no more."""
    held = getattr(asked, "reservation", None)
    network = topology.current(asked.nren.domain).network
    path = [] if held is None else [_hop(each) for each in held.path]
    core = [link for each in path if (link := network.core_link(each.link)) is not None]
    names = dict.fromkeys([asked.source_link.interface.router.name])
    names |= dict.fromkeys(end for link in core for end in (link.a_router, link.z_router))
    if held is None or any(network.router(name) is None for name in names):
        return None
    for name in list(names):
        for far, _ in network.around.get(name, ()):
            if len(names) < max(BESIDE_A_PATH, len(core) + 1):
                names.setdefault(far)
    chosen = [*names][:MOST]
    shown = set(chosen)
    lines = {link.id: link for link in core if {link.a_router, link.z_router} <= shown}
    for name in chosen:
        for far, link in network.around.get(name, ()):
            if far in shown and len(lines) < MOST_LINES:
                lines.setdefault(link.id, link)
    below = {asked.source_link.interface.router.name: f"from {asked.nren.name}"}
    if asked.destination_link is not None:
        below[asked.destination_link.interface.router.name] = f"to {asked.receiving_nren}"
    return drawn(
        chosen,
        list(lines.values()),
        {},
        _urls(chosen, list(lines.values())),
        spots={name: Spot(below.get(name, "")) for name in chosen},
        summary=f"The path of {asked.reference}: " + ", ".join(str(each) for each in path) + ".",
        path=path,
    )


def _hop(each: dict[str, str] | Sequence[str]) -> LinkDirection:
    link, way = (each["link"], each["direction"]) if isinstance(each, dict) else each
    return LinkDirection(link, Direction(way))


def _failure(domain: Domain, network: Network, question: str, fails: str) -> Failure | None:
    if question != AFTER:
        return None
    return failure_named(network, fails) if fails else worst_failure(domain)


def _chosen(network: Network, router: str, failure: Failure | None) -> tuple[Sequence[str], str]:
    """The routers that are drawn, and around which one: that which is named, where the failure is, or which has most links."""
    names = [each.name for each in network.routers]
    if len(names) <= MOST and not router:
        return names, ""
    links = {name: {far for far, _ in ends} for name, ends in network.around.items()}
    start = router
    if not start and failure is not None:
        link = network.core_link(failure.name)
        start = failure.name if link is None else link.a_router
    start = start or min(names, key=lambda name: (-len(links.get(name, ())), name))
    return near(links, start, MOST), start


def _pool(scheme: Scheme, name: str) -> Pool:
    if not name:
        return next(iter(scheme.pools.values()))
    if name not in scheme.pools:
        raise InvalidInput(
            f"there is no pool “{name:.40}”; there are: {', '.join(scheme.pools)}", field="pool"
        )
    return scheme.pools[name]


def _urls(names: Collection[str], links: Collection[CoreLinkValue]) -> dict[str, str]:
    """The pages of routers and core links, by their names."""
    keys = CoreLink.objects.filter(name__in=[link.id for link in links]).values_list("name", "pk")
    return {
        **{name: reverse("web:router", args=[name]) for name in names},
        **{name: reverse("web:link-core", args=[pk]) for name, pk in keys},
    }


def _edges(links: Collection[AccessLinkValue], loads: Loads) -> list[Edge]:
    found = [
        Edge(
            link.id,
            link.nren,
            link.router,
            "",
            loads[LinkDirection(link.id, Direction.IN)],
            loads[LinkDirection(link.id, Direction.OUT)],
        )
        for link in links
    ]
    return sorted(found, key=lambda edge: (-edge.fullest.rank, edge.name))


def _with_urls(edges: Collection[Edge]) -> tuple[Edge, ...]:
    names = [edge.name for edge in edges]
    keys = dict(AccessLink.objects.filter(name__in=names).values_list("name", "pk"))
    return tuple(
        Edge(edge.name, edge.nren, edge.router, reverse("web:link-access", args=[keys[edge.name]]), edge.enters, edge.leaves)
        for edge in edges
        if edge.name in keys
    )  # fmt: skip


def _spots(names: Collection[str], edges: Sequence[Edge]) -> Mapping[str, Spot]:
    fullest: dict[str, Load] = {}
    for edge in edges:  # the fullest first
        fullest.setdefault(edge.router, edge.fullest)
    rows = Router.objects.filter(name__in=names).values_list("name", "sync__state")
    states = {name: word(state or "unknown").text for name, state in rows if state != "in-sync"}
    return {
        name: Spot(
            f"access {fullest[name].text}" if name in fullest else "no access link",
            fullest[name].level if name in fullest else "none",
            states.get(name, ""),
        )
        for name in names
    }


def _row(link: CoreLinkValue, loads: Loads, urls: Mapping[str, str]) -> Row:
    there, back = (loads[LinkDirection(link.id, way)] for way in (Direction.A_Z, Direction.Z_A))
    ways = ((link.a_router, link.z_router, there), (link.z_router, link.a_router, back))
    return Row(link.id, urls.get(link.id, ""), link.down, ways)


def _fullest(row: Row) -> float:
    return max(load.rank for _, _, load in row.ways)
