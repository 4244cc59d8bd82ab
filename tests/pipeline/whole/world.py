"""A random network with everything in it at once, as plain values. Nothing of the pipeline is used here.

Routers with an access link each; core links with few metrics, so that paths cost the same and links stand side by side;
capacities and shares that change with time; holdings, each with the ways that it is charged on. Instants are minutes from the
world's own first day, half-open windows have None for an open end.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple

Way = tuple[str, str]
"""(link, the router it leads to); of an access link "in" or "out"."""

ACCESS_PERCENT, CORE_PERCENT = 5, 20
DAY = 24 * 60


class Core(NamedTuple):
    name: str
    a: str
    z: str
    metric: int
    bw: int
    down: bool = False


@dataclass(frozen=True)
class Said:
    """What is said of a capacity: what one link carries, bit/s, or (``link`` None) the pool takes of all of a kind, per cent."""

    kind: Literal["access", "core"]
    link: str | None
    value: int
    start: int
    end: int | None

    def on(self, at: int) -> bool:
        return self.start <= at and (self.end is None or at < self.end)


@dataclass(frozen=True)
class Wish:
    """What one request asks: between the access links of two routers, a rate from an instant on to an instant."""

    source: str
    goal: str
    bps: int
    start: int
    end: int | None

    def on(self, at: int) -> bool:
        return self.start <= at and (self.end is None or at < self.end)


@dataclass(frozen=True)
class Holding:
    """A wish that was granted, and the ways it is charged on."""

    name: str
    wish: Wish
    ways: frozenset[Way]


@dataclass
class World:
    """``beginning`` is the instant 0, ``now`` the instant at which everything is decided."""

    beginning: datetime
    routers: list[str]
    cores: list[Core]
    access: dict[str, int]
    said: list[Said]
    count: Literal["links", "links-and-routers", "none"]
    unprotected: Literal["admit", "refuse"]
    now: int = 0
    book: list[Holding] = field(default_factory=list)

    def at(self, minute: int) -> datetime:
        return self.beginning + timedelta(minutes=minute)

    def minute(self, at: datetime) -> int:
        whole, rest = divmod(at - self.beginning, timedelta(minutes=1))
        assert not rest
        return whole

    def bw(self, link: str) -> int:
        found = {core.name: core.bw for core in self.cores}.get(link)
        return self.access[link.removeprefix("N-")] if found is None else found

    def share(self, link: str, at: int) -> int:
        """What the pool may take of a link at an instant, whole bits only."""
        kind: Literal["access", "core"] = "access" if link.startswith("N-") else "core"
        bw = self.bw(link)
        if not self.said:
            return bw * (ACCESS_PERCENT if kind == "access" else CORE_PERCENT) // 100
        carries, less = _holds((each for each in self.said if each.link == link), at, bw)
        base = min([bw, carries, *less])
        of_kind = (each for each in self.said if each.link is None and each.kind == kind)
        percent, limits = _holds(of_kind, at, ACCESS_PERCENT if kind == "access" else CORE_PERCENT)
        return min(base * each // 100 for each in (percent, *limits))

    def up(self) -> list[Core]:
        return [core for core in self.cores if not core.down]

    def moments(self, wish: Wish, *more: Iterable[Wish]) -> list[int]:
        """Every instant of a wish, from now on, at which anything changes, and the minute before each."""
        found = {max(wish.start, self.now)}
        for each in (
            *(holding.wish for holding in self.book),
            *self.said,
            *(one for some in more for one in some),
        ):
            found |= {each.start, each.start - 1}
            if each.end is not None:
                found |= {each.end, each.end - 1}
        found |= {wish.end - 1} if wish.end is not None else {max(found) + DAY}
        return sorted(at for at in found if at >= self.now and wish.on(at))


def _holds(said: Iterable[Said], at: int, usual: int) -> tuple[int, list[int]]:
    """What holds from a date on, the last that began, and what limits it for a time."""
    on = [each for each in said if each.on(at)]
    lasting = sorted((each for each in on if each.end is None), key=lambda each: each.start)
    return (lasting[-1].value if lasting else usual), [each.value for each in on if each.end is not None]


BEGINNINGS = (
    datetime(2026, 3, 26, tzinfo=UTC),  # clocks of Europe go forward on the 29th
    datetime(2026, 10, 22, tzinfo=UTC),  # and back on the 25th
    datetime(2026, 3, 6, tzinfo=UTC),  # those of New York go forward on the 8th
    datetime(2028, 2, 26, tzinfo=UTC),  # a leap day
    datetime(2026, 12, 29, tzinfo=UTC),
)
DAYS = 7


def random_world(dice: random.Random) -> World:
    routers = [f"r{number}" for number in range(dice.randint(3, 5))]
    cores: list[Core] = []
    for number in range(dice.randint(len(routers) - 1, 7)):
        a, z = dice.sample(routers, 2)
        if number < len(routers) - 1 and dice.random() < 0.9:  # mostly in one piece
            a, z = routers[number], routers[number + 1]
        elif cores and dice.random() < 0.3:
            a, z = dice.choice(((cores[-1].a, cores[-1].z), (cores[-1].z, cores[-1].a)))
        cores.append(
            Core(
                f"c{number}",
                a,
                z,
                dice.choice((1, 1, 1, 2, 2, 3)),
                5 * dice.choice((3, 4, 6, 9, 12)),
                dice.random() < 0.06,
            )
        )
    access = {name: 20 * dice.choice((4, 6, 9, 12)) for name in routers}
    count, unprotected = dice.choice(
        (("links", "admit"), ("none", "admit"), ("links", "refuse"), ("links-and-routers", "refuse"))
    )
    made = World(dice.choice(BEGINNINGS), routers, cores, access, [], count, unprotected)  # type: ignore[arg-type]
    for _ in range(dice.choice((0, 0, 1, 2, 3))):
        say(dice, made)
    return made


def say(dice: random.Random, world: World) -> None:
    """Something of a capacity. Of what begins at one instant and lasts, one of a thing: which of two would hold nobody says."""
    new = _said(dice, world)
    alike = (
        each for each in world.said if (each.kind, each.link, each.start) == (new.kind, new.link, new.start)
    )
    if new.end is not None or all(each.end is not None for each in alike):
        world.said.append(new)


def _said(dice: random.Random, world: World) -> Said:
    start = world.now + dice.randint(-2, DAYS * 24) * 60
    end = None if dice.random() < 0.4 else start + dice.randint(1, 60) * 60
    if world.book and dice.random() < 0.6:  # where somebody is, so that he has too much
        holding = dice.choice(world.book)
        link, _ = dice.choice(sorted(holding.ways))
        start = min(start, max(holding.wish.start, world.now))
        return Said(
            "access" if link.startswith("N-") else "core",
            link,
            world.bw(link) * dice.choice((0, 20, 50)) // 100,
            start,
            end,
        )
    if dice.random() < 0.3:
        return Said(dice.choice(("access", "core")), None, dice.choice((0, 3, 5, 12, 20, 40)), start, end)
    if dice.random() < 0.7:
        core = dice.choice(world.cores)
        return Said("core", core.name, core.bw * dice.choice((0, 40, 75, 99, 150)) // 100, start, end)
    name = dice.choice(world.routers)
    return Said("access", f"N-{name}", world.access[name] * dice.choice((0, 50, 90)) // 100, start, end)


def random_wish(dice: random.Random, world: World) -> Wish:
    source, goal = dice.sample(world.routers, 2)
    start = world.now + dice.randint(-3 if dice.random() < 0.1 else 0, DAYS * 24 - 30) * 60
    end = None if dice.random() < 0.1 else max(start + dice.choice((1, 2, 8, 24, 50)) * 60, world.now + 60)
    return Wish(source, goal, dice.randint(1, 5), start, end)
