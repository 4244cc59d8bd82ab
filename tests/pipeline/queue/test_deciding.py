"""The rule of a router's queue, case by case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from provisioning.pipeline.queue import (
    LOOKED_AT_AFTER,
    MOST_TOGETHER,
    Member,
    QueuedPlan,
    Standing,
    Work,
    decide,
)
from provisioning.pipeline.queue.deciding import DIVIDED, GONE, REPLACED, MustWait

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
LEAD = timedelta(minutes=15)


def work(request: int, minutes: float = -1, *, on: bool = True, alone: bool = False, held: str = "") -> Work:
    return Work(Member(request, on), NOW + timedelta(minutes=minutes), alone, held)


def plan(
    number: int,
    *members: int,
    minutes: float = -1,
    standing: Standing = Standing.WAITING,
    opened: float | None = None,
    looked: float | None = None,
    on: bool = True,
) -> QueuedPlan:
    def at(ago: float | None) -> datetime | None:
        return None if ago is None else NOW - timedelta(minutes=ago)

    return QueuedPlan(
        id=number,
        due=NOW + timedelta(minutes=minutes),
        members=frozenset(Member(pk, on) for pk in members),
        standing=standing,
        opened=at(opened),
        looked=at(looked if looked is not None else opened),
    )


def chosen(decision: object) -> list[int]:
    return [each.member.request for each in decision.batch]  # type: ignore[attr-defined]


def test_what_is_due_is_planned_together_oldest_first() -> None:
    decision = decide([work(3, -1), work(1, -5), work(2, -1)], [], now=NOW, lead=LEAD)
    assert chosen(decision) == [1, 2, 3]
    assert decision.put_aside == ()


def test_what_begins_and_what_ends_are_one_plan() -> None:
    decision = decide([work(1, -1, on=False), work(2, -1)], [], now=NOW, lead=LEAD)
    assert [each.member for each in decision.batch] == [Member(1, False), Member(2, True)]


def test_newcomers_replace_a_plan_that_nobody_has_opened() -> None:
    decision = decide([work(1, -5), work(2)], [plan(7, 1)], now=NOW, lead=LEAD)
    assert decision.put_aside == ((7, REPLACED),)
    assert chosen(decision) == [1, 2]


def test_a_plan_that_carries_all_that_is_due_stays() -> None:
    decision = decide([work(1)], [plan(7, 1)], now=NOW, lead=LEAD)
    assert decision.put_aside == () and decision.batch == ()


def test_a_plan_that_is_read_stands_still_and_newcomers_wait_until_it_thaws() -> None:
    decision = decide([work(1), work(2)], [plan(7, 1, opened=10, looked=2)], now=NOW, lead=LEAD)
    assert decision.batch == ()
    assert decision.look_at == NOW + timedelta(minutes=13)


def test_whoever_keeps_a_page_open_keeps_nobody_waiting_for_more_than_an_hour() -> None:
    decision = decide([work(1), work(2)], [plan(7, 1, opened=61, looked=0.1)], now=NOW, lead=LEAD)
    assert decision.put_aside == ((7, REPLACED),)
    nearly = decide([work(1), work(2)], [plan(7, 1, opened=59, looked=0.1)], now=NOW, lead=LEAD)
    assert nearly.batch == () and nearly.look_at == NOW + timedelta(minutes=1)


def test_an_approved_plan_stands_though_more_is_due() -> None:
    decision = decide([work(1), work(2)], [plan(7, 1, standing=Standing.APPROVED)], now=NOW, lead=LEAD)
    assert decision.put_aside == () and decision.batch == () and decision.look_at is None


def test_nothing_is_planned_while_lines_are_being_sent() -> None:
    decision = decide([work(1), work(2)], [plan(7, 1, standing=Standing.UNDER_WAY)], now=NOW, lead=LEAD)
    assert decision.put_aside == () and decision.batch == ()


def test_an_approved_plan_goes_when_what_it_puts_on_was_withdrawn() -> None:
    decision = decide([work(2)], [plan(7, 1, 2, standing=Standing.APPROVED)], now=NOW, lead=LEAD)
    assert decision.put_aside == ((7, GONE),)
    assert chosen(decision) == [2]


def test_a_plan_under_way_is_never_put_aside() -> None:
    decision = decide([], [plan(7, 1, standing=Standing.UNDER_WAY)], now=NOW, lead=LEAD)
    assert decision.put_aside == ()


def test_what_is_held_out_is_not_planned_and_its_plan_goes() -> None:
    decision = decide([work(1, held="it conflicts"), work(2)], [plan(7, 1)], now=NOW, lead=LEAD)
    assert decision.put_aside == ((7, GONE),)
    assert chosen(decision) == [2]


def test_what_was_approved_ahead_waits_for_nobody_who_has_to_approve_the_rest() -> None:
    given = [replace(work(2), given=True), replace(work(4), given=True)]
    assert chosen(decide([work(1, -9), *given], [], now=NOW, lead=LEAD)) == [2, 4]
    assert chosen(decide([work(1, 5), replace(work(2, 5), given=True)], [], now=NOW, lead=LEAD)) == [2]
    again = decide([work(1, -9), *given], [plan(7, 1, 2, 4)], now=NOW, lead=LEAD)
    assert again.put_aside == ((7, REPLACED),) and chosen(again) == [2, 4]


def test_what_failed_together_is_tried_one_by_one_after_what_never_failed() -> None:
    failed = [work(1, -9, alone=True), work(2, -8, alone=True)]
    assert chosen(decide([*failed, work(3)], [], now=NOW, lead=LEAD)) == [3]
    assert chosen(decide(failed, [], now=NOW, lead=LEAD)) == [1]


def test_the_next_instant_is_planned_ahead_with_all_of_that_instant_and_nothing_later() -> None:
    soon = [work(1, 5), work(2, 5, on=False), work(3, 6), work(4, 500)]
    decision = decide(soon, [], now=NOW, lead=LEAD)
    assert chosen(decision) == [2, 1], "what goes before what comes"
    assert decision.look_at == NOW + timedelta(minutes=5)


def test_nothing_is_planned_ahead_beyond_the_lead_time() -> None:
    decision = decide([work(1, 20)], [], now=NOW, lead=LEAD)
    assert decision.batch == ()
    assert decision.look_at == NOW + timedelta(minutes=5)


def test_a_plan_ahead_keeps_nothing_that_is_due_from_being_planned() -> None:
    ahead = plan(7, 1, minutes=5, standing=Standing.APPROVED)
    decision = decide([work(1, 5), work(2, on=False)], [ahead], now=NOW, lead=LEAD)
    assert decision.put_aside == ()
    assert chosen(decision) == [2]


def test_a_newcomer_of_the_same_instant_replaces_a_plan_ahead_unless_it_is_read_or_approved() -> None:
    both = [work(1, 5), work(2, 5)]
    assert chosen(decide(both, [plan(7, 1, minutes=5)], now=NOW, lead=LEAD)) == [1, 2]
    read = decide(both, [plan(7, 1, minutes=5, opened=1)], now=NOW, lead=LEAD)
    assert read.batch == () and read.look_at == NOW + timedelta(minutes=5)
    approved = plan(7, 1, minutes=5, standing=Standing.APPROVED)
    assert decide(both, [approved], now=NOW, lead=LEAD).batch == ()


def test_an_earlier_newcomer_is_planned_beside_a_later_plan_ahead() -> None:
    decision = decide([work(1, 9), work(2, 3)], [plan(7, 1, minutes=9, opened=1)], now=NOW, lead=LEAD)
    assert chosen(decision) == [2]
    assert decision.put_aside == ()


def test_a_batch_is_bounded() -> None:
    decision = decide([work(pk) for pk in range(1, MOST_TOGETHER + 9)], [], now=NOW, lead=LEAD)
    assert len(decision.batch) == MOST_TOGETHER


def waits_for(*gone: int) -> MustWait:
    """Whoever comes follows these requests: it waits unless its plan takes them all off."""

    def must_wait(together: Sequence[Work]) -> set[Member]:
        off = {each.member.request for each in together if not each.member.puts_on}
        return {each.member for each in together if each.member.puts_on and not off.issuperset(gone)}

    return must_wait


def test_what_goes_and_what_follows_it_are_one_plan_where_nothing_else_is_waited_for() -> None:
    jobs = [work(1, on=False), work(2)]
    assert chosen(decide(jobs, [], now=NOW, lead=LEAD, must_wait=waits_for(1))) == [1, 2]


def test_what_goes_is_planned_without_what_must_wait_for_another_router() -> None:
    """Else two routers, of which each takes off what the other waits for, wait for ever."""
    jobs = [work(1, on=False), work(2)]
    elsewhere = waits_for(1, 9)
    assert chosen(decide(jobs, [], now=NOW, lead=LEAD, must_wait=elsewhere)) == [1]
    removal = plan(7, 1, on=False)
    again = decide(jobs, [removal], now=NOW, lead=LEAD, must_wait=elsewhere)
    assert (chosen(again), again.put_aside) == ([], ())
    assert again.look_at == NOW + LOOKED_AT_AFTER, "no event of this router says that it is gone elsewhere"
    assert chosen(decide([work(2)], [], now=NOW, lead=LEAD, must_wait=elsewhere)) == [2]


def test_what_follows_at_an_instant_ahead_is_not_planned_with_what_goes_then() -> None:
    jobs = [work(1, 5, on=False), work(2, 5)]
    assert chosen(decide(jobs, [], now=NOW, lead=LEAD, must_wait=waits_for(1, 9))) == [1]


def test_what_waits_keeps_nothing_else_from_being_planned() -> None:
    """It waits until something is seen gone; on the same router that must not wait for it in turn."""
    approved = plan(7, 2, standing=Standing.APPROVED)
    jobs = [work(1, on=False), work(2)]
    assert chosen(decide(jobs, [approved], now=NOW, lead=LEAD, must_wait=waits_for(1))) == [1]
    removal = plan(8, 1, on=False)
    again = decide(jobs, [approved, removal], now=NOW, lead=LEAD, must_wait=waits_for(1))
    assert (chosen(again), again.put_aside) == ([], ())
    assert chosen(decide(jobs, [approved], now=NOW, lead=LEAD)) == []


def test_an_approved_plan_of_which_a_part_must_wait_is_put_aside_for_the_rest() -> None:
    """Something moved after it was approved: what it takes off would wait with what it puts on."""
    both = replace(
        plan(7, standing=Standing.APPROVED), members=frozenset({Member(1, False), Member(2, True)})
    )
    jobs = [work(1, on=False), work(2)]
    decision = decide(jobs, [both], now=NOW, lead=LEAD, must_wait=waits_for(1, 9))
    assert (decision.put_aside, chosen(decision)) == (((7, DIVIDED),), [1])
    ahead = replace(both, due=NOW + timedelta(minutes=5))
    assert decide(jobs, [ahead], now=NOW, lead=LEAD, must_wait=waits_for(1, 9)).put_aside == ()


def test_what_is_held_for_a_while_is_looked_at_when_that_is_over() -> None:
    later = NOW + timedelta(minutes=3)
    held = replace(work(1, held="it was locked"), again=later)
    assert decide([held], [], now=NOW, lead=LEAD).look_at == later
