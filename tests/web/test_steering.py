"""Pause, Go on, Abort and Stop every push: the buttons, who sees them, and the alarms while something is held."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from provisioning.models import SYSTEM, Change, Installation, RouterPush
from provisioning.pipeline.states import PushState
from provisioning.selectors.figures import figures
from provisioning.selectors.pushing import why_no_push
from provisioning.services import backups, clock, halting, people, steering
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]
START = datetime(2020, 1, 1, 2, 0, 30, tzinfo=UTC)


@pytest.fixture
def running(world: World, settings: object) -> Change:
    settings.PUSH_ENABLED = True  # type: ignore[attr-defined]
    change = world.changes["approved"]
    Change.objects.filter(pk=change.pk).update(released_at=world.now)
    return change


def fields(page: object) -> dict[str, str]:
    """What a browser sends of the form of a page."""
    inputs = re.findall(r"<(?:input|textarea)[^>]*>", page.content.decode())  # type: ignore[attr-defined]
    named = [(re.search(r' name="([^"]+)"', each), re.search(r' value="([^"]*)"', each)) for each in inputs]
    sent = {name[1]: value[1] if value else "" for name, value in named if name}
    return {**sent, "reason": "as before"}


def gauge(name: str) -> float:
    return next(value for each in figures() if each.name == name for _, value in each.samples)


def test_a_change_is_paused_and_goes_on_by_buttons(as_user: As, running: Change) -> None:
    page, address = f"/changes/{running.pk}/progress/", f"/changes/{running.pk}/pause/"
    assert address in page_text(as_user("nora").get(page))
    assert address not in page_text(as_user("audrey").get(page))
    assert "Say why" in page_text(as_user("nora").post(address, {"reason": " "}))
    assert Change.objects.get(pk=running.pk).paused_at is None
    text = page_text(as_user("nora").post(address, {"reason": "the phone rings"}, follow=True))
    assert "no further router is begun" in text
    assert f"{running.reference} is paused by nora since" in text and "the phone rings" in text
    assert f"/changes/{running.pk}/go-on/" in text and address not in text
    queue = page_text(as_user("audrey").get("/queue/"))
    assert f"{running.reference} is paused by nora" in queue and "still to begin" in queue
    assert gauge("changes_paused") == 1
    assert as_user("niels").post(address, {"reason": "me too"}).status_code == 409
    text = page_text(as_user("niels").post(f"/changes/{running.pk}/go-on/", {"reason": "done"}, follow=True))
    assert "goes on" in text
    assert gauge("changes_paused") == 0
    assert "paused by" not in page_text(as_user("nora").get("/queue/"))


def test_what_was_released_is_aborted_not_cancelled(as_user: As, running: Change) -> None:
    address = f"/changes/{running.pk}/cancel/"
    assert "Abort the change" in page_text(as_user("nora").get(address))
    as_user("nora").post(address, {"reason": "the wrong night"})
    assert not RouterPush.objects.filter(change=running, state=PushState.APPROVED).exists()


def test_the_course_of_a_change_is_set_on_its_page(world: World, as_user: As, running: Change) -> None:
    address = f"/changes/{running.pk}/rollout/"
    shown = page_text(as_user("nora").get(f"/changes/{running.pk}/"))
    assert address in shown and "Roll-out</dt>" not in shown
    said = {"canary": "1", "at_once": "2", "ticket": "TT-4711", "window_start": "2020-01-01T02:00"}
    text = page_text(as_user("nora").post(address, {**said, "reason": "as announced"}, follow=True))
    assert "TT-4711" in text and "1 router of each phase first" in text and "2 at once at most" in text
    assert "routers are begun from 2020-01-01 02:00" in text
    wrong = {"window_start": "2020-01-01T02:00", "window_end": "2020-01-01T04:00", "reason": "late"}
    assert "over already" in page_text(as_user("nora").post(address, wrong))
    Change.objects.filter(pk=running.pk).update(window_end=world.now)
    queue = page_text(as_user("audrey").get("/queue/"))
    assert f"The window of {running.reference} is over" in queue
    call_command("rollout", running.reference, "--until", "none", "--as", "nora", "--reason", "go")
    assert Change.objects.get(pk=running.pk).window_end is None
    with pytest.raises(CommandError, match="--as USER"):
        call_command("rollout", running.reference, "--canary", "2")


def test_what_a_colleague_set_since_the_page_was_loaded_stays(as_user: As, running: Change) -> None:
    address = f"/changes/{running.pk}/rollout/"
    Change.objects.filter(pk=running.pk).update(window_start=START)
    sent = fields(as_user("nora").get(address))
    steering.set_course(
        actor=people.actor_named("niels", via=SYSTEM.via),
        change=running,
        window_end=clock.now() + timedelta(hours=4),
        ticket="TT-4711",
        reason="as announced",
    )
    as_user("nora").post(address, {**sent, "canary": "2", "reason": "carefully"})
    running.refresh_from_db()
    assert (running.canary, running.ticket) == (2, "TT-4711")
    assert running.window_end is not None and running.window_start == START, "not cut to its minute either"
    both = {**sent, "ticket": "TT-1", "window_end": "2020-01-01T04:00", "reason": "once more"}
    again = fields(as_user("nora").post(address, both))
    as_user("nora").post(address, {**again, "window_end": ""})
    running.refresh_from_db()
    assert (running.ticket, running.canary) == ("TT-1", 2), (
        "after an error too what the page showed first counts"
    )
    assert running.window_end is not None


def test_a_rule_is_taken_away_by_emptying_its_field(as_user: As, running: Change) -> None:
    Change.objects.filter(pk=running.pk).update(ticket="TT-4711", canary=2)
    address = f"/changes/{running.pk}/rollout/"
    sent = fields(as_user("nora").get(address))
    assert (sent["ticket"], sent["canary"]) == ("TT-4711", "2")
    as_user("nora").post(address, {**sent, "ticket": "", "reason": "no ticket any more"})
    running.refresh_from_db()
    assert (running.canary, running.ticket) == (2, "")


def test_one_button_stops_every_push(world: World, as_user: As, running: Change) -> None:
    assert "/pushes/stop/" in page_text(as_user("nora").get("/queue/"))
    assert "/pushes/stop/" not in page_text(as_user("audrey").get("/queue/"))
    text = page_text(as_user("nora").post("/pushes/stop/", {"reason": "smoke in Athens"}, follow=True))
    assert "Nothing goes on until somebody lets it" in text and "nora stopped every push" in text
    half = world.pushes["pushing"]
    assert f"{half.change.reference} on {half.router.name}" in text, "what is half way is named"
    queue = page_text(as_user("audrey").get("/queue/"))
    assert "Every push is stopped by nora since" in queue and "smoke in Athens" in queue
    assert "Every push is stopped by nora" in page_text(as_user("nora").get(f"/changes/{running.pk}/"))
    assert gauge("pushes_stopped") == 1
    assert as_user("niels").post("/pushes/stop/", {"reason": "again"}).status_code == 409
    as_user("niels").post("/pushes/go-on/", {"reason": "it was the toaster"})
    assert why_no_push() == "" and gauge("pushes_stopped") == 0
    assert as_user("niels").post("/pushes/go-on/", {"reason": "again"}).status_code == 409


def test_by_command(world: World, running: Change) -> None:
    call_command("pause", running.reference, "--as", "nora", "--reason", "wait")
    with pytest.raises(CommandError, match="paused already"):
        call_command("pause", running.reference, "--as", "nora", "--reason", "wait")
    call_command("resume", str(running.pk), "--as", "niels", "--reason", "go")
    call_command("abort", running.reference, "--as", "nora", "--reason", "no")
    assert not RouterPush.objects.filter(change=running, state=PushState.APPROVED).exists()
    call_command("stop_pushes", "--as", "nora", "--reason", "smoke")
    with pytest.raises(CommandError, match="Only an approver of the NOC"):
        call_command("go_on", "--as", "jane", "--reason", "please")
    call_command("go_on", "--as", "nora", "--reason", "gone")


def test_a_stop_and_a_restore_are_lifted_each_by_its_own_word(world: World) -> None:
    nora = people.actor_named("nora", via=SYSTEM.via)
    halting.stop_all(actor=nora, reason="smoke")
    with pytest.raises(Exception, match="nora stopped every push: smoke"):
        backups.resume_pushing(actor=nora, reason="the original is off")
    Installation.objects.update(push_held="this is a restored copy", held_by="")
    with pytest.raises(Exception, match="nobody stopped them: this is a restored copy"):
        halting.go_on(actor=nora, reason="go")


@pytest.mark.parametrize("what", ["every push", "one change"])
def test_a_page_of_go_on_lifts_what_it_showed(world: World, as_user: As, running: Change, what: str) -> None:
    address = "/pushes/go-on/" if what == "every push" else f"/changes/{running.pk}/go-on/"
    stop, go = (
        ("/pushes/stop/", address) if what == "every push" else (f"/changes/{running.pk}/pause/", address)
    )
    nora, niels = as_user("nora"), as_user("niels")
    nora.post(stop, {"reason": "window over"})
    (read,) = re.findall(r'name="read" value="([^"]+)"', page_text(niels.get(address)))
    nora.post(go, {"reason": "longer window"})
    nora.post(stop, {"reason": "wrong policer on de6"})
    page = page_text(niels.post(go, {"reason": "long enough", "read": read}))
    assert "again: wrong policer on de6" in page and "long enough" in page
    (fresh,) = re.findall(r'name="read" value="([^"]+)"', page)
    assert fresh != read
    assert niels.post(go, {"reason": "mended", "read": fresh}).status_code == 302
