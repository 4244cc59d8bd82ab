"""Ten tasks of a new colleague of the NOC, each in at most four clicks from the page that signing in leads to, and axe on the
pages that they end on (docs/howto/ten-tasks.md); a session that ends in the middle of a form. With DEEP=1 axe on every page.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Error, Locator, Page, expect

from inventory.models import AccessLink, Nren, Router
from provisioning.models import SYSTEM, Change, PremiumRequest, Role, RouterPush
from provisioning.pipeline.states import PushState, RequestState
from provisioning.services import people
from provisioning.services.plans import keep_plan
from tests.e2e.accessible import faults
from tests.e2e.pictures import picture
from tests.web import test_matrix as matrix
from tests.web.plans import swap_plan
from tests.web.world import PASSWORD, World, build_world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MOST = 4
PATIENCE = float(os.environ.get("PATIENCE_MS", 30_000))


@dataclass
class Hand:
    """Somebody's hand at a page: what is pressed is counted, Enter too; not what is typed, nor what a box takes from it."""

    page: Page
    clicks: int = 0

    def press(self, what: Locator) -> None:
        """Click it."""
        self.clicks += 1
        what.click()

    def menu(self, name: str) -> None:
        """Click an entry of the menu."""
        self.press(self.page.locator("#menu").get_by_role("link", name=re.compile(f"^{name}")))

    def link(self, name: str, within: str = "main") -> None:
        """Click a link of the page."""
        self.press(self.page.locator(within).get_by_role("link", name=name).first)

    def button(self, name: str) -> None:
        """Click a button."""
        self.press(self.page.get_by_role("button", name=name))

    def type(self, label: str, text: str, *, enter: bool = False) -> None:
        """Type into a box, and press Enter or do not."""
        # Not the box that chooses a column of that name.
        boxes = self.page.locator("input:not([type=checkbox]), textarea")
        box = self.page.get_by_label(label, exact=True).and_(boxes)
        box.fill(text)
        if enter:
            self.clicks += 1
            box.press("Enter")


def oldest_request(hand: Hand, world: World) -> None:
    """The oldest request that waits for the NOC, with its evidence."""
    hand.press(hand.page.get_by_role("link", name=re.compile("Waiting for a decision")))
    hand.link("Asked", "#results thead")
    hand.press(hand.page.locator("#results").get_by_role("link", name=re.compile(r"^PIP-\d+$")).first)
    waiting = PremiumRequest.objects.filter(state=RequestState.SUBMITTED, consent__in=("given", "not-needed"))
    oldest = waiting.order_by("submitted_at", "pk")[0]
    expect(hand.page.get_by_role("heading", level=1)).to_contain_text(oldest.reference)
    expect(hand.page.get_by_text("Evidence at this moment")).to_be_visible()
    picture(hand.page, "task-oldest-request", width=900, tallest=560)


def who_uses_a_link(hand: Hand, world: World) -> None:
    """Who uses JANET's link next Tuesday."""
    hand.menu("Links")
    hand.link("JANET@uk6:POS1/0")
    hand.link("Calendar")
    hand.type("From (UTC)", "next tuesday")
    hand.type("To (UTC)", "next tuesday", enter=True)
    expect(hand.page.locator("table.calendar")).to_contain_text(world.requests["active"].reference)
    picture(hand.page, "task-who-uses-a-link", width=900, tallest=560)


def what_a_router_holds(hand: Hand, world: World) -> None:
    """What de6 holds against what it should."""
    hand.menu("Routers")
    hand.link("de6")
    expect(hand.page.locator("main")).to_contain_text("police cir percent 10")
    expect(hand.page.locator("main")).to_contain_text("police cir percent 5")
    picture(hand.page, "task-router-against-intent", width=900, tallest=560)


def what_ends_this_month(hand: Hand, world: World) -> None:
    """Which reservations end this month: a filter whose words stand in the address."""
    hand.menu("Requests")
    hand.press(hand.page.get_by_text("More filters"))
    month = (world.requests["decision"].end).strftime("%Y-%m")
    hand.type("Ends (UTC)", month, enter=True)
    results = hand.page.locator("#results")
    expect(results).to_contain_text(world.requests["decision"].reference)
    expect(results.get_by_role("link", name=world.requests["active"].reference, exact=True)).to_have_count(0)
    picture(hand.page, "task-ends-this-month", width=900, tallest=560)


