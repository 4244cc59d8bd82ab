"""A plan that is cut off anywhere: the way back and the way on, on practice routers."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.diff import Owned
from tests.pipeline.change.test_plans import owned_after, plans_for
from tests.pipeline.diff.test_properties import ONE_SOURCE, TWO_SOURCES, alike, established
from tests.pipeline.properties import OF_ROUTERS
from tests.pipeline.worlds import kinds, worlds


@OF_ROUTERS
@given(kind=kinds, before=worlds(), after=worlds(), share=st.integers(0, 99))
@example(kind="ios-xe", before=TWO_SOURCES, after=ONE_SOURCE, share=99)
def test_a_plan_cut_anywhere_can_be_undone_and_can_be_finished(kind, before, after, share):
    """From `share` percent of every plan: its undo reaches the start, a plan made anew reaches the goal."""
    oracle, _, _, owned = established(kind, before)
    wanted = after.intent(kind)
    plans = plans_for(oracle.read(), wanted, kind, owned)
    unfinished = share % len(plans)
    rows = dict(owned.objects)
    for number, plan in enumerate(plans):
        assert plan.conflicts == ()
        assert plan.violations == ()
        assert ChangePlan.from_json(json.loads(json.dumps(plan.to_json()))) == plan
        start = oracle.read()
        cut = len(plan.commands) * share // 100
        assert oracle.send(plan.commands[:cut]) == []
        assert cut in plan.standing_at(oracle.read())
        every_swap_on_the_way_back_is_named(plan, cut)
        assert oracle.send(plan.undo[cut]) == []
        assert alike(oracle.read()) == alike(start)
        if number == unfinished:
            finished_from(oracle, kind, Owned(rows), plan, cut, wanted)
            return
        assert oracle.send(plan.commands) == []
        # A phase is verified before the next begins, and its rows are written then.
        rows |= owned_after((plan,)).objects
        for released in plan.released:
            rows.pop(tuple(released.split(" ", 1)), None)


def every_swap_on_the_way_back_is_named(plan, cut):
    named = {f"service-policy {gap.direction} {gap.new}" for gap in plan.gaps_back}
    assert {line.text for line in plan.undo[cut] if line.joined} <= named


def finished_from(oracle, kind, owned, plan, cut, wanted):
    """What the cut plan left is known as ours, and a plan made anew from there ends at the goal."""
    assert oracle.send(plan.commands[:cut]) == []
    left = {tuple(key.split(" ", 1)): frozenset(digests) for key, digests in plan.in_flight.items()}
    again = plans_for(oracle.read(), wanted, kind, Owned(owned.objects, left))
    for made in again:
        assert made.conflicts == ()
        assert made.violations == ()
        assert oracle.send(made.commands) == []
    (end,) = plans_for(oracle.read(), wanted, kind, owned_after(again))
    assert end.empty
    assert end.conflicts == ()
