"""Pictures for the documents, taken by the tests while they walk through the pages: `make pictures` makes them again.

In every other run nothing is taken; a test holds that each is shown in a document, and that each that is shown is taken.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from playwright.sync_api import Page

FOLDER: Final = Path(__file__).resolve().parents[2] / "docs" / "pictures"
_WIDTH, _TALLEST = 1200, 1000


def picture(page: Page, name: str, *, width: int = _WIDTH, tallest: int = _TALLEST) -> None:
    """Take a picture of what the page shows, as docs/pictures/NAME.png, where `PICTURES` says so."""
    if not os.environ.get("PICTURES"):
        return
    size = page.viewport_size
    page.set_viewport_size({"width": width, "height": 700})
    height = page.evaluate("document.querySelector('main').scrollHeight")
    page.set_viewport_size({"width": width, "height": min(int(height) + 120, tallest)})
    page.evaluate("window.scrollTo(0, 0)")
    FOLDER.mkdir(exist_ok=True)
    page.screenshot(path=FOLDER / f"{name}.png", animations="disabled", caret="hide")
    if size:
        page.set_viewport_size(size)
