"""Holds, withdrawal, expiry and the two sightings: when capacity is charged and when it is free again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from provisioning.errors import Conflict, InvalidInput, NotPermitted, NotVisible, StaleState
from provisioning.models import AuditEvent, LedgerEntry, PremiumRequest, Reservation
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.quotas import held_and_granted
from provisioning.services import audit, clock, decisions, requests, transitions
from provisioning.services.requests import ending
from tests.services.requests.sixnet import (
    ASKED,
    JANET,
    admitted,
    agreed,
    charged_bps,
    grnet,
    hours,
    janet,
    noc,
    person,
    submitted,
)

pytestmark = pytest.mark.usefixtures("six")


def _move_window(request: PremiumRequest, *, start: float, end: float | None) -> None:
    """Let time pass: the row and its charges as if they had been written earlier."""
    span = {"start": hours(start), "end": None if end is None else hours(end)}
    PremiumRequest.objects.filter(pk=request.pk).update(**span)
    LedgerEntry.objects.filter(reservation__request=request).update(**span)
    LedgerEntry.objects.filter(hold=request).update(**span)
    request.refresh_from_db()


def test_withdrawn_before_admission_is_final_and_was_never_charged() -> None:
    request = requests.withdraw(actor=janet(), request=submitted(), reason="cancelled concert")
    assert request.state == "WITHDRAWN"
    assert not LedgerEntry.objects.exists()
    with pytest.raises(Conflict, match="holds nothing"):
        decisions.complete(request=request)
    with pytest.raises(StaleState):
        requests.withdraw(actor=janet(), request=request, reason="again")


@pytest.mark.parametrize("active", [False, True])
def test_withdrawn_after_admission_is_charged_until_it_is_seen_gone(active: bool) -> None:
    request = admitted(rate=7_729_000)
    if active:
        decisions.activate(request=request)
    requests.withdraw(actor=janet(), request=request, reason="over early")
    assert request.state == "WITHDRAWN"
    assert charged_bps(JANET, "in") == 7_729_000
    assert isinstance(decisions.evidence(request=submitted(rate=1_000)), Refused)
    done = decisions.complete(request=request)
    assert done.state == "COMPLETED"
    assert charged_bps(JANET, "in") == 0
    assert Reservation.objects.get(request=request).released_at is not None
    assert isinstance(decisions.evidence(request=submitted(rate=7_729_000)), Admitted)
    with pytest.raises(StaleState):
        decisions.complete(request=request)


def test_active_is_dated_and_only_after_admission() -> None:
    request = admitted()
    row = decisions.activate(request=request, reason="seen")
    assert row.state == "ACTIVE"
    assert Reservation.objects.get(request=request).seen_on_at is not None
    event = AuditEvent.objects.get(action="request.active")
    assert (event.actor, event.user, event.reason) == ("expedite", None, "seen")
    for other in (request, submitted()):
        with pytest.raises(StaleState):
            decisions.activate(request=other)


def test_seen_gone_counts_only_for_what_has_ended() -> None:
    request = admitted()
    with pytest.raises(StaleState):
        decisions.complete(request=request)
    request.refresh_from_db()
    assert (request.state, charged_bps(JANET, "in")) == ("ADMITTED", 2_000_000)


def test_both_ways_are_withdrawn_together() -> None:
    out, back = requests.submit(actor=janet(), data=replace(ASKED, direction="both"))
    requests.consent(actor=grnet(), request=out, agree=True)
    decisions.admit(actor=noc(), request=out, reason="fits")
    decisions.activate(request=out)
    requests.withdraw(actor=janet(), request=back, reason="over")
    assert set(PremiumRequest.objects.values_list("state", flat=True)) == {"WITHDRAWN"}
    decisions.complete(request=out)
    assert (charged_bps(JANET, "in"), charged_bps(JANET, "out")) == (0, 2_000_000)


def test_who_may_withdraw() -> None:
    request = submitted()
    for actor, error in [(grnet(), NotPermitted), (person("dirk", nrens=("DFN",)), NotVisible)]:
        with pytest.raises(error):
            requests.withdraw(actor=actor, request=request, reason="x")
    with pytest.raises(InvalidInput):
        requests.withdraw(actor=janet(), request=request, reason=" ")
    assert requests.withdraw(actor=noc(), request=request, reason="the NREN called").state == "WITHDRAWN"


def test_a_hold_charges_until_it_lapses() -> None:
    request = submitted(rate=7_729_000)
    until = hours(1)
    verdict = decisions.hold(actor=noc(), request=request, until=until, reason="GRNET is asking back")
    assert isinstance(verdict, tuple)
    assert (request.state, request.held_until) == ("HELD", until)
    assert isinstance(decisions.evidence(request=submitted(rate=1_000)), Refused)
    assert requests.expire_due(now=timezone.now()) == requests.Expired(0, 0)
    assert requests.expire_due(now=until) == requests.Expired(1, 0)
    request.refresh_from_db()
    assert (request.state, request.held_until) == ("SUBMITTED", None)
    assert charged_bps(JANET, "in") == 0
    assert AuditEvent.objects.filter(action="request.hold-lapsed").count() == 1


def test_a_hold_that_lapsed_counts_no_more_even_before_the_tick() -> None:
    request = submitted(rate=7_729_000)
    decisions.hold(actor=noc(), request=request, until=hours(1), reason="wait")
    lapsed = timezone.now() - timedelta(seconds=1)
    PremiumRequest.objects.filter(pk=request.pk).update(held_until=lapsed)
    LedgerEntry.objects.filter(hold=request).update(lapses_at=lapsed)
    assert isinstance(decisions.evidence(request=submitted(rate=7_729_000)), Admitted)


def test_a_hold_whose_window_is_over_counts_no_more_even_before_the_tick(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing of it can be on a router: unlike what was granted it is not charged until it is seen gone."""
    held = submitted(rate=7_729_000, end=hours(2))
    decisions.hold(actor=noc(), request=held, until=hours(30), reason="wait")
    later = submitted(rate=7_729_000, start=hours(4), end=hours(5))
    at_once = submitted(rate=7_729_000, start=hours(1), end=hours(5))
    assert isinstance(decisions.evidence(request=at_once), Refused)
    when = hours(3)
    monkeypatch.setattr(clock, "now", lambda: when)
    held.refresh_from_db()
    assert held.state == "HELD" and held.held_until is not None and held.held_until > when
    assert isinstance(decisions.evidence(request=later), Admitted)
    assert isinstance(decisions.evidence(request=at_once), Admitted)
    assert held_and_granted(held.nren, within=TimeWindow(when), now=when) == ()


