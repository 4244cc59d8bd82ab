"""Why a request waits: one sentence on its page, in full for the NOC and in general words for an NREN."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from provisioning.errors import Conflict
from provisioning.models import (
    THE_ONE,
    Approval,
    AuditEvent,
    Change,
    Installation,
    PremiumRequest,
    Reservation,
    RouterQueue,
    RouterSync,
    SyncState,
)
from provisioning.selectors.queues import MOVES, STALE_IN_A_ROW
from provisioning.selectors.waiting import wait_of, waits_of
from provisioning.services import decisions, queues
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]
REFUSED = 'CHG-9 ended rolled back on gr6: gr6 answered "% Invalid input" to DFN\'s line. Mend that.'


@pytest.fixture
def due(world: World) -> PremiumRequest:
    """GRNET's request, whose window has begun; nothing is planned for it."""
    request = world.requests["overdue"]
    request.changes.clear()
    return request


def said(request: PremiumRequest, *, to: str, world: World) -> str:
    wait = wait_of(request)
    assert wait is not None
    return wait.said_to(world.actor(to))


def hold_out(request: PremiumRequest, sentence: str = REFUSED, cause: str = "") -> None:
    queues.hold_out([request], sentence, cause=cause)


def test_before_it_is_decided_it_waits_for_whoever_has_to_answer(world: World) -> None:
    assert said(world.requests["consent"], to="jane", world=world) == "GRNET has not answered yet"
    assert said(world.requests["decision"], to="jane", world=world) == "the NOC has not decided yet"
    assert wait_of(world.requests["refused"]) is None
    assert wait_of(world.requests["active"]) is None
    assert said(world.requests["admitted"], to="jane", world=world).startswith("its window begins ")


def test_what_a_person_has_to_mend_stands_in_full_on_the_page_of_the_noc_alone(
    world: World, due: PremiumRequest, as_user: As
) -> None:
    hold_out(due)
    text = page_text(as_user("nora").get(f"/requests/{due.pk}/"))
    assert "Waits for a person:" in text and "CHG-9 ended rolled back on gr6" in text
    assert f"/requests/{due.pk}/retry/" in text
    for path in (f"/requests/{due.pk}/", f"/requests/{due.pk}/history/"):
        text = page_text(as_user("giorgos").get(path))
        assert "the NOC looks into it" in text, path
        assert "CHG-9" not in text and "DFN&#x27;s line" not in text and "retry" not in text, path
    assert f"/requests/{due.pk}/retry/" not in page_text(as_user("audrey").get(f"/requests/{due.pk}/"))
    event = AuditEvent.objects.get(action="request.held-out")
    assert REFUSED not in event.reason and event.after == {"waits_for": REFUSED}


def test_the_noc_has_it_planned_again_with_a_reason(world: World, due: PremiumRequest, as_user: As) -> None:
    hold_out(due)
    address = f"/requests/{due.pk}/retry/"
    assert "CHG-9 ended rolled back" in page_text(as_user("nora").get(address))
    assert as_user("nora").post(address, {"reason": ""}).status_code == 200
    assert Reservation.objects.get(request=due).waits_for == REFUSED
    assert as_user("nora").post(address, {"reason": "the card was replaced"}).status_code == 302
    assert Reservation.objects.get(request=due).waits_for == ""
    assert AuditEvent.objects.get(action="request.retry").reason == "the card was replaced"
    queue = RouterQueue.objects.get(router=due.source_link.interface.router)
    assert queue.marked_at is not None
    assert "does not wait for anybody" in page_text(as_user("nora").get(address))


def test_a_router_that_moves_is_worked_on_again_when_somebody_has_looked(
    world: World, due: PremiumRequest
) -> None:
    """The queue waits for a person while no request of it is held out: it could not be had planned again at all."""
    router = due.source_link.interface.router
    with pytest.raises(Conflict):
        queues.retry(actor=world.actor("nora"), request=due, reason="looked")
    queues.mark([router.pk])
    RouterQueue.objects.filter(router=router).update(
        tries=STALE_IN_A_ROW, waits_for=f"{MOVES}: somebody has to look"
    )
    wait = wait_of(due)
    assert wait is not None and wait.retry and wait.text.startswith(MOVES)
    queues.retry(actor=world.actor("nora"), request=due, reason="looked")
    queue = RouterQueue.objects.get(router=router)
    assert (queue.tries, queue.waits_for) == (0, "")


