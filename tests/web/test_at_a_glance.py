"""What somebody who was woken sees first: the interface that is bare, who stopped the pushes, what went wrong, what to press."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from provisioning.management import changes_as_text, routers_as_text
from provisioning.models import (
    BareInterface,
    Change,
    ChangeKind,
    ConfigSnapshot,
    Installation,
    RouterPush,
    RouterSync,
)
from provisioning.pipeline.states import PushState
from provisioning.selectors.plans import content_of
from provisioning.web.reading.alarms import alarms
from tests.plans import keep
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


@pytest.fixture
def bare(world: World) -> RouterPush:
    """A push that tries, session after session, to close what a refused swap left open."""
    push = world.pushes["failed"]
    RouterPush.objects.filter(pk=push.pk).update(
        state="PUSHING",
        error_code="line-refused",
        started_at=timezone.now() - timedelta(minutes=4),
        finished_at=None,
        line=0,
        undo_from=1,
    )
    Change.objects.filter(pk=push.change_id).update(finished_at=None, released_at=timezone.now())
    BareInterface.objects.create(
        router=push.router, interface="POS1/0", pvc="", direction="input", since=timezone.now(), push=push
    )
    edge = {"interface": "POS1/0", "reason": "has no input policy"}
    RouterSync.objects.filter(router=push.router).update(
        state="differs", open_edges=[edge], core_live=True, checked_at=timezone.now()
    )
    push.refresh_from_db()
    return push


def test_a_bare_interface_is_the_first_thing_on_every_page_while_the_push_still_tries(
    as_user: As, bare: RouterPush
) -> None:
    for address in (
        f"/changes/{bare.change_id}/",
        f"/changes/{bare.change_id}/progress/",
        f"/pushes/{bare.pk}/",
        "/routers/nl6/",
    ):
        text = page_text(as_user("nora").get(address))
        assert "nl6 POS1/0 input: no policy since" in text, address
        assert "make haste: bind a policy on the router, or shut the interface" in text, address


def test_the_queue_tells_a_bare_interface_once_with_what_to_do(bare: RouterPush) -> None:
    told = [each for each in alarms() if "nl6" in f"{each.title} {each.particulars}"]
    about_it = [each for each in told if "POS1/0" in f"{each.particulars}"]
    assert len(about_it) == 1, about_it
    assert any("make haste" in text for text in about_it[0].particulars)
    assert not [each.title for each in told if "what was read is not what is intended" in each.title]


def test_a_stop_of_every_push_stands_on_the_pages_of_the_changes_it_holds(
    world: World, as_user: As, settings: object
) -> None:
    settings.PUSH_ENABLED = True  # type: ignore[attr-defined]
    change, push = world.changes["approved"], world.pushes["pushing"]
    Change.objects.filter(pk=change.pk).update(released_at=world.now)
    RouterPush.objects.filter(pk=push.pk).update(started_at=world.now)
    page, queue = f"/changes/{change.pk}/progress/", "/queue/"
    assert "Every push is stopped" not in page_text(as_user("nora").get(page))
    Installation.objects.update_or_create(pk=1, defaults={"push_held": "fire in Athens", "held_by": "nora"})
    for address in (page, f"/changes/{change.pk}/"):
        text = page_text(as_user("nora").get(address))
        assert "Every push is stopped by nora" in text and "/pushes/go-on/" in text, address
    said = page_text(as_user("nora").get(queue))
    assert f"{push.change.reference} is half way on {push.router.name}: line" in said


def test_a_router_whose_first_part_is_in_waits_for_the_second_and_is_not_called_wrong(world: World) -> None:
    push = world.pushes["failed"]
    seen = ConfigSnapshot.objects.create(
        router=push.router, taken_at=timezone.now(), text="!", digest="1", unsaved=[]
    )
    RouterPush.objects.filter(pk=push.pk).update(state="VERIFIED", after=seen, error="", error_code="")
    Change.objects.filter(pk=push.change_id).update(finished_at=None)
    rest = RouterPush.objects.create(
        change=push.change, router=push.router, phase="core-on", position=9, lines=2, state="APPROVED"
    )
    RouterPush.objects.filter(router=push.router).exclude(pk__in=(push.pk, rest.pk)).update(state="CANCELLED")
    RouterSync.objects.filter(router=push.router).update(state="differs", snapshot=seen, open_edges=[])
    titles = [each.title for each in alarms() if "nl6" in each.title]
    assert not [title for title in titles if "not what is intended" in title], titles
    assert f"nl6 waits for lines of {push.change.reference}." in titles, titles


def test_what_went_wrong_stands_before_the_table_and_the_reason_is_named(world: World, as_user: As) -> None:
    push = world.pushes["failed"]
    text = page_text(as_user("nora").get(f"/changes/{push.change_id}/progress/"))
    assert text.index(f'id="router-{push.pk}"') < text.index('scope="col">Router')
    assert "Why:" in text and "Next:" in text
    assert "0 of 1 push verified" in text or re.search(r"\d of \d pushes verified", text)


def test_of_a_swap_only_the_line_that_was_refused_is_marked(world: World, as_user: As) -> None:
    push = world.pushes["failed"]
    lines = [each["text"] for each in keep_lines(push)]
    second = next(index for index, text in enumerate(lines) if text.startswith("service-policy"))
    RouterPush.objects.filter(pk=push.pk).update(
        error_code="line-refused",
        error=f"'{lines[second]}' was refused: no TCAM",
        verification={"answered": second - 1},
        line=0,
    )
    text = page_text(as_user("nora").get(f"/pushes/{push.pk}/"))
    rows = re.findall(r'<tr class="(\w*)[^"]*"><td class="n">(\d+)</td>', text)[: push.lines]
    assert [int(number) for kind, number in rows if kind == "refused"] == [second + 1]


def keep_lines(push: RouterPush) -> list[dict[str, str]]:
    return list(content_of(push)["commands"])


def test_the_page_of_a_router_says_what_was_taken_back_there(world: World, as_user: As) -> None:
    push = world.pushes["failed"]
    RouterPush.objects.filter(pk=world.pushes["pushing"].pk).update(state="CANCELLED")
    RouterPush.objects.filter(pk=push.pk).update(state="ROLLED_BACK", state_changed_at=timezone.now())
    RouterSync.objects.filter(router=push.router).update(state="differs", checked_at=timezone.now())
    text = page_text(as_user("nora").get("/routers/nl6/"))
    assert f"{push.change.reference} ended badly here" in text and f"/pushes/{push.pk}/" in text
    assert "plan a repair</a>: it puts back" not in text


def test_a_change_of_which_a_part_is_done_says_so_on_its_first_page(world: World, as_user: As) -> None:
    push = partial(world)
    text = page_text(as_user("nora").get(f"/changes/{push.change_id}/"))
    assert f"/pushes/{push.pk}/next-step/?do=finish" in text


def partial(world: World) -> RouterPush:
    """A baseline that one router holds and six others, which were not begun, do not."""
    push = world.pushes["failed"]
    change = push.change
    Change.objects.filter(pk=change.pk).update(
        kind=ChangeKind.BASELINE, released_at=world.now, finished_at=world.now
    )
    change.requests.clear()
    # What was verified there is of before: nobody has seen to it since.
    RouterPush.objects.filter(pk=world.pushes["done"].pk).update(
        state_changed_at=push.state_changed_at - timedelta(days=1)
    )
    others = list(RouterSync.objects.exclude(router=push.router).select_related("router"))
    for place, row in enumerate(others):
        other = RouterPush.objects.create(
            change=change,
            router=row.router,
            phase="core-on",
            position=place + 5,
            lines=2,
            state="VERIFIED" if not place else "CANCELLED",
            error="" if not place else "not started: nl6 rolled back",
            error_code="" if not place else "not-started",
        )
        keep(other, content_of(push))
    push.refresh_from_db()
    return push


def test_a_terminal_says_once_what_is_alike_and_commands_can_be_typed_as_they_stand(world: World) -> None:
    push = partial(world)
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("next_step", str(push.change_id), stdout=out)
    said = out.getvalue()
    assert said.count("Another router of the change ended badly") == 1, said
    assert said.count("--do finish --as USER --reason WHY") == 2, said
    assert f"Why: {push.error}" in said
    for line in said.splitlines():
        assert "Next:" not in line or "--as USER" in line, line
    assert said.index(push.router.name) < said.index("Another router of the change")
    shown = changes_as_text.outcome(push.change)
    assert shown.count("Another router of the change ended badly") == 1


def test_a_change_that_has_not_ended_is_not_said_to_need_nothing(world: World) -> None:
    out = StringIO()
    with pytest.raises(SystemExit):  # nothing sends it: no worker is alive
        call_command("next_step", str(world.changes["approved"].pk), stdout=out)
    assert "has not ended" in out.getvalue() and "nothing to be done" not in out.getvalue()


def test_a_terminal_names_the_interface_that_is_bare_while_the_push_still_tries(bare: RouterPush) -> None:
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("next_step", str(bare.change_id), stdout=out)
    assert "nl6 POS1/0 input: NO POLICY since" in out.getvalue() and "Make haste" in out.getvalue()
    assert "NO POLICY" in changes_as_text.outcome(bare.change)


def test_a_router_that_is_half_way_is_not_said_to_need_a_plan_or_a_save(bare: RouterPush) -> None:
    RouterPush.objects.filter(router=bare.router).exclude(pk=bare.pk).update(state="VERIFIED")
    row = RouterSync.objects.get(router=bare.router)
    row.unsaved = {"ours": ["- x"], "foreign": [], "since": {}}
    said = routers_as_text.sync(row)
    assert f"HALF WAY {bare.change.reference}" in said
    assert "manage.py plan" not in said and "manage.py save" not in said


def test_progress_refreshes_without_a_script_while_something_moves(as_user: As, bare: RouterPush) -> None:
    page = f"/changes/{bare.change_id}/progress/"
    assert '<noscript><meta http-equiv="refresh"' in page_text(as_user("nora").get(page))
    RouterPush.objects.filter(change=bare.change).update(state=PushState.ROLLED_BACK)
    assert "http-equiv" not in page_text(as_user("nora").get(page))


def test_why_a_change_was_aborted_stands_on_its_progress(world: World, as_user: As) -> None:
    push = world.pushes["failed"]
    RouterPush.objects.filter(change=push.change).update(
        state="CANCELLED", error="the window is over", error_code="", started_at=None
    )
    Change.objects.filter(pk=push.change_id).update(released_at=world.now, finished_at=world.now)
    text = page_text(as_user("nora").get(f"/changes/{push.change_id}/progress/"))
    assert "What had not begun was cancelled: the window is over" in text
