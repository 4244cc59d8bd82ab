"""The table of ends: whole, in plain words, and the same as the page for the night."""

from __future__ import annotations

import pytest

from provisioning.pipeline.ends import DEEDS, ENDS, PARTIAL, Verb, end_of
from provisioning.pipeline.states import PUSH_TRANSITIONS, PushState
from tests.ends_page import ORDER, PAGE, rendered

UNDER_WAY = {PushState.PLANNED, PushState.APPROVED, PushState.PUSHING, PushState.PUSHED}


def test_every_state_that_is_an_end_has_a_row_for_any_code_and_no_other_has() -> None:
    assert {end.state for end in ENDS} == set(PushState) - UNDER_WAY == set(ORDER)
    for state in PushState:
        found = end_of(state, "a code that nobody has thought of")
        assert (found is None) is (state in UNDER_WAY)
    assert len({(end.state, end.code) for end in ENDS}) == len(ENDS)


def test_where_nothing_is_to_be_done_nothing_is_offered_and_everywhere_else_one_step_is_the_next() -> None:
    for end in (*ENDS, PARTIAL):
        assert (end.verb is None) is (end.do == "Nothing."), end
        assert end.verb is not None or not end.also, end
        assert len(set(end.verbs)) == len(end.verbs), end
        for text in (end.means, end.do, end.meanwhile):
            assert not text or text.endswith("."), text


def test_every_step_is_offered_somewhere_and_says_what_it_does() -> None:
    assert {verb for end in (*ENDS, PARTIAL) for verb in end.verbs} == set(Verb) == set(DEEDS)


@pytest.mark.parametrize(
    ("saved", "code", "verb"),
    [
        (True, "", None),
        (None, "", None),
        (False, "save-refused", Verb.SAVE),
        (False, "kept-back", Verb.SAVE),
        (False, "", Verb.SAVE),
        (True, "save-refused", None),
    ],
)
def test_what_is_verified_needs_a_step_only_where_it_is_not_saved(
    saved: bool | None, code: str, verb: Verb | None
) -> None:
    found = end_of(PushState.VERIFIED, code, saved=saved)
    assert found is not None and found.verb is verb


def test_a_router_that_was_not_read_for_the_plan_holds_no_line_of_it() -> None:
    found = end_of(PushState.UNKNOWN, "unreachable", read=False)
    assert found is not None and found.code == "not-read" and found.verb is Verb.RETRY


def test_an_end_can_be_reached() -> None:
    reached = {state for following in PUSH_TRANSITIONS.values() for state in following}
    assert {end.state for end in ENDS} <= reached


def test_the_page_for_the_night_says_what_the_table_says() -> None:
    """`python -m tests.ends_page` writes it."""
    page = PAGE.read_text()
    assert rendered(page) == page
    for state in ORDER:
        assert f"<!-- {state} -->" in page
    for end in ENDS:
        assert f"| {end.means} |" in page
