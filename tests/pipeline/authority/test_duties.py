"""Whose word counts: held against a plain count of people over every small case."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from provisioning.pipeline.authority import Behind, Parts, Why, missing, objections_to_approving

ANNA, BEN, CLARA, JANE = 1, 2, 3, 4


def word(*people: int) -> frozenset[int]:
    return frozenset(people)


def asked(
    name: str, *people: int, issued: tuple[int, ...] = (), members: dict[int, str] | None = None
) -> Behind:
    return Behind(name, frozenset(people), frozenset(issued), members or {})


def test_lines_that_no_request_asked_for_need_two_and_the_planner_is_one() -> None:
    alone = Parts(base_lines=True)
    assert missing(alone, []) and missing(alone, [word(ANNA)])
    assert missing(alone, [word(ANNA), word(BEN)]) == ()
    planned = Parts(base_lines=True, planners=word(ANNA))
    assert missing(planned, [word(ANNA)]) and missing(planned, [word(BEN)]) == ()


def test_two_words_that_share_a_person_are_one() -> None:
    parts = Parts(base_lines=True)
    assert missing(parts, [word(ANNA), word(BEN, ANNA)])
    assert missing(parts, [word(BEN, ANNA), word(CLARA, ANNA)])
    assert missing(parts, [word(BEN, ANNA), word(CLARA)]) == ()


def test_who_stands_behind_a_request_is_not_one_of_two() -> None:
    parts = Parts((asked("PIP-1", JANE, members={ANNA: "JANET"}),), base_lines=True)
    assert missing(parts, [word(ANNA), word(BEN)])
    assert missing(parts, [word(CLARA), word(BEN)]) == ()


def test_words_given_ahead_count_each_for_what_it_was_given() -> None:
    """A approved B's lines ahead and B approved A's: a plan of both has the word of somebody else on each."""
    parts = Parts((asked("PIP-1", ANNA), asked("PIP-2", BEN)))
    assert missing(parts, [word(ANNA)]) and missing(parts, [word(BEN)])
    assert missing(parts, [word(ANNA), word(BEN)]) == ()


@pytest.mark.parametrize(
    ("behind", "why", "said"),
    [
        (asked("PIP-1", ANNA), Why.SUBMITTED, "PIP-1 was submitted by you"),
        (asked("PIP-1", JANE, issued=(ANNA,)), Why.TOKEN, "with a token that you issued"),
        (asked("PIP-1", JANE, members={ANNA: "JANET"}), Why.MEMBER, "concerns JANET, to which you belong"),
    ],
)
def test_the_objection_says_which_tie_it_is(behind: Behind, why: Why, said: str) -> None:
    (found,) = objections_to_approving(Parts((behind,)), word(ANNA), [], "CHG-1")
    assert (found.why, found.why.can_be_overridden) == (why, True)
    assert said in found.text and "you" not in found.told
    assert objections_to_approving(Parts((behind,)), word(BEN), [], "CHG-1") == ()


def test_a_role_and_a_second_word_of_ones_own_are_never_overridden() -> None:
    assert not any(why.can_be_overridden for why in (Why.ROLE, Why.NAMELESS, Why.GIVEN))


def test_against_a_plain_count() -> None:
    """Every plan of up to two requests, every planner, every set of words of three people: enough exactly when a count by the
    rule in words says so.
    """
    people = (ANNA, BEN, CLARA)
    behind = [frozenset(some) for size in range(3) for some in combinations(people, size)]
    cases = 0
    for requests in [*product(behind, repeat=1), *product(behind, repeat=2), ()]:
        for planner, base, two in product((None, ANNA), (False, True), (False, True)):
            for size in range(4):
                for words in combinations(people, size):
                    parts = Parts(
                        tuple(asked(f"PIP-{n}", *some) for n, some in enumerate(requests)),
                        frozenset() if planner is None else frozenset({planner}),
                        base,
                        two,
                    )
                    counted = {each for each in words if each != planner}
                    needed = 2 if (base or two) and planner is None else 1
                    enough = all(counted - some for some in requests) and bool(counted)
                    if base:
                        clear = {each for each in counted if not any(each in some for some in requests)}
                        enough = enough and len(clear) >= needed
                    else:
                        enough = enough and all(len(counted - some) >= needed for some in requests or [set()])
                    assert (missing(parts, [word(each) for each in words]) == ()) is enough, (parts, words)
                    cases += 1
    assert cases > 3000
