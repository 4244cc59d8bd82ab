"""Where the pipeline's word is held against brute force: what is charged, why not, what would fit, who has too much."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from provisioning.pipeline.admission import Admitted, Refused, overcommitments
from provisioning.pipeline.failures import Book
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import Network, single_failures
from tests.pipeline.whole import translating as to
from tests.pipeline.whole.judge import Fault, Roads, after, faults
from tests.pipeline.whole.world import Holding, Wish, World


@dataclass
class Side:
    """One world as both sides know it at a time."""

    seed: int
    world: World
    roads: Roads
    network: Network
    scheme: Scheme


def charges(side: Side, verdict: Sequence[Admitted], asked: Sequence[Holding], told: str) -> None:
    """What is charged: every way, each once, all of the rate."""
    for admitted, holding in zip(verdict, asked, strict=True):
        assert to.ways(side.world, admitted) == holding.ways, told
        assert {charge.rate_bps for charge in admitted.charges} == {holding.wish.bps}, told
        assert len(admitted.charges) == len(holding.ways), told


def reasons(
    side: Side,
    verdict: Refused,
    asked: Sequence[Holding],
    beside: Sequence[Holding],
    before: Wish | None,
    wrong: list[Fault],
    told: str,
) -> None:
    """At every instant exactly the links that have too much are named, and by how much at the most."""
    world = side.world
    assert {reason.code for reason in verdict.reasons} == {
        "unprotected" if wrong[0].failure else "share-exceeded"
    }
    if wrong[0].failure:
        assert verdict.failures is not None, told
        named = [
            (
                each.failure.name,
                None if each.load is None else to.way(world, each.load),
                each.start,
                each.end,
                each.excess_bps,
            )
            for each in verdict.failures.exposures
        ]
    else:
        named = [
            (
                "",
                to.way(world, to.load_of(each)),
                each.interval_start,
                each.interval_end,
                each.shortfall_bps,
            )
            for each in verdict.reasons
        ]
    by_instant: dict[int, set[tuple[str, object]]] = {}
    for fault in wrong:
        by_instant.setdefault(fault.at, set()).add((fault.failure, fault.way))
    moments = {at for each in asked for at in world.moments(each.wish, [before] if before else [])}
    for at in moments:
        said = {
            (failure, way) for failure, way, start, end, _ in named if to.covers(start, end, world.at(at))
        }
        assert said == by_instant.get(at, set()), (told, at, named, wrong)
    for failure, way, start, end, short in named:
        most = max(
            fault.short
            for fault in wrong
            if (fault.failure, fault.way) == (failure, way) and to.covers(start, end, world.at(fault.at))
        )
        assert way is None or (short == most if not failure else (short or 0) >= most), (
            told,
            named,
            wrong,
        )


def offers(
    side: Side,
    verdict: Refused,
    asked: Sequence[Holding],
    beside: Sequence[Holding],
    before: Wish | None,
    told: str,
) -> None:
    """Whatever is offered fits; of the lower rates one bit/s more does not."""
    world = side.world
    for offer in verdict.counter_offers:
        start, end = world.minute(offer.start), None if offer.end is None else world.minute(offer.end)
        offered = [
            replace(each, wish=replace(each.wish, bps=offer.rate_bps, start=start, end=end)) for each in asked
        ]
        assert not faults(side.roads, offered, before=before, beside=beside), (told, offer)
        if offer.kind == "lower-rate" and world.unprotected == "admit":
            more = [replace(each, wish=replace(each.wish, bps=each.wish.bps + 1)) for each in offered]
            assert faults(side.roads, more, beside=beside), (told, offer)


def too_much(side: Side) -> bool:
    """Who no longer fits is named at every instant, with everybody on the link, and nobody else; whether there is anybody."""
    world = side.world
    told = overcommitments(side.network, side.scheme, to.commitments(world, world.book), world.at(world.now))
    loads = {way for each in world.book for way in each.ways}
    moments = sorted({at for each in world.book for at in world.moments(each.wish)})
    named = [
        (to.way(world, to.load_of(each)), each.start, each.end, set(each.sls_ids), each.excess_bps)
        for each in told
    ]
    most: dict[int, int] = {}
    for at in moments:
        live = [each for each in world.book if each.wish.on(at)]
        for way in loads:
            on = [each for each in live if way in each.ways]
            short = sum(each.wish.bps for each in on) - world.share(way[0], at)
            here = [
                place
                for place, (where, start, end, _, _) in enumerate(named)
                if where == way and to.covers(start, end, world.at(at))
            ]
            assert len(here) == (short > 0), (side.seed, way, at, named)
            for place in here:
                assert {each.name for each in on} <= named[place][3], (side.seed, named)
                most[place] = max(most.get(place, 0), short)
    assert most == {place: excess for place, (_, _, _, _, excess) in enumerate(named)}, (side.seed, named)
    return bool(named)


def one_failure(side: Side, dice: random.Random) -> bool:
    """One of the failures at random: who is left without what was promised, at every instant; whether there is anybody."""
    world = side.world
    failures = single_failures(side.network, world.count)
    assert sorted(each.name for each in failures) == sorted(side.roads.failures())
    if not failures or not world.book:
        return False
    failure = dice.choice(failures)
    book = Book(side.network, side.scheme, to.everything_held(world, world.book), world.at(world.now))
    effect = book.effect(failure)
    everybody = {each.name for each in world.book}
    wanted: set[str] = set()
    for at in sorted({at for each in world.book for at in world.moments(each.wish)}):
        live = [each for each in world.book if each.wish.on(at)]
        found = after(side.roads, failure.name, at, live, everybody)
        ways = {each.way for each in found if each.way is not None}
        over = {
            to.way(world, each.load)
            for each in effect.overloads
            if to.covers(each.start, each.end, world.at(at))
        }
        assert over == ways, (side.seed, failure, at)
        wanted |= {name for each in found for name in each.names}
    assert effect.unprotected == wanted, (side.seed, failure)
    return bool(wanted)
