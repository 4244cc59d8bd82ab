"""One line of stages: every state has one, and a request that goes its way goes down the line."""

from __future__ import annotations

import itertools

import pytest

from provisioning.pipeline.states import FINAL, REQUEST_TRANSITIONS, RequestState, Stage, stage_of

S = RequestState
FACTS = list(itertools.product([False, True], repeat=3))


def at(state: RequestState, pending: bool = False, due: bool = False, granted: bool = False) -> Stage:
    return stage_of(state, consent_pending=pending, due=due, granted=granted)


def test_every_stage_is_had_and_every_state_has_one():
    had = {at(state, *facts) for state in RequestState for facts in FACTS}
    assert had == set(Stage)


@pytest.mark.parametrize("state", list(RequestState))
def test_it_is_final_where_no_state_follows_or_nothing_was_granted(state):
    for facts in FACTS:
        _pending, _due, granted = facts
        over = not REQUEST_TRANSITIONS[state] or (state in (S.WITHDRAWN, S.EXPIRED) and not granted)
        assert (at(state, *facts) in FINAL) == over


def test_the_usual_way_is_down_the_line():
    line = list(Stage)
    way = [
        at(S.SUBMITTED, pending=True),
        at(S.SUBMITTED),
        at(S.HELD),
        at(S.ADMITTED, granted=True),
        at(S.ADMITTED, granted=True, due=True),
        at(S.ACTIVE, granted=True, due=True),
        at(S.EXPIRED, granted=True, due=True),
        at(S.COMPLETED, granted=True, due=True),
    ]
    assert way == line[: len(way)]


@pytest.mark.parametrize(("state", "end"), [(S.WITHDRAWN, Stage.WITHDRAWN), (S.EXPIRED, Stage.LAPSED)])
def test_what_was_never_granted_takes_nothing_off(state, end):
    assert at(state, due=True) == end
    assert at(state, granted=True) == Stage.REMOVING
