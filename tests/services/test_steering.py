"""A change that people hold, let go on and abort while it runs, and the one word that stops every push.

The engine of the practice routers answers in this process; what happens "meanwhile" happens at a write to a router.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from provisioning.errors import Conflict, InvalidInput, NotAsRead, NotPermitted, PushDisabled
from provisioning.models import AuditEvent, Change, Job, JobKind, RouterPush
from provisioning.selectors.pushing import why_no_push
from provisioning.selectors.turns import CLEARED_FOR
from provisioning.services import changes, halting, jobs, planning, pushing, steering
from provisioning.services.pushing import course, turn
from tests.services import in_process
from tests.services.house import House, house_of
from tests.services.house import bare_house as bare_house
from tests.services.in_threads import at_once
from tests.services.mortal import Mortal

pytestmark = pytest.mark.once

ALL = ("gr6", "nl6", "uk6")


def approved(house: House) -> Change:
    """A baseline of three routers, edges and core queues, approved."""
    change = planning.plan_domain(actor=house.noc[0])
    changes.approve(actor=house.noc[1], change=change)
    return change


def released(house: House) -> Change:
    change = approved(house)
    return changes.release(actor=house.noc[1], change=change)


def states(change: Change, phase: str = "edges") -> dict[str, str]:
    rows = change.pushes.filter(phase=phase).order_by("router__name")
    return dict(rows.values_list("router__name", "state"))


def typed(house: House, name: str) -> list[str]:
    return [str(entry["line"]) for entry in house.routers.devices[name].history]


def begun(change: Change) -> list[str]:
    return sorted(change.pushes.exclude(started_at=None).values_list("router__name", flat=True))


def meanwhile(monkeypatch: pytest.MonkeyPatch, deed: Callable[[], object], *, after: int = 1) -> None:
    """Do this once, right after so many writes to routers."""
    left = [after]

    def wrote() -> None:
        left[0] -= 1
        if left[0] == 0:
            deed()

    monkeypatch.setattr(in_process, "wrote", wrote)


def test_what_was_begun_ends_and_nothing_further_begins(
    bare_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, change = bare_house, released(bare_house)
    hold = partial(steering.pause, actor=house.noc[2], change=change, reason="the phone rings")
    meanwhile(monkeypatch, hold)
    house.work()
    change.refresh_from_db()
    assert sorted(states(change).values()) == ["APPROVED", "APPROVED", "VERIFIED"]
    (first,) = begun(change)
    assert not any(typed(house, name) for name in ALL if name != first)
    assert change.paused_by_id == house.noc[2].user_id and change.pause_reason == "the phone rings"
    house.wait(3600)
    house.work()
    assert begun(change) == [first], "however long nobody lets it go on"

    cleared = Job.objects.filter(kind=JobKind.PREFLIGHT).count()
    steering.resume(actor=house.noc[0], change=change, reason="it was a wrong number")
    house.work()
    assert set(change.pushes.values_list("state", flat=True)) == {"VERIFIED"}
    assert Job.objects.filter(kind=JobKind.PREFLIGHT).count() == cleared + 2, "read again, for edges and core"
    trail = AuditEvent.objects.filter(action__in=("change.paused", "change.resumed")).order_by("pk")
    assert [(each.action, each.reason) for each in trail] == [
        ("change.paused", "the phone rings"),
        ("change.resumed", "it was a wrong number"),
    ]


def test_a_pause_between_claim_and_first_line_keeps_the_line(
    bare_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The router was read, all was as approved, and the pause came then."""
    house, change = bare_house, released(bare_house)
    moved = course.moved

    def paused_meanwhile(*args: Any) -> str:
        if change.paused_at is None:
            change.paused_at = steering.pause(actor=house.noc[2], change=change, reason="wait").paused_at
        return moved(*args)

    monkeypatch.setattr(course, "moved", paused_meanwhile)
    house.work()
    assert begun(change) == [] and set(states(change).values()) == {"APPROVED"}
    assert not any(typed(house, name) for name in ALL)
    assert "is paused by clara" in Job.objects.filter(kind=JobKind.PUSH).earliest("pk").outcome


def while_the_gate_reads(monkeypatch: pytest.MonkeyPatch, deed: Callable[[], object]) -> None:
    """Do this once, when the gate has read the routers and has not written what follows."""
    read, left = pushing.gate.read_routers, [deed]

    def meanwhile(routers: Any) -> Any:
        found = read(routers)
        if left:
            left.pop()()
        return found

    monkeypatch.setattr(pushing.gate, "read_routers", meanwhile)


def paused_and_taken_up(house: House, change: Change) -> None:
    steering.pause(actor=house.noc[2], change=change, reason="I work on an edge")
    steering.resume(actor=house.noc[2], change=change, reason="done")


