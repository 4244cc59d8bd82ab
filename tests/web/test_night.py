"""What somebody on call at night has to see: nothing to send, nothing saved, unread routers, and the way to a repair."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from inventory.models import Router
from provisioning.models import BareInterface, Change, ChangeKind, RouterPush, RouterSync, SyncState
from provisioning.pipeline.states import PushState
from provisioning.selectors.plans import content_of
from provisioning.services import planning
from provisioning.web.words import holds_now
from tests.plans import forget, keep
from tests.web.test_changes import page
from tests.web.world import World

As = Callable[[str], Client]


def beside(world: World, key: str, name: str) -> RouterPush:
    """Put a router that was read and has nothing to send beside the push of a change."""
    push = world.pushes[key]
    other = RouterPush.objects.create(
        change=push.change,
        router=Router.objects.get(name=name),
        phase="edges",
        position=2,
        state=PushState.VERIFIED,
        fingerprint="3" * 64,
    )
    keep(other, {**content_of(push), "commands": [], "gaps": [], "proof": [], "rollback": [], "warnings": []})
    return other


@pytest.mark.parametrize("tab", ["", "compare/", "raw/", "progress/"])
def test_routers_with_nothing_to_send_are_one_line(world: World, as_user: As, tab: str) -> None:
    others = [beside(world, "planned", name) for name in ("de6", "gr6")]
    text = page(as_user("niels"), f"/changes/{world.changes['planned'].pk}/{tab}")
    assert "2 routers were read and have nothing to send" in text
    for other in others:
        assert text.count(f">{other.router.name}</a>") == 1, tab
    assert "0 of 0" not in text and "0 lines" not in text


def test_the_list_names_only_routers_something_is_sent_to(world: World, as_user: As) -> None:
    beside(world, "planned", "de6")
    text = page(as_user("niels"), "/changes/")
    row = next(part for part in text.split("<tr") if f"/changes/{world.changes['planned'].pk}/" in part)
    assert "/routers/nl6/" in row and "/routers/de6/" not in row and "of 2" in row


def test_a_change_with_nothing_to_send_asks_for_nothing(world: World, as_user: As) -> None:
    settled = beside(world, "planned", "de6")
    change = Change.objects.create(kind=ChangeKind.REMOVAL, title="PIP-1 off", scheme="6net")
    RouterPush.objects.filter(pk=settled.pk).update(change=change)
    text = page(as_user("niels"), f"/changes/{change.pk}/progress/")
    assert "Nobody has to approve or push anything" in text and "press Push" not in text
    assert "1 router was read and has nothing to send" in text
    assert "Nothing to send" in page(as_user("niels"), f"/changes/{change.pk}/")


def test_verified_but_not_saved_is_said_wherever_it_matters(world: World, as_user: As) -> None:
    RouterPush.objects.filter(pk=world.pushes["done"].pk).update(
        saved=False, verification={"result": "in-sync", "save": "NOT saved: 2 unsaved lines of other people"}
    )
    text = page(as_user("niels"), f"/changes/{world.changes['done'].pk}/progress/")
    assert "Not everything is saved" in text and "a reload would lose it" in text
    assert "NOT saved: 2 unsaved lines of other people" in text and "Save with a reason" in text
    assert "not saved to startup-config" not in page(as_user("niels"), "/queue/")
    RouterSync.objects.filter(router__name="nl6").update(
        unsaved={"ours": ["+ policy-map X"], "foreign": [], "since": {}}
    )
    assert "nl6: verified, but not saved to startup-config" in page(as_user("niels"), "/queue/")


def test_an_interface_without_a_policy_is_the_first_alarm_by_name_and_since_when(
    world: World, as_user: As
) -> None:
    push = world.pushes["failed"]
    since = datetime(2026, 11, 23, 20, 3, 3, tzinfo=UTC)
    row = BareInterface.objects.create(
        router=push.router, interface="ATM2/0.1", pvc="0/32", direction="input", since=since, push=push
    )
    text = page(as_user("niels"), "/queue/")
    said = f"{push.router.name} ATM2/0.1 pvc 0/32 input: no policy since 2026-11-23 20:03:03 UTC ({push.change.reference})"
    assert said in text
    assert text.index("1 interface has no policy") < text.index("Changes that wait for somebody")
    BareInterface.objects.filter(pk=row.pk).update(seen=False)
    assert "perhaps no policy since 2026-11-23" in page(as_user("niels"), "/queue/")


def test_an_unread_router_is_not_said_to_have_been_seen(world: World, as_user: As) -> None:
    RouterSync.objects.filter(router__name="nl6").update(
        state=SyncState.UNKNOWN,
        detail={"reason": "nl6 refuses the connection"},
        open_edges=[{"interface": "every interface", "reason": "not read: nl6 refuses the connection"}],
    )
    text = page(as_user("niels"), "/routers/nl6/")
    assert "It could not be read." in text and "Nothing was changed on it." in text
    assert "not read; last read" in text
    assert "unmarked and unpoliced" not in text
    queue = page(as_user("niels"), "/queue/")
    assert len(re.findall(r"<li>nl6[ :]", queue)) == 1


def test_a_plan_that_could_not_be_read_for_did_not_stop(world: World, as_user: As) -> None:
    forget(world.pushes["planned"])
    RouterPush.objects.filter(pk=world.pushes["planned"].pk).update(
        state=PushState.UNKNOWN,
        error="nl6 refuses the connection",
        error_code="unreachable",
        state_changed_at=timezone.now(),
    )
    RouterSync.objects.filter(router__name="nl6").update(state=SyncState.UNKNOWN)
    queue = page(as_user("niels"), "/queue/")
    assert "cannot go on: nl6 could not be read for it." in queue
    text = page(as_user("niels"), f"/changes/{world.changes['planned'].pk}/progress/")
    assert "Nothing was sent to it. What it holds was not read" in text


def test_a_router_that_waits_for_its_change_is_no_alarm_until_it_is_read_otherwise(
    world: World, as_user: As
) -> None:
    nl6 = RouterSync.objects.get(router__name="nl6")
    RouterSync.objects.filter(pk=nl6.pk).update(state=SyncState.DIFFERS)
    # While a push is half way on it, what it holds is being seen to: no alarm either.
    RouterPush.objects.filter(router__name="nl6", state=PushState.PUSHING).update(state=PushState.ROLLED_BACK)
    RouterPush.objects.exclude(pk=world.pushes["planned"].pk).update(before=None)
    RouterPush.objects.filter(pk=world.pushes["planned"].pk).update(before=nl6.snapshot)
    queue = page(as_user("niels"), "/queue/")
    change = world.changes["planned"]
    assert f"nl6 waits for lines of {change.reference}." in queue
    assert "de6: what was read is not what is intended." in queue
    RouterPush.objects.filter(pk=world.pushes["planned"].pk).update(before=None)
    assert "de6, nl6: what was read is not what is intended." in page(as_user("niels"), "/queue/")


def test_from_a_router_that_differs_to_a_plan_of_its_repair(
    world: World, as_user: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = as_user("niels")
    assert "/changes/new/?router=de6&amp;repair=1" in page(client, "/routers/de6/")
    assert "repair=1" not in page(client, "/routers/uk6/")
    form = page(client, "/changes/new/?router=de6&repair=1")
    assert re.search(r'value="de6"[^>]*checked', form) and re.search(r'name="repair"[^>]*checked', form)
    asked: dict[str, Any] = {}

    def ask_for_plan(**given: Any) -> Change:
        asked.update(given)
        return world.changes["planned"]

    monkeypatch.setattr(planning, "ask_for_plan", ask_for_plan)
    sent = {
        "title": "Repair of de6",
        "routers": ["de6"],
        "repair": "on",
        "reason": "agreed with the day shift",
    }
    assert client.post("/changes/new/", sent).status_code == 302
    assert asked["kind"] == ChangeKind.REPAIR and asked["routers"] == ["de6"]


def test_an_auditor_is_not_offered_a_plan(world: World, as_user: As) -> None:
    assert "/changes/new/" not in page(as_user("audrey"), "/routers/de6/")


@pytest.mark.parametrize("state", list(PushState))
def test_what_a_router_holds_now_is_said_for_every_state(state: PushState) -> None:
    assert holds_now(state, saved=True)
    assert "Nothing was sent" in holds_now(state, read=False)


@pytest.mark.parametrize(
    ("text", "place"), [("pip-{0}", "/requests/{0}/"), ("CHG-{1}", "/changes/{1}/"), ("nl6", "/routers/nl6/")]
)
def test_a_reference_goes_straight_there(world: World, as_user: As, text: str, place: str) -> None:
    keys = (world.requests["active"].pk, world.changes["failed"].pk)
    answer = as_user("niels").get("/search/", {"q": text.format(*keys)})
    assert answer.status_code == 302 and answer.url == place.format(*keys)


def test_one_box_finds_things_of_every_kind(world: World, as_user: As) -> None:
    text = page(as_user("audrey"), "/search/?q=JANET")
    for title in ("Requests", "Changes", "Links", "NRENs"):
        assert f"<h2>{title}</h2>" in text, title
    assert f"/requests/{world.requests['active'].pk}/" in text and "JANET@uk6:POS1/0" in text
    assert "Nothing found." in page(as_user("audrey"), "/search/?q=no-such-thing")
    assert "data-find" in text and "data-find" not in page(as_user("jane"), "/my/requests/")


def test_the_queue_shows_the_changes_that_wait_for_somebody(world: World, as_user: As) -> None:
    text = (
        page(as_user("niels"), "/queue/")
        .partition("Changes that wait for somebody")[2]
        .partition("</table>")[0]
    )
    assert f"/changes/{world.changes['planned'].pk}/" in text
    assert (
        "needs the approval of somebody who neither asked for it nor belongs to an NREN it concerns" in text
    )
    assert f"/changes/{world.changes['approved'].pk}/" in text and "the push" in text
    assert f"/changes/{world.changes['done'].pk}/" not in text
