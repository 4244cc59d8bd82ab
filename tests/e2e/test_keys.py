"""Keys in a browser: rows and pages by keyboard alone, nothing while somebody types, and local time where the pointer is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page, expect

from provisioning.models import PremiumRequest
from tests.web.world import World, build_world

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setitem(os.environ, "DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    return build_world()


@pytest.fixture
def nora(browser: Browser, live_server: Any, world: World) -> Iterator[Page]:
    """A page of nora's, whose clock is Athens'; any error in its console fails the test."""
    client = Client()
    client.force_login(world.users["nora"])
    context = browser.new_context(
        base_url=live_server.url, viewport={"width": 1440, "height": 900}, timezone_id="Europe/Athens"
    )
    context.add_cookies(
        [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}]
    )
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    assert complaints == []


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.textContent.trim()"))


def test_rows_are_gone_through_and_opened_by_keyboard_alone(nora: Page, world: World) -> None:
    nora.goto("/requests/")
    seen = []
    for _ in range(3):
        nora.keyboard.press("j")
        seen.append(focused(nora))
    assert len(set(seen)) == 3 and all(each.startswith("PIP-") for each in seen)
    nora.keyboard.press("k")
    assert focused(nora) == seen[1]
    nora.keyboard.press("Enter")
    expect(nora.get_by_role("heading", level=1)).to_contain_text(seen[1])


def test_a_and_r_lead_to_the_pages_that_ask_and_change_nothing(nora: Page, world: World) -> None:
    request = world.requests["decision"]
    for key, verb in (("a", "admit"), ("r", "refuse")):
        nora.goto(f"/requests/{request.pk}/")
        nora.keyboard.press(key)
        nora.wait_for_url(f"**/requests/{request.pk}/{verb}/")
    assert PremiumRequest.objects.get(pk=request.pk).state == request.state
    nora.goto(f"/requests/{world.requests['refused'].pk}/")
    nora.keyboard.press("a")
    nora.wait_for_timeout(300)
    assert nora.url.endswith(f"/requests/{world.requests['refused'].pk}/"), "there is nothing to admit"


def test_g_and_a_letter_go_to_a_page_of_the_menu_and_nothing_else_does(nora: Page, world: World) -> None:
    nora.goto("/queue/")
    for letter, address in (("m", "/map/"), ("k", "/calendar/"), ("r", "/requests/"), ("q", "/queue/")):
        nora.keyboard.press("g")
        nora.keyboard.press(letter)
        nora.wait_for_url(f"**{address}")
    nora.keyboard.press("m")
    nora.keyboard.press("g")
    nora.keyboard.press("9")
    nora.wait_for_timeout(300)
    assert nora.url.endswith("/queue/")


def test_nothing_happens_while_somebody_types_or_when_keys_are_off(nora: Page, world: World) -> None:
    nora.goto("/requests/")
    box = nora.locator("#find")
    box.focus()
    nora.keyboard.type("g?jar gm")
    assert box.input_value() == "g?jar gm" and nora.url.endswith("/requests/")
    assert not nora.locator("#keys").is_visible()
    nora.locator("h1").click()
    nora.keyboard.press("?")
    dialog = nora.locator("#keys")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("Calendar")
    nora.keyboard.press("j")
    assert not focused(nora).startswith("PIP-"), "the page behind stands still"
    dialog.get_by_role("checkbox").check()
    nora.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    nora.reload()
    nora.keyboard.press("g")
    nora.keyboard.press("m")
    nora.keyboard.press("j")
    nora.wait_for_timeout(300)
    assert nora.url.endswith("/requests/") and not focused(nora).startswith("PIP-")


def test_a_time_says_what_it_is_here_where_the_pointer_is(nora: Page, world: World) -> None:
    nora.goto(f"/requests/{world.requests['admitted'].pk}/")
    time = nora.locator("main time").first
    before = time.inner_text()
    time.hover()
    assert "(Europe/Athens)" in str(time.get_attribute("title"))
    assert time.inner_text() == before, "what is written stays UTC"