def test_after_a_pause_however_short_the_routers_are_read_again(
    bare_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paused and taken up between the claim of a push and its first line: what was read before cleared it."""
    house, change = bare_house, released(bare_house)
    moved, left = course.moved, [1]

    def meanwhile(*args: Any) -> str:
        if left[0]:
            left[0] = 0
            paused_and_taken_up(house, change)
        return moved(*args)

    monkeypatch.setattr(course, "moved", meanwhile)
    house.work()
    push = Job.objects.filter(kind=JobKind.PUSH).earliest("pk")
    assert "are read again before edges" in push.outcome, push.outcome
    assert AuditEvent.objects.filter(action="change.cleared", object_id=str(change.pk)).count() == 3
    assert set(states(change).values()) == set(states(change, "core-on").values()) == {"VERIFIED"}


def test_what_was_read_before_a_pause_clears_nothing_after_it(
    bare_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, change = bare_house, released(bare_house)
    while_the_gate_reads(monkeypatch, partial(paused_and_taken_up, house, change))
    assert pushing.preflight(change_id=change.pk) == pushing.gate.STEERED
    change.refresh_from_db()
    assert change.cleared_phase == ""
    house.work()
    assert set(states(change).values()) == {"VERIFIED"}


def test_a_pause_while_the_gate_reads_stands_alone(
    bare_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stopped the change as well, from a row of before the pause, and the message of the pause never ended."""
    house, change = bare_house, released(bare_house)
    monkeypatch.setattr(pushing.gate.intents, "changed_since", lambda _change: "another scheme")
    hold = partial(steering.pause, actor=house.noc[2], change=change, reason="the phone rings")
    while_the_gate_reads(monkeypatch, hold)
    assert pushing.preflight(change_id=change.pk) == pushing.gate.STEERED
    assert set(states(change).values()) == {"APPROVED"}


def test_a_killed_worker_of_a_paused_change_is_followed_on_its_router_and_nowhere_else(
    bare_house: House,
) -> None:
    house, change = bare_house, released(bare_house)
    while not begun(change):
        with house.outliving():
            house.work(1, mortal=Mortal(left=11), kinds=[JobKind.PUSH])
    steering.pause(actor=house.noc[2], change=change, reason="a worker died")
    (first,) = begun(change)
    assert states(change)[first] == "PUSHING"
    house.wait(400)
    house.work()
    assert states(change) == {name: "VERIFIED" if name == first else "APPROVED" for name in ALL}
    assert begun(change) == [first]


def test_abort_leaves_what_runs_and_cancels_the_rest(
    bare_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, change = bare_house, released(bare_house)
    abort = partial(changes.cancel, actor=house.noc[2], change=change, reason="the wrong night")
    meanwhile(monkeypatch, abort)
    house.work()
    change.refresh_from_db()
    (first,) = begun(change)
    assert states(change) == {name: "VERIFIED" if name == first else "CANCELLED" for name in ALL}
    assert set(states(change, "core-on").values()) == {"CANCELLED"}
    assert change.finished_at is not None
    assert {push.error for push in change.pushes.filter(state="CANCELLED")} == {"the wrong night"}


def test_who_may_and_when(bare_house: House) -> None:
    house = bare_house
    planned = planning.plan_domain(actor=house.noc[0])
    with pytest.raises(Conflict, match="no router left"):
        steering.pause(actor=house.noc[2], change=planned, reason="why not")
    changes.approve(actor=house.noc[1], change=planned)
    with pytest.raises(NotPermitted):
        steering.pause(actor=house.nrens["JANET"], change=planned, reason="please")
    with pytest.raises(InvalidInput):
        steering.pause(actor=house.noc[2], change=planned, reason=" ")
    with pytest.raises(Conflict, match="is not paused"):
        steering.resume(actor=house.noc[2], change=planned, reason="go")
    steering.pause(actor=house.noc[2], change=planned, reason="first the tea")
    with pytest.raises(Conflict, match="paused already: first the tea"):
        steering.pause(actor=house.noc[0], change=planned, reason="then the biscuits")
    with pytest.raises(Conflict, match="paused by clara"):
        changes.release(actor=house.noc[1], change=planned)


class TestTogether:
    """Two at the same instant, on connections of their own."""

    @pytest.fixture
    def open_house(self, transactional_db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> House:
        return house_of(settings, monkeypatch)

    def test_a_pause_and_a_first_line(self, open_house: House) -> None:
        house, change = open_house, released(open_house)
        jobs.tick()
        assert jobs.run_subject(kind=JobKind.PREFLIGHT, subject_id=change.pk, worker="w")
        for name in ALL:
            push = change.pushes.get(router__name=name, phase="edges")
            begins = partial(pushing.push, router_push_id=push.pk, worker=name)
            pauses = partial(steering.pause, actor=house.noc[2], change=change, reason="now")
            outcome, paused = at_once(begins, pauses)
            assert isinstance(paused, Change), paused
            push.refresh_from_db()
            if push.started_at is None:
                assert push.state == "APPROVED" and not typed(house, name), outcome
                assert "not begun" in str(outcome)
            else:
                assert push.state == "VERIFIED", outcome
            after = change.pushes.filter(phase="edges", state="APPROVED").first()
            if after is None:
                break
            said = pushing.push(router_push_id=after.pk, worker="later")
            assert "is paused by" in said, "once it is said, nothing begins"
            Change.objects.filter(pk=change.pk).update(paused_at=None)

    def test_an_abort_and_a_release(self, open_house: House) -> None:
        house, change = open_house, approved(open_house)
        let_go, aborted = at_once(
            partial(changes.release, actor=house.noc[1], change=change),
            partial(changes.cancel, actor=house.noc[2], change=change, reason="not tonight"),
        )
        assert isinstance(aborted, Change), aborted
        assert isinstance(let_go, Change | Conflict), let_go
        house.work()
        assert set(change.pushes.values_list("state", flat=True)) == {"CANCELLED"}
        assert not any(typed(house, name) for name in ALL)

    def test_an_abort_and_a_first_line(self, open_house: House) -> None:
        house, change = open_house, released(open_house)
        jobs.tick()
        assert jobs.run_subject(kind=JobKind.PREFLIGHT, subject_id=change.pk, worker="w")
        push = change.pushes.get(router__name="uk6", phase="edges")
        outcome, aborted = at_once(
            partial(pushing.push, router_push_id=push.pk, worker="w"),
            partial(changes.cancel, actor=house.noc[2], change=change, reason="not tonight"),
        )
        assert isinstance(aborted, Change), aborted
        push.refresh_from_db()
        assert (push.state, bool(typed(house, "uk6"))) in {("CANCELLED", False), ("VERIFIED", True)}, outcome
        assert {*states(change).values(), *states(change, "core-on").values()} <= {"CANCELLED", "VERIFIED"}


def test_stop_leaves_what_touches_traffic_unsent_until_a_person_lifts_it(
    bare_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, change = bare_house, released(bare_house)
    meanwhile(monkeypatch, partial(halting.stop_all, actor=house.noc[3], reason="smoke"))
    house.work()
    (first,) = begun(change)
    assert states(change)[first] == "PUSHING"
    assert typed(house, first), "definitions were under way"
    assert not any("service-policy" in line for line in typed(house, first))
    (told,) = set(Job.objects.filter(kind=JobKind.PUSH).values_list("outcome", flat=True)) - {""}
    assert "Every push is stopped by dora" in told and "smoke" in told
    house.wait(3600)
    house.work()
    assert begun(change) == [first]
    with pytest.raises(PushDisabled, match="stopped by dora"):
        changes.release(actor=house.noc[1], change=change)
    with pytest.raises(Conflict, match="held already: smoke"):
        halting.stop_all(actor=house.noc[0], reason="fire")
    with pytest.raises(NotPermitted):
        halting.go_on(actor=house.nrens["JANET"], reason="please")

    halting.go_on(actor=house.noc[0], reason="it was the toaster")
    house.work()
    assert set(change.pushes.values_list("state", flat=True)) == {"VERIFIED"}
    assert AuditEvent.objects.filter(action="installation.stop", reason="smoke").count() == 1
    assert AuditEvent.objects.filter(action="installation.go-on").count() == 1
    with pytest.raises(Conflict, match="nobody stopped"):
        halting.go_on(actor=house.noc[0], reason="again")


def test_stop_lets_what_is_taken_back_be_taken_back(
    bare_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A router half way back is no place to stop."""
    house, change = bare_house, released(bare_house)
    undo = course.take_back
    stopped: list[str] = []

    def stop_then_undo(session: Any, *args: Any, **options: Any) -> str:
        if not stopped:
            stopped.append(session.push.router.name)
            halting.stop_all(actor=house.noc[3], reason="smoke")
        return undo(session, *args, **options)

    monkeypatch.setattr(course, "take_back", stop_then_undo)
    for name in ALL:
        house.routers.devices[name].faults.add(
            {"kind": "refuse", "match": "^service-policy", "message": "not here"}
        )
    house.work()
    (name,) = stopped
    push = RouterPush.objects.get(change=change, router__name=name, phase="edges")
    assert push.state == "ROLLED_BACK", push.error


def test_a_push_that_was_cancelled_meanwhile_is_nobodys_turn(bare_house: House) -> None:
    house, change = bare_house, released(bare_house)
    push = change.pushes.filter(phase="edges").first()
    assert push is not None
    changes.cancel(actor=house.noc[2], change=change, reason="no")
    with pytest.raises(turn.NotItsTurn, match="is cancelled on"):
        turn.take(push)


def work_until_core_is_cleared(house: House, change: Change) -> None:
    while change.cleared_phase != "core-on":
        assert house.work(1) == 1
        change.refresh_from_db()


def open_an_edge(house: House) -> None:
    """Somebody takes the policy off an edge of uk6 by hand."""
    (closed,) = re.findall(
        r"^interface POS1/0\n(?: .*\n)*? (service-policy input \S+)",
        house.routers.devices["uk6"].running_config(),
        re.M,
    )
    house.routers.type("uk6", "interface POS1/0", f"no {closed}")


def test_after_a_stop_core_queues_go_on_only_once_all_edges_were_read_again(bare_house: House) -> None:
    """Stopped for days, with the core cleared: meanwhile somebody opens an edge."""
    house, change = bare_house, released(bare_house)
    work_until_core_is_cleared(house, change)
    halting.stop_all(actor=house.noc[3], reason="smoke")
    house.work()
    open_an_edge(house)
    halting.go_on(actor=house.noc[0], reason="it was the toaster")
    house.work()
    assert set(states(change, "core-on").values()) <= {"STALE", "CANCELLED"}
    assert not any(
        line.strip().startswith("service-policy output") for name in ALL for line in typed(house, name)
    )


def test_what_was_read_long_ago_clears_nothing(bare_house: House) -> None:
    """No worker for hours, with the core cleared: meanwhile somebody opens an edge. Nobody stopped or paused anything."""
    house, change = bare_house, released(bare_house)
    work_until_core_is_cleared(house, change)
    core = change.pushes.filter(phase="core-on", state="APPROVED").first()
    assert core is not None
    turn.take(core)
    open_an_edge(house)
    house.wait(int(CLEARED_FOR.total_seconds()) + 1)
    with pytest.raises(turn.NotItsTurn, match="are read again before core-on"):
        turn.take(core)
    house.work()
    assert set(states(change, "core-on").values()) <= {"STALE", "CANCELLED"}
    assert not any(
        line.strip().startswith("service-policy output") for name in ALL for line in typed(house, name)
    )


def test_a_wave_that_waits_for_a_person_is_not_read_again_and_again(bare_house: House) -> None:
    """A canary that nobody knows the end of keeps the others back: reading them clears nothing that may be sent."""
    house, change = bare_house, approved(bare_house)
    steering.set_course(actor=house.noc[0], change=change, reason="one first", canary=1)
    changes.release(actor=house.noc[1], change=change)
    house.work(2)
    first = change.pushes.exclude(state="APPROVED").get()
    RouterPush.objects.filter(pk=first.pk).update(state="UNKNOWN", error_code=pushing.UNRECOGNISED)
    house.wait(int(CLEARED_FOR.total_seconds()) + 1)
    house.work()
    assert Job.objects.filter(kind="preflight").count() == 1


def test_a_router_nobody_knows_of_is_not_judged_where_the_others_are_read_again(bare_house: House) -> None:
    """Its session broke, it does not answer for a while: the core queues of all are not given up for that."""
    house, change = bare_house, released(bare_house)
    house.work(1)
    gone = change.pushes.filter(router__name="uk6", phase="edges")
    gone.update(state="UNKNOWN", error_code=pushing.UNRECOGNISED)
    house.routers.away.add("uk6")
    house.wait(int(CLEARED_FOR.total_seconds()) + 1)
    house.work()
    assert states(change) == {"gr6": "VERIFIED", "nl6": "VERIFIED", "uk6": "UNKNOWN"}
    assert set(states(change, "core-on").values()) == {"APPROVED"}


def test_who_lifts_a_stop_or_a_pause_lifts_the_one_that_was_read(bare_house: House) -> None:
    house, change = bare_house, released(bare_house)
    anna, boris = house.noc[0], house.noc[1]
    read = halting.stop_all(actor=anna, reason="window over").held_at
    halting.go_on(actor=anna, reason="longer window")
    halting.stop_all(actor=anna, reason="wrong policer on de6")
    assert read is not None
    with pytest.raises(NotAsRead, match="anna stopped them again: wrong policer on de6"):
        halting.go_on(actor=boris, reason="window is long enough", read=read.isoformat())
    assert "wrong policer" in why_no_push()
    paused = steering.pause(actor=anna, change=change, reason="the phone rings").paused_at
    steering.resume(actor=anna, change=change, reason="nobody")
    steering.pause(actor=anna, change=change, reason="wrong router")
    assert paused is not None
    with pytest.raises(NotAsRead, match="was paused again: wrong router"):
        steering.resume(actor=boris, change=change, reason="go", read=paused.isoformat())
    change.refresh_from_db()
    assert change.paused_at is not None and change.pause_reason == "wrong router"
