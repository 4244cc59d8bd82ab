"""Case (a) as the NOC meets it in a browser: the network moves under a granted request, and the next one is judged by it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from provisioning.models import SYSTEM, Role
from provisioning.services import decisions, people
from tests.e2e.test_browser import sign_in
from tests.services.requests.sixnet import noc
from tests.services.topology.diamond import DIAMOND, MBIT, ask, core, network, put
from tests.web.world import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
AB, CD = core(0), core(3)


@pytest.mark.parametrize("how", ["metric", "new link", "removed", "down"])
def test_nobody_is_admitted_beside_a_path_that_moved(
    live_server, page: Page, tmp_path: Path, how: str
) -> None:
    file = tmp_path / "network.yaml"
    put(network(file, DIAMOND))
    first = ask("a", "d", 4 * MBIT)
    decisions.admit(actor=noc(), request=first, reason="fits")
    second = ask("c", "d", 4 * MBIT)
    people.put_person(actor=SYSTEM, username="nils", roles=[Role.NOC], password=PASSWORD)
    sign_in(page, live_server.url, "nils")
    page.goto(f"{live_server.url}/requests/{second.pk}/")
    expect(page.get_by_text("fits everywhere")).to_be_visible()
    page.get_by_role("link", name="Admit").click()
    page.get_by_label("Reason").fill("It fits, the page says so")

    if how == "metric":
        put(network(file, (("a", "b", 100), *DIAMOND[1:])))
    elif how == "new link":
        put(network(file, (*DIAMOND, ("a", "c", 1))))
    else:
        call_command("core_link", AB, "--remove" if how == "removed" else "--down", reason="planned work")

    # What was read is one thing, what is decided is decided on the network of now.
    page.get_by_role("button", name="Admit and charge").click()
    expect(page.get_by_text("is admitted and charged")).to_have_count(0)
    expect(page.get_by_text(CD).first).to_be_visible()
    second.refresh_from_db()
    assert second.state == "SUBMITTED"
    page.goto(f"{live_server.url}/queue/")
    expect(page.get_by_text(f"{first.reference}: the path moved")).to_be_visible()
    page.goto(f"{live_server.url}/requests/{second.pk}/")
    expect(page.get_by_text("fits everywhere")).to_have_count(0)
    page.goto(f"{live_server.url}/requests/{first.pk}/")
    expect(page.get_by_text("no longer fits")).to_have_count(0)
    expect(page.get_by_text("Its path moves since")).to_be_visible()
