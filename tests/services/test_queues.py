"""Many at once on practice routers over SSH: what is due queues by router, and nobody's work fights anybody else's."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from inventory.models import AccessLink
from provisioning.errors import NotPermitted
from provisioning.models import (
    SYSTEM,
    Approval,
    AuditEvent,
    Change,
    LedgerEntry,
    PremiumRequest,
    Reservation,
    Role,
    RouterQueue,
    Via,
)
from provisioning.services import changes, jobs, people, queues, verifying
from provisioning.services import requests as asking
from tests.services.backbone import Backbone

# Over SSH, the same on either database; on both, without SSH: test_many_at_once.py.
pytestmark = pytest.mark.once


def state(request: PremiumRequest) -> str:
    request.refresh_from_db()
    return request.state


def sources(number: int) -> tuple[str, ...]:
    return (f"2001:610:{number}::/48",)


def test_two_that_are_due_together_on_two_routers_are_planned_once_each(filtered: Backbone) -> None:
    """They share only routers that have nothing to do for either; each used to put the other's plan aside for ever."""
    first = filtered.admit(filtered.ask("SURFnet", "GRNET", "1M"))
    second = filtered.admit(filtered.ask("JANET", "GRNET", "1M"))
    for _ in range(3):
        filtered.work()
    made = list(Change.objects.exclude(kind="baseline"))
    assert len(made) == 2
    assert {push.router.name for change in made for push in change.pushes.all()} == {"nl6", "uk6"}
    for change in made:
        filtered.approve(change, confirm_gaps=True)
    filtered.work()
    assert (state(first), state(second)) == ("ACTIVE", "ACTIVE")
    assert Change.objects.exclude(kind="baseline").count() == 2


def test_on_one_router_they_are_one_plan_and_a_newcomer_waits_for_what_is_approved(
    filtered: Backbone,
) -> None:
    one = filtered.admit(filtered.ask("SURFnet", "GRNET", "1M", source_prefixes=sources(1)))
    two = filtered.admit(filtered.ask("SURFnet", "GRNET", "1M", source_prefixes=sources(2)))
    filtered.work()
    batch = Change.objects.get(kind="reservation")
    assert set(batch.requests.all()) == {one, two}

    changes.look(actor=filtered.approver, change=batch)
    three = filtered.admit(filtered.ask("SURFnet", "GRNET", "1M", source_prefixes=sources(3)))
    filtered.work()
    assert Change.objects.filter(kind="reservation").count() == 1, "somebody is reading the first one"
    filtered.approve(batch, confirm_gaps=True)
    filtered.work()
    assert (state(one), state(two), state(three)) == ("ACTIVE", "ACTIVE", "ADMITTED")
    following = three.changes.get()
    assert set(following.requests.all()) == {three}
    filtered.approve(following)
    filtered.work()
    assert state(three) == "ACTIVE"
    assert Change.objects.filter(kind="reservation").count() == 2

    asking.withdraw(actor=filtered.nren["SURFnet"], request=one, reason="over")
    filtered.work()
    removal = one.changes.get(kind="removal")
    asking.withdraw(actor=filtered.nren["SURFnet"], request=two, reason="over")
    filtered.work()
    both = two.changes.get(kind="removal")
    assert set(both.requests.all()) == {one, two}, "nobody had opened the first removal"
    assert set(filtered.states(removal).values()) == {"STALE"}
    filtered.approve(both, confirm_gaps=True)
    filtered.work()
    assert (state(one), state(two), state(three)) == ("COMPLETED", "COMPLETED", "ACTIVE")


