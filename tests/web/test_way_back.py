"""How a verified change is undone: the page, the API and the command say the same, and it is never its stored lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.test import Client

from inventory.models import Router
from provisioning.management import changes_as_text
from provisioning.models import Change, ChangeKind, PremiumRequest, RouterPush
from provisioning.pipeline.states import PushState, RequestState
from provisioning.selectors import changes as selecting
from provisioning.selectors.plans import content_of, plan_of
from provisioning.selectors.way_back import way_back
from provisioning.services import requests
from tests.plans import forget, keep, replan
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


def verified(world: World, kind: ChangeKind, *keys: str) -> Change:
    """The change of the world that went through, as one of this kind that carried these requests out."""
    change = world.changes["done"]
    Change.objects.filter(pk=change.pk).update(kind=kind)
    change.requests.set([world.requests[key] for key in keys])
    return selecting.by_reference(change.pk)


def test_what_is_on_is_withdrawn_by_the_noc_on_the_page_it_is_led_to(world: World, as_user: As) -> None:
    change = verified(world, ChangeKind.RESERVATION, "active")
    (step,) = way_back(change)
    request = world.requests["active"]
    assert (step.code, step.request) == ("withdraw", request.pk)
    text = page_text(as_user("niels").get(f"/changes/{change.pk}/"))
    assert f'href="/requests/{request.pk}/withdraw/"' in text
    assert "The stored lines are not sent backwards" in text
    assert as_user("niels").get(f"/requests/{request.pk}/withdraw/").status_code == 200
    # An auditor reads the same and is led to where he may go.
    text = page_text(as_user("audrey").get(f"/changes/{change.pk}/"))
    assert f'href="/requests/{request.pk}/withdraw/"' not in text
    assert f'href="/requests/{request.pk}/"' in text


def test_the_withdrawal_leads_on(world: World) -> None:
    change = verified(world, ChangeKind.RESERVATION, "active")
    requests.withdraw(
        actor=world.actor("nora"), request=world.requests["active"], reason="it disturbs the trial"
    )
    (step,) = way_back(selecting.by_reference(change.pk))
    assert step.code == "removal" and "taking it off is planned by itself" in step.text
    Change.objects.filter(pk=change.pk).update(kind=ChangeKind.REMOVAL)
    (step,) = way_back(selecting.by_reference(change.pk))
    assert step.code == "ask-again", "what was taken off does not come back by itself"
    PremiumRequest.objects.filter(pk=world.requests["active"].pk).update(state=RequestState.COMPLETED)
    (step,) = way_back(selecting.by_reference(change.pk))
    assert step.code == "ask-again" and "only as a new request" in step.text


@pytest.mark.parametrize(
    ("kind", "code", "words"),
    [
        (ChangeKind.BASELINE, "inventory", "import a network file that says what is right"),
        (ChangeKind.REPAIR, "adopt", "If the edit was right, say so in the network file"),
    ],
)
def test_what_follows_from_the_network_file_is_undone_there(
    world: World, as_user: As, kind: ChangeKind, code: str, words: str
) -> None:
    change = verified(world, kind)
    (step,) = way_back(change)
    assert step.code == code and words in step.text and "nl6" in step.text
    text = page_text(as_user("niels").get(f"/changes/{change.pk}/"))
    assert words in text
    assert 'href="/changes/new/?router=nl6"' in text
    told = changes_as_text.plan(change)
    assert "its stored lines are not sent backwards" in told and words in told
    assert changes_as_text.as_json(change)["way_back"] == [step.to_json()]


def test_nothing_verified_has_no_way_back(world: World, as_user: As) -> None:
    for key in ("planned", "pushing", "failed", "approved"):
        change = selecting.by_reference(world.changes[key].pk)
        assert way_back(change) == ()
        assert "To undo what was verified" not in page_text(as_user("niels").get(f"/changes/{change.pk}/"))
    RouterPush.objects.filter(pk=world.pushes["done"].pk).update(lines=0)
    assert way_back(selecting.by_reference(world.changes["done"].pk)) == (), "it sent nothing"


def test_what_is_off_already_needs_nothing_to_be_off(world: World) -> None:
    change = verified(world, ChangeKind.RESERVATION, "active")
    PremiumRequest.objects.filter(pk=world.requests["active"].pk).update(state=RequestState.COMPLETED)
    (step,) = way_back(selecting.by_reference(change.pk))
    assert (step.code, step.request) == ("undone", world.requests["active"].pk)
    assert "was seen gone from the routers: what this change put on is off" in step.text


def test_the_command_says_where_to_withdraw(world: World) -> None:
    change = verified(world, ChangeKind.RESERVATION, "active")
    told = changes_as_text.plan(change)
    where = f"/requests/{world.requests['active'].pk}/withdraw/"
    assert f"on the page {where}, or POST /api/v1/premium-{where[1:]} with a reason" in told
    verified(world, ChangeKind.BASELINE)
    assert "on the page" not in changes_as_text.plan(selecting.by_reference(change.pk))


@pytest.mark.parametrize("state", sorted(changes_as_text.HOLDS))
def test_a_change_that_broke_off_says_what_its_router_holds_and_what_is_next(
    world: World, state: str
) -> None:
    push = world.pushes["done"]
    RouterPush.objects.filter(pk=push.pk).update(state=state, error="the session was cut")
    told = changes_as_text.plan(selecting.by_reference(push.change_id))
    assert "the session was cut" in told and changes_as_text.HOLDS[state] in told
    # One router that was verified does not hide another that was not.
    other = RouterPush.objects.get(pk=push.pk)
    other.pk, other.router, other.position = None, Router.objects.get(name="gr6"), 2
    other.state, other.error = PushState.VERIFIED, ""
    other.save()
    keep(other, content_of(push))
    told = changes_as_text.plan(selecting.by_reference(push.change_id))
    assert changes_as_text.HOLDS[state] in told
    told = changes_as_text.plan(verified(world, ChangeKind.RESERVATION, "active"))
    assert told.index(changes_as_text.HOLDS[state]) < told.index("To undo what was verified")


def test_the_next_plan_after_a_repair_that_read_nothing_is_a_repair(world: World) -> None:
    change = world.changes["planned"]
    forget(world.pushes["planned"])
    RouterPush.objects.filter(change=change).update(state=PushState.UNKNOWN, error="no route")
    Change.objects.filter(pk=change.pk).update(kind=ChangeKind.REPAIR)
    told = changes_as_text.plan(selecting.by_reference(change.pk))
    assert "manage.py plan --router nl6 --repair --as USER" in told
    Change.objects.filter(pk=change.pk).update(kind=ChangeKind.BASELINE)
    assert "--repair" not in changes_as_text.plan(selecting.by_reference(change.pk))


def test_the_swaps_of_the_way_back_are_named_beside_it(world: World, as_user: As) -> None:
    push = world.pushes["planned"]
    plan = plan_of(push)
    gap = replace(plan.gaps[0], text="GigabitEthernet1/0 has no input policy for a moment on the way back.")
    replan(push, gaps_back=[gap.to_json()])
    text = page_text(as_user("niels").get(f"/changes/{world.changes['planned'].pk}/"))
    assert f"Gap in the rollback: {gap.text}" in text
    change = selecting.by_reference(world.changes["planned"].pk)
    assert f"GAP BACK  {gap.text}" in changes_as_text.plan(change)
    assert changes_as_text.as_json(change)["pushes"][0]["gaps_back"] == [gap.to_json()]
