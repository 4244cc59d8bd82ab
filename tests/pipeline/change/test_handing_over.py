"""Capacity handed over from some reservations to others in one plan: who goes is off before who comes is on.

Whether both were let in for a moment is told by the soak's own reading of the lines, which shares nothing with the pipeline.
"""

from __future__ import annotations

from itertools import product

from hypothesis import example, given
from hypothesis import strategies as st

from provisioning.pipeline.diff import Owned
from tests.pipeline.change.test_plans import owned_after, plans_for
from tests.pipeline.practice import Oracle
from tests.pipeline.properties import OF_ROUTERS
from tests.pipeline.worlds import ACCESS, World, kinds
from tests.soak.service_journal import Replay

LINKS = ("ALPHA", "BETA", "GAMMA")
FLOWS = [(link, f"2001:db8:a{number}::/48") for link, number in product(LINKS, range(4))]
DESTINATION = "2001:db8:f::/48"
PORTS = {ACCESS[link][0]: link for link in LINKS}

flows = st.sets(st.sampled_from(FLOWS))


def holding(wanted: set[tuple[str, str]]) -> World:
    return World(
        cases=tuple((link, "filtered", False) for link in LINKS),
        reservations=tuple((link, source, DESTINATION, None, 1_000_000) for link, source in sorted(wanted)),
    )


@OF_ROUTERS
@given(kind=kinds, before=flows, after=flows)
@example(kind="12000", before={FLOWS[0], FLOWS[1]}, after={FLOWS[1], FLOWS[2], FLOWS[4]})  # within a list
@example(kind="12000", before={FLOWS[0]}, after={FLOWS[4]})  # from one interface to another
@example(kind="12000", before={FLOWS[0], FLOWS[4]}, after={FLOWS[5], FLOWS[4]})  # both
@example(kind="12000", before={FLOWS[0], FLOWS[1]}, after={FLOWS[2]})  # a list of which nothing stays
def test_who_goes_is_off_before_who_comes_is_on(kind, before, after):
    oracle, replay = Oracle(kind), Replay()
    # Which link has which objects is chosen once (`LinkObjectName`).
    names = dict(holding(set(FLOWS)).intent(kind).suffixes)
    first = plans_for(oracle.read(), holding(before).intent(kind, names), kind)
    assert let_in(replay, [line.text for plan in first for line in plan.commands])[-1:] in ([before], [])
    for plan in first:
        assert oracle.send(plan.commands) == []
    owned = owned_after(first) if first else Owned()
    (plan,) = plans_for(oracle.read(), holding(after).intent(kind, names), kind, owned)
    assert plan.conflicts == plan.violations == ()
    for now in let_in(replay, [line.text for line in plan.commands]):
        assert not (now & (before - after) and now & (after - before))


def let_in(replay: Replay, lines: list[str]) -> list[set[tuple[str, str]]]:
    """Who is let in after each of the lines."""
    found = []
    for line in lines:
        replay.take("noc", line)
        found.append(
            {(PORTS[port], source) for port, source, _ in replay.let_in() if port in PORTS and source}
        )
    return found
