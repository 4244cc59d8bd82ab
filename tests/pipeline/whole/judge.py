"""What should be decided, by adding up at every instant, and trying every failure at every instant. Nothing of the pipeline is
used here: paths are all simple paths that cost least, sums are sums over the book.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.pipeline.whole.world import Core, Holding, Way, Wish, World


class Fault(NamedTuple):
    """What is wrong at an instant: ``failure`` empty where nothing has failed; ``way`` None: there is no path then."""

    failure: str
    way: Way | None
    at: int
    short: int
    names: frozenset[str] = frozenset()


@dataclass
class Roads:
    """The ways between routers of one world, as its links are now, whole and with something out of use."""

    world: World
    _known: dict[tuple[str, str, str], frozenset[Way] | None] = field(default_factory=dict)

    def core(self, source: str, goal: str, failed: str = "") -> frozenset[Way] | None:
        """All ways on any cheapest path through the core; None when there is no path."""
        key = (source, goal, failed)
        if key not in self._known:
            left = [each for each in self.world.up() if failed not in (each.name, each.a, each.z)]
            self._known[key] = _cheapest(left, source, goal)
        return self._known[key]

    def all(self, wish: Wish) -> frozenset[Way] | None:
        """Everything that a wish is charged on."""
        core = self.core(wish.source, wish.goal)
        return None if core is None else core | {(f"N-{wish.source}", "in"), (f"N-{wish.goal}", "out")}

    def failures(self) -> list[str]:
        """What may fail, by the scheme's word."""
        links = [each.name for each in self.world.up()]
        if self.world.count == "none":
            return []
        routers = {end for each in self.world.up() for end in (each.a, each.z)}
        return links if self.world.count == "links" else [*links, *sorted(routers)]


def _cheapest(links: Sequence[Core], source: str, goal: str) -> frozenset[Way] | None:
    least, found = None, set()
    for cost, path in _every(links, source, goal, (source,)):
        if least is None or cost < least:
            least, found = cost, set(path)
        elif cost == least:
            found |= set(path)
    return None if least is None else frozenset(found)


def _every(
    links: Sequence[Core], here: str, goal: str, seen: tuple[str, ...]
) -> Iterator[tuple[int, list[Way]]]:
    """Cost and ways of every path that meets no router twice."""
    if here == goal:
        yield 0, []
        return
    for name, a, z, metric, _bw, _down in links:
        head = z if a == here else a if z == here else None
        if head is not None and head not in seen:
            for cost, rest in _every(links, head, goal, (*seen, head)):
                yield cost + metric, [(name, head), *rest]


def faults(
    roads: Roads, asked: Sequence[Holding], *, before: Wish | None = None, beside: Sequence[Holding]
) -> list[Fault]:
    """Everything that is wrong if ``asked`` come beside the others, all together, at every instant that matters.

    ``before`` is what the asked held until now: where one asks for no more than that at an instant it asks for nothing.
    """
    world, found = roads.world, []
    seen = {at for each in asked for at in world.moments(each.wish, [] if before is None else [before])}
    for at in sorted(seen):
        new = [
            each
            for each in asked
            if each.wish.on(at)
            and each.wish.bps > (before.bps if before is not None and before.on(at) else 0)
        ]
        live = [each for each in beside if each.wish.on(at)] + [each for each in asked if each.wish.on(at)]
        for way in sorted(frozenset().union(*(each.ways for each in new))):
            short = sum(each.wish.bps for each in live if way in each.ways) - world.share(way[0], at)
            if short > 0:
                found.append(Fault("", way, at, short))
    if found or world.unprotected != "refuse":
        return found
    for at in sorted(seen):
        new_names = {
            each.name
            for each in asked
            if each.wish.on(at)
            and each.wish.bps > (before.bps if before is not None and before.on(at) else 0)
        }
        if new_names:
            live = [each for each in (*beside, *asked) if each.wish.on(at)]
            for failed in roads.failures():
                found += after(roads, failed, at, live, new_names)
    return found


def after(roads: Roads, failed: str, at: int, live: Iterable[Holding], names: set[str]) -> list[Fault]:
    """What is wrong for these with something out of use: cut off, or on a link that has too much since traffic came there."""
    found: list[Fault] = []
    total: dict[Way, int] = {}
    on: dict[Way, set[str]] = {}
    came: set[Way] = set()
    lost = {each.name for each in roads.world.cores if failed in (each.name, each.a, each.z)}
    for each in live:
        if failed in (each.wish.source, each.wish.goal):
            continue  # it ends there: nothing is left to carry
        now = frozenset(way for way in each.ways if not way[0].startswith("N-"))
        if any(name in lost for name, _ in now):
            other = roads.core(each.wish.source, each.wish.goal, failed)
            if other is None:
                if each.name in names:
                    found.append(Fault(failed, None, at, 0, frozenset({each.name})))
                continue
            came |= other - now
            now = other
        for way in now:
            total[way] = total.get(way, 0) + each.wish.bps
            on.setdefault(way, set()).add(each.name)
    for way in sorted(came):
        short = total[way] - roads.world.share(way[0], at)
        if short > 0 and on[way] & names:
            found.append(Fault(failed, way, at, short, frozenset(on[way])))
    return found
