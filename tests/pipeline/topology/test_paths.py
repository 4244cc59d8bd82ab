"""Which links a request loads, checked against every simple path there is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provisioning.errors import InvalidInput
from provisioning.pipeline.topology import (
    CoreLinkValue,
    Direction,
    LinkDirection,
    Network,
    NoPath,
    path,
    slot_of,
)
from tests.pipeline.networks import GRNET, JANET, RENATER, access, core, router, sixnet, sls


def test_janet_to_grnet_takes_the_way_of_the_documents_traceroute() -> None:
    """D4.4.2v2 table 2: uk6, nl6, de6, gr6."""
    found = path(sixnet(), sls(JANET, GRNET, 1))
    assert found.routers == ("uk6", "nl6", "de6", "gr6")
    assert [str(hop) for hop in found.hops] == [
        "JANET@uk6:POS1/0 in",
        "uk6:POS2/0--nl6:POS2/0 a-z",
        "nl6:POS2/1--de6:POS2/0 a-z",
        "de6:POS2/1--gr6:POS1/0 a-z",
        "GRNET@gr6:POS2/0 out",
    ]
    assert found.alternates == ()


def test_the_way_back_is_the_same_links_the_other_way() -> None:
    out, back = path(sixnet(), sls(JANET, GRNET, 1)), path(sixnet(), sls(GRNET, JANET, 1))
    assert [hop.link for hop in back.hops] == [hop.link for hop in reversed(out.hops)]
    assert set(out.hops).isdisjoint(back.hops)


def test_two_links_of_one_router_load_no_core_link() -> None:
    network = Network((router("r1"),), (access("A", "r1"), access("B", "r1")), ())
    found = path(network, sls("A@r1:POS1/0", "B@r1:POS1/0", 1))
    assert [hop.direction for hop in found.hops] == [Direction.IN, Direction.OUT]


def test_an_equal_way_is_charged_too_because_a_router_may_use_it() -> None:
    routers = tuple(router(name) for name in ("r1", "r2", "r3", "r4"))
    links = (core("r1", "r2"), core("r2", "r4", port=1), core("r1", "r3", port=2), core("r3", "r4", port=3))
    network = Network(routers, (access("A", "r1"), access("B", "r4")), links)
    found = path(network, sls("A@r1:POS1/0", "B@r4:POS1/0", 1))
    assert found.routers == ("r1", "r2", "r4")
    assert {load.link for load in found.alternates} == {links[2].id, links[3].id}
    assert len(set(found.loads)) == len(found.loads) == 6


def test_a_cheaper_way_of_more_hops_wins() -> None:
    routers = tuple(router(name) for name in ("r1", "r2", "r3"))
    links = (core("r1", "r3", 100), core("r1", "r2", 10, port=1), core("r2", "r3", 10, port=2))
    network = Network(routers, (access("A", "r1"), access("B", "r3")), links)
    assert path(network, sls("A@r1:POS1/0", "B@r3:POS1/0", 1)).routers == ("r1", "r2", "r3")


def test_routers_that_are_not_connected_have_no_path() -> None:
    network = Network((router("r1"), router("r2")), (access("A", "r1"), access("B", "r2")), ())
    with pytest.raises(NoPath, match="r1 to r2"):
        path(network, sls("A@r1:POS1/0", "B@r2:POS1/0", 1))


@pytest.mark.parametrize(
    ("source", "destination", "field"),
    [
        ("nowhere", GRNET, "source_link"),
        (JANET, "nowhere", "destination_link"),
        (JANET, None, "destination_link"),
    ],
)
def test_an_unknown_link_is_named(source: str, destination: str | None, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        path(sixnet(), sls(source, destination, 1))
    assert refused.value.field == field


def test_a_network_that_contradicts_itself_is_refused() -> None:
    r1, r2 = router("r1"), router("r2")
    for routers, accesses, links in [
        ((r1, r1), (), ()),
        ((r1,), (access("A", "r1"), access("A", "r1")), ()),
        ((r1,), (access("A", "r9"),), ()),
        ((r1,), (), (core("r1", "r9"),)),
        ((r1,), (), (core("r1", "r1"),)),
        ((r1, r2), (), (core("r1", "r2", metric=0),)),
        ((r1, r2), (), (core("r1", "r2"), core("r1", "r2"))),
    ]:
        with pytest.raises(InvalidInput):
            Network(routers, accesses, links)


@pytest.mark.parametrize(
    ("interface", "slot"),
    [
        ("POS2/0", 2),
        ("GigabitEthernet1/0", 1),
        ("ATM2/0.1", 2),
        ("TenGigabitEthernet10/1/0", 10),
        ("Loopback0", None),
        ("Serial2/0:1", 2),
    ],
)
def test_the_slot_of_an_interface(interface: str, slot: int | None) -> None:
    assert slot_of(interface) == slot


def test_renater_reaches_grnet_by_paris_geneva_frankfurt() -> None:
    assert path(sixnet(), sls(RENATER, GRNET, 1)).routers == ("fr6", "ch6", "de6", "gr6")


@st.composite
def _networks(draw: st.DrawFn) -> Network:
    names = [f"r{index}" for index in range(draw(st.integers(2, 6)))]
    pairs = [(a, z) for i, a in enumerate(names) for z in names[i + 1 :]]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=12))
    links = tuple(core(a, z, metric=draw(st.integers(1, 4)), port=port) for port, (a, z) in enumerate(chosen))
    ends = (access("A", names[0]), access("B", names[-1]))
    return Network(tuple(router(name) for name in names), ends, links)


def _every_path(
    network: Network, here: str, goal: str, seen: tuple[str, ...]
) -> Iterator[tuple[CoreLinkValue, ...]]:
    if here == goal:
        yield ()
        return
    for link in network.core_links:
        for tail, head in ((link.a_router, link.z_router), (link.z_router, link.a_router)):
            if tail == here and head not in seen:
                for rest in _every_path(network, head, goal, (*seen, head)):
                    yield (link, *rest)


@settings(max_examples=150, deadline=None)
@given(_networks())
def test_the_path_is_a_cheapest_one_and_the_loads_are_those_of_all_cheapest_ones(network: Network) -> None:
    source, destination = network.access_links
    everything = list(_every_path(network, source.router, destination.router, (source.router,)))
    wanted = sls(source.id, destination.id, 1)
    if not everything:
        with pytest.raises(NoPath):
            path(network, wanted)
        return
    least = min(sum(link.metric for link in links) for links in everything)
    cheapest = [links for links in everything if sum(link.metric for link in links) == least]
    found = path(network, wanted)
    taken = tuple(hop.link for hop in found.hops[1:-1])
    assert taken in [tuple(link.id for link in links) for links in cheapest]
    assert len(taken) == min(len(links) for links in cheapest)
    expected: set[LinkDirection] = set()
    for links in cheapest:
        here = source.router
        for link in links:
            here = link.z_router if link.a_router == here else link.a_router
            expected.add(link.towards(here))
    assert set(found.loads[1:]) - {found.hops[-1]} == expected
    assert path(network, wanted) == found
    shuffled = Network(network.routers[::-1], network.access_links[::-1], network.core_links[::-1])
    assert path(shuffled, wanted) == found
