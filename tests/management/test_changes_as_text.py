"""What the commands print about a change: the routers that matter, what each holds now, and the way out."""

from __future__ import annotations

import pytest

from provisioning.management import changes_as_text
from provisioning.models import RouterPush
from provisioning.pipeline.change import PushState
from tests.web.test_night import beside
from tests.web.world import World, build_world


@pytest.fixture
def world(db: None) -> World:
    return build_world()


def test_routers_with_nothing_to_send_share_one_line(world: World) -> None:
    for name in ("de6", "gr6"):
        beside(world, "planned", name)
    planned = changes_as_text.plan(world.changes["planned"])
    assert "Read, and nothing to send: de6, gr6" in planned
    assert "=== nl6" in planned and "=== de6" not in planned
    beside(world, "done", "de6")
    ended = changes_as_text.outcome(world.changes["done"])
    assert "Read, and nothing to send: de6" in ended and ended.count("de6") == 1


def test_one_router_is_not_counted_as_several(world: World) -> None:
    assert "1 router, 1 of 1" in changes_as_text.plan(world.changes["planned"])


@pytest.mark.parametrize(
    ("state", "says"),
    [
        (PushState.ROLLED_BACK, "it holds what it held before, nothing was saved"),
        (PushState.UNKNOWN, "not known until it is read"),
        (PushState.STALE, "nothing of this plan was sent"),
        (PushState.FAILED, "manage.py verify shows what"),
    ],
)
def test_what_a_router_holds_after_a_push_that_stopped(world: World, state: PushState, says: str) -> None:
    RouterPush.objects.filter(pk=world.pushes["failed"].pk).update(state=state)
    text = changes_as_text.outcome(world.changes["failed"])
    assert "  nl6: " in text and says in text


def test_what_is_not_saved_is_said_at_the_end(world: World) -> None:
    assert "a reload" not in changes_as_text.outcome(world.changes["done"])
    RouterPush.objects.filter(pk=world.pushes["done"].pk).update(saved=False)
    assert "a reload would lose them" in changes_as_text.outcome(world.changes["done"])


def test_a_hand_edit_in_the_way_names_the_command_that_mends_it(world: World) -> None:
    RouterPush.objects.filter(pk=world.pushes["planned"].pk).update(
        conflicts=[{"text": "policy-map NON-PARTICIPANT is ours and was edited by hand"}]
    )
    assert "manage.py plan --repair --router nl6" in changes_as_text.plan(world.changes["planned"])