def every_link(hand: Hand, world: World) -> None:
    """Every link's use against its cap, now and at its peak to come."""
    hand.menu("Links")
    row = hand.page.locator("#results tr", has=hand.page.get_by_role("link", name="JANET@uk6:POS1/0"))
    expect(row).to_contain_text("4.5 Mbit/s")  # the peak to come
    picture(hand.page, "task-every-link", width=900, tallest=560)


def what_covers_an_address(hand: Hand, world: World) -> None:
    """The requests that cover an address of JANET's."""
    network = Nren.objects.get(name="JANET").prefixes.first().network
    hand.type("Find anything", str(network.network_address + 1), enter=True)
    expect(hand.page.locator("main")).to_contain_text(world.requests["active"].reference)
    picture(hand.page, "task-covers-an-address", width=900, tallest=560)


def why_a_push_failed(hand: Hand, world: World) -> None:
    """Why a push failed, and its change undone."""
    change = world.changes["half"]
    hand.menu("Changes")
    hand.link(change.reference)
    expect(hand.page.locator("main")).to_contain_text("Invalid input detected")
    hand.press(hand.page.get_by_role("link", name="Undo the whole change").first)
    hand.type("Reason", "JANET has called it off")
    hand.button("Undo the whole change")
    expect(hand.page.locator("main")).to_contain_text("withdrawn")
    assert PremiumRequest.objects.get(pk=world.requests["admitted"].pk).state != RequestState.ADMITTED
    picture(hand.page, "task-why-a-push-failed", width=900, tallest=560)


def a_new_nren(hand: Hand, world: World) -> None:
    """A new NREN with an access link."""
    hand.menu("NRENs")
    hand.link("Onboard an NREN")
    for label, text in (
        ("NREN", "RESTENA"),
        ("Country (optional)", "lu"),
        ("Prefixes (optional)", "2001:a18::/32"),
        ("Interface", "POS3/3"),
        ("Capacity", "155.52 Mbit/s"),
    ):
        hand.type(label, text)
    box = hand.page.get_by_label("On the router")
    box.focus()
    box.press_sequentially("nl6")  # a box of choices follows what is typed
    hand.button("Show what would be written")
    hand.press(hand.page.locator("button[name=do]"))
    expect(hand.page.get_by_role("heading", level=1)).to_contain_text("RESTENA")
    assert AccessLink.objects.filter(nren__name="RESTENA", interface__router__name="nl6").exists()
    picture(hand.page, "task-new-nren", width=900, tallest=560)


def one_persons_audit(hand: Hand, world: World) -> None:
    """All that nora did."""
    hand.menu("Audit log")
    hand.type("Who", "nora", enter=True)
    expect(hand.page).to_have_url(re.compile("actor=nora"))
    who = hand.page.locator("#results tbody tr td:nth-child(3)")
    expect(who.first).to_contain_text("nora")
    assert {text.strip() for text in who.all_inner_texts()} == {"nora"}
    picture(hand.page, "task-one-persons-audit", width=900, tallest=560)


def quarantine_a_link(hand: Hand, world: World) -> None:
    """DFN's link marked DSCP 0."""
    hand.menu("Links")
    hand.link("DFN@de6:POS1/0")
    hand.link("Quarantine")
    expect(hand.page.locator("#rewritten")).to_contain_text("non-participant")
    hand.type("Reason", "It marks what it may not")
    hand.button("Quarantine it")
    expect(hand.page.get_by_role("heading", level=1)).to_contain_text("Non-participant")
    picture(hand.page, "task-quarantine", width=900, tallest=560)


TASKS: tuple[Callable[[Hand, World], None], ...] = (
    oldest_request,
    who_uses_a_link,
    what_a_router_holds,
    what_ends_this_month,
    every_link,
    what_covers_an_address,
    why_a_push_failed,
    a_new_nren,
    one_persons_audit,
    quarantine_a_link,
)


def half_done(world: World) -> Change:
    """A change that put PIP-5 on uk6 and was refused a line by nl6."""
    change = world.changes["half"] = Change.objects.create(
        kind="reservation",
        title="JANET to GRNET, 3 Mbit/s",
        submitted_by=world.users["nora"],
        scheme="6net",
        planned_at=world.now,
        approved_by=world.users["niels"],
        approved_at=world.now,
        released_at=world.now,
        finished_at=world.now,
    )
    change.requests.add(world.requests["admitted"])
    plan = swap_plan()
    for name, more in (
        ("uk6", {"state": PushState.VERIFIED, "line": len(plan.commands), "saved": True}),
        (
            "nl6",
            {
                "state": PushState.ROLLED_BACK,
                "line": 7,
                "error": "nl6 answered \"% Invalid input detected at '^' marker.\" to line 8: set dscp 46",
                "error_code": "line-refused",
            },
        ),
    ):
        router = Router.objects.get(name=name)
        push = RouterPush.objects.create(
            change=change,
            router=router,
            phase="edges",
            position=1 if name == "uk6" else 2,
            fingerprint=plan.fingerprint,
            lines=len(plan.commands),
            finished_at=world.now,
            **more,
        )
        keep_plan(push, plan)
    return change


