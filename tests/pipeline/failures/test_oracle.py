"""Protected or not, held against every failure at every instant of small random networks (`oracle`, which shares no code)."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import pytest

from provisioning.pipeline.failures import Book, Effect, Held, Piece
from provisioning.pipeline.topology import Ends, LinkDirection, Network, single_failures
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.schemes import load_scheme
from tests.depth import DEEP
from tests.pipeline.failures.oracle import Link, Request, Way
from tests.pipeline.failures.worlds import END, World, core, plain_world, whole_world
from tests.pipeline.networks import at, router

SCHEME = load_scheme("6net")
CASES = 20_000 if DEEP else 600
WHOLE_CASES = 20_000 if DEEP else 1_000


@pytest.mark.parametrize("part", range(4))
def test_every_failure_at_every_instant(part: int) -> None:
    for seed in range(part, CASES, 4):
        _agree(plain_world, seed)


@pytest.mark.parametrize("part", range(4))
def test_with_capacity_in_time_moving_paths_series_and_modifications(part: int) -> None:
    for seed in range(part, WHOLE_CASES, 4):
        _agree(whole_world, seed)


@pytest.mark.parametrize("seed", (9703, 13812, 17722))
def test_the_most_of_all_is_in_the_hour_by_which_something_was_extended(seed: int) -> None:
    _agree(whole_world, seed)


def test_the_cases_have_what_they_are_for() -> None:
    """Equal costs, parallel links, cut-off requests, links that are too full: enough of each among the cases of every run."""
    chance = {"cut": 0, "over": 0, "parallel": 0, "equal": 0, "clean": 0}
    for seed in range(120):
        world = plain_world(random.Random(seed))
        ends = [frozenset((link.a, link.z)) for link in world.links]
        chance["parallel"] += len(set(ends)) < len(ends)
        for request in world.requests:
            heads = [head for _, head in world.base(request)]
            chance["equal"] += request.goal not in "*@" and len(set(heads)) < len(heads)
        wrong = [world.after(link.name, 3) for link in world.links]
        chance["cut"] += any(each.cut for each in wrong)
        chance["over"] += any(each.over for each in wrong)
        chance["clean"] += not any(each.cut or each.over for each in wrong)
    assert min(chance.values()) >= 20, chance


def test_the_whole_cases_have_what_they_are_for() -> None:
    """Each of these changes what is unprotected in some cases of every run: without it the answer would be another one."""
    chance = {"plans": 0, "more": 0, "old": 0, "series": 0}
    for seed in range(150):
        world = whole_world(random.Random(seed))
        wanted = _wrong(world)
        chance["plans"] += _wrong(replace(world, plans=[])) != wanted
        chance["more"] += _without(world, lambda each: each._replace(more=())) != wanted
        chance["old"] += _without(world, lambda each: each._replace(old=frozenset())) != wanted
        chance["series"] += len({(each.source, each.goal) for each in world.requests}) < len(world.requests)
    assert min(chance.values()) >= 10, chance


def _without(world: World, change: Callable[[Request], Request]) -> list[object]:
    return _wrong(replace(world, requests=list(map(change, world.requests))))


def _wrong(world: World) -> list[object]:
    found: list[object] = []
    for link in world.links:
        for hour in range(END):
            verdict = world.after(link.name, hour)
            found.append((verdict.cut, {way: names for way, (_, names) in verdict.over.items()}))
    return found


def _agree(make: Callable[[random.Random], World], seed: int) -> None:
    world = make(random.Random(seed))
    whole = world.by_name
    network = world.network()
    book = Book(network, SCHEME, world.held(), since=at(0))
    for failure in single_failures(network, "links-and-routers"):
        effect = book.effect(failure, shifts=True)
        most: dict[tuple[Way, datetime], int] = {}
        _agree_on_loads(world, effect, f"seed {seed}, {failure}")
        unprotected: set[str] = set()
        for hour in range(END):
            wanted = world.after(failure.name, hour)
            told = f"seed {seed}, {failure}, hour {hour}"
            assert {cut.id for cut in effect.cuts if _on(cut.start, cut.end, hour)} == wanted.cut, told
            found = {}
            for each in effect.overloads:
                if _on(each.start, each.end, hour):
                    way = _way(each.load, whole)
                    on = {name for name in each.ids if _live(name, world.requests, hour)}
                    found[way] = on
                    most[way, each.start] = max(
                        most.get((way, each.start), 0), wanted.over.get(way, (0, set()))[0]
                    )
            assert found == {way: names for way, (_, names) in wanted.over.items()}, told
            unprotected |= wanted.cut.union(*(names for _, names in wanted.over.values()))
        loads = {(_way(each.load, whole), each.start): each.load_bps for each in effect.overloads}
        assert most == loads, seed
        assert set(effect.unprotected) == unprotected, (seed, failure)


def _agree_on_loads(world: World, effect: Effect, told: str) -> None:
    """The most on every link direction before and after; where no change is told none of any hour may be."""
    shifts = {
        _way(each.load, world.by_name): (each.before_bps, each.after_bps)
        for each in effect.shifts
        if each.load.direction in ("a-z", "z-a")
    }
    hours = range(END)
    before = [world.after("", hour).total for hour in hours]
    after = [world.after(effect.failure.name, hour).total for hour in hours]
    for way in {way for total in (*before, *after) for way in total} | shifts.keys():
        loads = [[total.get(way, 0) for total in totals] for totals in (before, after)]
        if way in shifts:
            assert shifts[way] == (max(loads[0]), max(loads[1])), (told, way)
        else:
            assert loads[0] == loads[1], (told, way)


def _on(start: datetime, end: datetime | None, hour: int) -> bool:
    return start <= at(hour) and (end is None or at(hour) < end)


def _live(name: str, requests: list[Request], hour: int) -> bool:
    return any(each.name == name and each.rate_at(hour) for each in requests)


def _way(load: LinkDirection, links: dict[str, Link]) -> Way:
    link = links[load.link]
    return load.link, link.z if load.direction == "a-z" else link.a


def test_a_link_that_is_down_is_no_failure_and_no_way() -> None:
    down = replace(core(Link("l0", "r0", "r1", 1, 4)), down=True)
    up = core(Link("l1", "r0", "r1", 1, 4))
    network = Network((router("r0"), router("r1")), (), (down, up))
    assert [each.name for each in single_failures(network, "links")] == ["l1"]
    span = TimeWindow(at(0))
    held = Held("PIP-1", Ends("r0", "r1", "both"), "ip-premium", (Piece(up.towards("r1"), 1, span),))
    book = Book(network, SCHEME, (held,), since=at(0))
    (effect,) = (book.effect(each) for each in single_failures(network, "links"))
    assert [(cut.id, cut.start, cut.end) for cut in effect.cuts] == [("PIP-1", at(0), None)]


def test_nothing_is_counted_where_the_scheme_counts_nothing() -> None:
    network = Network((router("r0"), router("r1")), (), (core(Link("l1", "r0", "r1", 1, 4)),))
    assert single_failures(network, "none") == ()
