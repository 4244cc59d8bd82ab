"""What somebody could do to the queues who means harm, or what bad luck could: nobody waits for ever, nothing goes out on
a word that nobody gave.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inventory.models import Router
from provisioning.errors import ConfigurationLocked, Conflict
from provisioning.models import (
    SYSTEM,
    Approval,
    Change,
    PremiumRequest,
    Reservation,
    RouterPush,
    RouterQueue,
)
from provisioning.services import changes, clock, people, planning, pushing, queues
from provisioning.services import requests as asking
from provisioning.services.planning import asking as plans_asked
from provisioning.services.planning.sweeping import sweep
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house

pytestmark = pytest.mark.once

PLANNED, APPROVED, STALE = "PLANNED", "APPROVED", "STALE"


def states(change: Change) -> set[str]:
    return set(change.pushes.values_list("state", flat=True))


def state(request: PremiumRequest) -> str:
    request.refresh_from_db()
    return request.state


def due(house: House, number: int, **fields: Any) -> PremiumRequest:
    """A request of SURFnet's whose window is open, planned."""
    request = house.ask(number, "SURFnet", 9, **fields)
    house.begin(request)
    house.work()
    return request


def stale(change: Change) -> None:
    """It goes out of date before its first line."""
    change.pushes.filter(state__in=(PLANNED, APPROVED)).update(state=STALE)
    Change.objects.filter(pk=change.pk).update(finished_at=clock.now())


