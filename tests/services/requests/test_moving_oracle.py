"""Random courses in which promises and their network change, against a book that is kept by plain adding up.

The book shares nothing with the service: paths are found by walking every way there is, time is looked at instant by instant.
After every deed the ledger says for each link and instant what goes over it today, what is beside that is named as moving, and a
link carries more than its share where (and only where) that is said of it.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from inventory.models import CoreLink, Domain
from provisioning.errors import Conflict
from provisioning.models import Actor, LedgerEntry, PremiumRequest
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.pipeline.topology import LinkCapacity
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.overcommitment import overcommitted
from provisioning.services import clock, decisions, modifications, requests, series, topology
from provisioning.services.modifications import Modify
from provisioning.services.series import SubmitSeries
from tests.depth import DEEP
from tests.services.requests.sixnet import noc, person
from tests.services.requests.test_changing_oracle import Kept as Terms
from tests.services.requests.test_changing_oracle import put_on, seen
from tests.services.topology.diamond import MBIT, Core, access, asking, core, network, put

pytestmark = pytest.mark.once

CORES: tuple[Core, ...] = (
    ("a", "b", 10), ("b", "d", 10), ("a", "c", 15), ("c", "d", 15), ("b", "c", 10), ("a", "d", 40),
)  # fmt: skip
METRICS = (5, 10, 15, 20, 25, 40)
RATES = (MBIT // 2, MBIT, 3 * MBIT // 2, 2 * MBIT, 3 * MBIT)
SHARE, LESS = 4 * MBIT, 2 * MBIT
SLOT = timedelta(hours=6)
SLOTS = 16
COURSES = int(os.environ.get("COURSES", "60" if DEEP else "2"))
FIRST = int(os.environ.get("FIRST_COURSE", "0"))
DEEDS = 50

Load = tuple[str, str]


@dataclass
class Kept(Terms):
    """A grant, what it is charged to on its path of today, and what it is leaving."""

    way: frozenset[Load] = frozenset()
    leaving: frozenset[Load] = frozenset()
    over: bool = False

    def moves_to(self, way: frozenset[Load] | None) -> None:
        """Its path is another one; None: it has none, and stays charged where it was."""
        if way is None or way == self.way:
            self.leaving = self.leaving - (way or frozenset())
            return
        self.leaving = (self.leaving | self.way) - way
        self.way = way


@dataclass
class Book:
    dice: random.Random
    base: datetime
    file: Path
    metrics: list[int] = field(default_factory=lambda: [metric for _, _, metric in CORES])
    down: set[int] = field(default_factory=set)
    less: tuple[int, int, int, int] | None = None
    """Of which core link, from which slot until which, and the row that says so."""
    kept: list[Kept] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)

    def at(self, slot: float) -> datetime:
        return self.base + slot * SLOT

    def instants(self) -> Iterator[tuple[int, datetime]]:
        return ((slot, self.at(slot + 0.5)) for slot in range(SLOTS))

    def way(self, source: str, goal: str) -> frozenset[Load] | None:
        """Every link direction of every shortest way, and both access links; None where there is no way."""
        best: dict[int, list[list[Load]]] = {}

        def walk(here: str, seen: tuple[str, ...], length: int, loads: list[Load]) -> None:
            if here == goal:
                best.setdefault(length, []).append(loads)
                return
            for place, (one, other, _) in enumerate(CORES):
                for a, z, way in ((one, other, "a-z"), (other, one, "z-a")):
                    if a == here and z not in seen and place not in self.down:
                        longer = [*loads, (core(place, CORES), way)]
                        walk(z, (*seen, z), length + self.metrics[place], longer)

        walk(source, (source,), 0, [])
        if not best:
            return None
        shortest = {load for loads in best[min(best)] for load in loads}
        return frozenset({*shortest, (access(source), "in"), (access(goal), "out")})

    def share(self, link: str, slot: int) -> int:
        if (
            self.less is not None
            and link == core(self.less[0], CORES)
            and self.less[1] <= slot < self.less[2]
        ):
            return LESS
        return SHARE if "--" in link else 50 * MBIT

    def load(self, load: Load, instant: datetime, without: Kept | None = None) -> int:
        there = (each for each in self.kept if load in each.way | each.leaving and each is not without)
        return sum(each.at(instant) for each in there)

    def fits(
        self, ends: tuple[str, str], wanted: tuple[int, datetime, datetime], mine: Kept | None = None
    ) -> bool:
        """Whether it would fit beside all that is charged; what `mine` holds on a link at an instant is not asked anew."""
        rate, start, end = wanted
        way = self.way(*ends)
        if way is None:
            return False
        for load in way:
            for slot, instant in self.instants():
                if not start <= instant < end:
                    continue
                held = mine.at(instant) if mine is not None and load in mine.way else 0
                if rate > held and self.load(load, instant, mine) + rate > self.share(load[0], slot):
                    return False
        return True

    def check(self) -> None:
        rows = list(
            LedgerEntry.objects.filter(released_at=None).values_list(
                "link", "direction", "rate_bps", "start", "end", "moving_since"
            )
        )
        loads = {(link, way) for link, way, *_ in rows} | {load for each in self.kept for load in each.way}
        named = overcommitted(Domain.objects.get(), now=clock.now())
        for load in loads:
            for slot, instant in self.instants():
                now, left = (
                    sum(
                        rate
                        for link, way, rate, start, end, since in rows
                        if (link, way) == load and start <= instant and (end is None or instant < end)
                        and (since is not None) is moving
                    )
                    for moving in (False, True)
                )  # fmt: skip
                today = sum(each.at(instant) for each in self.kept if load in each.way)
                moving = sum(each.at(instant) for each in self.kept if load in each.leaving)
                assert (now, left) == (today, moving), (load, slot, self.said)
                over = any(
                    (each.link, each.direction.value) == load
                    and each.start <= instant
                    and (each.end is None or instant < each.end)
                    for each in named
                )
                assert over == (now + left > self.share(load[0], slot)), (load, slot, now, left, self.said)

    def follow(self) -> None:
        """The network is another one: everybody's path is found anew."""
        for each in self.kept:
            before = each.way
            each.moves_to(self.way(*each.ends))
            self.said["moved while becoming" if each.becoming else "moved"] += before != each.way

    def draw(self) -> tuple[int, datetime, datetime]:
        start = self.dice.randrange(0, SLOTS - 2)
        length = self.dice.randrange(1, SLOTS - start)
        return self.dice.choice(RATES), self.at(start), self.at(start + length)


