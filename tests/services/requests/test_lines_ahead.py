"""Approving lines ahead, as far as no router is needed: who may, what is asked of them, what the commands say."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import override_settings

from inventory.models import AccessLink
from provisioning.errors import Conflict, InvalidInput, NotPermitted, StaleState
from provisioning.models import ApprovedLines, AuditEvent, LinkObjectName, PremiumRequest
from provisioning.services import ahead, decisions, requests
from tests.services.requests.sixnet import ASKED, grnet, hours, janet, noc

pytestmark = pytest.mark.usefixtures("six")


@pytest.fixture(autouse=True)
def _filtered(six: None) -> None:
    """JANET's link is filtered while a reservation sends from it; none of the routers was ever read."""
    AccessLink.objects.filter(nren__name="JANET").update(case="filtered", standing=False)


def asked(source: str = "2001:630:8::/48", **fields: Any) -> PremiumRequest:
    values = {"start": hours(30), "end": hours(40), "source_prefixes": (source,), **fields}
    made = requests.submit(actor=janet(), data=replace(ASKED, **values))[0]
    requests.consent(actor=grnet(), request=made, agree=True, reason="agreed")
    made.refresh_from_db()
    return made


def admitted(source: str = "2001:630:8::/48", **fields: Any) -> PremiumRequest:
    made = asked(source, **fields)
    decisions.admit(actor=noc(), request=made, reason="fits")
    made.refresh_from_db()
    return made


