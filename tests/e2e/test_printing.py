"""A change on paper: black on white whatever the screen's theme is, with everything that is folded away on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

import provisioning

pytestmark = pytest.mark.browser

STATIC = Path(provisioning.__path__[0]) / "web" / "static" / "web"
PAGE = """
<section class="card"><details class="more"><summary>Rollback</summary><p id="folded">no service-policy</p></details>
<details open><summary>Lines</summary>
<table class="data commands">
<tr><td class="n">1</td><td class="cmd">LINE</td><td class="state">as before</td></tr></table></details>
</section>
""".replace("LINE", "police cir percent 5 conform-action transmit exceed-action drop " * 4)


def test_what_is_printed_is_light_whole_and_within_the_sheet(page: Page) -> None:
    page.set_viewport_size({"width": 794, "height": 1123})  # A4 at 96 dots per inch
    page.emulate_media(color_scheme="dark")
    page.set_content(PAGE)
    for sheet in ("layout", "parts", "config"):
        page.add_style_tag(path=STATIC / "css" / f"{sheet}.css")
    page.add_script_tag(path=STATIC / "theme.js")
    theme = "document.documentElement.getAttribute('data-bs-theme')"
    opened = "[...document.querySelectorAll('details')].map((one) => one.open)"
    assert page.evaluate(theme) == "dark"

    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(theme) == "light"
    assert page.evaluate(opened) == [True, True]
    assert page.locator("#folded").is_visible()
    assert page.evaluate("document.querySelector('table').getBoundingClientRect().right <= window.innerWidth")

    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(theme) == "dark"
    assert page.evaluate(opened) == [False, True]
