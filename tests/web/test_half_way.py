"""A router that a push left half way: nothing on any page calls it verified, unchanged, or offers to save what is on it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from provisioning.models import BareInterface, Notification, RouterPush, RouterSync, Topic
from provisioning.services.telling import standing
from tests.web.test_changes import page
from tests.web.world import World

As = Callable[[str], Client]
LACKING = {"ours": ["- interface POS1/0 / service-policy input X"], "foreign": [], "since": {}}


@pytest.fixture
def half(world: World) -> RouterPush:
    """The push of a swap whose router was read afterwards: without a policy, and the lines that are in are not saved."""
    push = world.pushes["failed"]
    RouterPush.objects.filter(pk=world.pushes["pushing"].pk).update(state="CANCELLED")
    RouterPush.objects.filter(pk=push.pk).update(
        state="UNKNOWN",
        error_code="interface-bare",
        started_at=timezone.now() - timedelta(minutes=1),
        line=push.lines - 2,
    )
    RouterSync.objects.filter(router=push.router).update(unsaved=LACKING, checked_at=timezone.now())
    BareInterface.objects.create(
        router=push.router,
        interface="POS1/0",
        pvc="",
        direction="input",
        since=timezone.now(),
        push=push,
    )
    push.refresh_from_db()
    return push


def test_what_is_half_way_is_not_called_verified_and_not_offered_for_saving(
    world: World, as_user: As, half: RouterPush
) -> None:
    assert "not saved to startup-config" not in page(as_user("niels"), "/queue/")
    text = page(as_user("niels"), "/routers/nl6/")
    assert "/routers/nl6/save/" not in text and "A reload would lose" not in text
    assert f"{half.change.reference} is half way on it" in text and f"/pushes/{half.pk}/" in text
    assert "/routers/nl6/save/" not in page(as_user("niels"), "/routers/nl6/save/").partition("<main")[0]
    assert "Save to startup-config" not in page(as_user("niels"), "/routers/nl6/save/")


def test_lines_of_a_push_that_is_half_way_are_no_message_either(world: World, half: RouterPush) -> None:
    with transaction.atomic():
        standing.read(half.router, {"state": "differs", "detail": {}, "unsaved": LACKING})
    assert not Notification.objects.filter(topic=Topic.NOT_SAVED).exists()
    RouterPush.objects.filter(router=half.router).update(state="VERIFIED")
    with transaction.atomic():
        standing.read(half.router, {"state": "differs", "detail": {}, "unsaved": LACKING})
    assert Notification.objects.filter(topic=Topic.NOT_SAVED).exists()


def test_a_router_that_is_not_read_after_a_push_broke_off_is_not_said_to_be_unchanged(
    world: World, as_user: As, half: RouterPush
) -> None:
    RouterSync.objects.filter(router=half.router).update(state="unknown", unsaved={})
    text = page(as_user("niels"), "/routers/nl6/")
    assert "Nothing was changed on it." not in text and "may be on it" in text


def test_a_bare_interface_is_named_where_it_says_what_the_router_holds(
    world: World, as_user: As, half: RouterPush
) -> None:
    for path in (f"/pushes/{half.pk}/", f"/changes/{half.change_id}/progress/"):
        text = page(as_user("niels"), path)
        assert "POS1/0 input: no policy since" in text, path
        assert "Nobody knows until it is read again" not in text, path
        assert 'class="note bad"' in text, path
    lines = page(as_user("niels"), f"/pushes/{half.pk}/").partition('table class="data commands"')[2]
    assert lines.count("refused</span>") >= 1 and "gap closes" not in lines.partition("</table>")[0]


def test_a_request_says_that_its_push_broke_off(world: World, as_user: As, half: RouterPush) -> None:
    half.change.requests.add(world.requests["overdue"])
    RouterPush.objects.exclude(pk=half.pk).filter(router=half.router).update(state="CANCELLED")
    text = page(as_user("niels"), f"/requests/{world.requests['overdue'].pk}/")
    assert "is being sent to" not in text.partition("Waits:")[2].partition("</p>")[0]


def test_a_push_that_ended_says_so_and_that_nothing_was_saved(world: World, as_user: As) -> None:
    push = world.pushes["failed"]
    text = page(as_user("niels"), f"/pushes/{push.pk}/")
    facts = text.partition("<h2>Facts</h2>")[2]
    assert "never" not in facts.partition("Fingerprint")[0] and "not yet" not in facts
    assert "nothing was saved" in facts


def test_a_router_that_was_not_begun_says_why_in_its_row(world: World, as_user: As) -> None:
    push = world.pushes["failed"]
    RouterPush.objects.filter(pk=push.pk).update(state="CANCELLED", error_code="not-started", line=0)
    # What was verified on its router is of before: nobody has seen to it since.
    RouterPush.objects.filter(pk=world.pushes["done"].pk).update(
        state_changed_at=world.now - timedelta(days=1)
    )
    text = page(as_user("niels"), f"/changes/{push.change_id}/progress/")
    assert "not begun" in text.partition("<table")[2].partition("</table>")[0]