def test_a_push_that_failed_before_its_first_line_is_tried_again_by_itself(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody held configuration mode for a while: the router shows nothing else afterwards, and never will."""
    request = due(house, 1)
    attempt = pushing.course.attempt

    def busy(*_: object) -> str:
        raise ConfigurationLocked("somebody is configuring")

    monkeypatch.setattr(pushing.course, "attempt", busy)
    monkeypatch.setattr(pushing, "RETRIES", 0)
    house.approve(house.noc[0], request.changes.get())
    house.work()
    monkeypatch.setattr(pushing.course, "attempt", attempt)
    held = Reservation.objects.get(request=request)
    assert "ended failed" in held.waits_for and state(request) == "ADMITTED"
    queue = RouterQueue.objects.get(router__name="nl6")
    assert queue.look_at is not None and queue.look_at < clock.now() + timedelta(minutes=16)

    Reservation.objects.filter(pk=held.pk).update(held_cause=queues.until(clock.now() - timedelta(seconds=1)))
    house.work()
    assert state(request) == "ACTIVE", "the same lines, approved before, and nobody is asked again"


def test_what_is_to_be_taken_off_is_planned_beside_what_waits_for_it(house: House) -> None:
    """Approved, it waits until the one before is seen gone; that one must not wait for it on the same router."""
    first = due(house, 1, rate="20M")
    house.approve(house.noc[0], first.changes.get())
    house.work()
    assert state(first) == "ACTIVE"
    second = house.ask(2, "SURFnet", 9, rate="20M", start=first.end)
    house.end(first)
    house.work()
    removal = first.changes.get(kind="removal")
    changes.cancel(actor=house.noc[0], change=removal, reason="not tonight")
    house.begin(second)
    house.work()
    waiting = second.changes.get()
    house.approve(house.noc[0], waiting)
    house.work()
    assert states(waiting) == {APPROVED}, "both together are more than the share"

    queues.retry(actor=house.noc[0], request=first, reason="tonight")
    house.work()
    again = first.changes.filter(kind="removal", finished_at=None).get()
    house.approve(house.noc[0], again)
    house.work()
    for change in second.changes.filter(finished_at=None, approved_at=None):
        house.approve(house.noc[0], change)
    house.work()
    assert (state(first), state(second)) == ("COMPLETED", "ACTIVE")


def test_what_somebody_released_by_hand_waits_for_what_went_before_too(house: House) -> None:
    first = due(house, 1, rate="20M")
    house.approve(house.noc[0], first.changes.get())
    house.work()
    second = house.ask(2, "SURFnet", 9, rate="20M", start=first.end)
    house.end(first)
    house.work()
    changes.cancel(actor=house.noc[0], change=first.changes.get(kind="removal"), reason="not tonight")
    house.begin(second)
    house.work()
    waiting = second.changes.get()
    house.approve(house.noc[0], waiting)
    changes.release(actor=house.noc[1], change=waiting)
    house.work()
    assert states(waiting) == {APPROVED}
    assert "waits until" in RouterQueue.objects.get(router__name="nl6").waits_for
    assert state(second) == "ADMITTED"


def test_the_hourly_look_does_not_pass_over_a_queue_that_knows_a_later_instant(house: House) -> None:
    request = house.ask(1, "SURFnet", 9)
    house.begin(request)
    router = Router.objects.get(name="nl6")
    queues.mark([router.pk])
    RouterQueue.objects.filter(router=router).update(
        marked_at=None, worked_at=clock.now(), look_at=clock.now() + timedelta(hours=20)
    )
    assert "1 had missed an event" in sweep()
    assert RouterQueue.objects.get(router=router).marked_at is not None


def test_the_slower_of_two_that_make_a_plan_does_not_close_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = planning.ask_for_plan(actor=house.noc[0], routers=["nl6"], kind="repair")

    def faster_meanwhile(_change: Change) -> Change:
        Change.objects.filter(pk=change.pk).update(planned_at=clock.now())
        raise Conflict("nl6 is being pushed to")

    with monkeypatch.context() as patched:
        patched.setattr(plans_asked, "_plan", faster_meanwhile)
        with pytest.raises(Conflict):
            planning.plan_change(change_id=change.pk)
    change.refresh_from_db()
    assert change.finished_at is None and "error" not in change.asked


def test_the_word_of_who_left_the_noc_is_not_carried(house: House) -> None:
    request = due(house, 1)
    old = request.changes.get()
    house.approve(house.noc[0], old)
    stale(old)
    people.put_person(actor=SYSTEM, username="anna", roles=[])
    queues.mark([request.source_link.interface.router_id])
    house.work()
    new = request.changes.latest("pk")
    assert new != old and states(new) == {PLANNED}
    assert not Approval.objects.filter(change=new).exists()


def test_the_word_on_a_plan_that_somebody_cancelled_is_not_carried(house: House) -> None:
    request = due(house, 1)
    old = request.changes.get()
    house.approve(house.noc[0], old)
    changes.cancel(actor=house.noc[1], change=old, reason="this must not go out")
    queues.retry(actor=house.noc[2], request=request, reason="let us see the lines again")
    house.work()
    new = request.changes.latest("pk")
    assert new != old and states(new) == {PLANNED}


def test_the_word_is_not_carried_to_another_box(house: House) -> None:
    request = due(house, 1)
    old = request.changes.get()
    house.approve(house.noc[0], old)
    stale(old)
    before = RouterPush.objects.get(change=old).before
    assert before is not None
    type(before).objects.filter(pk=before.pk).update(serial="ANOTHER")
    queues.mark([request.source_link.interface.router_id])
    house.work()
    new = request.changes.latest("pk")
    assert new != old and states(new) == {PLANNED}


def test_a_withdrawal_elsewhere_does_not_stop_a_rollout(house: House) -> None:
    """A request of one router's is no reason to send nothing to the others."""
    one = house.ask(1, "SURFnet", 9)
    house.begin(one)
    for name in ("nl6", "uk6"):
        house.edit(name, True)
        house.edit(name, False)
    baseline = planning.plan_domain(actor=house.noc[0])
    assert one in baseline.requests.all()
    asking.withdraw(actor=house.nrens["SURFnet"], request=one, reason="over")
    push = baseline.pushes.filter(router__name="uk6").first()
    assert push is not None
    pushing.recording.still_right(push)
    mine = baseline.pushes.filter(router__name="nl6").first()
    assert mine is not None
    with pytest.raises(pushing.recording.NoLongerRight):
        pushing.recording.still_right(mine)


def test_tries_to_read_are_not_counted_as_plans_that_went_stale(house: House) -> None:
    request = house.ask(1, "SURFnet", 9)
    house.begin(request)
    house.routers.away.add("nl6")
    queues.mark([request.source_link.interface.router_id])
    for _ in range(6):
        planning.plan_router(router_id=request.source_link.interface.router_id)
    house.routers.away.clear()
    planning.plan_router(router_id=request.source_link.interface.router_id)
    queue = RouterQueue.objects.get(router__name="nl6")
    assert (queue.tries, queue.waits_for) == (0, "")
    assert request.changes.exists()


def test_plans_that_end_at_the_gate_count_too(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """A router that is found moved each time its lines are to go out is looked at by a person in the end."""
    request = due(house, 1)
    monkeypatch.setattr(pushing.gate, "moved", lambda *_: "access-list X was changed since the plan was made")
    house.approve(house.noc[0], request.changes.get())
    house.work()
    queue = RouterQueue.objects.get(router__name="nl6")
    assert queue.waits_for.startswith("the router moves")
    assert request.changes.count() == 5


def test_a_plan_whose_people_became_enough_can_be_let_go(house: House, settings: Any) -> None:
    settings.TWO_PEOPLE = True
    request = due(house, 1)
    change = request.changes.get()
    house.approve(house.noc[0], change)
    assert states(change) == {PLANNED}
    settings.TWO_PEOPLE = False
    changes.approve(actor=house.noc[0], change=change, confirm_gaps=True)
    assert states(change) == {APPROVED}


def test_what_was_committed_behind_a_look_is_looked_at_once_more(house: House) -> None:
    """Both write down the instant of their statement; the look that began before their COMMIT has not seen them."""
    router = Router.objects.get(name="uk6")
    queue = RouterQueue.objects.get_or_create(router=router)[0]

    def is_due(after: float) -> bool:
        return queues.due(marked + timedelta(seconds=after)).filter(router=router).exists()

    queues.mark([router.pk])
    marked = RouterQueue.objects.get(pk=queue.pk).marked_at
    assert marked is not None
    queues.done(queue, began=marked + timedelta(seconds=2), look_at=None)
    assert not is_due(3)
    assert is_due(13)
    queues.done(queue, began=marked + timedelta(seconds=13), look_at=None)
    assert not is_due(3600), "once"


def test_a_request_that_changed_behind_a_look_is_looked_at_once_more(house: House) -> None:
    request = house.ask(1, "JANET", 0)
    router = request.source_link.interface.router
    changed = request.state_changed_at

    def is_marked(after: float) -> bool:
        queues.mark_changed(changed + timedelta(seconds=after))
        return RouterQueue.objects.filter(router=router, marked_at__isnull=False).exists()

    def look(after: float) -> None:
        RouterQueue.objects.filter(router=router).update(
            worked_at=changed + timedelta(seconds=after), look_at=None, marked_at=None
        )

    queues.mark([router.pk])
    look(3)
    assert not is_marked(4)
    assert is_marked(14)
    look(14)
    assert not is_marked(15)
    assert not is_marked(60)
