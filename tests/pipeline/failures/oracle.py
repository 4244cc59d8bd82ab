"""Who is unprotected, by trying every failure at every instant. Plain lists and numbers; nothing of the pipeline is used.

A network is routers and links (name, router, router, metric, share in bit/s, the same both ways); a request goes from a router
to a router, or to anywhere ("*"), or to any of the routers with a border ("@"), at a rate from an hour on to an hour. It may
have been granted more for some of that time (``more``), and may still be charged on a path that it leaves (``old``). A link is
five times its share; what it carries and what may be taken of it can change from an hour on, or from one to another.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple


class Link(NamedTuple):
    name: str
    a: str
    z: str
    metric: int
    share: int


class Request(NamedTuple):
    name: str
    source: str
    goal: str
    rate: int
    start: int
    end: int
    more: tuple[tuple[int, int, int], ...] = ()
    old: frozenset[tuple[str, str]] = frozenset()

    def rate_at(self, instant: int) -> int:
        """All that it holds at an instant: the rate, and each of (rate, from, to) on top."""
        spans = ((self.rate, self.start, self.end), *self.more)
        return sum(rate for rate, start, end in spans if start <= instant < end)


class Plan(NamedTuple):
    """From ``start`` on (to ``end``) ``link`` carries ``value`` bit/s; "": of every link ``value`` per cent may be taken."""

    link: str
    value: int
    start: int
    end: int | None


def share_at(link: Link, plans: list[Plan], instant: int) -> int:
    """What may be taken of a link: of what lasts on the newest holds, of what ends again the least."""

    def now(name: str, usual: int) -> list[int]:
        on = [each for each in plans if each.link == name and each.start <= instant]
        lasting = sorted((each.start, each.value) for each in on if each.end is None)
        return [lasting[-1][1] if lasting else usual] + [
            each.value for each in on if each.end is not None and instant < each.end
        ]

    return min([5 * link.share, *now(link.name, 5 * link.share)]) * min(now("", 20)) // 100


Way = tuple[str, str]
"""(link, the router it leads to)."""


def every_path(
    links: list[Link], here: str, goal: str, seen: frozenset[str] = frozenset()
) -> Iterator[tuple[int, list[Way]]]:
    """Cost and ways of every path that meets no router twice."""
    if here == goal:
        yield 0, []
        return
    for link in links:
        for tail, head in ((link.a, link.z), (link.z, link.a)):
            if tail == here and head not in seen and head != here:
                for cost, rest in every_path(links, head, goal, seen | {here}):
                    yield cost + link.metric, [(link.name, head), *rest]


def ways(links: list[Link], source: str, goal: str) -> frozenset[Way] | None:
    """All ways on any cheapest path; None when there is no path."""
    return _ways(tuple(links), source, goal)


@lru_cache(maxsize=2000)
def _ways(links: tuple[Link, ...], source: str, goal: str) -> frozenset[Way] | None:
    found = list(every_path(list(links), source, goal))
    if not found:
        return None
    least = min(cost for cost, _ in found)
    return frozenset(way for cost, path in found if cost == least for way in path)


def reached(routers: list[str], links: list[Link], source: str) -> list[str]:
    """Every router that can be reached from ``source``, itself too."""
    return [router for router in routers if ways(links, source, router) is not None]


def loads(links: list[Link], request: Request, inside: list[str], borders: list[str]) -> set[Way] | None:
    """What a request loads; None when it is cut off: from its goal, from one of ``inside`` that it is promised to, or from
    all of the ``borders``.
    """
    if request.goal == "@":
        each = [found for border in borders if (found := ways(links, request.source, border)) is not None]
        return set().union(*each) if each else None
    goals = inside if request.goal == "*" else [request.goal]
    found = [ways(links, request.source, goal) for goal in goals]
    return None if None in found else set().union(*(one for one in found if one is not None))


class Verdict(NamedTuple):
    """At one instant after one failure: who is cut off, by (link, towards) the load and everybody who is on it where that is too
    much, and the load everywhere.
    """

    cut: set[str]
    over: dict[Way, tuple[int, set[str]]]
    total: dict[Way, int]


def after(
    routers: list[str],
    links: list[Link],
    borders: list[str],
    requests: list[Request],
    failed: str,
    instant: int,
    plans: list[Plan] | None = None,
) -> Verdict:
    """What is wrong at ``instant`` with the link or router ``failed`` out of use, where traffic came because of it."""
    inside = {request: reached(routers, links, request.source) for request in requests}
    held = {
        request: (loads(links, request, inside[request], borders) or set()) | request.old
        for request in requests
    }
    left = [link for link in links if failed not in (link.name, link.a, link.z)]
    whole = {link.name: link for link in links}
    cut: set[str] = set()
    total: dict[Way, int] = {}
    names: dict[Way, set[str]] = {}
    came: set[Way] = set()
    for request, own in held.items():
        rate = request.rate_at(instant)
        if not rate or failed in (request.source, request.goal):
            continue
        hit = any(name == failed or failed in (whole[name].a, whole[name].z) for name, _ in own)
        now: set[Way] = own
        if hit:
            standing = [router for router in inside[request] if router != failed]
            other = loads(left, request, standing, [border for border in borders if border != failed])
            if other is None:
                cut.add(request.name)
                continue
            now = other
            came |= now - own
        for way in now:
            total[way] = total.get(way, 0) + rate
            names.setdefault(way, set()).add(request.name)
    over = {
        way: (total[way], names[way])
        for way in came
        if total[way] > share_at(whole[way[0]], plans or [], instant)
    }
    return Verdict(cut, over, total)
