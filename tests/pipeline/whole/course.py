"""A course of deeds in a random world, each decided by the pipeline and by brute force."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import count

from provisioning.pipeline.admission import Offerable, Refused, admit_all
from tests.pipeline.whole import agreeing
from tests.pipeline.whole import translating as to
from tests.pipeline.whole.coming_again import random_series
from tests.pipeline.whole.judge import Roads, faults
from tests.pipeline.whole.world import Holding, Wish, World, random_wish, random_world, say

EXACT = Offerable(least_bps=1, step_bps=1, least_length=timedelta(0))


class Course:
    """One world, and what is done in it; both sides are asked at every step."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.dice = random.Random(seed)
        self.world: World = random_world(self.dice)
        self.scheme = to.scheme(self.world.count, self.world.unprotected)
        self.met: set[str] = set()
        self.names = (f"PIP-{number}" for number in count(1))
        self._look_again()
        ends = [frozenset((each.a, each.z)) for each in self.world.up()]
        self._meet("parallel links", len(set(ends)) < len(ends))
        self._meet("capacity changes", bool(self.world.said))

    def run(self) -> None:
        for _ in range(self.dice.randint(4, 7)):
            deeds = (self.single, self.both_ways, self.series)
            later = (self.modify, self.modify, self.change_network, self.change_capacity)
            self.dice.choice((*deeds, *(later if self.world.book else ())))()
        self._stands()
        self._meet("failure leaves somebody without", agreeing.one_failure(self.side, self.dice))

    def _look_again(self) -> None:
        self.network, self.roads = to.network(self.world), Roads(self.world)
        self.side = agreeing.Side(self.seed, self.world, self.roads, self.network, self.scheme)

    def _stands(self) -> None:
        self._meet("somebody has too much", agreeing.too_much(self.side))

    def _meet(self, name: str, there: bool = True) -> None:
        if there:
            self.met.add(name)

    # What is asked

    def single(self) -> None:
        (holding,) = self._asked(random_wish(self.dice, self.world))
        if self._decided("single", [holding], self.world.book):
            self.world.book.append(holding)

    def both_ways(self) -> None:
        out = random_wish(self.dice, self.world)
        pair = self._asked(out, replace(out, source=out.goal, goal=out.source))
        if self._decided("both ways", pair, self.world.book):
            self.world.book += pair

    def series(self) -> None:
        wish = random_wish(self.dice, self.world)
        windows, moved = random_series(self.dice, self.world, wish)
        only_whole = self.dice.random() < 0.5
        each = self._asked(*(replace(wish, start=start, end=end) for start, end in windows))
        fitting = [one for one in each if self._decided("series", [one], self.world.book)]
        self._meet("clocks change", moved)
        self._meet("series in part", 0 < len(fitting) < len(each))
        if len(fitting) == len(each) or not only_whole:
            self.world.book += fitting

    def modify(self) -> None:
        """Another rate, another window; from now on, and what has begun has begun."""
        mine = self.dice.choice(self.world.book)
        old, now = mine.wish, self.world.now
        if old.end is not None and old.end <= now:
            return
        another = random_wish(self.dice, self.world)
        wish = old
        if self.dice.random() < 0.7:
            wish = replace(wish, bps=self.dice.randint(1, 5))
        if self.dice.random() < 0.6:
            start = old.start if old.start <= now else max(another.start, now)
            end = another.end if another.end is None or another.end > start else start + 60
            wish = replace(wish, start=start, end=end)
        others = [each for each in self.world.book if each is not mine]
        (new,) = self._asked(wish, name=mine.name)
        if self._decided("modification", [new], others, before=mine):
            self.world.book = [*others, new]

    def _asked(self, *wishes: Wish, name: str = "") -> list[Holding]:
        return [
            Holding(name or next(self.names), wish, self.roads.all(wish) or frozenset()) for wish in wishes
        ]

    def change_network(self) -> None:
        """A metric, a link down or up; time passes; everybody is charged on today's paths, or keeps what it had."""
        place = self.dice.randrange(len(self.world.cores))
        core = self.world.cores[place]
        if self.dice.random() < 0.5:
            core = core._replace(down=not core.down)
        else:
            core = core._replace(metric=self.dice.choice((1, 2, 3)))
        self.world.cores[place] = core
        self.world.now += self.dice.choice((0, 0, 1, 20)) * 60
        self._look_again()
        self._meet("network changes")
        self.world.book = [
            replace(each, ways=self.roads.all(each.wish) or each.ways) for each in self.world.book
        ]
        self._stands()

    def change_capacity(self) -> None:
        """Something is said of a capacity, from a date on or between two; who no longer fits stays, and is named."""
        say(self.dice, self.world)
        self._look_again()
        self._meet("capacity changes")
        self._stands()

    # What both sides say

    def _decided(
        self, kind: str, asked: Sequence[Holding], beside: Sequence[Holding], before: Holding | None = None
    ) -> bool:
        """Whether it is granted; both sides say the same, for the same reasons."""
        world, told = self.world, f"seed {self.seed}, {kind} {asked}"
        slss = [to.sls(world, each.wish, each.name) for each in asked]
        verdict = admit_all(
            self.network,
            self.scheme,
            slss,
            to.commitments(world, beside),
            now=world.at(world.now),
            offerable=EXACT,
            held=() if before is None else to.commitments(world, [before]),
            failing=to.everything_held(world, beside),
        )
        if not all(each.ways for each in asked):
            assert isinstance(verdict, Refused), told
            assert {reason.code for reason in verdict.reasons} == {"no-path"}, told
            self._meet("no path")
            return False
        wish = None if before is None else before.wish
        wrong = faults(self.roads, asked, before=wish, beside=beside)
        assert isinstance(verdict, Refused) == bool(wrong), (told, wrong, verdict)
        heads = [head for _, head in asked[0].ways]
        self._meet("equal costs", len(set(heads)) < len(heads))
        if isinstance(verdict, Refused):
            self._meet(f"{kind} unprotected" if wrong[0].failure else f"{kind} refused")
            agreeing.reasons(self.side, verdict, asked, beside, wish, wrong, told)
            agreeing.offers(self.side, verdict, asked, beside, wish, told)
            return False
        self._meet(f"{kind} granted")
        self._meet(
            "kept though too much", before is not None and bool(faults(self.roads, asked, beside=beside))
        )
        agreeing.charges(self.side, verdict, asked, told)
        return True