def test_what_a_router_refuses_is_tried_by_itself_and_does_not_poison_the_rest(filtered: Backbone) -> None:
    good = filtered.admit(filtered.ask("SURFnet", "GRNET", "1M", source_prefixes=sources(1)))
    bad = filtered.admit(filtered.ask("SURFnet", "GRNET", "1M", source_prefixes=sources(2)))
    filtered.work()
    filtered.approve(good.changes.get(), confirm_gaps=True)
    filtered.fault("nl6", "refuse", match="2001:610:2", message="% Invalid input detected", times=9)
    filtered.work()
    assert (state(good), state(bad)) == ("ADMITTED", "ADMITTED")
    alone = good.changes.latest("pk")
    assert set(alone.requests.all()) == {good}
    filtered.approve(alone, confirm_gaps=True)
    filtered.work()
    assert state(good) == "ACTIVE"
    again = bad.changes.latest("pk")
    assert set(again.requests.all()) == {bad}
    filtered.approve(again)
    filtered.work()
    assert state(bad) == "ADMITTED"
    waits = Reservation.objects.get(request=bad).waits_for
    assert again.reference in waits and "was refused" in waits
    planned = Change.objects.count()
    filtered.work()
    assert Change.objects.count() == planned, "it waits for a person"

    filtered.clear()
    queues.retry(actor=filtered.planner, request=bad, reason="the card was replaced")
    filtered.work()
    filtered.approve(bad.changes.latest("pk"))
    filtered.work()
    assert state(bad) == "ACTIVE"


def test_a_hand_edit_holds_out_what_it_conflicts_with_until_it_is_gone(filtered: Backbone) -> None:
    first = filtered.admit(filtered.ask("SURFnet", "GRNET", "1M", source_prefixes=sources(1)))
    filtered.work()
    filtered.approve(first.changes.get(), confirm_gaps=True)
    filtered.work()
    assert state(first) == "ACTIVE"
    filtered.console("nl6", "policy-map FILTERED-IN", "class class-default", "set dscp 8")
    second = filtered.admit(filtered.ask("SURFnet", "GRNET", "1M", source_prefixes=sources(2)))
    other = filtered.admit(filtered.ask("JANET", "GRNET", "1M"))
    filtered.work()
    assert "edited by hand" in Reservation.objects.get(request=second).waits_for
    assert not second.changes.exists()
    filtered.approve(other.changes.get(), confirm_gaps=True)
    filtered.work()
    assert set(filtered.states(other.changes.get()).values()) == {"VERIFIED"}, "no queue waits for another's"
    assert state(other) == "ADMITTED", "nl6, on its path, does not hold what it should"

    filtered.console("nl6", "policy-map FILTERED-IN", "class class-default", "set dscp 0")
    verifying.verify_routers(names=["nl6"])
    filtered.work()
    change = second.changes.get()
    assert Reservation.objects.get(request=second).waits_for == ""
    filtered.approve(change)
    filtered.work()
    assert (state(second), state(other)) == ("ACTIVE", "ACTIVE")


def test_two_of_the_noc_with_a_request_each_leave_their_common_plan_to_a_third(filtered: Backbone) -> None:
    one = filtered.admit(filtered.ask("SURFnet", "GRNET", "1M", source_prefixes=sources(1)))
    two = filtered.admit(filtered.ask("SURFnet", "GRNET", "1M", source_prefixes=sources(2)))
    for request, name in ((one, "anna"), (two, "ben")):
        person = people.put_person(actor=SYSTEM, username=name, roles=[Role.NOC])
        PremiumRequest.objects.filter(pk=request.pk).update(submitted_by=person)
    anna, ben = (people.actor_named(name, via=Via.WEB) for name in ("anna", "ben"))
    filtered.work()
    change = one.changes.get()
    for person, theirs in ((anna, one), (ben, two)):
        with pytest.raises(NotPermitted, match=f"{theirs.reference} was submitted by you"):
            changes.approve(actor=person, change=change, confirm_gaps=True)
    assert set(filtered.states(change).values()) == {"PLANNED"}
    changes.approve(actor=filtered.approver, change=change, confirm_gaps=True)
    filtered.work()
    assert (state(one), state(two)) == ("ACTIVE", "ACTIVE")
    assert Approval.objects.filter(change=change).count() == 1

    asking.withdraw(actor=filtered.approver, request=one, reason="over")
    filtered.work()
    with pytest.raises(NotPermitted, match="submitted by you"):
        changes.approve(actor=anna, change=one.changes.latest("pk"), confirm_gaps=True)


