"""The next step after the end of a push, by its three doors: page, command and API."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inventory.models import Router
from provisioning.errors import Conflict, InvalidInput, NotPermitted
from provisioning.models import SYSTEM, AuditEvent, Change, ChangeKind, Reservation, RouterPush
from provisioning.pipeline.ends import ENDS, PARTIAL, Verb, end_of
from provisioning.pipeline.states import PushState
from provisioning.selectors.plans import content_of
from provisioning.services import next_steps, tokens
from provisioning.web.reading.alarms import alarms
from tests.plans import keep
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


def ended(world: World, state: PushState, code: str, **fields: object) -> RouterPush:
    push = world.pushes["failed"]
    fields = {"state": state, "error_code": code, "state_changed_at": timezone.now(), **fields}
    RouterPush.objects.filter(pk=push.pk).update(**fields)
    push.refresh_from_db()
    return push


def said_of(push: RouterPush) -> list[str]:
    return [each.title for each in alarms() if push.change.reference in each.title]


def test_page_and_command_offer_what_the_table_says(world: World, as_user: As) -> None:
    client, auditor = as_user("nora"), as_user("audrey")
    for end in ENDS:
        saved = False if end.state is PushState.VERIFIED and end.code else None
        push = ended(world, end.state, end.code, saved=saved, started_at=timezone.now())
        if end.code == "not-read":
            continue  # a push of which no plan is stored
        assert end_of(push.state, push.error_code, saved=saved) is end
        address = f"/pushes/{push.pk}/"
        text = page_text(client.get(address))
        assert (end.verb is None) or end.means.replace("'", "&#x27;") in text, end
        for verb in end.verbs:
            door = f"{address}try-now/" if verb is Verb.LOOK else f"{address}next-step/?do={verb}"
            assert door in text, (end, verb)
            assert door not in page_text(auditor.get(address))
        out = StringIO()
        if end.verb is None:
            call_command("next_step", str(push.change_id), stdout=out)
            assert "nothing to be done" in out.getvalue()
        else:
            with pytest.raises(SystemExit):
                call_command("next_step", str(push.change_id), stdout=out)
            assert f"--router nl6 --do {end.verb} --as USER" in out.getvalue(), end


def test_what_a_person_planned_is_planned_anew_with_a_reason(world: World, as_user: As) -> None:
    push = ended(world, PushState.ROLLED_BACK, "line-refused")
    Change.objects.filter(pk=push.change_id).update(kind=ChangeKind.BASELINE)
    client, address = as_user("nora"), f"/pushes/{push.pk}/next-step/?do=retry"
    assert "Plan again" in page_text(client.get(address))
    before = Change.objects.count()
    assert client.post(address, {"reason": ""}).status_code == 200
    assert Change.objects.count() == before
    RouterPush.objects.filter(state=PushState.PUSHING).update(state=PushState.VERIFIED)
    assert client.post(address, {"reason": "the card was replaced"}).status_code == 302
    made = Change.objects.latest("pk")
    assert (made.kind, made.asked["routers"], made.reason) == (
        "baseline",
        ["nl6"],
        "the card was replaced",
    )


def test_what_ended_badly_stands_until_a_person_says_that_it_is_dealt_with(world: World, as_user: As) -> None:
    push = ended(world, PushState.ROLLED_BACK, "line-refused")
    (title,) = said_of(push)
    assert "was taken back on nl6" in title
    as_user("nora").post(f"/pushes/{push.pk}/next-step/?do=dealt-with", {"reason": "nl6 is retired"})
    assert said_of(push) == []
    event = AuditEvent.objects.get(action="push.dealt-with")
    assert event.reason == "nl6 is retired"
    # A push that ends anew stands anew: nothing of it was dealt with.
    assert "dealt with" in page_text(as_user("nora").get(f"/pushes/{push.pk}/")).lower()


def test_what_is_dealt_with_has_no_next_step_at_any_door(world: World, as_user: As) -> None:
    push = ended(world, PushState.ROLLED_BACK, "line-refused")
    client, step = as_user("nora"), {"verb": "dealt-with", "reason": "nl6 is retired"}
    _token, text = tokens.issue(actor=SYSTEM, user=world.users["nora"], nren=None, name="night")
    headers, address = {"authorization": f"Bearer {text}"}, f"/api/v1/pushes/{push.pk}/"
    sent = client.post(f"{address}next-step/", step, "application/json", headers=headers)
    assert sent.status_code == 200
    done = "dealt with by nora: nl6 is retired"
    out = StringIO()
    call_command("next_step", str(push.change_id), stdout=out)
    assert done in out.getvalue() and "there is nothing to be done" in out.getvalue()
    said = client.get(address, headers=headers).json()["next_step"]
    assert (said["verb"], said["also"], said["do"]) == (None, [], f"Nothing: {done}.")
    for page in (f"/pushes/{push.pk}/", f"/changes/{push.change_id}/progress/"):
        text = page_text(client.get(page))
        assert done in text and f"/pushes/{push.pk}/next-step/" not in text, page
    again = client.post(f"{address}next-step/", step, "application/json", headers=headers)
    assert again.status_code == 409 and done in str(again.json())
    assert "There is nothing of the kind" in page_text(client.get(f"/pushes/{push.pk}/next-step/"))


def test_a_list_does_not_ask_the_trail_of_each_that_is_dealt_with(world: World, as_user: As) -> None:
    """It asked once for each: a page of two hundred asked two hundred times."""
    _token, text = tokens.issue(actor=SYSTEM, user=world.users["nora"], nren=None, name="night")
    headers, asked = {"authorization": f"Bearer {text}"}, list[int]()
    pushes = list(RouterPush.objects.exclude(state=PushState.VERIFIED).order_by("pk")[:3])
    assert len(pushes) == 3
    for push in pushes:
        RouterPush.objects.filter(pk=push.pk).update(
            state=PushState.FAILED, error_code="unreachable", state_changed_at=timezone.now()
        )
        next_steps.take(actor=world.actor("nora"), push=push, verb="dealt-with", reason=f"mended {push.pk}")
        with CaptureQueriesContext(connection) as queries:
            listed = as_user("nora").get("/api/v1/pushes/?page_size=200", headers=headers).json()["results"]
        asked.append(len(queries))
        said = {row["id"]: row["next_step"]["do"] for row in listed if row["next_step"]}
        assert said[push.pk] == f"Nothing: dealt with by nora: mended {push.pk}."
    assert len(set(asked)) == 1, asked


def test_neither_has_what_a_later_change_was_verified_over(world: World) -> None:
    push = ended(world, PushState.ROLLED_BACK, "line-refused")
    later = world.pushes["done"]
    RouterPush.objects.filter(pk=later.pk).update(state_changed_at=timezone.now())
    out = StringIO()
    call_command("next_step", str(push.change_id), stdout=out)
    assert f"nl6: verified since by {later.change.reference}." in out.getvalue()
    with pytest.raises(Conflict, match=f"verified since by {later.change.reference}"):
        next_steps.take(actor=world.actor("nora"), push=push, verb="dealt-with", reason="x")


def test_or_until_a_later_change_is_verified_there(world: World) -> None:
    push = ended(world, PushState.FAILED, "unreachable")
    assert len(said_of(push)) == 1
    RouterPush.objects.filter(pk=world.pushes["done"].pk).update(
        state=PushState.VERIFIED, state_changed_at=timezone.now()
    )
    assert said_of(push) == []


def test_who_may_and_what_is_refused(world: World) -> None:
    push = ended(world, PushState.ROLLED_BACK, "line-refused")
    nora = world.actor("nora")
    with pytest.raises(NotPermitted):
        next_steps.take(actor=world.actor("jane"), push=push, verb="retry", reason="I want it")
    with pytest.raises(InvalidInput) as said:
        next_steps.take(actor=nora, push=push, verb="reboot", reason="why not")
    assert said.value.field == "verb" and "retry" in said.value.reason
    with pytest.raises(InvalidInput) as said:
        next_steps.take(actor=nora, push=push, verb="retry", reason=" ")
    assert said.value.field == "reason"
    with pytest.raises(Conflict) as refused:
        next_steps.take(actor=nora, push=push, verb="save", reason="please", seen="x")
    assert "what helps is retry, dealt-with" in refused.value.reason
    with pytest.raises(Conflict):
        next_steps.take(actor=nora, push=world.pushes["pushing"], verb="look")
    with pytest.raises(CommandError):
        call_command("next_step", str(push.change_id), "--do", "save", "--as", "nora", "--reason", "x")


def test_the_command_prints_json(world: World) -> None:
    push = ended(world, PushState.FAILED, "host-key-changed")
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("next_step", str(push.change_id), "--json", stdout=out)
    (row,) = json.loads(out.getvalue())
    assert (row["router"], row["next_step"]["verb"]) == ("nl6", "retry")
    assert "console" in row["next_step"]["do"]


def test_of_a_change_that_is_done_in_part_the_rest_is_planned(world: World, as_user: As) -> None:
    push = ended(world, PushState.ROLLED_BACK, "line-refused")
    other = RouterPush.objects.get(pk=push.pk)
    other.pk, other.router, other.position = None, Router.objects.get(name="gr6"), 2
    other.state, other.error_code = PushState.VERIFIED, ""
    other.save()
    keep(other, content_of(push))
    Change.objects.filter(pk=push.change_id).update(kind=ChangeKind.BASELINE, released_at=timezone.now())
    text = page_text(as_user("nora").get(f"/changes/{push.change_id}/progress/"))
    assert PARTIAL.means in text and f"/pushes/{push.pk}/next-step/?do=finish" in text and "#way-back" in text
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("next_step", str(push.change_id), stdout=out)
    assert PARTIAL.means in out.getvalue()
    RouterPush.objects.filter(state=PushState.PUSHING).update(state=PushState.VERIFIED)
    done = next_steps.take(actor=world.actor("nora"), push=push, verb="finish", reason="the card is in")
    assert done.change is not None and done.change.asked["routers"] == ["nl6"]
    with pytest.raises(Conflict):
        next_steps.take(actor=world.actor("nora"), push=other, verb="finish", reason="it is done")


def test_the_page_of_a_push_says_where_its_requests_and_their_capacity_stand(
    world: World, as_user: As
) -> None:
    push = ended(world, PushState.ROLLED_BACK, "line-refused")
    request = world.requests["admitted"]
    RouterPush.objects.filter(pk=push.pk).update(router=request.source_link.interface.router)
    push.change.requests.set([request])
    text = page_text(as_user("nora").get(f"/pushes/{push.pk}/"))
    assert f"/requests/{request.pk}/" in text and "its capacity is charged" in text
    Reservation.objects.filter(request=request).update(released_at=timezone.now())
    assert "its capacity is free since" in page_text(as_user("nora").get(f"/pushes/{push.pk}/"))