def opened(browser: Browser, site: str, world: World, name: str) -> BrowserContext:
    """A browser in which somebody is signed in."""
    client = Client()
    client.force_login(world.users[name])
    context = browser.new_context(base_url=site, viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}])
    return context


def test_each_task_takes_four_clicks_at_most_and_ends_on_a_page_that_everybody_can_read(
    transactional_db: None, live_server: Any, browser: Browser
) -> None:
    world = build_world()
    half_done(world)
    context = opened(browser, live_server.url, world, "nora")
    page = context.new_page()
    wrong: dict[str, object] = {}
    for task in TASKS:
        name, hand = task.__name__, Hand(page)
        page.goto("/")
        try:
            task(hand, world)
        except (AssertionError, Error) as error:  # the other tasks are tried too
            wrong[name] = f"{error}"[:800]
            continue
        if hand.clicks > MOST:
            wrong[name] = f"{hand.clicks} clicks"
        elif found := faults(page):
            wrong[name] = found
    context.close()
    assert not wrong, "\n".join(f"{name}: {said}" for name, said in wrong.items())


def test_what_was_written_when_a_session_ended_stands_in_the_form_after_signing_in_and_is_sent_then(
    transactional_db: None, live_server: Any, browser: Browser
) -> None:
    build_world()
    page = browser.new_context(base_url=live_server.url).new_page()
    page.set_default_timeout(PATIENCE)
    number = PremiumRequest.objects.count()

    def sign_in() -> None:
        page.get_by_label("Username").fill("jane")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()

    page.goto("/my/ask/")
    sign_in()
    page.locator("[name=destination_link]").select_option("GRNET@gr6:POS2/0")
    for label, text in (
        ("Rate", "300 kbit/s"),
        ("Destination prefixes (optional)", str(Nren.objects.get(name="GRNET").prefixes.first().network)),
        ("Contact", "noc@ja.net"),
        ("What is it for? (optional)", "A lesson\nfor 30"),
    ):
        page.get_by_label(label).fill(text)
    page.get_by_label("Both ways").check()
    Session.objects.all().delete()
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("What you wrote is kept")).to_be_visible()
    sign_in()
    expect(page.get_by_text("Below stands what you wrote")).to_be_visible()
    expect(page.get_by_label("Rate")).to_have_value("300 kbit/s")
    expect(page.get_by_label("What is it for? (optional)")).to_have_value("A lesson\nfor 30")
    expect(page.get_by_label("Both ways")).to_be_checked()
    assert PremiumRequest.objects.count() == number
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("submitted.")).to_be_visible()
    assert PremiumRequest.objects.count() == number + 2
    page.context.close()


FRAGMENTS = {
    *("livez", "readyz", "healthz", "metrics", "calendar-feed", "request-usage-file", "request-pack-file"),
    *("links-offered", "my-links", "my-headroom", "advice-beside"),
    *("change-planning-live", "change-rehearsal-live", "change-progress-live"),
}
"""What is no page of its own: a file, a part of a page, an answer for machines."""


@pytest.mark.deep
def test_every_page_in_both_schemes_has_nothing_serious_for_axe(
    transactional_db: None, live_server: Any, browser: Browser
) -> None:
    world = build_world()
    half_done(world)
    world.users["ada"] = people.put_person(actor=SYSTEM, username="ada", roles=[Role.ADMINISTRATOR])
    pages: dict[str, Page] = {}
    wrong: dict[str, list[str]] = {}
    for name, (answers, kind) in matrix.GET.items():
        reader = next((who for who in ("nora", "jane", "giorgos") if answers.get(who) == 200), "")
        reader = "ada" if answers is matrix.NOBODY_HERE else reader
        if name in FRAGMENTS or not reader:
            continue
        if reader not in pages:
            pages[reader] = opened(browser, live_server.url, world, reader).new_page()
        answer = pages[reader].goto(matrix.address(name, world, kind))
        if answer is not None and answer.status == 200 and (found := faults(pages[reader])):
            wrong[name] = found
    for page in pages.values():
        page.context.close()
    assert not wrong, "\n".join(f"{name}: {said}" for name, said in wrong.items())
