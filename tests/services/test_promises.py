"""From an admitted request to ACTIVE, and back: only what was seen on the routers moves a promise."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from provisioning.models import LedgerEntry, PremiumRequest, Reservation, RouterSync
from provisioning.selectors import changes as selecting
from provisioning.services import changes, intents, jobs, planning, verifying
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


def test_an_empty_plan_is_settled_by_reading_and_gone_again_by_reading(live: Backbone) -> None:
    typed = {name: live.typed(name) for name in ("uk6", "nl6", "gr6")}
    request = live.admit(live.ask("JANET", "GRNET", "2M"))
    assert state(request) == "ADMITTED"
    live.work()
    assert state(request) == "ACTIVE"
    change = request.changes.get()
    assert live.states(change) == {("uk6", "edges"): "VERIFIED"}, "a plan claims its ingress alone"
    assert change.submitted_by is None, "the clock planned it"

    asking.withdraw(actor=live.nren["JANET"], request=request, reason="the project ended")
    assert state(request) == "WITHDRAWN"
    assert LedgerEntry.objects.filter(released_at=None).exists(), "charged until seen gone"
    live.work()
    assert state(request) == "COMPLETED"
    assert not LedgerEntry.objects.filter(released_at=None).exists()
    assert {name: live.typed(name) for name in typed} == typed, "nothing had to be sent for any of it"


def test_a_promise_is_not_kept_by_a_router_that_differs_or_is_not_read(live: Backbone) -> None:
    live.console("nl6", "interface POS2/1", "no service-policy output my_policy")
    request = live.admit(live.ask("JANET", "GRNET", "2M"))
    live.work()
    assert state(request) == "ADMITTED", "a core router on its path has lost its queue"
    live.console("nl6", "interface POS2/1", "service-policy output my_policy")
    live.fault("gr6", "unreachable")
    verifying.verify_routers()
    assert dict(RouterSync.objects.values_list("router__name", "state")) == {
        "uk6": "in-sync",
        "nl6": "in-sync",
        "gr6": "unknown",
    }
    assert state(request) == "ADMITTED"
    live.clear()
    verifying.verify_routers()
    assert state(request) == "ACTIVE"


def test_a_filtered_reservation_goes_on_by_a_confirmed_swap_and_comes_off_again(live: Backbone) -> None:
    before = live.running("nl6")
    request = live.admit(live.ask("SURFnet", "GRNET", "1M"))
    live.work()
    assert state(request) == "ADMITTED"
    change = request.changes.get()
    sending = [push for push in change.pushes.select_related("router") if push.lines]
    assert [push.router.name for push in sending] == ["nl6"]
    assert selecting.is_overdue(selecting.by_reference(change.pk)), (
        "its window is open and it waits for approval"
    )

    live.approve(change, confirm_gaps=True)
    live.work(change)  # nobody presses push: the window releases it
    assert set(live.states(change).values()) == {"VERIFIED"}
    assert state(request) == "ACTIVE"
    assert ("GigabitEthernet1/0", "input", "FILTERED-IN") in live.bound("nl6")
    assert "2001:610:1::/48" in live.running("nl6").lower()

    asking.withdraw(actor=live.nren["SURFnet"], request=request, reason="done")
    live.work()
    assert state(request) == "WITHDRAWN", "its removal waits for approval; it is still charged"
    assert LedgerEntry.objects.filter(released_at=None).exists()
    removal = request.changes.get(kind="removal")
    live.approve(removal, confirm_gaps=True)
    live.work(removal)
    assert set(live.states(removal).values()) == {"VERIFIED"}
    assert state(request) == "COMPLETED"
    assert not LedgerEntry.objects.filter(released_at=None).exists()
    assert ("GigabitEthernet1/0", "input", "NON-PARTICIPANT") in live.bound("nl6")
    kept = [line for line in before.splitlines() if not line.startswith(("!", "Current", "ntp"))]
    now = [line for line in live.running("nl6").splitlines() if not line.startswith(("!", "Current", "ntp"))]
    assert sorted(now) == sorted(kept)


def test_a_window_that_has_not_started_puts_nothing_on(live: Backbone, settings: object) -> None:
    settings.LEAD_TIME_SECONDS = 7200
    tomorrow = live.admit(live.ask("SURFnet", "GRNET", "1M", start=timezone.now() + timedelta(days=1)))
    live.work()
    assert not tomorrow.changes.exists(), "not even planned"

    soon = live.admit(live.ask("SURFnet", "GRNET", "1M", start=timezone.now() + timedelta(hours=1)))
    live.work()
    change = soon.changes.get()
    assert set(change.requests.all()) == {soon}
    assert not selecting.is_overdue(selecting.by_reference(change.pk))
    live.approve(change, confirm_gaps=True)
    changes.release(actor=live.approver, change=change)
    live.work()
    assert "APPROVED" in live.states(change).values(), "pressed early: it waits for its window"
    assert "FILTERED-IN" not in live.running("nl6")

    begin_now(soon)
    live.work()
    assert set(live.states(change).values()) == {"VERIFIED"}
    assert state(soon) == "ACTIVE"
    assert state(tomorrow) == "ADMITTED"


def test_a_reservation_that_expires_is_taken_off_by_itself_up_to_the_approval(live: Backbone) -> None:
    request = live.admit(live.ask("JANET", "GRNET", "2M", end=timezone.now() + timedelta(hours=1)))
    live.work()
    assert state(request) == "ACTIVE"
    jobs.tick(timezone.now() + timedelta(hours=2))
    assert state(request) == "EXPIRED"
    live.work()
    assert state(request) == "COMPLETED"


def test_a_reading_that_crosses_the_note_that_nothing_is_to_be_sent_is_made_again(live: Backbone) -> None:
    """The intent is of before the note, the reading of after it: in sync, with the reservation still on."""
    request = live.admit(live.ask("JANET", "GRNET", "2M", end=timezone.now() + timedelta(hours=1)))
    live.work()
    assert state(request) == "ACTIVE"
    asking.expire_due(now=timezone.now() + timedelta(hours=2))
    before = intents.wanted()
    planning.plan_router(router_id=request.source_link.interface.router_id)
    assert Reservation.objects.filter(taken_off_at__isnull=False).exists()
    router = before.routers["uk6"]
    verifying.record(router=router, reading=verifying.read_routers([router])["uk6"], wanted=before)
    assert state(request) == "EXPIRED"
    live.work()
    assert state(request) == "COMPLETED"


def test_the_same_lines_as_approved_go_out_when_the_plan_is_made_anew(live: Backbone) -> None:
    first = live.admit(live.ask("SURFnet", "GRNET", "1M", start=timezone.now() + timedelta(minutes=14)))
    live.work()
    change = live.approve(first.changes.get(), confirm_gaps=True)
    begin_now(first)
    live.console("nl6", "interface GigabitEthernet1/0", "bandwidth 900000")  # moved, but not in what is sent
    live.work()
    states = live.states(change)
    assert states["nl6", "edges"] == "STALE"
    again = first.changes.exclude(pk=change.pk).get()
    assert set(live.states(again).values()) == {"VERIFIED"}
    assert again.approved_by == change.approved_by
    assert state(first) == "ACTIVE"
