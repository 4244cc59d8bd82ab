"""Decisions by single failures in small random networks: as the oracle says, and the same beside the few that have to be read."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace

import pytest

from provisioning.pipeline.admission import Charge, detour_links, doubtful_links, loaded
from provisioning.pipeline.admission.failing import judge_failures
from provisioning.pipeline.failures import Book, Held, exposures
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import Network, single_failures
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.schemes import load_scheme
from tests.depth import DEEP
from tests.pipeline.failures.oracle import Request
from tests.pipeline.failures.worlds import HOURS, World, whole_world
from tests.pipeline.networks import access, at, sls, window

PLAIN = load_scheme("6net")
SCHEME = replace(PLAIN, failures=replace(PLAIN.failures, count="links-and-routers", unprotected="refuse"))
CASES = 20_000 if DEEP else 800


def _case(seed: int) -> tuple[World, Network, Request, Sls]:
    chance = random.Random(seed)
    world = whole_world(chance)
    if seed % 8 > 3:  # with so much room few failures matter
        wide = [link._replace(share=5 * link.share) for link in world.links]
        world = replace(world, links=wide, plans=[each for each in world.plans if not each.link])
    source, goal = chance.sample(world.routers, 2)
    start = chance.randint(0, HOURS - 2)
    own = Request("asked", source, goal, chance.randint(1, 2), start, chance.randint(start + 1, HOURS))
    plain = world.network()
    network = replace(plain, access_links=tuple(access(f"N{name}", name) for name in world.routers))
    at_source, at_goal = (f"N{name}@{name}:POS1/0" for name in (source, goal))
    asked = sls(at_source, at_goal, own.rate, window(own.start, own.end))
    return world, network, own, asked


def _on(held: Iterable[Held], links: Iterable[str], span: TimeWindow) -> tuple[Held, ...]:
    """What is read of `links` in a span of time."""
    wanted = set(links)
    kept = (
        replace(
            each,
            pieces=tuple(
                piece for piece in each.pieces if piece.load.link in wanted and piece.window.overlaps(span)
            ),
        )
        for each in held
    )
    return tuple(each for each in kept if each.pieces)


@pytest.mark.parametrize("part", range(4))
def test_refused_is_whoever_a_failure_leaves_unprotected(part: int) -> None:
    seen = {True: 0, False: 0}
    fewer = 0
    for seed in range(part, CASES, 4):
        world, network, own, asked = _case(seed)
        loads = loaded(network, SCHEME, asked)
        if not loads:
            continue
        charges = [Charge(load, "ip-premium", own.rate) for load in loads]
        everything = _on(world.held(), [link.name for link in world.links], asked.window)
        evidence = judge_failures(network, SCHEME, [(asked, charges)], everything, at(0))
        found = evidence.exposures

        # As every failure at every instant says.
        beside = replace(world, requests=[*world.requests, own])
        wrong = False
        for failure in single_failures(network, "links-and-routers"):
            for hour in range(own.start, own.end):
                verdict = beside.after(failure.name, hour)
                wrong |= "asked" in verdict.cut.union(*(names for _, names in verdict.over.values()))
        assert bool(found) == wrong, seed
        seen[wrong] += 1

        # Each failure gone through, whether or not it can matter.
        held = Held("asked", world.held_of(own).ends, "ip-premium", world.held_of(own).pieces)
        book = Book(network, SCHEME, (*everything, held), since=asked.window.start)
        effects = map(book.effect, single_failures(network, "links-and-routers"))
        assert set(found) == set(exposures(effects, ("asked",), asked.window)), seed

        # Beside those alone that have to be read.
        near = detour_links(network, SCHEME, [asked]) | {load.link for load in loads}
        sums: dict[tuple[str, str], int] = {}
        for each in everything:
            for piece in each.pieces:
                if piece.load.link not in near:
                    key = (piece.load.link, each.pool)
                    sums[key] = sums.get(key, 0) + piece.rate_bps
        read = _on(everything, near, asked.window)
        doubtful = doubtful_links(network, SCHEME, [asked], read, sums, asked.window.start)
        few = _on(everything, near | doubtful, asked.window)
        assert judge_failures(network, SCHEME, [(asked, charges)], few, at(0)).exposures == found, seed
        fewer += len(few) < len(everything)
    assert min(seen.values()) > 10, seen
    assert fewer > 4
