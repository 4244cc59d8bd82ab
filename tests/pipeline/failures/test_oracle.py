"""Protected or not, held against every failure at every instant of small random networks (`oracle`, which shares no code)."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from datetime import datetime

import pytest

from provisioning.pipeline.failures import Book, Effect, Held, Piece
from provisioning.pipeline.topology import (
    CoreLinkValue,
    Direction,
    Ends,
    Failure,
    LinkDirection,
    Network,
    PeeringValue,
    single_failures,
)
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.schemes import load_scheme
from tests.pipeline.failures.oracle import Link, Request, Way, after, loads, reached
from tests.pipeline.networks import at, router

SCHEME = load_scheme("6net")
CASES = 20_000 if os.environ.get("PROPERTIES") == "deep" else 600
HOURS = 8


@pytest.mark.parametrize("part", range(4))
def test_every_failure_at_every_instant(part: int) -> None:
    for seed in range(part, CASES, 4):
        _agree(seed)


def test_the_cases_have_what_they_are_for() -> None:
    """Equal costs, parallel links, cut-off requests, links that are too full: enough of each among the cases of every run."""
    chance = {"cut": 0, "over": 0, "parallel": 0, "equal": 0, "clean": 0}
    for seed in range(120):
        routers, links, borders, requests = _world(random.Random(seed))
        ends = [frozenset((link.a, link.z)) for link in links]
        chance["parallel"] += len(set(ends)) < len(ends)
        for request in requests:
            own = _base(routers, links, borders, request)
            heads = [head for _, head in own]
            chance["equal"] += request.goal not in "*@" and len(set(heads)) < len(heads)
        wrong = [after(routers, links, borders, requests, link.name, 3) for link in links]
        chance["cut"] += any(each.cut for each in wrong)
        chance["over"] += any(each.over for each in wrong)
        chance["clean"] += not any(each.cut or each.over for each in wrong)
    assert min(chance.values()) >= 20, chance


def _world(chance: random.Random) -> tuple[list[str], list[Link], list[str], list[Request]]:
    routers = [f"r{number}" for number in range(chance.randint(3, 6))]
    links = []
    for number in range(chance.randint(2, 10)):
        a, z = chance.sample(routers, 2)
        links.append(Link(f"l{number}", a, z, chance.randint(1, 3), chance.choice((2, 3, 4, 6, 9))))
    borders = chance.sample(routers, chance.randint(0, 2))
    requests = []
    for number in range(chance.randint(1, 7)):
        source, goal = chance.sample(routers, 2)
        goal = chance.choice((goal, goal, goal, goal, "*", "@"))
        start = chance.randint(0, HOURS - 2)
        end = chance.randint(start + 1, HOURS)
        requests.append(Request(f"PIP-{number + 1}", source, goal, chance.randint(1, 3), start, end))
    return routers, links, borders, requests


def _base(routers: list[str], links: list[Link], borders: list[str], request: Request) -> set[Way]:
    """What it is charged to in the core, and by which borders it may leave, as (border, "")."""
    inside = reached(routers, links, request.source)
    own = loads(links, request, inside, borders) or set()
    return own | {(border, "") for border in borders if request.goal == "@" and border in inside}


def _agree(seed: int) -> None:
    routers, links, borders, requests = _world(random.Random(seed))
    network = Network(
        tuple(map(router, routers)),
        (),
        tuple(_core(link) for link in links),
        tuple(_peering(name) for name in borders),
    )
    whole = {link.name: link for link in links}
    held = tuple(_held(request, _base(routers, links, borders, request), whole) for request in requests)
    book = Book(network, SCHEME, held, since=at(0))
    for failure in single_failures(network, "links-and-routers"):
        effect = book.effect(failure, shifts=True)
        most: dict[tuple[Way, datetime], int] = {}
        for hour in range(HOURS):
            wanted = after(routers, links, borders, requests, failure.name, hour)
            told = f"seed {seed}, {failure}, hour {hour}"
            assert {cut.id for cut in effect.cuts if _on(cut.start, cut.end, hour)} == wanted.cut, told
            found = {}
            for each in effect.overloads:
                if _on(each.start, each.end, hour):
                    way = _way(each.load, whole)
                    on = {name for name in each.ids if _live(name, requests, hour)}
                    found[way] = on
                    most[way, each.start] = max(
                        most.get((way, each.start), 0), wanted.over.get(way, (0, set()))[0]
                    )
            assert found == {way: names for way, (_, names) in wanted.over.items()}, told
        assert most == {(_way(each.load, whole), each.start): each.load_bps for each in effect.overloads}, (
            seed
        )
        _agree_in_sum(effect, failure, (routers, links, borders, requests), seed)


def _agree_in_sum(
    effect: Effect, failure: Failure, world: tuple[list[str], list[Link], list[str], list[Request]], seed: int
) -> None:
    """A request is unprotected if and only if it is so at some instant."""
    wanted: set[str] = set()
    for hour in range(HOURS):
        verdict = after(*world, failure.name, hour)
        wanted |= verdict.cut.union(*(names for _, names in verdict.over.values()))
    assert effect.unprotected == wanted, f"seed {seed}, {failure}"


def _on(start: datetime, end: datetime | None, hour: int) -> bool:
    return start <= at(hour) and (end is None or at(hour) < end)


def _live(name: str, requests: list[Request], hour: int) -> bool:
    return any(each.name == name and each.start <= hour < each.end for each in requests)


def _way(load: LinkDirection, links: dict[str, Link]) -> Way:
    link = links[load.link]
    return load.link, link.z if load.direction == "a-z" else link.a


def _core(link: Link) -> CoreLinkValue:
    """The scheme's core share is 20 %: a link of five times the share."""
    bps = 5 * link.share
    return CoreLinkValue(link.name, link.a, "POS1/0", link.z, "POS1/0", link.metric, bps, bps, bps)


