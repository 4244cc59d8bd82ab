"""No worker is alive: every door that would say that work is under way says that nobody does it, and what to start."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils import timezone

from provisioning.management.commands.approve import then
from provisioning.models import Change, Heartbeat, Installation, RouterPush
from provisioning.selectors.workers import QUEUES, SENDING, why_no_work
from provisioning.services import heartbeats, jobs, planning, stopping
from provisioning.web.reading.alarms import alarms
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]
NOBODY = "No worker was heard from for 60 s"


def next_step(change: Change) -> tuple[int, str]:
    """The exit status, and what was said."""
    out = StringIO()
    try:
        call_command("next_step", str(change.pk), stdout=out)
    except SystemExit as end:
        return int(str(end.code)), out.getvalue()
    return 0, out.getvalue()


def works() -> None:
    heartbeats.heard("runjobs@here:1", QUEUES)


def test_the_queue_page_says_it_until_one_is_alive(world: World) -> None:
    (said,) = [each for each in alarms() if each.title.startswith(NOBODY)]
    assert said.kind == "bad" and "manage.py runjobs" in said.particulars[0]
    works()
    assert not [each for each in alarms() if each.title.startswith("No worker")]
    Heartbeat.objects.update(heard_at=timezone.now() - timedelta(seconds=61))
    assert [each for each in alarms() if each.title.startswith(NOBODY)]


def test_with_a_broker_a_worker_of_celery_is_named_and_the_queue_that_nobody_serves(
    db: None, settings: Any
) -> None:
    settings.CELERY_BROKER_URL = "redis://nowhere/0"
    heartbeats.heard("reader@here", ["tick", "read"])
    assert "No worker of push, tell was heard" in why_no_work()
    assert "celery -A provisioning.celery worker --queues push " in why_no_work(SENDING)
    assert why_no_work(("read",)) == ""


def test_a_change_that_is_being_sent_is_not_said_to_be_under_way(world: World, as_user: As) -> None:
    change = world.changes["pushing"]
    code, said = next_step(change)
    assert code == 1 and NOBODY in said and "Wait" not in said
    address = f"/changes/{change.pk}/progress/"
    text = page_text(as_user("nora").get(address))
    assert NOBODY in text and "Workers read every router again" not in " ".join(text.split())
    assert NOBODY in page_text(as_user("nora").get(f"{address}live/"))
    works()
    code, said = next_step(change)
    assert code == 0 and "Wait" in said
    assert NOBODY not in page_text(as_user("nora").get(address))


def test_neither_is_a_plan_that_nobody_makes(world: World, as_user: As) -> None:
    RouterPush.objects.filter(state="PUSHING").update(state="VERIFIED")
    change = planning.ask_for_plan(actor=world.actor("nora"), routers=["nl6"])
    code, said = next_step(change)
    assert code == 1 and NOBODY in said
    assert NOBODY in page_text(as_user("nora").get(f"/changes/{change.pk}/"))
    works()
    assert next_step(change)[0] == 0


def test_who_only_waits_is_told(world: World, settings: Any) -> None:
    settings.PUSH_ENABLED = True
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError, match="is not over"):
        call_command(
            *("push", str(world.changes["pushing"].pk), "--wait", "--timeout", "0.2"), stdout=out, stderr=err
        )
    assert err.getvalue().count(NOBODY) == 1


def test_ctrl_c_finishes_what_is_under_way_and_says_how_to_go_on(
    world: World, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PUSH_ENABLED = True
    asked: list[bool] = []
    monkeypatch.setattr(stopping, "ask", lambda: asked.append(True))

    def work(*, stop: threading.Event, **_: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.wait(5)

    monkeypatch.setattr(jobs, "work", work)
    change, err = world.changes["pushing"], StringIO()
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(SystemExit) as ended:
        call_command("push", str(change.pk), "--as", "niels", stdout=StringIO(), stderr=err)
    assert ended.value.code == 130 and asked == [True]
    assert err.getvalue().count("finishing what is under way, for 30 seconds at most") == 1
    assert f"manage.py push {change.pk} --as niels" in err.getvalue()
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_while_waiting_stops_nothing(
    world: World, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PUSH_ENABLED = True
    works()

    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("provisioning.management.commands.push.time.sleep", interrupt)
    err = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("push", str(world.changes["pushing"].pk), "--wait", stdout=StringIO(), stderr=err)
    assert ended.value.code == 130 and "nothing is stopped by that" in err.getvalue()


def test_half_way_with_every_push_stopped_a_person_is_needed(world: World, settings: Any) -> None:
    settings.PUSH_ENABLED = True
    works()
    Installation.objects.update_or_create(
        defaults={"push_held": "smoke in the room", "held_by": "nora", "held_at": timezone.now()}
    )
    code, said = next_step(world.changes["pushing"])
    assert code == 1 and "Every push is stopped by nora" in said


def test_what_waits_for_approval_or_a_push_is_not_nothing(world: World, settings: Any) -> None:
    settings.PUSH_ENABLED = True
    works()
    assert next_step(world.changes["planned"])[0] == 1
    change = world.changes["approved"]
    code, said = next_step(change)
    assert code == 0 and "It is due: it goes out now by itself." in said
    Change.objects.filter(pk=change.pk).update(kind="baseline")
    code, said = next_step(change)
    assert code == 1 and f"manage.py push {change.pk} --as USER" in said
    Change.objects.filter(pk=change.pk).update(window_start=timezone.now() + timedelta(hours=1))
    assert next_step(change)[0] == 0


def test_what_is_still_being_planned_is_neither_approved_nor_pushed(world: World, settings: Any) -> None:
    settings.PUSH_ENABLED = True
    RouterPush.objects.filter(state="PUSHING").update(state="VERIFIED")
    change = planning.ask_for_plan(actor=world.actor("nora"), routers=["nl6", "gr6"])
    for command in ("approve", "push"):
        with pytest.raises(CommandError) as refused:
            call_command(command, str(change.pk), "--as", "niels")
        assert f"{change.reference} is still being planned: 0 of 2 routers read" in str(refused.value), (
            command
        )
    Change.objects.filter(pk=change.pk).update(asked={**change.asked, "error": "nl6 is silent"})
    with pytest.raises(CommandError, match="could not be planned: nl6 is silent"):
        call_command("approve", str(change.pk), "--as", "niels")


@pytest.mark.parametrize(
    ("kind", "says"),
    [("reservation", "It is due: it goes out now by itself."), ("baseline", "manage.py push {} --as USER")],
)
def test_who_approves_is_told_whether_it_goes_out_by_itself(
    world: World, settings: Any, kind: str, says: str
) -> None:
    settings.PUSH_ENABLED = True
    works()
    change = world.changes["approved"]
    change.kind = kind
    assert says.format(change.pk) in then(change)
    settings.PUSH_ENABLED = False
    assert "PUSH_ENABLED" in then(change)
