"""The lines of a request before they are due, in the browser: read, approved, taken back, admitted with."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.test import Client
from django.utils import timezone

from inventory.models import AccessLink
from provisioning.models import ApprovedLines, Change, ConfigSnapshot, Ownership, Reservation
from provisioning.services import requests
from tests.web.text import page_text
from tests.web.world import World, asked

As = Callable[[str], Client]


def _filtered(world: World) -> None:
    """JANET's link is filtered while a reservation sends from it, nothing is on it, and its router was never read."""
    Reservation.objects.filter(request=world.requests["active"]).update(released_at=timezone.now())
    AccessLink.objects.filter(nren__name="JANET").update(case="filtered", standing=False)
    ConfigSnapshot.objects.filter(router__name="uk6").update(
        router=AccessLink.objects.get(nren__name="DFN").interface.router
    )
    Ownership.objects.filter(router__name="uk6").delete()


def test_lines_are_read_approved_and_taken_back_on_their_page(world: World, as_user: As) -> None:
    _filtered(world)
    asked = world.requests["admitted"]
    path = f"/requests/{asked.pk}/lines/"
    client = as_user("niels")
    answer = client.get(path)
    text = page_text(answer)
    assert "The router was never read" in text and "Puts it on" in text and "Takes it off" in text
    assert "service-policy input FILTERED-IN" in text and "To be confirmed" in text
    seen = answer.context["form"]["seen"].value()
    missing = client.post(path, {"seen": seen, "reason": "read"})
    assert "Confirm the gaps" in page_text(missing) and not ApprovedLines.objects.exists()
    said = client.post(path, {"seen": seen, "reason": "read", "confirm_gaps": "on"}, follow=True)
    assert "are approved. They go out when they are due" in page_text(said)
    assert {row.puts_on for row in ApprovedLines.objects.filter(request=asked)} == {True, False}
    assert "approved ahead" in page_text(client.get(path))
    assert "Approved ahead" in page_text(as_user("audrey").get(f"/requests/{asked.pk}/"))
    assert "Approved ahead" not in page_text(as_user("jane").get(f"/requests/{asked.pk}/"))
    client.post(f"{path}revoke/", {"reason": "they move"}, follow=True)
    assert not ApprovedLines.objects.filter(revoked_at=None).exists()


def test_a_request_is_admitted_with_its_lines(world: World, as_user: As) -> None:
    _filtered(world)
    asked = world.requests["decision"]
    client = as_user("niels")
    path = f"/requests/{asked.pk}/admit/lines/"
    plain = page_text(client.get(f"/requests/{asked.pk}/admit/"))
    assert f'href="{path}"' in plain, "a link: the lines take no script"
    assert "service-policy input" not in plain and "approve_lines" not in plain
    answer = client.get(path)
    assert "service-policy input FILTERED-IN" in page_text(answer)
    given = {"reason": "fits", "seen": answer.context["form"]["seen"].value(), "approve_lines": "on"}
    assert "admit it without its lines" in page_text(client.post(path, given))
    said = page_text(client.post(path, {**given, "confirm_gaps": "on"}, follow=True))
    assert "is admitted and charged" in said and "not approved:" not in said
    assert ApprovedLines.objects.filter(request=asked).count() == 2


def test_what_is_unread_is_not_approved(world: World, as_user: As) -> None:
    _filtered(world)
    asked = world.requests["admitted"]
    answer = as_user("niels").post(
        f"/requests/{asked.pk}/lines/", {"seen": "0" * 64, "reason": "blind", "confirm_gaps": "on"}
    )
    assert answer.status_code == 409 and "read them again" in page_text(answer)
    assert not ApprovedLines.objects.exists()


def test_a_change_says_what_differs_from_what_was_approved_ahead(world: World, as_user: As) -> None:
    change = world.changes["planned"]
    Change.objects.filter(pk=change.pk).update(
        ahead_covered=False,
        ahead_why="approved for PIP-4 on, not in the plan: interface POS1/0 / no service-policy",
    )
    text = page_text(as_user("nora").get(f"/changes/{change.pk}/"))
    assert "It waits, although lines were approved ahead" in text and "approved for PIP-4 on" in text


def test_the_twin_is_admitted_with_it_and_its_lines_are_not_approved(world: World, as_user: As) -> None:
    _filtered(world)
    start = world.now + timedelta(days=3)
    made = asked(world.actor("jane"), "JANET", "GRNET", "300 kbit/s", start=start, direction="both")
    requests.consent(actor=world.actor("giorgos"), request=made, agree=True)
    made.refresh_from_db()
    assert made.twin is not None
    client, path = as_user("niels"), f"/requests/{made.pk}/admit/lines/"
    answer = client.get(path)
    assert f"as those of {made.twin.reference}, which are not shown here, do" in " ".join(
        page_text(answer).split()
    )
    given = {"reason": "fits", "seen": answer.context["form"]["seen"].value(), "approve_lines": "on"}
    said = page_text(client.post(path, {**given, "confirm_gaps": "on"}, follow=True))
    assert "is admitted and charged" in said and "not approved:" not in said
    assert {row.request_id for row in ApprovedLines.objects.all()} == {made.pk}
    made.twin.refresh_from_db()
    assert made.twin.state == "ADMITTED"
