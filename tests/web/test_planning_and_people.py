"""A change while it is being planned, whose word it has and still needs; and everything that waits, on the pages of the NOC."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from inventory.models import Router
from provisioning.management import changes_as_text
from provisioning.models import Approval, Change, PremiumRequest, Reservation, RouterQueue
from provisioning.selectors import changes as selecting
from provisioning.services import planning, queues
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


@pytest.fixture
def asked(world: World) -> Change:
    """A baseline of two routers that no worker has planned yet; one is read."""
    change = planning.ask_for_plan(actor=world.actor("nora"), routers=["uk6", "gr6"], title="Baseline, anew")
    change.asked = {**change.asked, "read": 1}
    change.save()
    return change


@pytest.fixture
def batch(world: World) -> Change:
    """Planned by the clock: puts DFN's request on, takes JANET's off, with lines that no request asked for."""
    change = world.changes["planned"]
    on, off = world.requests["overdue"], world.requests["active"]
    change.requests.set([on, off])
    Change.objects.filter(pk=change.pk).update(
        submitted_by=None, base_lines=True, takes_off=[off.pk], due_at=timezone.now()
    )
    PremiumRequest.objects.filter(pk=on.pk).update(submitted_by=world.users["niels"])
    change.refresh_from_db()
    return change


def test_the_page_of_a_change_says_how_far_its_plan_is_and_follows(asked: Change, as_user: As) -> None:
    text = page_text(as_user("niels").get(f"/changes/{asked.pk}/"))
    assert "1 of 2 routers read" in text and "Being planned" in text
    assert f'hx-get="/changes/{asked.pk}/planning/live/"' in text and "Look again now" in text
    assert "Nothing to send" not in text and "Verified" not in text
    assert "Being planned" in page_text(as_user("niels").get("/changes/?stage=planning"))
    assert "Baseline, anew" not in page_text(as_user("niels").get("/changes/?stage=waiting"))
    live = as_user("niels").get(f"/changes/{asked.pk}/planning/live/")
    assert "1 of 2 routers read" in page_text(live) and "HX-Refresh" not in live.headers
    assert as_user("niels").get(f"/changes/{asked.pk}/progress/").status_code == 302
    assert "It is being planned: 1 of 2 routers read" in changes_as_text.plan(asked)
    Change.objects.filter(pk=asked.pk).update(planned_at=timezone.now())
    assert as_user("niels").get(f"/changes/{asked.pk}/planning/live/").headers["HX-Refresh"] == "true"


def test_what_kept_a_plan_from_being_made_is_said(asked: Change, as_user: As) -> None:
    why = "uk6 is being pushed to (CHG-2): plan when that is over"
    Change.objects.filter(pk=asked.pk).update(asked={**asked.asked, "error": why}, finished_at=timezone.now())
    text = page_text(as_user("niels").get(f"/changes/{asked.pk}/"))
    assert "It could not be planned." in text and why in text and "hx-get" not in text
    assert selecting.state_of(Change.objects.get(pk=asked.pk)) == "FAILED"
    assert why in changes_as_text.plan(Change.objects.get(pk=asked.pk))


def test_the_page_says_who_has_approved_and_whose_word_is_missing(
    world: World, batch: Change, as_user: As
) -> None:
    on, off = world.requests["overdue"], world.requests["active"]
    text = page_text(as_user("niels").get(f"/changes/{batch.pk}/"))
    assert "It carries lines that no request asked for:" in text and "two have to approve" in text
    assert "Puts on" in text and "Takes off" in text and "planned by Expedite" in " ".join(text.split())
    confirm = page_text(as_user("niels").get(f"/changes/{batch.pk}/approve/"))
    assert "Your approval alone is not enough:" in confirm
    assert (
        f"{on.reference} needs the approval of somebody who neither asked for it nor belongs to an NREN it concerns"
        in confirm
    )
    older = world.changes["done"]
    Approval.objects.create(change=batch, user=world.users["niels"], fingerprint="f", carried_from=older)
    for path in (f"/changes/{batch.pk}/", f"/changes/{batch.pk}/approve/"):
        text = " ".join(page_text(as_user("nora").get(path)).split())
        assert "Approved in part by niels" in text and "nothing goes out yet" in text, path
        assert f"{on.reference} needs the approval" in text, path
        assert "a second member of the NOC has to approve it" in text, path
    assert f'of the same lines in <a href="/changes/{older.pk}/"' in " ".join(
        as_user("nora").get(f"/changes/{batch.pk}/").content.decode().split()
    )
    said = changes_as_text.plan(selecting.by_reference(batch.pk))
    assert "Planned by Expedite" in said and f"Puts on {on.reference}" in said
    assert f"Takes off {off.reference}" in said and "Approved by niels at" in said
    assert "Still needed:" in said and "--as ANOTHER" in said
    shown = changes_as_text.as_json(selecting.by_reference(batch.pk))
    assert shown["takes_off"] == [off.reference] and shown["approvals"][0]["carried_from"] == older.reference
    assert shown["still_needed"]


def test_nothing_that_waits_is_unseen(world: World, batch: Change, as_user: As) -> None:
    held = world.requests["admitted"]
    queues.hold_out([held], "uk6: policy-map FILTERED-IN was edited by hand. Agree first.", cause="seen")
    router = Router.objects.get(name="de6")
    queues.mark([router.pk])
    RouterQueue.objects.filter(router=router).update(
        waits_for="de6 cannot be read: timed out",
        marked_at=None,
        look_at=timezone.now() + timedelta(minutes=4),
    )
    text = " ".join(page_text(as_user("audrey").get("/queue/")).split())
    assert "Requests that wait for a person" in text and "was edited by hand" in text
    assert "when the router shows something else, or somebody has it planned again" in text
    assert "Routers whose work waits" in text and "de6 cannot be read: timed out" in text
    assert (
        "needs the approval of somebody who neither asked for it nor belongs to an NREN it concerns" in text
    )
    Reservation.objects.filter(request=held).update(held_cause="")
    text = page_text(as_user("nora").get("/queue/"))
    assert "when somebody has it planned again" in text and f"/requests/{held.pk}/retry/" in text
    assert f"/requests/{held.pk}/retry/" not in page_text(as_user("audrey").get("/queue/"))


def test_the_page_of_a_router_shows_its_work(world: World, batch: Change, as_user: As) -> None:
    request = world.requests["overdue"]
    name = request.source_link.interface.router.name
    text = " ".join(page_text(as_user("nora").get(f"/routers/{name}/")).split())
    assert "Work of this router" in text and f">{request.reference}</a> on" in text
    queues.hold_out([request], "gr6: unsafe", cause="")
    text = " ".join(page_text(as_user("nora").get(f"/routers/{name}/")).split())
    assert (
        f">{request.reference}</a>: gr6: unsafe" in text and "Due" not in text.partition("Held out")[0][-40:]
    )
    planned = " ".join(page_text(as_user("nora").get("/routers/nl6/")).split())
    assert f">{batch.reference}</a> {batch.title}, waits for approval" in planned
    assert "Nothing is due here." in page_text(as_user("nora").get("/routers/it6/"))


def test_what_takes_off_is_overdue_when_the_request_is_over_and_not_before(
    world: World, batch: Change
) -> None:
    off = world.requests["active"]
    change = selecting.by_reference(batch.pk)
    assert selecting.is_overdue(change), "the window of what it puts on has begun"
    batch.requests.set([off])
    assert not selecting.is_overdue(selecting.by_reference(batch.pk)), "what it takes off lasts"
    PremiumRequest.objects.filter(pk=off.pk).update(state="WITHDRAWN")
    assert selecting.is_overdue(selecting.by_reference(batch.pk))
    Change.objects.filter(pk=batch.pk).update(approved_at=timezone.now())
    assert not selecting.is_overdue(selecting.by_reference(batch.pk))
