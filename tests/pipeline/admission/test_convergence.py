"""What could converge on a core link if every edge filled its cap, beside the share of its priority class."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from provisioning.pipeline.admission import convergence
from provisioning.pipeline.topology import Direction, LinkDirection, Network, distances
from provisioning.selectors.schemes import load_scheme
from tests.pipeline.networks import access, core, router, sixnet

SCHEME = load_scheme("6net")


def _line(*links: object, cores: tuple[object, ...] = ()) -> Network:
    """a - b - c, an access link where the caller puts one."""
    return Network(
        routers=(router("a"), router("b"), router("c")),
        access_links=tuple(links),  # type: ignore[arg-type]
        core_links=cores or (core("a", "b"), core("b", "c", port=1)),  # type: ignore[arg-type]
    )


def _sums(network: Network) -> dict[tuple[str, str], int]:
    return {(each.link, each.direction.value): each.sum_bps for each in convergence(network, SCHEME)}


def test_every_cap_counts_on_every_link_that_leads_somewhere() -> None:
    network = _line(access("A", "a"), access("B", "b"), access("C", "c"))
    cap = 7_750_000
    assert _sums(network) == {
        ("a:POS2/0--b:POS2/0", "a-z"): cap,
        ("a:POS2/0--b:POS2/0", "z-a"): 2 * cap,
        ("b:POS2/1--c:POS2/1", "a-z"): 2 * cap,
        ("b:POS2/1--c:POS2/1", "z-a"): cap,
    }


def test_who_may_not_send_adds_nothing_and_a_link_to_nobody_carries_nothing() -> None:
    network = _line(access("A", "a"), access("B", "b", case="non-participant"))
    sums = _sums(network)
    assert sums["a:POS2/0--b:POS2/0", "a-z"] == 7_750_000
    assert sums["a:POS2/0--b:POS2/0", "z-a"] == 0
    assert sums["b:POS2/1--c:POS2/1", "a-z"] == 0, "no edge is at c"


def test_what_enters_is_the_policers_share_of_bw_even_where_the_port_carries_less() -> None:
    network = _line(access("A", "a", bps=1_000_000_000, usable_bps=850_000_000), access("C", "c"))
    assert _sums(network)["a:POS2/0--b:POS2/0", "a-z"] == 50_000_000
    found = next(each for each in convergence(network, SCHEME) if each.direction is Direction.A_Z)
    assert found.share_bps == 31_000_000
    assert found.excess_bps == 19_000_000
    assert found.share_is_choice
    assert found.caps == (("A@a:POS1/0", 50_000_000),)
    assert str(found) == (
        "a:POS2/0--b:POS2/0 a-z: 50 Mbit/s could converge from 1 edge, "
        "the share is 31 Mbit/s (20 % of 155 Mbit/s, our choice): 19 Mbit/s more"
    )


def test_paths_of_equal_cost_load_all_their_links() -> None:
    square = Network(
        routers=tuple(router(name) for name in "abcd"),
        access_links=(access("A", "a"), access("D", "d")),
        core_links=(core("a", "b"), core("b", "d", port=1), core("a", "c", port=2), core("c", "d", port=3)),
    )
    assert {key for key, value in _sums(square).items() if value and key[1] == "a-z"} == {
        ("a:POS2/0--b:POS2/0", "a-z"), ("b:POS2/1--d:POS2/1", "a-z"),
        ("a:POS2/2--c:POS2/2", "a-z"), ("c:POS2/3--d:POS2/3", "a-z"),
    }  # fmt: skip
    dearer = replace(square, core_links=(*square.core_links[:3], replace(square.core_links[3], metric=11)))
    assert _sums(dearer)["a:POS2/2--c:POS2/2", "a-z"] == 0, "c holds no edge, and d is nearer the other way"


def test_a_dear_detour_to_nowhere_carries_nothing() -> None:
    triangle = Network(
        routers=tuple(router(name) for name in "abc"),
        access_links=(access("A", "a"), access("B", "b")),
        core_links=(core("a", "b"), core("a", "c", port=1), core("c", "b", port=2)),
    )
    assert _sums(triangle)["a:POS2/1--c:POS2/1", "a-z"] == 0


def test_sixnet_says_every_link_both_ways() -> None:
    network = sixnet()
    found = convergence(network, SCHEME)
    assert len(found) == 2 * len(network.core_links)
    assert [(each.link, each.direction.value) for each in found] == sorted(
        (each.link, each.direction.value) for each in found
    )
    assert all(
        each.to_json()["sum_bps"] == sum(cap["cap_bps"] for cap in each.to_json()["caps"]) for each in found
    )
    towards_gr6 = next(
        each
        for each in found
        if LinkDirection(each.link, each.direction) == LinkDirection("de6:POS2/1--gr6:POS1/0", Direction.A_Z)
    )
    assert "GRNET@gr6:POS2/0" not in dict(towards_gr6.caps)
    assert "JANET@uk6:POS1/0" in dict(towards_gr6.caps)


def _crossing(network: Network, tail: str, head: str, metric: int) -> set[str]:
    """By the definition: every source, every other router with an edge, all distances."""
    costs = {each.name: distances(network, each.name) for each in network.routers}
    ends = {link.router for link in network.access_links}
    return {
        source
        for source, away in costs.items()
        for end in ends - {source}
        if tail in away and end in costs[head] and away[tail] + metric + costs[head][end] == away.get(end)
    }


@pytest.mark.parametrize("seed", range(60))
def test_random_networks_are_crossed_as_the_definition_says(seed: int) -> None:
    dice = random.Random(seed)
    names = [f"r{number}" for number in range(dice.randrange(2, 14))]
    pairs = [tuple(dice.sample(names, 2)) for _ in range(dice.randrange(1, 3 * len(names)))]
    network = Network(
        routers=tuple(router(name) for name in names),
        access_links=tuple(access(name.upper(), name) for name in names if dice.random() < 0.4),
        core_links=tuple(
            replace(core(a, b, port=port), metric=dice.randrange(1, 5)) for port, (a, b) in enumerate(pairs)
        ),
    )
    found = convergence(network, SCHEME)
    assert len(found) == 2 * len(network.core_links)
    for each in found:
        link = network.core_link(each.link)
        assert link is not None
        tail, head = (
            (link.a_router, link.z_router) if each.direction == "a-z" else (link.z_router, link.a_router)
        )
        crossing = _crossing(network, tail, head, link.metric)
        assert {name for name, _ in each.caps} == {
            edge.id for edge in network.access_links if edge.router in crossing
        }
    some = {link.id for link in network.core_links if dice.random() < 0.3}
    assert convergence(network, SCHEME, some) == tuple(each for each in found if each.link in some)
