"""A change that was taken back: where it stands for somebody to see to, how far it came, and which line was refused."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.test import Client

from provisioning.models import Change, ChangeKind, RouterPush, RouterSync
from provisioning.pipeline.states import PushState
from provisioning.web.reading.alarms import alarms
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


def taken_back(world: World) -> RouterPush:
    """Seven of its lines were answered, the eighth refused, and all of it was taken back."""
    push = world.pushes["failed"]
    RouterPush.objects.filter(pk=push.pk).update(line=0, verification={"answered": 7})
    push.refresh_from_db()
    return push


def test_the_refused_line_is_marked_and_those_before_it_are_said_to_be_taken_back(
    world: World, as_user: As
) -> None:
    push = taken_back(world)
    for address in (f"/changes/{push.change_id}/", f"/pushes/{push.pk}/"):
        text = page_text(as_user("nora").get(address))
        rows = re.findall(r'<tr class="(\w*)[^"]*"><td class="n">(\d+)</td>', text)
        forward = rows[: push.lines]
        assert [int(number) for kind, number in forward if kind == "refused"] == [8], address
        assert [int(number) for kind, number in forward if kind == "undone"] == [1, 2, 3, 4, 5, 6, 7], address
        assert "the push stopped here" in text


def test_progress_says_how_many_lines_were_answered(world: World, as_user: As) -> None:
    push = taken_back(world)
    text = page_text(as_user("nora").get(f"/changes/{push.change_id}/progress/"))
    assert f"7 of {push.lines} lines answered" in text
    assert f"0 of {push.lines} lines answered" not in text


def test_what_a_person_asked_for_and_was_taken_back_stands_until_something_was_verified_there(
    world: World,
) -> None:
    push = taken_back(world)
    Change.objects.filter(pk=push.change_id).update(kind=ChangeKind.BASELINE)
    later = RouterPush.objects.filter(router=push.router, state=PushState.VERIFIED, pk__gt=push.pk)
    pks = list(later.values_list("pk", flat=True))
    later.update(state=PushState.PLANNED)

    def said() -> list[str]:
        return [each.title for each in alarms() if "was taken back on nl6" in each.title]

    assert len(said()) == 1
    assert push.change.reference in said()[0]
    RouterPush.objects.filter(pk__in=pks).update(state=PushState.VERIFIED)
    assert said() == []


def test_an_interface_with_another_policy_is_not_said_to_be_unmarked(world: World, as_user: As) -> None:
    why = "has FILTERED-IN instead of NON-PARTICIPANT"
    RouterSync.objects.filter(router__name="nl6").update(
        state="differs", open_edges=[{"router": "nl6", "interface": "GigabitEthernet1/0", "reason": why}]
    )
    text = page_text(as_user("nora").get("/routers/nl6/"))
    assert why in text
    assert "unmarked" not in text and "unpoliced" not in text