def test_lines_that_no_request_asked_for_need_two_people_where_the_clock_planned_them(
    backbone: Backbone,
) -> None:
    AccessLink.objects.filter(nren__name="SURFnet").update(case="filtered", standing=False)
    request = backbone.admit(backbone.ask("SURFnet", "GRNET", "1M"))
    backbone.work()
    change = request.changes.get()
    assert change.base_lines, "there is no baseline on nl6 yet"
    backbone.approve(change, confirm_gaps=True)
    assert set(backbone.states(change).values()) == {"PLANNED"}
    changes.approve(actor=backbone.planner, change=change, confirm_gaps=True)
    backbone.work()
    assert set(backbone.states(change).values()) == {"VERIFIED"}


def test_one_that_was_never_put_on_ends_as_never_provided_and_says_why(filtered: Backbone) -> None:
    request = filtered.admit(filtered.ask("SURFnet", "GRNET", "1M", end=timezone.now() + timedelta(hours=1)))
    filtered.work()
    change = request.changes.get()
    jobs.tick(timezone.now() + timedelta(hours=2))
    filtered.work()
    assert state(request) == "NEVER_PROVIDED"
    assert set(filtered.states(change).values()) == {"STALE"}
    event = AuditEvent.objects.get(action="request.never_provided")
    assert f"{change.reference} was not approved in time" in event.reason
    assert not LedgerEntry.objects.filter(released_at=None).exists()
    assert "FILTERED-IN" not in filtered.running("nl6")


def test_a_router_that_cannot_be_read_says_so_and_is_tried_again(filtered: Backbone) -> None:
    filtered.fault("nl6", "unreachable")
    request = filtered.admit(filtered.ask("SURFnet", "GRNET", "1M"))
    other = filtered.admit(filtered.ask("JANET", "GRNET", "1M"))
    filtered.work()
    assert not request.changes.exists()
    queue = RouterQueue.objects.get(router__name="nl6")
    assert "nl6 cannot be read" in queue.waits_for
    assert queue.look_at is not None
    assert other.changes.exists()
    filtered.clear()
    RouterQueue.objects.filter(pk=queue.pk).update(look_at=timezone.now())
    filtered.work()
    assert request.changes.exists()
    assert RouterQueue.objects.get(pk=queue.pk).waits_for == ""


def test_what_follows_in_time_waits_until_what_went_before_is_seen_gone(filtered: Backbone) -> None:
    """Both together would be more than GRNET's 7.75 Mbit/s; admission lets one begin when the other ends."""
    later = timezone.now() + timedelta(hours=1)
    first = filtered.admit(filtered.ask("SURFnet", "GRNET", "7M", source_prefixes=sources(1), end=later))
    filtered.work()
    filtered.approve(first.changes.get(), confirm_gaps=True)
    filtered.work()
    assert state(first) == "ACTIVE"
    ends = timezone.now() + timedelta(seconds=15)
    PremiumRequest.objects.filter(pk=first.pk).update(end=ends)
    LedgerEntry.objects.filter(reservation__request=first).update(end=ends)
    second = filtered.admit(filtered.ask("JANET", "GRNET", "7M", start=ends, end=later))
    time.sleep(max(0.0, (ends - timezone.now()).total_seconds() + 0.1))
    filtered.work()
    filtered.approve(second.changes.get(), confirm_gaps=True)
    filtered.work()
    assert (state(first), state(second)) == ("EXPIRED", "ADMITTED"), "the first may still be on nl6"
    waits = RouterQueue.objects.get(router__name="uk6").waits_for
    assert f"waits until {first.reference} is seen gone" in waits
    filtered.approve(first.changes.get(kind="removal"), confirm_gaps=True)
    filtered.work()
    assert (state(first), state(second)) == ("COMPLETED", "ACTIVE")
