"""Trees on integers against the definition: every simple path of a small network, with equal costs, parallel links, failures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from provisioning.pipeline.topology import CoreLinkValue, LinkDirection, Network, NoPath, path
from provisioning.pipeline.topology.paths import graph_of, tree_from
from provisioning.pipeline.topology.trees import arcs_towards, into_without
from tests.backbones import backbone
from tests.depth import DEEP
from tests.pipeline.networks import access, core, router, sls

CASES = 5000 if DEEP else 150


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """Up to six routers, up to twelve links, some beside each other, some down; metrics that are often equal."""
    names = [f"r{index}" for index in range(draw(st.integers(2, 6)))]
    pairs = [(a, z) for a in names for z in names if a != z]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=12))
    links = tuple(
        replace(core(a, z, metric=draw(st.integers(1, 3)), port=port), down=draw(st.integers(0, 9)) == 0)
        for port, (a, z) in enumerate(chosen)
    )
    return Network(
        tuple(map(router, names)),
        (access("A", names[0]), access("B", names[-1])),
        draw(st.permutations(links)),
    )


Trail = tuple[tuple[str, CoreLinkValue], ...]


def every_path(network: Network, here: str, goal: str, seen: tuple[str, ...] = ()) -> Iterator[Trail]:
    """Every simple path as (router that is reached, link)."""
    if here == goal:
        yield ()
        return
    for link in network.core_links:
        for tail, head in ((link.a_router, link.z_router), (link.z_router, link.a_router)):
            if not link.down and tail == here and head not in (*seen, here):
                for rest in every_path(network, head, goal, (*seen, here)):
                    yield ((head, link), *rest)


def cheapest(network: Network, start: str, goal: str) -> list[Trail]:
    """All of least cost, the one of fewest hops and first names first."""
    found = list(every_path(network, start, goal))
    cost = min((_cost(trail) for trail in found), default=0)
    return sorted(
        (trail for trail in found if _cost(trail) == cost),
        key=lambda trail: (len(trail), [word for head, link in trail for word in (head, link.id)]),
    )


def _cost(trail: Trail) -> int:
    return sum(link.metric for _, link in trail)


@settings(max_examples=CASES, deadline=None)
@given(networks())
def test_the_path_shown_is_the_first_by_hops_and_names_and_the_others_are_all_there(network: Network) -> None:
    source, destination = network.access_links
    wanted = cheapest(network, source.router, destination.router)
    try:
        found = path(network, sls(source.id, destination.id, 1))
    except NoPath:
        assert not wanted
        return
    first = [link.towards(head) for head, link in wanted[0]]
    assert list(found.hops[1:-1]) == first
    assert found.routers == (source.router, *(head for head, _ in wanted[0]))
    every = {link.towards(head) for trail in wanted for head, link in trail}
    assert list(found.alternates) == sorted(every - set(first))


@settings(max_examples=CASES, deadline=None)
@given(networks(), st.data())
def test_after_a_failure_the_ways_are_those_of_the_network_without_it(
    network: Network, data: st.DataObject
) -> None:
    goal, known = network.access_links[1].router, graph_of(network)
    start = network.access_links[0].router
    failures = [(link.id, frozenset(known.arcs_of.get(link.id, ()))) for link in network.core_links]
    failures += [(name, known.at(known.number[name])) for name in known.names if name not in (start, goal)]
    if not failures:
        return
    name, failed = data.draw(st.sampled_from(failures))
    whole = tree_from(network, start)
    changed = into_without(known, whole, failed)
    left = tuple(link for link in network.core_links if name not in (link.id, link.a_router, link.z_router))
    wanted = cheapest(replace(network, core_links=left), start, goal)
    found: set[LinkDirection] = {
        known.loads[arc] for arc in arcs_towards(known, whole, (known.number[goal],), changed)
    }
    assert found == {link.towards(head) for trail in wanted for head, link in trail}
    end = known.number[goal]
    reached = end == whole.start or bool(changed.get(end, whole.into[end]))
    assert reached == bool(wanted)


def test_a_made_up_backbone_is_as_large_and_as_long_as_it_says() -> None:
    made = backbone(1)
    network = made.network()
    assert (len(network.routers), len(network.core_links)) == (754, 899)
    hops = []
    for number in made.edges[1:]:
        found = path(
            network,
            sls(
                f"N{made.edges[0]}@{made.name(made.edges[0])}:POS1/0",
                f"N{number}@{made.name(number)}:POS1/0",
                1,
            ),
        )
        hops.append(len(found.hops) - 2)
    assert sum(hops) / len(hops) >= 20
    assert backbone(1) == made != backbone(2)