def asker(kept: Kept) -> Actor:
    return person(f"at-{kept.ends[0]}", nrens=(f"N{kept.ends[0]}",))


def one_deed(book: Book) -> None:
    common = [ask, ask, modify, modify, modify, modify, extend, end, on, see, take_back, over]
    deed = book.dice.choice(
        [*common, again, metric, metric, metric, up_or_down, moved, moved, moved, capacity]
    )
    deed(book)
    book.said[deed.__name__] += 1
    if any(each.becoming for each in book.kept) and book.dice.random() < 0.5:
        book.check()
        metric(book)


def _one(book: Book, *, live: bool = True, becoming: bool | None = None) -> Kept | None:
    found = [each for each in book.kept if each.over is not live]
    if becoming is not None:
        found = [each for each in found if (each.modification is not None) is becoming]
    if not found:
        return None
    kept = book.dice.choice(found)
    kept.request.refresh_from_db()
    return kept


def ask(book: Book) -> None:
    source, goal = book.dice.sample("abcd", 2)
    wanted = book.draw()
    rate, start, end = wanted
    actor, data = asking(source, goal, rate, start=start, end=end)
    (request,) = requests.submit(actor=actor, data=data)
    verdict = decisions.admit(actor=noc(), request=request, reason="drawn")
    assert isinstance(verdict, Admitted) == book.fits((source, goal), wanted), (wanted, book.said, verdict)
    book.said["granted" if isinstance(verdict, Admitted) else "refused"] += 1
    if isinstance(verdict, Admitted):
        book.kept.append(Kept(request, (source, goal), wanted, way=book.way(source, goal) or frozenset()))
        if book.dice.random() < 0.7:  # so that what changes is on a router more often than not
            put_on(book.kept[-1])


def again(book: Book) -> None:
    """Three days in a row, those that fit."""
    source, goal = book.dice.sample("abcd", 2)
    rate, slot = book.dice.choice(RATES[:3]), book.dice.randrange(0, 4)
    start, end = book.at(slot), book.at(slot + book.dice.choice([1, 2]))
    actor, data = asking(source, goal, rate, start=start, end=end)
    made = series.submit(
        actor=actor, data=SubmitSeries(data, "FREQ=DAILY;COUNT=3", "UTC", only_whole=book.dice.random() < 0.3)
    )
    day = timedelta(days=1)
    windows = [(rate, start + number * day, end + number * day) for number in range(3)]
    fitting = [book.fits((source, goal), window) for window in windows]
    verdict = series.admit(actor=noc(), series=made, reason="drawn")
    assert [each.fits for each in verdict.occurrences] == fitting, (windows, book.said)
    book.said["occurrences"] += sum(fitting)
    rows = PremiumRequest.objects.filter(series=made).order_by("start")
    for row, window in zip(rows, windows, strict=True):
        if row.state == "ADMITTED":
            book.kept.append(Kept(row, (source, goal), window, way=book.way(source, goal) or frozenset()))
            if book.dice.random() < 0.5:
                put_on(book.kept[-1])


def modify(book: Book) -> None:
    kept = _one(book, becoming=False)
    if kept is None:
        return
    rate, start, end = book.draw()
    if kept.on:
        start = kept.now[1]
        if end <= start:
            return
    _become(book, kept, (rate, start, end))


