"""The page on which unsaved lines are saved with a reason: whose they are, and that exactly those are saved."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from inventory.models import Router
from provisioning.errors import SaveRefused, StaleState
from provisioning.models import RouterSync
from provisioning.services import saving
from provisioning.services.saving import Done, Seen
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]
OURS = ["+ policy-map TRUSTED-IN", "+ interface POS1/0 / service-policy input TRUSTED-IN"]
FOREIGN = ["+ interface POS2/0 / description typed during the push"]
URL = "/routers/nl6/save/"


def leave(ours: list[str], foreign: list[str]) -> None:
    since = dict.fromkeys(foreign, "2026-11-23T20:10:00+00:00")
    RouterSync.objects.filter(router__name="nl6").update(
        unsaved={"ours": ours, "foreign": foreign, "since": since}
    )


def test_the_router_says_whose_lines_are_unsaved_and_the_queue_that_they_are(
    world: World, as_user: As
) -> None:
    leave(OURS, FOREIGN)
    text = page_text(as_user("nora").get("/routers/nl6/"))
    assert "1 line of other people" in text and FOREIGN[0] in text and "2 lines of ours" in text
    assert "Save with a reason" in text
    assert "Save with a reason" not in page_text(as_user("audrey").get("/routers/nl6/")), "auditors look"
    queue = page_text(as_user("nora").get("/queue/"))
    assert "nl6: verified, NOT saved, because other people" in queue
    assert "nl6: 2 lines of ours, 1 line of other people, seen since 2026-11-23 20:10 UTC" in queue
    leave([], FOREIGN)
    assert "NOT saved, because" not in page_text(as_user("nora").get("/queue/")), "ours is saved"


def test_exactly_the_lines_shown_are_saved_with_a_reason(
    world: World, as_user: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(OURS, FOREIGN)
    called: list[tuple[str, str]] = []

    def save(*, actor: object, router: Router, seen: str, reason: str) -> Done:
        called.append((seen, reason))
        return Done(True, Seen(router.name, tuple(OURS), tuple(FOREIGN)))

    monkeypatch.setattr(saving, "save_router", save)
    client = as_user("nora")
    page = client.get(URL)
    seen = page.context["form"].initial["seen"]
    assert seen == saving.digest_of(OURS, FOREIGN)
    text = page_text(page)
    assert "all or nothing" in text and "agree with whoever typed them first" in text
    assert "Say why" in page_text(client.post(URL, {"seen": seen, "reason": " "}))
    assert called == []
    done = client.post(URL, {"seen": seen, "reason": "Mary agrees"}, follow=True)
    assert called == [(seen, "Mary agrees")]
    assert "nl6: saved, and read again." in page_text(done)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            StaleState("what is unsaved on nl6 is not what was shown: read the lines again"),
            "not what was shown",
        ),
        (SaveRefused("startup-config file open failed (Device or resource busy)", reply=""), "resource busy"),
    ],
)
def test_what_is_refused_is_said_and_the_lines_of_now_are_shown(
    world: World, as_user: As, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    leave(OURS, FOREIGN)

    def save(**_given: object) -> Done:
        leave(OURS, [])  # the reading that found it is recorded
        raise error

    monkeypatch.setattr(saving, "save_router", save)
    answer = as_user("nora").post(URL, {"seen": saving.digest_of(OURS, FOREIGN), "reason": "Mary agrees"})
    text = page_text(answer)
    assert said in text and "All of it is ours" in text
    assert f'value="{saving.digest_of(OURS, [])}"' in answer.content.decode()


def test_nothing_to_save_is_said(world: World, as_user: As) -> None:
    assert "Nothing is unsaved" in page_text(as_user("nora").get(URL))
