"""The failure of a link and of a router as the NOC sees them in a browser: who loses, why, and every link's load after it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from provisioning.models import SYSTEM, Role
from provisioning.selectors.schemes import DIRECTORY
from provisioning.services import decisions, people
from tests.e2e.test_browser import sign_in
from tests.services.requests.sixnet import hours, noc
from tests.services.topology.diamond import DIAMOND, MBIT, ask, core, network, put
from tests.web.world import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
AB, AC = core(0), core(2)


@pytest.fixture
def routers_count(tmp_path: Path, settings: Any) -> Path:
    """The diamond under a scheme that counts routers that fail too; one across a-b-d, one over a-c."""
    plain = (DIRECTORY / "6net.yaml").read_text(encoding="utf-8")
    (tmp_path / "schemes").mkdir()
    text = plain.replace("name: 6net", "name: wide", 1).replace("count: links", "count: links-and-routers", 1)
    (tmp_path / "schemes" / "wide.yaml").write_text(text, encoding="utf-8")
    settings.SCHEMES_DIR = str(tmp_path / "schemes")
    file = network(tmp_path / "network.yaml", DIAMOND)
    file.write_text(file.read_text().replace("scheme: 6net", "scheme: wide"), encoding="utf-8")
    put(file)
    return file


def test_who_loses_when_a_link_or_a_router_fails(routers_count: Path, live_server: Any, page: Page) -> None:
    coming = ask("a", "d", 3 * MBIT, start=hours(1), end=hours(5))
    there = ask("a", "c", 3 * MBIT, start=hours(3), end=hours(9))
    for each in (coming, there):
        decisions.admit(actor=noc(), request=each, reason="fits")
    people.put_person(actor=SYSTEM, username="nils", roles=[Role.NOC], password=PASSWORD)
    sign_in(page, live_server.url, "nils")

    page.goto(f"{live_server.url}/links/?q={AB}")
    page.get_by_role("link", name=AB).first.click()
    page.get_by_role("link", name=re.compile("If it")).click()
    expect(page.get_by_role("heading", name=f"If {AB} fails")).to_be_visible()
    expect(page.get_by_text("1 rerouted, 0 without a path, 2 unprotected.")).to_be_visible()
    losers = page.get_by_role("table", name="Who loses")
    for each in (coming, there):
        expect(losers.get_by_role("row", name=each.reference)).to_contain_text("2 Mbit/s")
    expect(losers.get_by_role("row", name=coming.reference)).to_contain_text("came there")
    loads = page.get_by_role("table", name="Links whose load changes")
    full = loads.get_by_role("row", name=AC)
    expect(full).to_contain_text("3 Mbit/s")
    expect(full).to_contain_text("6 Mbit/s")
    expect(full).to_contain_text("150 %")
    expect(loads.get_by_role("row", name=AB)).to_contain_text("0 %")
    losers.get_by_role("link", name=there.reference).click()
    expect(page.get_by_role("heading", name=re.compile(there.reference))).to_be_visible()

    page.goto(f"{live_server.url}/routers/b/")
    page.get_by_role("link", name="If it fails").click()
    expect(page.get_by_text("1 rerouted, 0 without a path, 2 unprotected.")).to_be_visible()
    expect(
        page.get_by_role("table", name="Who loses").get_by_role("row", name=there.reference)
    ).to_be_visible()
    page.goto(f"{live_server.url}/routers/a/failure/")
    expect(page.get_by_text("2 begin or end on it.")).to_be_visible()
    expect(page.get_by_text("Nobody: everything held stays within every share.")).to_be_visible()


def test_a_router_has_that_page_where_the_scheme_counts_routers(tmp_path: Path, client: Client) -> None:
    put(network(tmp_path / "network.yaml", DIAMOND))
    people.put_person(actor=SYSTEM, username="nils", roles=[Role.NOC], password=PASSWORD)
    client.login(username="nils", password=PASSWORD)
    assert "If it fails" not in client.get("/routers/b/").content.decode()