def extend(book: Book) -> None:
    kept = _one(book, becoming=False)
    if kept is None or kept.now[2] >= book.at(SLOTS - 1):
        return
    _become(book, kept, (*kept.now[:2], kept.now[2] + SLOT))


def _become(book: Book, kept: Kept, after: tuple[int, datetime, datetime]) -> None:
    rate, start, end = after
    if after == kept.now:
        return
    made = modifications.modify(
        actor=asker(kept),
        request=kept.request,
        wanted=Modify(rate=rate, start=start, end=end),
        reason="drawn",
    )
    assert made is not None
    if made.state == "IN_FORCE":
        kept.now = after
        return
    try:
        verdict = modifications.admit(actor=noc(), modification=made, reason="drawn")
    except Conflict:
        assert kept.leaving, "only while its path moves"
        book.said["moving"] += 1
        modifications.withdraw(actor=asker(kept), modification=made, reason="later")
        return
    assert not kept.leaving
    fits = book.fits(kept.ends, after, kept)
    assert isinstance(verdict, Admitted) == fits, (kept.now, after, book.said, verdict)
    book.said["changed" if fits else "not changed"] += 1
    if isinstance(verdict, Refused):
        modifications.refuse(actor=noc(), modification=made, reason="it does not fit")
    elif made.state == "ADMITTED":
        kept.becoming, kept.modification = after, made
    else:
        kept.now = after


def end(book: Book) -> None:
    kept = _one(book)
    if kept is None:
        return
    at = kept.now[1] + SLOT * book.dice.randrange(1, SLOTS)
    if at < kept.now[2]:
        modifications.end_early(actor=asker(kept), request=kept.request, end=at, reason="drawn")
        kept.now = (*kept.now[:2], at)
        if kept.becoming is not None:
            kept.becoming = (*kept.becoming[:2], min(kept.becoming[2], at))


def on(book: Book) -> None:
    kept = _one(book)
    if kept is not None:
        put_on(kept)


def see(book: Book) -> None:
    kept = _one(book, becoming=True)
    if kept is not None:
        seen(kept)


def take_back(book: Book) -> None:
    kept = _one(book, becoming=True)
    if kept is not None:
        assert kept.modification is not None
        modifications.withdraw(actor=noc(), modification=kept.modification, reason="drawn")
        kept.becoming = kept.modification = None


def over(book: Book) -> None:
    """Withdrawn, and charged until it is seen gone: that is the next time."""
    kept = _one(book, live=book.dice.random() < 0.5)
    if kept is None:
        return
    if not kept.over:
        requests.withdraw(actor=noc(), request=kept.request, reason="drawn")
        kept.over = True
        return
    (decisions.complete if kept.on else decisions.never_provide)(request=kept.request)
    book.kept.remove(kept)


def metric(book: Book) -> None:
    place = book.dice.randrange(len(CORES))
    book.metrics[place] = book.dice.choice(METRICS)
    cores = tuple((a, z, book.metrics[number]) for number, (a, z, _) in enumerate(CORES))
    put(network(book.file, cores, down=frozenset(book.down)))
    book.follow()


def up_or_down(book: Book) -> None:
    place = book.dice.choice(sorted(book.down) or range(len(CORES)))
    deed = "up" if place in book.down else "down"
    topology.declare(actor=noc(), name=core(place, CORES), deed=deed, reason="drawn")  # type: ignore[arg-type]
    book.down ^= {place}
    book.follow()


def moved(book: Book) -> None:
    for kept in book.kept:
        if kept.leaving and book.dice.random() < 0.7:
            topology.path_moved(actor=noc(), request=kept.request, reason="drawn")
            kept.leaving = frozenset()


def capacity(book: Book) -> None:
    """Half of a core link for a time; or that it is not so after all."""
    if book.less is not None:
        topology.take_back(actor=noc(), key=book.less[3], reason="drawn")
        book.less = None
        return
    place, first = book.dice.randrange(len(CORES)), book.dice.randrange(SLOTS - 1)
    last = book.dice.randrange(first + 1, SLOTS)
    window = TimeWindow(book.at(first), book.at(last))
    said = topology.change_capacity(
        actor=noc(),
        domain=Domain.objects.get(),
        planned=LinkCapacity(core(place, CORES), 10 * MBIT, window),
        reason="drawn",
    )
    book.less = (place, first, last, said.change.pk)


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(FIRST, FIRST + COURSES))
def test_today_s_paths_carry_what_the_ledger_says_after_every_deed(seed: int, tmp_path: Path) -> None:
    file = tmp_path / "network.yaml"
    put(network(file, CORES))
    base = (timezone.now() + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    book = Book(random.Random(seed), base, file)
    for _ in range(DEEDS):
        one_deed(book)
        book.check()
    assert book.said["granted"]
    assert CoreLink.objects.count() == len(CORES)