def _peering(name: str) -> PeeringValue:
    return PeeringValue(f"out-{name}", "out", name, "POS9/0", None, 10**9, 10**9, 10**9)


def _held(request: Request, own: set[Way], links: dict[str, Link]) -> Held:
    kinds = {"*": "source", "@": "outside"}
    kind = kinds.get(request.goal, "both")
    ends = Ends(request.source, None if kind != "both" else request.goal, kind)  # type: ignore[arg-type]
    span = TimeWindow(at(request.start), at(request.end))
    pieces = [Piece(_load(name, head, links), request.rate, span) for name, head in sorted(own)]
    return Held(request.name, ends, "ip-premium", tuple(pieces))


def _load(name: str, head: str, links: dict[str, Link]) -> LinkDirection:
    return _core(links[name]).towards(head) if head else LinkDirection(f"out-{name}", Direction.OUT)


def test_a_link_that_is_down_is_no_failure_and_no_way() -> None:
    down = replace(_core(Link("l0", "r0", "r1", 1, 4)), down=True)
    up = _core(Link("l1", "r0", "r1", 1, 4))
    network = Network((router("r0"), router("r1")), (), (down, up))
    assert [each.name for each in single_failures(network, "links")] == ["l1"]
    span = TimeWindow(at(0))
    held = Held("PIP-1", Ends("r0", "r1", "both"), "ip-premium", (Piece(up.towards("r1"), 1, span),))
    (effect,) = (
        Book(network, SCHEME, (held,), since=at(0)).effect(each) for each in single_failures(network, "links")
    )
    assert [(cut.id, cut.start, cut.end) for cut in effect.cuts] == [("PIP-1", at(0), None)]


def test_nothing_is_counted_where_the_scheme_counts_nothing() -> None:
    network = Network((router("r0"), router("r1")), (), (_core(Link("l1", "r0", "r1", 1, 4)),))
    assert single_failures(network, "none") == ()
