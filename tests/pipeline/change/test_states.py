"""The tables of states: closed, ended where nothing follows, and a Change derived from its routers."""

from __future__ import annotations

import itertools

import pytest

from provisioning.pipeline.states import (
    PUSH_TRANSITIONS,
    REQUEST_TRANSITIONS,
    ChangeState,
    PushState,
    RequestState,
    change_state,
)


def test_every_request_state_has_a_row_and_leads_only_to_states():
    assert set(REQUEST_TRANSITIONS) == set(RequestState)
    assert all(following <= set(RequestState) for following in REQUEST_TRANSITIONS.values())


def test_every_push_state_has_a_row_and_leads_only_to_states():
    assert set(PUSH_TRANSITIONS) == set(PushState)
    assert all(following <= set(PushState) for following in PUSH_TRANSITIONS.values())


def test_no_state_follows_itself():
    for table in (REQUEST_TRANSITIONS, PUSH_TRANSITIONS):
        for state, following in table.items():
            assert state not in following


def test_active_is_reached_from_admitted_only():
    before = {state for state, following in REQUEST_TRANSITIONS.items() if RequestState.ACTIVE in following}
    assert before == {RequestState.ADMITTED}


def test_completed_is_reached_only_by_what_was_taken_off():
    before = {
        state for state, following in REQUEST_TRANSITIONS.items() if RequestState.COMPLETED in following
    }
    assert before == {RequestState.WITHDRAWN, RequestState.EXPIRED}


def test_nothing_is_sent_without_approval():
    assert PushState.PUSHING not in PUSH_TRANSITIONS[PushState.PLANNED]


@pytest.mark.parametrize("state", list(PushState))
def test_routers_that_agree_are_the_change(state):
    assert change_state([state, state]) == ChangeState(state.value)


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        (["VERIFIED", "FAILED"], "PARTIAL"),
        (["VERIFIED", "STALE", "APPROVED"], "PARTIAL"),
        (["PUSHED", "VERIFIED"], "PUSHED"),
        (["VERIFIED", "APPROVED"], "PUSHING"),
        (["VERIFIED", "PUSHING", "FAILED"], "PUSHING"),
        (["VERIFIED", "UNKNOWN", "FAILED"], "UNKNOWN"),
        (["APPROVED", "FAILED"], "FAILED"),
        (["PLANNED", "STALE"], "STALE"),
        (["PLANNED", "APPROVED"], "PLANNED"),
        (["APPROVED", "CANCELLED"], "APPROVED"),
        (["ROLLED_BACK", "CANCELLED"], "ROLLED_BACK"),
        ([], "VERIFIED"),
    ],
)
def test_a_change_says_the_most_alarming_truth(states, expected):
    assert change_state(states) == ChangeState(expected)


def test_the_order_of_routers_never_matters():
    for states in itertools.combinations(PushState, 3):
        assert len({change_state(order) for order in itertools.permutations(states)}) == 1
