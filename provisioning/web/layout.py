"""Where the nodes of a map stand: their distances on paper as near as can be to the number of links between them.

The same network is drawn the same way every time, by every process: nothing here is left to chance.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

Point = tuple[float, float]
Edge = tuple[str, str]

NODE = (112.0, 40.0)
"""How wide and how high a node is, in units of the drawing."""
GAP = (70.0, 46.0)
"""What stays free beside and above each, for the numbers of the links."""
_ROUNDS = 40
_PUSHES = 150
_CELL = (NODE[0] + GAP[0], NODE[1] + GAP[1])


@dataclass(frozen=True)
class Frame:
    """The size of a drawing, in units of it."""

    width: float
    height: float


def frame_for(count: int) -> Frame:
    """Return a frame in which so many nodes stand well apart: about three times the room that they need themselves."""
    height = max(400.0, math.sqrt(max(count, 1) * 3 * _CELL[0] * _CELL[1] / 1.75))
    return Frame(round(1.75 * height), round(height))


def near(links: Mapping[str, Collection[str]], start: str, most: int) -> tuple[str, ...]:
    """Return `start` and those nearest to it by number of links, at most so many; of equally near ones the first by name."""
    seen, found, waiting = {start}, [start], deque([start])
    while waiting and len(found) < most:
        for name in sorted(links.get(waiting.popleft(), ())):
            if name not in seen and len(found) < most:
                seen.add(name)
                found.append(name)
                waiting.append(name)
    return tuple(found)


def placed(nodes: Iterable[str], edges: Iterable[Edge], frame: Frame | None = None) -> dict[str, Point]:
    """Return the middle of each node in a frame, by name; no two of them overlap where the frame has room for all.

    Edges to what is no node count for nothing.
    """
    names = tuple(sorted(set(nodes)))
    known = set(names)
    pairs = tuple(sorted({(min(e), max(e)) for e in edges if e[0] != e[1] and known.issuperset(e)}))
    return dict(zip(names, _placed(names, pairs, frame or frame_for(len(names))), strict=True))


@lru_cache(maxsize=64)
def _placed(names: tuple[str, ...], edges: tuple[Edge, ...], frame: Frame) -> tuple[Point, ...]:
    if len(names) < 2:
        return tuple((frame.width / 2, frame.height / 2) for _ in names)
    number = {name: place for place, name in enumerate(names)}
    points = _stretched(_distances(len(names), [(number[a], number[b]) for a, b in edges]), len(names))
    points = _into(frame, _level(points))
    _push_apart(points, frame)
    return tuple((round(x, 1), round(y, 1)) for x, y in _on_a_grid_unless_apart(points, frame))


def _distances(count: int, edges: Sequence[tuple[int, int]]) -> list[tuple[int, int, float]]:
    """The number of links between every two; what is not connected stands a little farther apart than the most that is."""
    beside: list[list[int]] = [[] for _ in range(count)]
    for a, b in edges:
        beside[a].append(b)
        beside[b].append(a)
    rows = [_hops(start, beside) for start in range(count)]
    farthest = max((hops for row in rows for hops in row.values()), default=0)
    return [(a, b, float(rows[a].get(b, farthest + 1))) for a, b in combinations(range(count), 2)]


def _hops(start: int, beside: Sequence[Sequence[int]]) -> dict[int, int]:
    found, waiting = {start: 0}, deque([start])
    while waiting:
        at = waiting.popleft()
        for far in beside[at]:
            if far not in found:
                found[far] = found[at] + 1
                waiting.append(far)
    return found


def _stretched(terms: list[tuple[int, int, float]], count: int) -> list[list[float]]:
    """Points from a circle, moved pair by pair towards their distances, by less and less.

    Zheng, Pawar, Goodman, Graph Drawing by Stochastic Gradient Descent (IEEE TVCG 25(9), 2019), section 2; here the order of the
    pairs is one that looks like chance and is always the same.
    """
    points = [
        [math.cos(2 * math.pi * place / count) * count / 6, math.sin(2 * math.pi * place / count) * count / 6]
        for place in range(count)
    ]
    longest = max(distance for _, _, distance in terms)
    first, last = longest**2, 0.1
    decay = math.log(first / last) / max(1, _ROUNDS - 1)
    order = sorted(terms, key=lambda term: (term[0] * 7919 + term[1] * 104729) % 10007)
    for step in range(_ROUNDS):
        rate = first * math.exp(-decay * step)
        for a, b, wanted in order if step % 2 else reversed(order):
            move = min(1.0, rate / wanted**2)
            dx, dy = points[a][0] - points[b][0], points[a][1] - points[b][1]
            length = math.hypot(dx, dy)
            if length < 1e-9:
                dx, dy, length = 1e-3, 1e-3 * (1 + a), math.hypot(1e-3, 1e-3 * (1 + a))
            share = move * (length - wanted) / 2 / length
            points[a][0] -= share * dx
            points[a][1] -= share * dy
            points[b][0] += share * dx
            points[b][1] += share * dy
    return points


def _level(points: list[list[float]]) -> list[list[float]]:
    """Turned so that they are spread most from left to right: the frame is wider than it is high."""
    mean_x, mean_y = (sum(each[axis] for each in points) / len(points) for axis in (0, 1))
    xx = sum((x - mean_x) ** 2 for x, _ in points)
    yy = sum((y - mean_y) ** 2 for _, y in points)
    xy = sum((x - mean_x) * (y - mean_y) for x, y in points)
    angle = -math.atan2(2 * xy, xx - yy) / 2
    cos, sin = math.cos(angle), math.sin(angle)
    return [[x * cos - y * sin, x * sin + y * cos] for x, y in points]


def _into(frame: Frame, points: list[list[float]]) -> list[list[float]]:
    """Spread over the frame, as far as nodes may stand from its edge."""
    sizes = (frame.width, frame.height)
    found = [[0.0, 0.0] for _ in points]
    for axis in (0, 1):
        low, high = min(each[axis] for each in points), max(each[axis] for each in points)
        edge = NODE[axis] / 2 + 4
        room = sizes[axis] - 2 * edge
        for each, old in zip(found, points, strict=True):
            part = (old[axis] - low) / (high - low) if high - low > 1e-6 else 0.5
            each[axis] = edge + part * room
    return found


def _push_apart(points: list[list[float]], frame: Frame) -> None:
    sizes = (frame.width, frame.height)
    for _ in range(_PUSHES):
        moved = False
        for a, b in combinations(points, 2):
            lacking = [_CELL[axis] - abs(a[axis] - b[axis]) for axis in (0, 1)]
            if min(lacking) <= 0.01:
                continue
            moved = True
            axis = 0 if lacking[0] / _CELL[0] < lacking[1] / _CELL[1] else 1
            first, second = (a, b) if a[axis] <= b[axis] else (b, a)
            first[axis] -= lacking[axis] / 2
            second[axis] += lacking[axis] / 2
            for each in (first, second):
                edge = NODE[axis] / 2 + 4
                each[axis] = min(max(each[axis], edge), sizes[axis] - edge)
        if not moved:
            return


def _on_a_grid_unless_apart(points: list[list[float]], frame: Frame) -> list[list[float]]:
    """As they are where no two overlap; else each in the nearest cell that is free, from left to right."""
    if not any(abs(a[0] - b[0]) < NODE[0] and abs(a[1] - b[1]) < NODE[1] for a, b in combinations(points, 2)):
        return points
    columns, rows = max(1, int(frame.width // (NODE[0] + 8))), max(1, int(frame.height // (NODE[1] + 8)))
    wide, high = frame.width / columns, frame.height / rows
    free = {(column, row) for column in range(columns) for row in range(rows)}
    found: list[list[float]] = [list(point) for point in points]
    for place in sorted(range(len(points)), key=lambda place: (*points[place], place)):
        if free:
            x, y = points[place]
            cell = min(free, key=lambda c: ((c[0] + 0.5) * wide - x) ** 2 + ((c[1] + 0.5) * high - y) ** 2)
            free.remove(cell)
            found[place] = [(cell[0] + 0.5) * wide, (cell[1] + 0.5) * high]
    return found
