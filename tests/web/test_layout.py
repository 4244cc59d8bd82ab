"""Where the nodes of a map stand: the same every time, none on another, near what they are linked to."""

from __future__ import annotations

import math
import time
from itertools import combinations, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from provisioning.web.layout import NODE, _placed, frame_for, near, placed

NAMES = [f"r{number:02}" for number in range(40)]
GRAPHS = st.integers(1, 40).flatmap(
    lambda count: st.tuples(
        st.just(NAMES[:count]),
        st.lists(st.tuples(st.sampled_from(NAMES[:count]), st.sampled_from(NAMES[:count])), max_size=80),
    )
)


@settings(max_examples=60, deadline=None)
@given(GRAPHS)
def test_no_node_is_on_another_and_all_are_in_the_frame(
    graph: tuple[list[str], list[tuple[str, str]]],
) -> None:
    nodes, edges = graph
    found = placed(nodes, edges)
    frame = frame_for(len(nodes))
    assert set(found) == set(nodes)
    for x, y in found.values():
        assert (
            NODE[0] / 2 <= x <= frame.width - NODE[0] / 2 and NODE[1] / 2 <= y <= frame.height - NODE[1] / 2
        )
    for (ax, ay), (bx, by) in combinations(found.values(), 2):
        assert abs(ax - bx) >= NODE[0] or abs(ay - by) >= NODE[1]


@settings(max_examples=30, deadline=None)
@given(GRAPHS, st.randoms(use_true_random=False))
def test_the_order_in_which_it_is_told_changes_nothing(graph, random) -> None:  # type: ignore[no-untyped-def]
    nodes, edges = graph
    first = placed(nodes, edges)
    _placed.cache_clear()
    nodes, edges = list(nodes), [tuple(reversed(edge)) if random.random() < 0.5 else edge for edge in edges]
    random.shuffle(nodes)
    random.shuffle(edges)
    assert placed(nodes, edges) == first


def test_what_is_linked_stands_nearer_than_what_is_not() -> None:
    ring = list(pairwise([*NAMES[:12], NAMES[0]]))
    found = placed(NAMES[:12], ring)
    linked = [math.dist(found[a], found[b]) for a, b in ring]
    across = [math.dist(found[NAMES[n]], found[NAMES[n + 6]]) for n in range(6)]
    assert max(linked) < min(across)


def test_who_is_near_is_bounded_and_by_links() -> None:
    ring = {NAMES[n]: {NAMES[n - 1], NAMES[(n + 1) % 40]} for n in range(40)}
    assert near(ring, "r00", 5) == ("r00", "r01", "r39", "r02", "r38")
    assert near(ring, "r00", 100)[0] == "r00" and len(near(ring, "r00", 100)) == 40
    assert near(ring, "alone", 5) == ("alone",)


def test_forty_nodes_are_placed_in_a_moment() -> None:
    mesh = [(NAMES[a], NAMES[(a * 7 + b) % 40]) for a in range(40) for b in (1, 3, 11)]
    _placed.cache_clear()
    began = time.process_time()
    placed(NAMES, mesh)
    assert time.process_time() - began < 2, (
        "much longer than it takes: something is reckoned for each pair of pairs"
    )