def test_a_held_request_is_admitted_without_competing_with_its_own_hold() -> None:
    request = agreed(rate=7_729_000)
    decisions.hold(actor=noc(), request=request, until=hours(1), reason="wait")
    assert isinstance(decisions.admit(actor=noc(), request=request, reason="go"), Admitted)
    assert (request.state, request.held_until) == ("ADMITTED", None)
    assert charged_bps(JANET, "in") == 7_729_000


def test_unhold_refuse_and_withdraw_free_a_hold() -> None:
    for end in (
        lambda row: decisions.unhold(actor=noc(), request=row, reason="not needed"),
        lambda row: decisions.refuse(actor=noc(), request=row, reason="no"),
        lambda row: requests.withdraw(actor=janet(), request=row, reason="no"),
    ):
        request = submitted(rate=7_729_000)
        assert not isinstance(
            decisions.hold(actor=noc(), request=request, until=hours(1), reason="w"), Refused
        )
        assert charged_bps(JANET, "in") == 7_729_000
        end(request)
        assert charged_bps(JANET, "in") == 0


def test_both_ways_are_held_together_or_not_at_all() -> None:
    out, back = requests.submit(actor=janet(), data=replace(ASKED, direction="both"))
    decisions.hold(actor=noc(), request=back, until=hours(1), reason="w")
    assert set(PremiumRequest.objects.values_list("state", flat=True)) == {"HELD"}
    assert (charged_bps(JANET, "in"), charged_bps(JANET, "out")) == (2_000_000, 2_000_000)
    requests.expire_due(now=hours(2))
    assert set(PremiumRequest.objects.values_list("state", flat=True)) == {"SUBMITTED"}
    assert out.twin_id == back.pk


def test_a_hold_cannot_hold_what_does_not_fit_nor_for_ever_nor_twice() -> None:
    request = submitted(rate=8_000_000)
    assert isinstance(decisions.hold(actor=noc(), request=request, until=hours(1), reason="w"), Refused)
    assert request.state == "SUBMITTED"
    small = submitted()
    for until in (hours(-1), hours(31 * 24), timezone.now().replace(tzinfo=None)):
        with pytest.raises(InvalidInput) as refused:
            decisions.hold(actor=noc(), request=small, until=until, reason="w")
        assert refused.value.field == "until"
    with pytest.raises(StaleState):
        decisions.unhold(actor=noc(), request=small, reason="w")
    decisions.hold(actor=noc(), request=small, until=hours(1), reason="w")
    with pytest.raises(StaleState):
        decisions.hold(actor=noc(), request=small, until=hours(2), reason="w")
    assert charged_bps(JANET, "in") == 2_000_000


