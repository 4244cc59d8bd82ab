"""From an admitted request to ACTIVE, and back: only what was seen on the routers moves a promise."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from provisioning.models import LedgerEntry, PremiumRequest, Reservation, RouterSync
from provisioning.selectors import changes as selecting
from provisioning.services import changes, intents, jobs, verifying
from provisioning.services import requests as asking
from tests.services.backbone import Backbone


def state(request: PremiumRequest) -> str:
    request.refresh_from_db()
    return request.state


def begin_now(request: PremiumRequest) -> None:
    """Let its window begin a second ago, for the request and for whatever was planned ahead for it."""
    begun = timezone.now() - timedelta(seconds=1)
    PremiumRequest.objects.filter(pk=request.pk).update(start=begun)
    request.changes.update(due_at=begun)


def test_an_empty_plan_is_settled_by_reading_and_gone_again_by_reading(backbone: Backbone) -> None:
    backbone.roll_out()
    typed = {name: backbone.typed(name) for name in ("uk6", "nl6", "gr6")}
    request = backbone.admit(backbone.ask("JANET", "GRNET", "2M"))
    assert state(request) == "ADMITTED"
    backbone.work()
    assert state(request) == "ACTIVE"
    change = request.changes.get()
    assert backbone.states(change) == {("uk6", "edges"): "VERIFIED"}, "a plan claims its ingress alone"
    assert change.submitted_by is None, "the clock planned it"

    asking.withdraw(actor=backbone.nren["JANET"], request=request, reason="the project ended")
    assert state(request) == "WITHDRAWN"
    assert LedgerEntry.objects.filter(released_at=None).exists(), "charged until seen gone"
    backbone.work()
    assert state(request) == "COMPLETED"
    assert not LedgerEntry.objects.filter(released_at=None).exists()
    assert {name: backbone.typed(name) for name in typed} == typed, "nothing had to be sent for any of it"


def test_a_promise_is_not_kept_by_a_router_that_differs_or_is_not_read(backbone: Backbone) -> None:
    backbone.roll_out()
    backbone.console("nl6", "interface POS2/1", "no service-policy output my_policy")
    request = backbone.admit(backbone.ask("JANET", "GRNET", "2M"))
    backbone.work()
    assert state(request) == "ADMITTED", "a core router on its path has lost its queue"
    backbone.console("nl6", "interface POS2/1", "service-policy output my_policy")
    backbone.fault("gr6", "unreachable")
    verifying.verify_routers()
    assert dict(RouterSync.objects.values_list("router__name", "state")) == {
        "uk6": "in-sync",
        "nl6": "in-sync",
        "gr6": "unknown",
    }
    assert state(request) == "ADMITTED"
    backbone.clear()
    verifying.verify_routers()
    assert state(request) == "ACTIVE"


def test_a_filtered_reservation_goes_on_by_a_confirmed_swap_and_comes_off_again(backbone: Backbone) -> None:
    backbone.roll_out()
    before = backbone.running("nl6")
    request = backbone.admit(backbone.ask("SURFnet", "GRNET", "1M"))
    backbone.work()
    assert state(request) == "ADMITTED"
    change = request.changes.get()
    sending = [push for push in change.pushes.select_related("router") if push.lines]
    assert [push.router.name for push in sending] == ["nl6"]
    assert selecting.is_overdue(selecting.by_reference(change.pk)), (
        "its window is open and it waits for approval"
    )

    backbone.approve(change, confirm_gaps=True)
    backbone.work(change)  # nobody presses push: the window releases it
    assert set(backbone.states(change).values()) == {"VERIFIED"}
    assert state(request) == "ACTIVE"
    assert ("GigabitEthernet1/0", "input", "FILTERED-IN") in backbone.bound("nl6")
    assert "2001:610:1::/48" in backbone.running("nl6").lower()

    asking.withdraw(actor=backbone.nren["SURFnet"], request=request, reason="done")
    backbone.work()
    assert state(request) == "WITHDRAWN", "its removal waits for approval; it is still charged"
    assert LedgerEntry.objects.filter(released_at=None).exists()
    removal = request.changes.get(kind="removal")
    backbone.approve(removal, confirm_gaps=True)
    backbone.work(removal)
    assert set(backbone.states(removal).values()) == {"VERIFIED"}
    assert state(request) == "COMPLETED"
    assert not LedgerEntry.objects.filter(released_at=None).exists()
    assert ("GigabitEthernet1/0", "input", "NON-PARTICIPANT") in backbone.bound("nl6")
    kept = [line for line in before.splitlines() if not line.startswith(("!", "Current", "ntp"))]
    now = [
        line for line in backbone.running("nl6").splitlines() if not line.startswith(("!", "Current", "ntp"))
    ]
    assert sorted(now) == sorted(kept)


def test_a_window_that_has_not_started_puts_nothing_on(backbone: Backbone, settings: object) -> None:
    backbone.roll_out()
    settings.LEAD_TIME_SECONDS = 7200
    tomorrow = backbone.admit(
        backbone.ask("SURFnet", "GRNET", "1M", start=timezone.now() + timedelta(days=1))
    )
    backbone.work()
    assert not tomorrow.changes.exists(), "not even planned"

    soon = backbone.admit(backbone.ask("SURFnet", "GRNET", "1M", start=timezone.now() + timedelta(hours=1)))
    backbone.work()
    change = soon.changes.get()
    assert set(change.requests.all()) == {soon}
    assert not selecting.is_overdue(selecting.by_reference(change.pk))
    backbone.approve(change, confirm_gaps=True)
    changes.release(actor=backbone.approver, change=change)
    backbone.work()
    assert "APPROVED" in backbone.states(change).values(), "pressed early: it waits for its window"
    assert "FILTERED-IN" not in backbone.running("nl6")

    begin_now(soon)
    backbone.work()
    assert set(backbone.states(change).values()) == {"VERIFIED"}
    assert state(soon) == "ACTIVE"
    assert state(tomorrow) == "ADMITTED"


def test_a_reservation_that_expires_is_taken_off_by_itself_up_to_the_approval(backbone: Backbone) -> None:
    backbone.roll_out()
    request = backbone.admit(backbone.ask("JANET", "GRNET", "2M", end=timezone.now() + timedelta(hours=1)))
    backbone.work()
    assert state(request) == "ACTIVE"
    jobs.tick(timezone.now() + timedelta(hours=2))
    assert state(request) == "EXPIRED"
    backbone.work()
    assert state(request) == "COMPLETED"


def test_a_reading_that_crosses_the_note_that_nothing_is_to_be_sent_is_made_again(backbone: Backbone) -> None:
    """The intent is of before the note, the reading of after it: in sync, with the reservation still on."""
    backbone.roll_out()
    request = backbone.admit(backbone.ask("JANET", "GRNET", "2M", end=timezone.now() + timedelta(hours=1)))
    backbone.work()
    assert state(request) == "ACTIVE"
    asking.expire_due(now=timezone.now() + timedelta(hours=2))
    before = intents.wanted()
    jobs.work(until=Reservation.objects.filter(taken_off_at__isnull=False).exists)
    router = before.routers["uk6"]
    verifying.record(router=router, reading=verifying.read_routers([router])["uk6"], wanted=before)
    assert state(request) == "EXPIRED"
    backbone.work()
    assert state(request) == "COMPLETED"


def test_the_same_lines_as_approved_go_out_when_the_plan_is_made_anew(backbone: Backbone) -> None:
    backbone.roll_out()
    first = backbone.admit(
        backbone.ask("SURFnet", "GRNET", "1M", start=timezone.now() + timedelta(minutes=14))
    )
    backbone.work()
    change = backbone.approve(first.changes.get(), confirm_gaps=True)
    begin_now(first)
    backbone.console(
        "nl6", "interface GigabitEthernet1/0", "bandwidth 900000"
    )  # moved, but not in what is sent
    backbone.work()
    states = backbone.states(change)
    assert states["nl6", "edges"] == "STALE"
    again = first.changes.exclude(pk=change.pk).get()
    assert set(backbone.states(again).values()) == {"VERIFIED"}
    assert again.approved_by == change.approved_by
    assert state(first) == "ACTIVE"
