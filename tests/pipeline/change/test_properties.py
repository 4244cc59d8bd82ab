"""A plan that is cut off anywhere: the way back and the way on, on practice routers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from provisioning.pipeline.diff import Owned
from tests.pipeline.change.test_plans import owned_after, plans_for
from tests.pipeline.practice import Oracle
from tests.pipeline.properties import PROPERTY
from tests.pipeline.worlds import FOREIGN, kinds, worlds


@PROPERTY
@given(kind=kinds, before=worlds(), after=worlds(), share=st.integers(0, 99))
def test_a_plan_cut_anywhere_can_be_undone_and_can_be_finished(kind, before, after, share):
    """From `share` percent of every plan: its undo reaches the start, a plan made anew reaches the goal."""
    oracle = Oracle(kind, FOREIGN)
    owned, wanted = Owned(), after.intent(kind)
    for intended in (before.intent(kind), wanted):
        plans = plans_for(oracle.read(), intended, kind, owned)
        last = len(plans) - 1 if share % 2 else 0
        for number, plan in enumerate(plans):
            assert plan.conflicts == ()
            assert plan.violations == ()
            cut = len(plan.commands) * share // 100
            if intended is wanted:
                start = oracle.read()
                assert oracle.send(plan.commands[:cut]) == []
                assert cut in plan.standing_at(oracle.read())
                assert oracle.send(plan.undo[cut]) == []
                assert oracle.read() == start
                if number == last:
                    finished_from(oracle, kind, owned, plan, cut, wanted)
                    return
            assert oracle.send(plan.commands) == []
        owned = owned_after(plans)


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
