"""The progress page follows a change that goes out by itself, from the moment it is approved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from provisioning.models import Change
from provisioning.pipeline.states import PushState
from provisioning.selectors.workers import QUEUES
from provisioning.services import heartbeats
from tests.web.text import page_text
from tests.web.world import World, put_change

As = Callable[[str], Client]
POLLS = 'hx-trigger="every 1s"'


def progress(client: Client, change: Change) -> str:
    answer = client.get(f"/changes/{change.pk}/progress/")
    assert answer.status_code == 200
    return page_text(answer)


@pytest.fixture
def approved(world: World, settings: Any) -> Change:
    """An approved change of a reservation whose window has begun; nobody has pressed Push."""
    settings.PUSH_ENABLED = True
    heartbeats.heard("runjobs@here:1", QUEUES)
    change = put_change(world, "due", "PIP on", PushState.APPROVED, approved_at=timezone.now())
    change.requests.set([world.requests["overdue"]])
    return change


def test_a_due_change_is_followed_before_it_is_released(approved: Change, as_user: As) -> None:
    text = progress(as_user("nora"), approved)
    assert POLLS in text and "goes out without a second button" in text
    assert "Approve it, then press Push" not in text


def test_one_that_lies_ahead_waits_and_says_for_what(approved: Change, world: World, as_user: As) -> None:
    approved.requests.set([world.requests["admitted"]])
    text = progress(as_user("nora"), approved)
    assert POLLS not in text and "Press Push to send it" in text


def test_nothing_is_followed_where_pushing_is_off(approved: Change, settings: Any, as_user: As) -> None:
    settings.PUSH_ENABLED = False
    assert POLLS not in progress(as_user("nora"), approved)


def test_one_that_nobody_approved_waits_for_approval(world: World, as_user: As) -> None:
    change = put_change(world, "planned", "PIP on", PushState.PLANNED)
    change.requests.set([world.requests["overdue"]])
    text = progress(as_user("nora"), change)
    assert POLLS not in text and "Approve it, then press Push" in text
