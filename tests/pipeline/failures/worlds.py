"""Small random networks with reservations: as plain values for the oracle, and as the pipeline's."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from decimal import Decimal

from provisioning.pipeline.failures import Held, Piece
from provisioning.pipeline.topology import (
    CoreLinkValue,
    Direction,
    Ends,
    LinkCapacity,
    LinkDirection,
    Network,
    PeeringValue,
    Planned,
    PoolShare,
)
from provisioning.pipeline.units import TimeWindow
from tests.pipeline.failures.oracle import Link, Plan, Request, Verdict, Way, after, loads, reached, ways
from tests.pipeline.networks import at, router

HOURS = 8
END = HOURS + 1
"""The hour from which nothing is held any more: what was granted an hour longer lasts until it."""


@dataclass(frozen=True)
class World:
    routers: list[str]
    links: list[Link]
    borders: list[str]
    requests: list[Request]
    plans: list[Plan] = field(default_factory=list)

    def after(self, failed: str, hour: int) -> Verdict:
        return after(self.routers, self.links, self.borders, self.requests, failed, hour, self.plans)

    @property
    def by_name(self) -> dict[str, Link]:
        return {link.name: link for link in self.links}

    def base(self, request: Request) -> set[Way]:
        """What it is charged to in the core, and by which borders it may leave, as (border, "")."""
        inside = reached(self.routers, self.links, request.source)
        own = (loads(self.links, request, inside, self.borders) or set()) | request.old
        return own | {(border, "") for border in self.borders if request.goal == "@" and border in inside}

    def network(self) -> Network:
        return Network(
            tuple(map(router, self.routers)),
            (),
            tuple(core(link) for link in self.links),
            tuple(_peering(name) for name in self.borders),
            tuple(map(_planned, self.plans)),
        )

    def held(self) -> tuple[Held, ...]:
        return tuple(self.held_of(request) for request in self.requests)

    def held_of(self, request: Request) -> Held:
        kinds = {"*": "source", "@": "outside"}
        kind = kinds.get(request.goal, "both")
        ends = Ends(request.source, None if kind != "both" else request.goal, kind)  # type: ignore[arg-type]
        spans = ((request.rate, request.start, request.end), *request.more)
        pieces = [
            Piece(self._load(name, head), rate, TimeWindow(at(start), at(end)))
            for name, head in sorted(self.base(request))
            for rate, start, end in spans
        ]
        return Held(request.name, ends, "ip-premium", tuple(pieces))

    def _load(self, name: str, head: str) -> LinkDirection:
        return core(self.by_name[name]).towards(head) if head else LinkDirection(f"out-{name}", Direction.OUT)


def plain_world(chance: random.Random, most_routers: int = 6, most_links: int = 10) -> World:
    """Equal costs, parallel links, requests to one router, to anywhere and to the borders."""
    routers = [f"r{number}" for number in range(chance.randint(3, most_routers))]
    links = []
    for number in range(chance.randint(2, most_links)):
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
    return World(routers, links, borders, requests)


def whole_world(chance: random.Random) -> World:
    """Besides: capacity that changes with time, requests that were granted more for a while or longer, whose path is moving, and
    series of which each occurrence is a request.
    """
    plain = plain_world(chance, 5, 8)
    requests: list[Request] = []
    for each in plain.requests:
        request = each
        if chance.random() < 0.3:
            request = request._replace(more=(_more(chance, request),))
        if chance.random() < 0.3 and request.goal not in "*@":
            request = request._replace(old=_other_way(chance, plain.links, request))
        requests.append(request)
        if chance.random() < 0.2 and request.end < HOURS - 1:  # the same again later on
            start = chance.randint(request.end, HOURS - 1)
            name = f"PIP-{len(plain.requests) + len(requests) + 10}"
            requests.append(each._replace(name=name, start=start, end=HOURS))
    return World(plain.routers, plain.links, plain.borders, requests, list(_plans(chance, plain.links)))


def _more(chance: random.Random, request: Request) -> tuple[int, int, int]:
    """A higher rate for a while, or an extension."""
    start = chance.randint(request.start, request.end)
    return chance.randint(1, 2), start, chance.randint(start + 1, END)


def _other_way(chance: random.Random, links: list[Link], request: Request) -> frozenset[Way]:
    """The path that it had with other metrics."""
    before = [link._replace(metric=chance.randint(1, 3)) for link in links]
    return ways(before, request.source, request.goal) or frozenset()


def _plans(chance: random.Random, links: list[Link]) -> list[Plan]:
    found = []
    for link in links:
        if chance.random() < 0.4:
            start = chance.randint(0, HOURS - 1)
            value = chance.randint(0, 7 * link.share)
            found.append(Plan(link.name, value, start, chance.choice((None, start + chance.randint(1, 4)))))
    if chance.random() < 0.4:
        start = chance.randint(0, HOURS - 1)
        value = chance.choice((5, 10, 15, 40))
        found.append(Plan("", value, start, chance.choice((None, start + chance.randint(1, 4)))))
    return found


def _planned(plan: Plan) -> Planned:
    span = TimeWindow(at(plan.start), None if plan.end is None else at(plan.end))
    if plan.link:
        return LinkCapacity(plan.link, plan.value, span)
    return PoolShare("ip-premium", "core", Decimal(plan.value), span)


def core(link: Link) -> CoreLinkValue:
    """The scheme's core share is 20 %: a link of five times the share."""
    bps = 5 * link.share
    return CoreLinkValue(link.name, link.a, "POS1/0", link.z, "POS1/0", link.metric, bps, bps, bps)


def _peering(name: str) -> PeeringValue:
    return PeeringValue(f"out-{name}", "out", name, "POS9/0", None, 10**9, 10**9, 10**9)