def test_what_is_over_is_not_held_whoever_is_faster_than_the_tick() -> None:
    """The database counts what ended and was not released without end: such a hold would take from whoever is on."""
    late, running = submitted(rate=4_000_000), admitted(rate=5_000_000)
    PremiumRequest.objects.filter(pk=late.pk).update(start=hours(-2), end=hours(-1))
    late.refresh_from_db()
    with pytest.raises(StaleState, match="is over"):
        decisions.hold(actor=noc(), request=late, until=hours(1), reason="w")
    late.refresh_from_db()
    assert late.state == "SUBMITTED"
    assert charged_bps(JANET, "in") == running.rate_bps


def test_the_clock_expires_what_is_over_and_leaves_it_charged() -> None:
    waiting, granted, active, ahead = (
        submitted(end=hours(1)),
        admitted(end=hours(1)),
        admitted(end=hours(1)),
        admitted(),
    )
    decisions.activate(request=active)
    assert requests.expire_due(now=hours(1) + timedelta(seconds=1)) == requests.Expired(0, 3)
    for row in (waiting, granted, active, ahead):
        row.refresh_from_db()
    assert [row.state for row in (waiting, granted, active, ahead)] == [
        "EXPIRED",
        "EXPIRED",
        "EXPIRED",
        "ADMITTED",
    ]
    assert charged_bps(JANET, "in") == 6_000_000
    assert requests.expire_due(now=hours(2)) == requests.Expired(0, 0)


def test_an_expired_reservation_that_is_not_seen_gone_blocks_what_comes_after() -> None:
    over = admitted(rate=7_729_000, end=hours(1))
    later = submitted(start=hours(1), end=hours(2), rate=1_000)
    assert isinstance(decisions.evidence(request=later), Admitted), "windows that only touch"
    _move_window(over, start=-2, end=-1)
    refused = decisions.evidence(request=later)
    assert isinstance(refused, Refused)
    assert refused.reasons[0].interval_end == later.end
    requests.expire_due(now=timezone.now())
    decisions.complete(request=over)
    assert isinstance(decisions.evidence(request=later), Admitted)


def test_expiry_at_the_very_end_of_the_window() -> None:
    request = admitted(end=hours(1))
    assert request.end is not None
    assert requests.expire_due(now=request.end - timedelta(microseconds=1)).requests == 0
    assert requests.expire_due(now=request.end).requests == 1


def _asked_of_expiry(count: int) -> int:
    """How many questions the expiry of so many requests takes, half of them reservations."""
    for number in range(count):
        admitted(rate=1000, end=hours(1)) if number % 2 else submitted(rate=1000, end=hours(1))
    with CaptureQueriesContext(connection) as asked:
        assert requests.expire_due(now=hours(2)) == requests.Expired(0, count)
    return len(asked)


def test_many_expire_in_as_many_questions_as_few() -> None:
    few = _asked_of_expiry(4)
    assert _asked_of_expiry(24) == few
    assert few <= 21
    ended = AuditEvent.objects.filter(action="request.expired")
    assert ended.values("object_id").distinct().count() == ended.count() == 28
    audit.seal_waiting()
    assert audit.verify_chain().intact, "each in the chain of its own subject, bound to its row"


def test_one_that_cannot_expire_keeps_no_other_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [submitted(end=hours(1)) for _ in range(5)]
    broken, moved = rows[2], transitions.move_all

    def move_all(*, keys: Collection[int], **rest: Any) -> Any:
        if broken.pk in keys:
            raise RuntimeError("a row nobody can read")
        return moved(keys=keys, **rest)

    monkeypatch.setattr(transitions, "move_all", move_all)
    assert requests.expire_due(now=hours(2)) == requests.Expired(0, 4)
    assert list(PremiumRequest.objects.filter(state="SUBMITTED").values_list("pk", flat=True)) == [broken.pk]


def test_a_hold_that_was_taken_anew_meanwhile_does_not_lapse(monkeypatch: pytest.MonkeyPatch) -> None:
    request = submitted(rate=1000)
    decisions.hold(actor=noc(), request=request, until=hours(1), reason="w")
    locking = ending.locked

    def locked(rows: Any) -> Any:
        PremiumRequest.objects.filter(pk=request.pk).update(held_until=hours(30))
        return locking(rows)

    monkeypatch.setattr(ending, "locked", locked)
    assert requests.expire_due(now=hours(2)) == requests.Expired(0, 0)
    request.refresh_from_db()
    assert request.state == "HELD" and charged_bps(JANET, "in") == 1000


def test_a_call_ends_so_many_and_the_next_one_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "AT_ONCE", 3)
    monkeypatch.setattr(ending, "TOGETHER", 2)
    rows = [submitted(rate=1000, end=hours(1)) for _ in range(5)]
    assert [requests.expire_due(now=hours(2)).requests for _ in range(3)] == [3, 2, 0]
    assert PremiumRequest.objects.filter(pk__in=[row.pk for row in rows], state="EXPIRED").count() == 5
