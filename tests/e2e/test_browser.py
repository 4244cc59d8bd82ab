"""The whole way in a browser: sign in, admit, read, approve, push, watch it finish, see ACTIVE on a real router."""

from __future__ import annotations

import re
import time

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from provisioning.models import SYSTEM, Role
from provisioning.services import people
from tests.e2e.pictures import picture
from tests.services.backbone import Backbone
from tests.web.world import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def sign_in(page: Page, site: str, name: str) -> None:
    page.goto(site)
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("Password")).to_have_count(0)


def reload_until(page: Page, text: str, seconds: float = 180) -> None:
    """Load the page again until it says ``text``: what a person does who waits for a plan."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if page.get_by_text(text).count():
            return
        page.wait_for_timeout(400)
        page.reload()
    raise AssertionError(f"{text!r} did not appear: {page.locator('main').inner_text()[:2000]}")


def test_from_the_queue_to_active(
    backbone: Backbone, live_server, page: Page, request: pytest.FixtureRequest
) -> None:
    backbone.roll_out()
    asked = backbone.ask("SURFnet", "GRNET", "1M")
    people.put_person(actor=SYSTEM, username="nora", roles=[Role.NOC], password=PASSWORD)

    sign_in(page, live_server.url, "nora")
    expect(page.get_by_role("heading", name="Queue")).to_be_visible()
    picture(page, "queue")
    page.get_by_role("link", name=asked.reference, exact=True).click()

    # The evidence is read, then the request admitted with a reason.
    expect(page.get_by_text("fits everywhere")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("SURFnet@nl6")).first).to_contain_text("50 Mbit/s")
    picture(page, "request")
    page.get_by_role("link", name="Admit").click()
    page.get_by_label("Reason").fill("Fits; trial with GRNET")
    page.get_by_role("button", name="Admit and charge").click()
    expect(page.get_by_text("is admitted and charged")).to_be_visible()

    # What is due reads the routers and plans nl6; the change is linked from the request.
    backbone.work()
    reload_until(page, "Changes on the routers")
    page.get_by_role("link", name=re.compile(r"^CHG-\d+$")).first.click()
    expect(page.get_by_text("gap that IOS forces")).to_be_visible()
    lines = page.locator("table.commands").first  # the second is the way back
    expect(lines).to_contain_text("service-policy input FILTERED-IN")
    expect(lines).to_contain_text("EF policed at 5 % of BW")
    picture(page, "change")
    page.get_by_role("link", name="Before and after").click()
    expect(page.locator("td.gone").filter(has_text="service-policy input NON-PARTICIPANT")).to_be_visible()
    expect(page.locator("td.new").filter(has_text="service-policy input FILTERED-IN")).to_be_visible()
    picture(page, "before-and-after")

    # Not without the gap.
    page.get_by_role("link", name="Approve").click()
    page.get_by_label("Reason").fill("Read line by line")
    page.evaluate("document.querySelector('form.ask').noValidate = true")
    page.get_by_role("button", name="Approve exactly these lines").click()
    expect(page.locator("#id_confirm_gaps_error")).to_have_text("Confirm the gap, or do not approve.")
    page.get_by_label(re.compile("I have read the 1 gap")).check()
    picture(page, "approve")
    page.get_by_role("button", name="Approve exactly these lines").click()
    expect(page.get_by_text("exactly these lines may be pushed")).to_be_visible()

    page.get_by_role("link", name="Push", exact=True).click()
    expect(page.get_by_text("edges before core queues")).to_be_visible()
    page.get_by_role("button", name="Push now").click()
    expect(page.get_by_text("is released")).to_be_visible()

    # The page follows by itself, without being loaded again.
    request.getfixturevalue("jobs_loop")
    expect(page.get_by_text("Every router was read back and runs exactly what was intended.")).to_be_visible(
        timeout=180_000
    )
    expect(page.locator("#progress")).to_contain_text("saved")
    picture(page, "verified")
    page.locator("#progress").get_by_role("link", name=asked.reference).click()
    reload_until(page, "Active")
    assert ("GigabitEthernet1/0", "input", "FILTERED-IN") in backbone.bound("nl6")

    # What was said is there to be read, without the passwords.
    page.get_by_role("link", name=re.compile(r"^CHG-\d+$")).first.click()
    page.get_by_role("link", name="Progress").click()
    page.get_by_role("link", name="nl6").first.click()
    expect(page.locator("pre.transcript").first).to_contain_text("service-policy input FILTERED-IN")
    assert PASSWORD not in page.content()


def test_a_refused_line_is_told_in_plain_words(
    backbone: Backbone, live_server, page: Page, request: pytest.FixtureRequest
) -> None:
    backbone.roll_out()
    asked = backbone.admit(backbone.ask("SURFnet", "GRNET", "1M"))
    people.put_person(actor=SYSTEM, username="nora", roles=[Role.NOC], password=PASSWORD)
    backbone.work()
    change = asked.changes.get()
    backbone.approve(change, confirm_gaps=True)
    backbone.fault("nl6", "refuse", match="police", message="% Policing is not supported on this interface")
    sign_in(page, live_server.url, "nora")
    page.goto(f"{live_server.url}/changes/{change.pk}/progress/")
    # Nobody presses Push: its window has begun, so approving was enough.
    request.getfixturevalue("jobs_loop")
    page.wait_for_timeout(1500)
    page.reload()
    expect(page.get_by_text("The push stopped at that line")).to_be_visible(timeout=60_000)
    expect(page.locator("#progress")).to_contain_text("Rolled back")
    expect(page.locator("#progress")).to_contain_text("Policing is not supported")
    picture(page, "refused-line")
    assert ("GigabitEthernet1/0", "input", "NON-PARTICIPANT") in backbone.bound("nl6")
    page.goto(f"{live_server.url}/queue/?group=overdue")
    expect(page.locator("#results").get_by_role("link", name=asked.reference, exact=True)).to_be_visible()


def test_the_theme_is_remembered_and_the_phone_has_no_sideways_scroll(
    backbone: Backbone, live_server, page: Page
) -> None:
    asked = backbone.ask("SURFnet", "GRNET", "1M")
    people.put_person(actor=SYSTEM, username="nora", roles=[Role.NOC], password=PASSWORD)
    assert User.objects.filter(username="nora").exists()
    page.emulate_media(color_scheme="dark")
    sign_in(page, live_server.url, "nora")
    root = page.locator("html")
    expect(root).to_have_attribute("data-bs-theme", "dark")
    page.get_by_role("button", name="Light theme").click()
    expect(root).to_have_attribute("data-bs-theme", "light")
    page.reload()
    expect(root).to_have_attribute("data-bs-theme", "light")

    page.set_viewport_size({"width": 390, "height": 844})
    for path in (
        "/queue/",
        "/requests/",
        f"/requests/{asked.pk}/",
        "/routers/",
        "/routers/nl6/",
        "/links/",
        "/audit/",
        "/my/ask/",
        "/changes/",
        "/notifications/",
        "/notifications/mail/",
        "/pushes/stop/",
        "/routers/nl6/save/",
    ):
        answer = page.goto(live_server.url + path)
        assert answer is not None and answer.status == 200, path
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, path
        # Where a finger presses, in pixels; a check box is pressed by its label.
        low = page.evaluate(
            "[...document.querySelectorAll('main button, main a.btn, main summary, main .check label')]"
            ".filter(each => each.offsetHeight && each.offsetHeight < 44).map(each => each.innerText)"
        )
        assert low == [], path
    page.goto(live_server.url + "/queue/")
    expect(page.get_by_role("link", name="Audit log")).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Audit log").click()
    expect(page.get_by_role("heading", name="Audit log")).to_be_visible()


def test_a_keyboard_is_enough(backbone: Backbone, live_server, page: Page) -> None:
    people.put_person(actor=SYSTEM, username="nora", roles=[Role.NOC], password=PASSWORD)
    page.goto(live_server.url)
    page.get_by_label("Username").focus()
    page.keyboard.type("nora")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Queue")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.goto(live_server.url + "/routers/")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("nl6")
    expect(page.get_by_role("link", name="uk6")).to_have_count(0)
    expect(page.get_by_role("link", name="nl6", exact=True)).to_have_count(1)
    expect(page).to_have_url(re.compile("q=nl6"))  # a letter typed late is a search of its own