def say(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_both_sides_are_foreseen_of_a_router_that_was_never_read() -> None:
    request = admitted()
    found = ahead.foresee(request)
    assert found.seen_at is None
    on, off = found.sides
    assert "service-policy input FILTERED-IN" in on.text and "2001:630:8::/48" in on.text.lower()
    assert "no policy-map FILTERED-IN" in off.text
    assert [len(side.gaps) for side in found.sides] == [1, 1]
    assert not LinkObjectName.objects.exists(), "looking changes nothing"


def test_what_is_on_then_is_counted_in_and_the_last_one_takes_the_objects_along() -> None:
    end = hours(50)
    long = admitted(start=hours(10), end=end)
    short = admitted("2001:630:9::/48")
    on, off = ahead.foresee(short).sides
    assert on.beside == off.beside == (long.pk,)
    assert "service-policy" not in on.text + off.text
    assert (len(on.gaps), len(off.gaps)) == (0, 0)
    _on, off = ahead.foresee(long).sides
    assert "no policy-map FILTERED-IN" in off.text
    same = admitted("2001:630:a::/48", start=hours(20), end=end)
    assert ahead.foresee(same).sides[1].together == (long.pk,)
    assert ahead.foresee(same).sides[1].lines == ahead.foresee(long).sides[1].lines


def test_a_gap_has_to_be_confirmed_and_the_lines_have_to_be_those_that_were_read() -> None:
    request = admitted()
    with pytest.raises(InvalidInput, match=f"gaps of {request.reference} must be confirmed"):
        ahead.approve_ahead(actor=noc(), request=request)
    seen = ahead.foresee(request).fingerprint
    admitted("2001:630:9::/48", start=hours(10), end=hours(50))
    with pytest.raises(StaleState, match="read them again"):
        ahead.approve_ahead(actor=noc(), request=request, confirm_gaps=True, seen=seen)
    for _ in range(2):
        ahead.approve_ahead(actor=noc(), request=request, seen=ahead.foresee(request).fingerprint)
    assert ApprovedLines.objects.count() == 2, "the same word twice is one"
    event = AuditEvent.objects.filter(action="request.lines-approved").latest("pk")
    assert "2001:630:8::/48" in event.after["on"]["lines"].lower()
    assert LinkObjectName.objects.get().suffix == 1, "the number of its objects is given out with the word"


def test_who_submitted_it_is_not_of_the_noc_or_comes_too_late_cannot() -> None:
    request = admitted()
    with pytest.raises(NotPermitted, match="Only an approver of the NOC"):
        ahead.approve_ahead(actor=janet(), request=request, confirm_gaps=True)
    nora = noc()
    PremiumRequest.objects.filter(pk=request.pk).update(submitted_by=nora.user_id)
    with pytest.raises(NotPermitted, match=f"{request.reference} was submitted by you"):
        ahead.approve_ahead(actor=nora, request=request, confirm_gaps=True)
    requests.withdraw(actor=janet(), request=request, reason="not needed")
    with pytest.raises(StaleState, match="WITHDRAWN"):
        ahead.approve_ahead(actor=noc("niels"), request=request, confirm_gaps=True)
    with pytest.raises(StaleState, match="SUBMITTED"):
        ahead.approve_ahead(actor=nora, request=asked("2001:630:9::/48"), confirm_gaps=True)


def test_admitted_with_its_lines_or_not_at_all() -> None:
    request = asked()
    with pytest.raises(InvalidInput, match="gaps"):
        ahead.admit_with_lines(actor=noc(), request=request, reason="fits")
    request.refresh_from_db()
    assert request.state == "SUBMITTED", "nothing is half done"
    _verdict, why_not = ahead.admit_with_lines(
        actor=noc(),
        request=request,
        reason="fits",
        seen=ahead.foresee(request).fingerprint,
        confirm_gaps=True,
    )
    request.refresh_from_db()
    assert (request.state, why_not, ApprovedLines.objects.count()) == ("ADMITTED", "", 2)
    assert ahead.revoke(actor=noc(), request=request, reason="the customer moves") == 2
    with pytest.raises(Conflict, match="approved ahead"):
        ahead.revoke(actor=noc(), request=request, reason="again")


def test_the_twin_is_admitted_with_it_and_its_lines_wait_for_an_approval_of_their_own() -> None:
    request = asked(direction="both")
    ahead.admit_with_lines(actor=noc(), request=request, reason="fits", confirm_gaps=True)
    request.refresh_from_db()
    assert request.twin is not None and (request.state, request.twin.state) == ("ADMITTED", "ADMITTED")
    assert {row.request_id for row in ApprovedLines.objects.all()} == {request.pk}


def test_lines_that_moved_between_the_check_and_the_admission_are_not_approved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    request, admit = asked(), decisions.admit
    seen = ahead.foresee(request).fingerprint
    other = asked("2001:630:9::/48", start=hours(10), end=hours(50))

    def admit_both(**given: Any) -> object:
        admit(actor=noc(), request=other, reason="fits")
        return admit(**given)

    monkeypatch.setattr(decisions, "admit", admit_both)
    _verdict, why_not = ahead.admit_with_lines(
        actor=noc(), request=request, reason="fits", seen=seen, confirm_gaps=True
    )
    request.refresh_from_db()
    assert request.state == "ADMITTED" and "read them again" in why_not
    assert not ApprovedLines.objects.exists()


@override_settings(DEBUG=False)
def test_the_commands_show_approve_and_take_back() -> None:
    noc()
    request = asked()
    shown = json.loads(say("lines", request.reference, "--json"))
    assert [side["puts_on"] for side in shown["sides"]] == [True, False]
    with pytest.raises(CommandError, match="must be confirmed"):
        say("admit", request.reference, "--as", "nora", "--reason", "fits", "--approve-lines")
    told = say(
        "admit", request.reference, "--as", "nora", "--reason", "fits", "--approve-lines", "--confirm-gaps",
        "--seen", shown["fingerprint"],
    )  # fmt: skip
    assert "Its lines are approved" in told
    text = say("lines", request.reference, "--explain")
    assert "Puts it on" in text and "Approved ahead: off by nora" in text
    assert "service-policy input FILTERED-IN" in text
    told = say("lines", request.reference, "--revoke", "--as", "nora", "--reason", "moved")
    assert "2 approvals given ahead are taken back" in told
    told = say("approve", request.reference, "--as", "nora", "--only", "on", "--confirm-gaps")
    assert f"The lines of {request.reference} (on) are approved by nora." in told
    assert [row.puts_on for row in ApprovedLines.objects.filter(revoked_at=None)] == [True]
    both = asked("2001:630:9::/48", direction="both")
    told = say(
        "admit", both.reference, "--as", "nora", "--reason", "fits", "--approve-lines", "--confirm-gaps"
    )
    assert f"Those of PIP-{both.twin_id} wait for an approval of their own." in told
