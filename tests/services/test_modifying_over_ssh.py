"""What was promised changes on practice routers over SSH: in force when its router was read with it, never a moment uncharged."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from provisioning.errors import Conflict
from provisioning.models import Change, LedgerEntry, Modification, PremiumRequest, Reservation, RouterPush
from provisioning.services import audit, modifications
from provisioning.services import requests as asking
from provisioning.services.modifications import Modify
from tests.services.backbone import Backbone

OLD, NEW = "2001:610:1::/48", "2001:610:9::/48"
LINK = "SURFnet@nl6:GigabitEthernet1/0"


pytestmark = pytest.mark.once  # over SSH, the same on either database


def active(backbone: Backbone, **fields: Any) -> PremiumRequest:
    end = timezone.now() + timedelta(hours=3)
    asked = {"rate": "1M", "source_prefixes": (OLD,), "end": end, **fields}
    request = backbone.admit(backbone.ask("SURFnet", "GRNET", **asked))
    backbone.work()
    backbone.approve(request.changes.get(), confirm_gaps=True)
    backbone.work()
    assert state(request) == "ACTIVE"
    return request


def state(request: PremiumRequest) -> str:
    request.refresh_from_db()
    return request.state


def granted(backbone: Backbone, request: PremiumRequest, **wanted: Any) -> Modification:
    made = modifications.modify(
        actor=backbone.nren["SURFnet"], request=request, wanted=Modify(**wanted), reason="another hall"
    )
    assert made is not None
    if made.consent == "pending":
        modifications.consent(actor=backbone.nren["GRNET"], modification=made, agree=True)
    modifications.admit(actor=backbone.approver, modification=made, reason="the difference fits")
    made.refresh_from_db()
    return made


def charged(request: PremiumRequest) -> dict[str, int]:
    """What is charged to each link at this moment."""
    found: dict[str, int] = {}
    now = timezone.now()
    rows = LedgerEntry.objects.filter(request=request, released_at=None, start__lte=now)
    for link, rate in rows.values_list("link", "rate_bps"):
        found[link] = found.get(link, 0) + rate
    return found


def newest(request: PremiumRequest) -> Change:
    return request.changes.latest("pk")


def test_prefixes_and_rate_change_on_the_router_and_then_in_the_book(filtered: Backbone) -> None:
    request = active(filtered)
    assert "2001:610:1::" in filtered.running("nl6")
    made = granted(filtered, request, rate="3M", source_prefixes=(NEW,))
    assert (made.state, state(request), request.rate_bps) == ("ADMITTED", "ACTIVE", 1_000_000)
    assert set(charged(request).values()) == {3_000_000}, "the larger of both, on every link"
    filtered.work()
    change = newest(request)
    assert change.title.startswith(f"{request.reference} changed") and change.modifies == {
        str(request.pk): made.pk
    }
    assert not change.approvals.exists(), "nobody has read these lines"
    with pytest.raises(Conflict, match=made.reference):
        modifications.modify(
            actor=filtered.nren["SURFnet"], request=request, wanted=Modify(rate="2M"), reason="another"
        )
    filtered.approve(change, confirm_gaps=True)
    filtered.work()
    made.refresh_from_db()
    assert (made.state, state(request)) == ("IN_FORCE", "ACTIVE")
    assert (request.rate_bps, request.source_prefixes) == (3_000_000, [NEW])
    running = filtered.running("nl6")
    assert "2001:610:9::" in running and "2001:610:1::" not in running
    rows = LedgerEntry.objects.filter(request=request, released_at=None)
    assert {(row.rate_bps, row.modification_id) for row in rows} == {(3_000_000, None)}
    assert len({(row.link, row.direction) for row in rows}) == rows.count()
    assert request.reservation.granted_bps == 3_000_000
    assert audit.verify_chain().intact
    asking.withdraw(actor=filtered.nren["SURFnet"], request=request, reason="over")
    filtered.work()
    filtered.approve(request.changes.get(kind="removal"), confirm_gaps=True)
    filtered.work()
    assert state(request) == "COMPLETED"
    assert not charged(request)


def test_a_push_that_breaks_leaves_the_old_in_force_and_charged(filtered: Backbone) -> None:
    request = active(filtered, rate="2M")
    made = granted(filtered, request, rate="1M", source_prefixes=(NEW,))
    filtered.work()
    filtered.approve(newest(request), confirm_gaps=True)
    filtered.fault("nl6", "refuse", match="2001:610:9", message="% Invalid input detected", times=9)
    filtered.work()
    made.refresh_from_db()
    assert (made.state, state(request)) == ("ADMITTED", "ACTIVE")
    assert (request.rate_bps, request.source_prefixes) == (2_000_000, [OLD])
    assert set(charged(request).values()) == {2_000_000}
    assert "2001:610:1::" in filtered.running("nl6")
    filtered.clear()
    modifications.withdraw(actor=filtered.nren["SURFnet"], modification=made, reason="it stays as it is")
    filtered.work()
    assert set(charged(request).values()) == {2_000_000}
    Reservation.objects.filter(request=request).update(waits_for="", held_cause="")
    again = granted(filtered, request, source_prefixes=(NEW,))
    filtered.work()
    filtered.approve(newest(request), confirm_gaps=True)
    filtered.work()
    again.refresh_from_db()
    assert (again.state, state(request), request.source_prefixes) == ("IN_FORCE", "ACTIVE", [NEW])


def test_where_no_line_changes_reading_alone_puts_it_in_force(live: Backbone) -> None:
    request = live.admit(live.ask("JANET", "GRNET", "1M"))
    live.work()
    assert state(request) == "ACTIVE"
    typed = live.typed("uk6")
    made = modifications.modify(
        actor=live.nren["JANET"], request=request, wanted=Modify(rate="3M"), reason="more"
    )
    assert made is not None
    modifications.consent(actor=live.nren["GRNET"], modification=made, agree=True)
    modifications.admit(actor=live.approver, modification=made, reason="fits")
    made.refresh_from_db()
    assert made.state == "ADMITTED"
    live.work()
    made.refresh_from_db()
    assert (made.state, state(request), request.rate_bps) == ("IN_FORCE", "ACTIVE", 3_000_000)
    assert live.typed("uk6") == typed
    assert set(charged(request).values()) == {3_000_000}


def test_changed_before_its_approved_plan_is_sent_it_goes_on_as_it_became(filtered: Backbone) -> None:
    begins = timezone.now() + timedelta(minutes=10)
    request = filtered.admit(
        filtered.ask(
            "SURFnet", "GRNET", "1M", source_prefixes=(OLD,), start=begins, end=begins + timedelta(hours=1)
        )
    )
    filtered.work()
    first = request.changes.get()
    filtered.approve(first, confirm_gaps=True)
    made = granted(filtered, request, source_prefixes=(NEW,), start=timezone.now() + timedelta(seconds=1))
    assert (made.state, state(request), request.source_prefixes) == ("IN_FORCE", "ADMITTED", [NEW])
    assert set(filtered.states(first).values()) == {"STALE"}
    PremiumRequest.objects.filter(pk=request.pk).update(start=timezone.now() - timedelta(seconds=1))
    filtered.work()
    filtered.approve(newest(request), confirm_gaps=True)
    filtered.work()
    assert state(request) == "ACTIVE"
    running = filtered.running("nl6")
    assert "2001:610:9::" in running and "2001:610:1::" not in running


def test_while_its_lines_are_out_it_is_neither_taken_back_nor_put_aside_and_may_end_early(
    filtered: Backbone,
) -> None:
    request = active(filtered)
    made = granted(filtered, request, rate="3M", source_prefixes=(NEW,))
    filtered.work()
    change = newest(request)
    filtered.approve(change, confirm_gaps=True)
    filtered.fault("nl6", "drop", match="2001:610:9", times=1)
    RouterPush.objects.filter(change=change).update(state="PUSHING", started_at=timezone.now())
    with pytest.raises(Conflict, match="being sent"):
        modifications.withdraw(actor=filtered.nren["SURFnet"], modification=made, reason="no")
    sooner = timezone.now() + timedelta(hours=1)
    modifications.end_early(actor=filtered.nren["SURFnet"], request=request, end=sooner, reason="shorter")
    assert set(charged(request).values()) == {3_000_000}
    RouterPush.objects.filter(change=change).update(state="APPROVED", started_at=None)
    filtered.clear()
    filtered.work()
    made.refresh_from_db()
    assert (made.state, state(request), request.source_prefixes, request.end) == (
        "IN_FORCE", "ACTIVE", [NEW], sooner,
    )  # fmt: skip
    assert {row.end for row in LedgerEntry.objects.filter(request=request, released_at=None)} == {sooner}


def test_what_is_withdrawn_while_its_change_waits_comes_off_as_it_is(filtered: Backbone) -> None:
    request = active(filtered)
    made = granted(filtered, request, rate="3M", source_prefixes=(NEW,))
    filtered.work()
    waiting = newest(request)
    asking.withdraw(actor=filtered.nren["SURFnet"], request=request, reason="over")
    filtered.work()
    made.refresh_from_db()
    assert made.state == "LAPSED"
    assert set(filtered.states(waiting).values()) == {"STALE"}
    assert set(charged(request).values()) == {3_000_000}, "until it is seen gone"
    filtered.approve(request.changes.get(kind="removal"), confirm_gaps=True)
    filtered.work()
    assert state(request) == "COMPLETED"
    assert not charged(request)


def test_an_extension_takes_the_removal_that_was_approved_out_of_the_queue(filtered: Backbone) -> None:
    request = active(filtered, end=timezone.now() + timedelta(minutes=10))
    filtered.work()
    removal = request.changes.filter(kind="removal").first()
    assert removal is not None, "planned ahead"
    filtered.approve(removal, confirm_gaps=True)
    made = granted(filtered, request, end=timezone.now() + timedelta(days=1))
    assert (made.state, state(request), request.end) == ("IN_FORCE", "ACTIVE", made.end)
    assert set(filtered.states(removal).values()) == {"STALE"}
    filtered.work()
    assert state(request) == "ACTIVE"
    assert "2001:610:1::" in filtered.running("nl6")