def test_what_is_over_is_not_planned_again_and_keeps_its_reason(
    world: World, due: PremiumRequest, as_user: As
) -> None:
    hold_out(due)
    PremiumRequest.objects.filter(pk=due.pk).update(state="EXPIRED")
    due.refresh_from_db()
    assert said(due, to="nora", world=world).startswith("it was never put on")
    decisions.never_provide(request=due)
    due.refresh_from_db()
    with pytest.raises(Conflict):
        queues.retry(actor=world.actor("nora"), request=due, reason="again")
    assert wait_of(due) is None
    noc = page_text(as_user("nora").get(f"/requests/{due.pk}/"))
    assert "Never provided:" in noc and "its window is over and it was never put on: CHG-9" in noc
    nren = page_text(as_user("giorgos").get(f"/requests/{due.pk}/"))
    assert "its window is over and it was never put on" in nren and "CHG-9" not in nren
    assert f">{due.reference}<" in page_text(as_user("nora").get("/requests/?state=NEVER_PROVIDED"))


def test_a_plan_says_whose_word_it_needs(world: World, due: PremiumRequest, settings: Any) -> None:
    change = world.changes["planned"]
    router = due.source_link.interface.router
    change.pushes.update(router=router)
    change.requests.add(due)
    Change.objects.filter(pk=change.pk).update(submitted_by=None, base_lines=True)
    text = said(due, to="nora", world=world)
    assert text.startswith(f"{change.reference} waits for approval: {due.reference} needs the approval")
    assert said(due, to="giorgos", world=world).startswith("it is planned and waits for the NOC to approve")
    Approval.objects.create(change=change, user=world.users["nora"], fingerprint="f")
    assert "a second member of the NOC has to approve it" in said(due, to="nora", world=world)
    soon = timezone.now() + timedelta(hours=1)
    Change.objects.filter(pk=change.pk).update(approved_at=timezone.now(), due_at=soon)
    assert f"{change.reference} is approved and is sent at" in said(due, to="nora", world=world)
    Change.objects.filter(pk=change.pk).update(due_at=None)
    assert "workers read gr6 again and send it" in said(due, to="nora", world=world)
    settings.PUSH_ENABLED = False
    assert "PUSH_ENABLED is off" in said(due, to="nora", world=world)
    assert "PUSH_ENABLED" not in said(due, to="giorgos", world=world)


def test_what_is_on_waits_for_the_routers_beyond(world: World, due: PremiumRequest) -> None:
    Reservation.objects.filter(request=due).update(put_on_at=timezone.now())
    text = said(due, to="nora", world=world)
    assert text.startswith("it is on gr6; it counts as active when")
    assert "de6 does not hold what is intended" in text
    assert "de6" not in said(due, to="giorgos", world=world)


def test_what_was_never_on_waits_for_a_person_where_its_ingress_differs(
    world: World, due: PremiumRequest
) -> None:
    """It is over when its ingress was seen in sync without it, and no reading alone brings that about."""
    PremiumRequest.objects.filter(pk=due.pk).update(state="EXPIRED")
    due.refresh_from_db()
    gr6 = due.source_link.interface.router
    RouterSync.objects.update_or_create(router=gr6, defaults={"state": SyncState.DIFFERS})
    wait = wait_of(due)
    assert wait is not None and wait.person
    assert wait.text.endswith("when gr6 was read without it (gr6 does not hold what is intended)")
    assert "gr6" not in wait.general
    RouterSync.objects.filter(router=gr6).update(state=SyncState.IN_SYNC)
    wait = wait_of(due)
    assert wait is not None and not wait.person and wait.text.endswith("was read without it")


def test_many_are_asked_about_in_a_bounded_number_of_queries(
    world: World, django_assert_max_num_queries: Callable[..., object]
) -> None:
    asked = list(PremiumRequest.objects.select_related("receiving_nren", "source_link__interface__router"))
    with django_assert_max_num_queries(12):  # type: ignore[attr-defined]
        found = waits_of(asked)
    assert found.keys() >= {world.requests[key].pk for key in ("consent", "decision", "overdue", "admitted")}


def test_what_broke_off_or_is_stopped_is_not_said_to_be_sent(
    world: World, due: PremiumRequest, settings: Any
) -> None:
    settings.PUSH_ENABLED = True
    change = world.changes["pushing"]
    change.pushes.update(router=due.source_link.interface.router)
    change.requests.add(due)
    assert said(due, to="giorgos", world=world) == "it is being sent to the routers"
    Installation.objects.update_or_create(
        pk=THE_ONE, defaults={"push_held": "smoke in the room", "held_by": "nora", "held_at": timezone.now()}
    )
    assert "the NOC sends nothing at the moment" in said(due, to="giorgos", world=world)
    assert "does not go on: Every push is stopped by nora" in said(due, to="nora", world=world)
    change.pushes.update(state="UNKNOWN")
    assert "broke off half way, and the NOC sends nothing" in said(due, to="giorgos", world=world)
    Installation.objects.update(push_held="", held_by="")
    text = said(due, to="giorgos", world=world)
    assert "broke off half way; the router is read again" in text and "gr6" not in text
