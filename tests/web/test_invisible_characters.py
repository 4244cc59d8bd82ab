"""Characters that nobody sees, or that turn what follows, are refused where they come in and escaped where they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from provisioning.errors import InvalidInput
from provisioning.management import changes_as_text
from provisioning.management.printable import printable
from provisioning.models import Change, RouterPush
from provisioning.services import adopting, changes, planning, requests
from provisioning.services.wording import one_line, reason_text
from tests.plans import forget
from tests.services.requests.sixnet import ASKED
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]

TURNED, NARROW = "\u202etnemgiar", "zero\u200bwidth"


@pytest.mark.parametrize("text", [TURNED, NARROW, "bell\x07", "\u2066isolated", "\ufeffmarked"])
def test_deeds_refuse_them_by_field_and_by_number(world: World, text: str) -> None:
    noc, change = world.actor("niels"), world.changes["planned"]
    number = f"U+{ord(next(each for each in text if not each.isprintable())):04X}"
    deeds: list[tuple[str, Callable[[], object]]] = [
        ("reason", lambda: changes.approve(actor=noc, change=change, confirm_gaps=True, reason=text)),
        ("override", lambda: changes.approve(actor=noc, change=change, confirm_gaps=True, override=text)),
        ("reason", lambda: changes.cancel(actor=noc, change=change, reason=text)),
        ("title", lambda: planning.plan_domain(actor=noc, title=text)),
        ("reason", lambda: planning.plan_domain(actor=noc, reason=text)),
        ("reason", lambda: adopting.forget(actor=noc, routers=["nl6"], reason=text)),
        ("contact", lambda: requests.submit(actor=world.actor("jane"), data=replace(ASKED, contact=text))),
        ("reason", lambda: requests.submit(actor=world.actor("jane"), data=replace(ASKED, reason=text))),
    ]
    for field, deed in deeds:
        with pytest.raises(InvalidInput) as refused:
            deed()
        assert refused.value.field == field
        assert number in str(refused.value)


def test_a_form_says_so_at_the_field(world: World, as_user: As) -> None:
    change = world.changes["planned"]
    answer = as_user("niels").post(f"/changes/{change.pk}/cancel/", {"reason": TURNED})
    assert "U+202E" in page_text(answer)
    answer = as_user("niels").post("/changes/new/", {"title": NARROW, "reason": "after the card swap"})
    assert "U+200B" in page_text(answer)
    assert RouterPush.objects.get(pk=world.pushes["planned"].pk).state == "PLANNED"


def test_what_people_write_in_their_own_language_is_kept() -> None:
    for text in ("Réunion à Genève: naïve", "Δίκτυο ΕΔΕΤ", "حجز الشبكة", "東京 — 7,75 Mbit/s", "a\tb"):
        assert reason_text(text) == text.replace("\t", " ")
    assert one_line("Åse Ødegård", field="contact", longest=40) == "Åse Ødegård"


def test_rows_of_before_and_what_routers_answer_cannot_steer_a_terminal(world: World) -> None:
    change = world.changes["failed"]
    Change.objects.filter(pk=change.pk).update(title=TURNED)
    RouterPush.objects.filter(pk=world.pushes["failed"].pk).update(error="\x1b[2J\x1b[1;1HVERIFIED\u202e")
    change.refresh_from_db()
    for told in (changes_as_text.plan(change), changes_as_text.outcome(change)):
        assert "\x1b" not in told and "\u202e" not in told
    assert r"\x1b[2J\x1b[1;1HVERIFIED\u202e" in changes_as_text.outcome(change)
    forget(world.pushes["planned"])
    RouterPush.objects.filter(pk=world.pushes["planned"].pk).update(error="\x1b[2Jlogin refused")
    with pytest.raises(CommandError) as refused:
        call_command("approve", str(world.changes["planned"].pk), user="niels", reason="ok")
    assert "\\x1b[2Jlogin refused" in str(refused.value)
    assert printable("Δ\tline\nnext\u200b") == "Δ\tline\nnext\\u200b"
