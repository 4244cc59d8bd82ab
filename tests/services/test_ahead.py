"""Approve once; the clock does the rest: lines approved before they are due go out by themselves, on practice routers."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from inventory.models import Router
from provisioning.errors import Conflict, StaleState
from provisioning.models import (
    SYSTEM,
    Approval,
    ApprovedLines,
    AuditEvent,
    Change,
    LedgerEntry,
    PremiumRequest,
    Role,
    RouterPush,
    Via,
)
from provisioning.selectors.changes import is_overdue
from provisioning.services import ahead, changes, people, queues
from provisioning.services import requests as asking
from tests.services.backbone import Backbone
from tests.services.test_queues import sources, state

pytestmark = pytest.mark.once


def tomorrow() -> datetime:
    return timezone.now().replace(hour=2, minute=0, second=0, microsecond=0) + timedelta(days=2)


def admitted(house: Backbone, number: int, start: datetime | None = None, **fields: Any) -> PremiumRequest:
    begins = start or tomorrow()
    fields = {"end": begins + timedelta(hours=2), **fields}
    return house.admit(
        house.ask("SURFnet", "GRNET", "1M", source_prefixes=sources(number), start=begins, **fields)
    )


def approved(house: Backbone, request: PremiumRequest, **options: Any) -> list[ApprovedLines]:
    options = {"confirm_gaps": True, **options}
    return ahead.approve_ahead(actor=house.approver, request=request, reason="read on Monday", **options)


def arrives(*requests: PremiumRequest, lasts: timedelta = timedelta(hours=1)) -> None:
    """Their start has come: the same instant for all of them, a moment ago."""
    start = timezone.now() - timedelta(seconds=1)
    keys = [request.pk for request in requests]
    PremiumRequest.objects.filter(pk__in=keys).update(start=start, end=start + lasts)
    LedgerEntry.objects.filter(reservation__request__in=keys).update(start=start, end=start + lasts)
    queues.mark(Router.objects.filter(name="nl6").values_list("pk", flat=True))  # it knew another instant


def ends(*requests: PremiumRequest) -> None:
    """Their end has come."""
    moment = timezone.now() - timedelta(milliseconds=200)
    keys = [request.pk for request in requests]
    PremiumRequest.objects.filter(pk__in=keys).update(end=moment)
    LedgerEntry.objects.filter(reservation__request__in=keys).update(end=moment)
    queues.mark(Router.objects.filter(name="nl6").values_list("pk", flat=True))


def test_two_due_at_the_same_minute_go_out_in_one_batch_with_nobody_awake(filtered: Backbone) -> None:
    one, two = admitted(filtered, 1), admitted(filtered, 2)
    for request in (one, two):
        assert len(approved(filtered, request)) == 2, "on and off"
    filtered.work()
    assert not Change.objects.filter(kind="reservation").exists(), "what is approved ahead occupies no queue"
    arrives(one, two)
    filtered.work()
    change = one.changes.get()
    assert set(change.requests.all()) == {one, two}
    assert set(filtered.states(change).values()) == {"VERIFIED"}
    assert (state(one), state(two)) == ("ACTIVE", "ACTIVE")
    word = Approval.objects.get(change=change)
    assert (word.rule, word.user_id, word.save_others_edits) == ("lines", filtered.approver.user_id, False)
    assert word.fingerprint == change.approved_fingerprint
    assert len(word.ahead) == 2
    event = AuditEvent.objects.get(action="change.approved-ahead")
    assert event.after["rule"] == "lines"
    assert len(event.after["approved"]) == 2
    assert "2001:610:1::/48" in event.after["planned"].lower()

    ends(one, two)
    filtered.work()
    filtered.work()
    assert (state(one), state(two)) == ("COMPLETED", "COMPLETED")
    assert "FILTERED-IN" not in filtered.running("nl6")
    assert Change.objects.exclude(kind="baseline").count() == 2
    baseline = str(Change.objects.get(kind="baseline").pk)
    assert not AuditEvent.objects.filter(action="change.approval").exclude(object_id=baseline).exists()


def test_another_came_between_and_the_lines_are_still_the_same(filtered: Backbone) -> None:
    """An entry gets another number than it had when it was read; where only permits are that changes nothing."""
    long = admitted(filtered, 5, timezone.now() - timedelta(seconds=1), end=None)
    filtered.work()
    filtered.approve(long.changes.get(), confirm_gaps=True)
    filtered.work()
    late = admitted(filtered, 9)
    approved(filtered, late)
    between = admitted(filtered, 7, timezone.now() - timedelta(seconds=1), end=None)
    filtered.work()
    filtered.approve(between.changes.get(), confirm_gaps=True)
    filtered.work()
    assert (state(long), state(between)) == ("ACTIVE", "ACTIVE")
    arrives(late)
    filtered.work()
    assert state(late) == "ACTIVE"
    assert Approval.objects.get(change=late.changes.get()).rule == "lines"
    ends(late)
    filtered.work()
    filtered.work()
    assert (state(late), state(long)) == ("COMPLETED", "ACTIVE")


def test_other_lines_wait_overdue_and_say_which(filtered: Backbone) -> None:
    late = admitted(filtered, 2)
    approved(filtered, late)
    first = admitted(filtered, 1, timezone.now() - timedelta(seconds=1), end=None)
    filtered.work()
    filtered.approve(first.changes.get(), confirm_gaps=True)
    filtered.work()
    assert state(first) == "ACTIVE"
    arrives(late)
    filtered.work()
    change = late.changes.get()
    assert state(late) == "ADMITTED"
    assert set(filtered.states(change).values()) == {"PLANNED"}
    assert is_overdue(change)
    assert change.ahead_covered is False
    assert "not in the plan: " in change.ahead_why and "FILTERED-IN" in change.ahead_why
    event = AuditEvent.objects.get(action="change.not-as-approved-ahead")
    assert "FILTERED-IN" in event.reason and event.after["approved"][0]["lines"]
    filtered.approve(change)
    filtered.work()
    assert state(late) == "ACTIVE"


def test_by_effect_other_lines_go_and_both_texts_are_in_the_audit(filtered: Backbone, settings: Any) -> None:
    settings.APPROVAL_CARRIES = "effect"
    late = admitted(filtered, 2)
    approved(filtered, late)
    first = admitted(filtered, 1, timezone.now() - timedelta(seconds=1), end=None)
    filtered.work()
    filtered.approve(first.changes.get(), confirm_gaps=True)
    filtered.work()
    arrives(late)
    filtered.work()
    assert state(late) == "ACTIVE"
    assert Approval.objects.get(change=late.changes.get()).rule == "effect"
    event = AuditEvent.objects.get(action="change.approved-ahead")
    assert event.after["rule"] == "effect" and "APPROVAL_CARRIES" in event.after["set_by"]
    assert "service-policy" in event.after["approved"][0]["lines"]
    assert (
        "service-policy" not in event.after["planned"] and "2001:610:2::/48" in event.after["planned"].lower()
    )


def test_what_was_withdrawn_meanwhile_goes_alone_without_the_other(filtered: Backbone) -> None:
    one, two = admitted(filtered, 1), admitted(filtered, 2)
    for request in (one, two):
        approved(filtered, request)
    asking.withdraw(actor=filtered.nren["SURFnet"], request=one, reason="not needed")
    arrives(two)
    filtered.work()
    assert (state(one), state(two)) == ("NEVER_PROVIDED", "ACTIVE")
    assert "2001:610:1:" not in filtered.running("nl6").lower()
    with pytest.raises(StaleState, match="NEVER_PROVIDED"):
        approved(filtered, one)


def test_what_was_approved_ahead_does_not_wait_for_what_was_not(filtered: Backbone) -> None:
    one, two = admitted(filtered, 1), admitted(filtered, 2)
    approved(filtered, one)
    arrives(one, two)
    filtered.work()
    assert (state(one), state(two)) == ("ACTIVE", "ADMITTED")
    waiting = two.changes.get()
    assert set(waiting.requests.all()) == {two}
    assert waiting.ahead_covered is None
    approved(filtered, two)
    filtered.work()
    assert state(two) == "ACTIVE", "approved on the request's page, as the plan that waits has it"


def test_foreign_unsaved_lines_are_not_saved_and_a_baseline_is_never_carried(filtered: Backbone) -> None:
    request = admitted(filtered, 1)
    approved(filtered, request)
    filtered.console("nl6", "hostname somebody")
    arrives(request)
    filtered.work()
    push = RouterPush.objects.get(change=request.changes.get())
    assert (push.state, push.saved) == ("VERIFIED", False)


def test_a_scheme_that_was_changed_meanwhile_waits_for_a_person(filtered: Backbone) -> None:
    request = admitted(filtered, 1)
    approved(filtered, request)
    domain = request.nren.domain
    domain.policer = "grants"
    domain.save()
    arrives(request)
    filtered.work()
    change = request.changes.get()
    assert state(request) == "ADMITTED"
    assert change.ahead_covered is False and "police" in change.ahead_why


def test_taken_back_it_counts_no_more_and_neither_does_who_left_the_noc(filtered: Backbone) -> None:
    one, two = admitted(filtered, 1), admitted(filtered, 2)
    approved(filtered, one)
    assert ahead.revoke(actor=filtered.planner, request=one, reason="the customer moves") == 2
    with pytest.raises(Conflict, match=f"no lines of {one.reference} are approved ahead"):
        ahead.revoke(actor=filtered.planner, request=one, reason="again")
    people.put_person(actor=SYSTEM, username="boris", roles=[Role.NOC])
    ahead.approve_ahead(actor=people.actor_named("boris", via=Via.WEB), request=two, confirm_gaps=True)
    people.put_person(actor=SYSTEM, username="boris", roles=[])
    arrives(one, two)
    filtered.work()
    assert (state(one), state(two)) == ("ADMITTED", "ADMITTED")
    said = [change.ahead_why for change in Change.objects.filter(ahead_covered=False)]
    assert any("not of the NOC any more" in text and "boris" in text for text in said)
    latest = Change.objects.latest("pk")
    assert set(latest.requests.all()) == {one, two}, "one plan for both waits for a person"


def test_who_cancels_a_plan_takes_back_what_was_approved_ahead_for_it(
    filtered: Backbone, settings: Any
) -> None:
    """Else the next plan of the same lines would go out by itself, after somebody stopped the last one."""
    one, other = admitted(filtered, 1), admitted(filtered, 2)
    approved(filtered, one)
    approved(filtered, other)
    settings.PUSH_ENABLED = False
    arrives(one)
    filtered.work()
    change = one.changes.get()
    assert change.approved_at is not None and change.released_at is None
    changes.cancel(actor=filtered.planner, change=change, reason="the customer called")
    left = ApprovedLines.objects.filter(revoked_at__isnull=True)
    assert {(row.request_id, row.puts_on) for row in left} == {
        (one.pk, False),
        (other.pk, True),
        (other.pk, False),
    }, "of the side and the request that the plan carried, no other"
    event = AuditEvent.objects.get(action="request.lines-revoked")
    assert event.object_label == one.reference
    assert event.reason == f"{change.reference} was cancelled by the NOC", (
        "what the NOC said of the change is its own"
    )
    settings.PUSH_ENABLED = True
    queues.retry(actor=filtered.planner, request=one, reason="they want it after all")
    filtered.work()
    again = one.changes.latest("pk")
    assert again != change and again.approved_at is None, "a person is asked again"
    assert state(one) == "ADMITTED"
