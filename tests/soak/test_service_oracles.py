"""Every oracle of the soak can fail, and holds its tongue where nothing is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.soak.service_clients import Answer
from tests.soak.service_journal import Span, spans
from tests.soak.service_logs import unexplained
from tests.soak.service_oracles import (
    SENT,
    Charge,
    Claim,
    Told,
    accounted_for,
    answered,
    carried,
    claims_kept,
    over_a_share,
    plans_bounded,
)

FLOW = ("POS1/0", "2001:1000:1::/48", "2001:1001:1::/48")
KEPT = Told(
    pk=1,
    key="soak-0",
    state="COMPLETED",
    consent="given",
    router="r0",
    flow=FLOW,
    start=100.0,
    end=200.0,
    claims=[
        Claim(90, "ADMITTED"),
        Claim(110, "ACTIVE"),
        Claim(200, "EXPIRED"),
        Claim(215, "COMPLETED"),
    ],
    admitted=90.0,
    released=215.0,
)
ON = {"r0": {FLOW: [Span(105, 210)]}}


def kept(seen: object = None, **changes: object) -> list[str]:
    return claims_kept([replace(KEPT, **changes)], ON if seen is None else seen, 300.0)  # type: ignore[arg-type]


def test_a_promise_that_was_kept_is_no_fault() -> None:
    assert kept() == []


def test_active_without_its_lines_is_found() -> None:
    assert "ACTIVE" in kept({})[0]
    assert "not on r0 at 150.0" in kept({"r0": {FLOW: [Span(105, 150), Span(170, 210)]}})[0]
    assert "ACTIVE" in kept({"r0": {FLOW: [Span(112, 210)]}})[0]


def test_a_hand_edit_may_take_it_away_until_it_is_put_back() -> None:
    assert kept({"r0": {FLOW: [Span(105, 150, hand=True), Span(170, 210)]}}) == []


def test_completed_with_lines_still_there_is_found() -> None:
    assert "COMPLETED" in kept({"r0": {FLOW: [Span(105, None)]}})[0]
    assert "COMPLETED" in kept({"r0": {FLOW: [Span(105, 210), Span(220, 230)]}})[0]


def test_never_provided_that_was_on_is_found() -> None:
    never = [Claim(90, "ADMITTED"), Claim(200, "EXPIRED"), Claim(205, "NEVER_PROVIDED")]
    assert kept({}, claims=never) == []
    assert "NEVER_PROVIDED" in kept({"r0": {FLOW: [Span(105, 106)]}}, claims=never)[0]
    never[-1] = Claim(205, "NEVER_PROVIDED", f"it was withdrawn; {SENT}")
    assert kept({"r0": {FLOW: [Span(105, 106)]}}, claims=never) == []


def test_lines_before_the_start_or_without_admission_are_found() -> None:
    assert "starts at 100.0" in kept({"r0": {FLOW: [Span(95, 210)]}})[0]
    assert "was never admitted" in kept(admitted=None)[0]


def test_an_instant_over_a_share_is_found_and_windows_that_touch_are_not() -> None:
    one = Charge(1, "N0@r0:POS1/0", "in", "ef", 5, 0, 10)
    assert over_a_share([one, replace(one, begin=10, end=20)], lambda _link: 7) == []
    assert over_a_share([one, replace(one, link="other")], lambda _link: 7) == []
    assert "10 bit/s at 9.0" in over_a_share([one, replace(one, begin=9, end=None)], lambda _link: 7)[0]


def test_what_the_routers_carried_is_held_against_the_share_too() -> None:
    charges = [Charge(1, "l", "in", "ef", 5, 100, 200), Charge(2, "l", "in", "ef", 5, 200, 300)]
    other = replace(KEPT, pk=2, flow=("POS1/0", "a", "b"))
    seen = {"r0": {FLOW: [Span(105, 210)], ("POS1/0", "a", "b"): [Span(205, 300)]}}
    assert over_a_share(charges, lambda _link: 7) == []
    assert "10 bit/s at 205.0" in over_a_share(carried([KEPT, other], seen, charges), lambda _link: 7)[0]


ANSWER = Answer("submit", "soak-0-submit", 201, 10.0, 11.0, request=1, state="SUBMITTED")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (replace(ANSWER, status=500), "500"),
        (replace(ANSWER, status=502), "502"),
        (replace(ANSWER, op="consent", status=503), "without Retry-After"),
        (replace(ANSWER, status=429), "429"),
        (replace(ANSWER, request=7), "in no row"),
        (replace(ANSWER, op="look", key="", status=404), "404"),
        (replace(ANSWER, op="page", key="", status=403, detail="/queue/"), "403 /queue/"),
        (replace(ANSWER, op="look", key="", status=200, state="ACTIVE"), "never was that"),
        (replace(ANSWER, op="withdraw", key="w", status=200), "told it was withdrawn"),
        (replace(ANSWER, op="consent", key="lost", status=0), "never answered"),
    ],
)
def test_a_wrong_answer_is_found(answer: Answer, said: str) -> None:
    assert answered([ANSWER], {1: KEPT}) == []
    found = answered([ANSWER, answer], {1: KEPT})
    assert any(said in each for each in found), found


def test_one_deed_done_twice_is_found() -> None:
    twice = {1: KEPT, 2: replace(KEPT, pk=2), 3: replace(KEPT, pk=3)}
    assert "3 rows of one deed" in answered([ANSWER], twice)[0]
    found = answered([ANSWER, replace(ANSWER, request=2)], twice)
    assert any("told 1 first and then 2" in each for each in found)
    assert "that nobody asked for" in answered([], {1: KEPT})[0]


def test_consent_that_was_told_and_is_not_there_is_found() -> None:
    told = replace(ANSWER, op="consent", key="c", status=200)
    assert "consent" in answered([ANSWER, told], {1: replace(KEPT, consent="pending")})[0]


def test_a_request_that_stands_still_and_says_nothing_is_found() -> None:
    assert accounted_for([KEPT, replace(KEPT, state="ADMITTED", waits_for="r0: edited by hand")]) == []
    assert "nothing says" in accounted_for([replace(KEPT, state="ADMITTED")])[0]
    assert "nothing says" in accounted_for([replace(KEPT, state="EXPIRED")])[0]
    assert accounted_for([replace(KEPT, state="EXPIRED", admitted=None)]) == []
    assert "charged still" in accounted_for([replace(KEPT, released=None)])[0]


def test_plans_beyond_the_bound_are_found() -> None:
    assert plans_bounded({"r0": 4}, {"r0": 2}) == []
    assert "5 plans" in plans_bounded({"r0": 5}, {"r0": 2})[0]


def log(*lines: str, user: str = "noc", begin: float = 0.0) -> list[dict[str, object]]:
    return [{"at": begin + at, "user": user, "line": line, "reply": ""} for at, line in enumerate(lines)]


FILTERED = (
    "ipv6 access-list nren-auth-ef",
    f"sequence 10 permit ipv6 {FLOW[1]} {FLOW[2]}",
    "class-map match-all EF-FILTERED",
    "match access-group name nren-auth-ef",
    "policy-map FILTERED-IN",
    "class EF-FILTERED",
    "end",
    "interface POS1/0",
    "service-policy input FILTERED-IN",
)


@pytest.mark.parametrize(
    "undone",
    [
        ("interface POS1/0", "no service-policy input FILTERED-IN"),
        ("interface POS1/0", "service-policy input NON-PARTICIPANT"),
        ("ipv6 access-list nren-auth-ef", "no sequence 10"),
        ("ipv6 access-list nren-auth-ef", f"no permit ipv6 {FLOW[1].upper()} {FLOW[2]}"),
        ("end", "no ipv6 access-list nren-auth-ef"),
        ("class-map match-all EF-FILTERED", "no match access-group name nren-auth-ef"),
        ("policy-map FILTERED-IN", "no class EF-FILTERED"),
        ("end", "no policy-map FILTERED-IN"),
    ],
)
def test_the_journal_says_from_when_to_when_a_flow_was_let_in(undone: tuple[str, str]) -> None:
    assert spans(log(*FILTERED)) == {FLOW: [Span(8.0, None)]}
    assert spans(log(*FILTERED) + log(*undone, begin=20)) == {FLOW: [Span(8.0, 21.0)]}
    by_hand = log(*FILTERED) + log(*undone, user="console", begin=20)
    assert spans(by_hand) == {FLOW: [Span(8.0, 21.0, hand=True)]}


def test_a_line_the_router_refused_lets_nothing_in() -> None:
    entries = log(*FILTERED)
    entries[1]["reply"] = "% Invalid input detected at '^' marker."
    assert spans(entries) == {}


def test_a_trusted_policy_lets_in_by_the_mark_alone() -> None:
    lines = ("class-map match-all EF", "match dscp 46", "policy-map TRUSTED-IN", "class EF", "end")
    entries = log(*lines, "interface POS1/0", "service-policy input TRUSTED-IN")
    assert spans(entries) == {("POS1/0", "", ""): [Span(6.0, None)]}


def test_a_traceback_of_our_own_is_found_and_one_of_a_database_that_was_away_is_not() -> None:
    away = "Traceback (most recent call last):\n  File x\npsycopg.OperationalError: the connection is lost\n"
    chained = away + "\nThe above exception was the direct cause of the following exception:\n\n"
    ours = "Traceback (most recent call last):\n  File x\nKeyError: 'state'\n"
    assert unexplained(away) == []
    assert unexplained(chained + ours) == ["KeyError: 'state'"]
