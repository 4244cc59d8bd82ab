"""A browser, a site, practice routers over SSH and the jobs that are due: all real."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connections
from playwright.sync_api import Browser, Page, expect, sync_playwright

from provisioning.services import jobs
from tests.services.backbone import Backbone, build

expect.set_options(timeout=60_000)  # Playwright's own 5 seconds are short on a machine that is busy


@pytest.fixture
def backbone(transactional_db: None, settings: object) -> Iterator[Backbone]:
    """uk6 and nl6 (12000) and gr6 (7200) as practice routers, with nothing of ours on them."""
    settings.PUSH_ENABLED = True
    settings.ROUTER_TIMEOUT_SECONDS = 60
    settings.TICK_SECONDS = 0.2
    with tempfile.TemporaryDirectory(prefix="xp-") as directory:
        made = build(Path(directory))
        try:
            yield made
        finally:
            made.stop()


@pytest.fixture
def jobs_loop(backbone: Backbone) -> Iterator[None]:
    """What `manage.py runjobs` does, beside the test."""
    stop = threading.Event()

    def loop() -> None:
        try:
            jobs.work(workers=2, stop=stop)
        finally:
            connections.close_all()

    worker = threading.Thread(target=loop, name="jobs")
    worker.start()
    yield
    stop.set()
    worker.join(timeout=120)
    assert not worker.is_alive()


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """The system's Chromium; without its sandbox, because the suite may run as root."""
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield made
        made.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page; a message in its console (a refused script, a broken file) fails the test."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    made = context.new_page()
    complaints: list[str] = []
    made.on("pageerror", lambda error: complaints.append(str(error)))
    made.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    made.set_default_timeout(60_000)
    yield made
    context.close()
    assert complaints == []
