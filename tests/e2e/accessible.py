"""axe-core over a page that a browser shows, in both schemes: nothing serious."""

from __future__ import annotations

from typing import Any, Final

from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_GRAVE: Final = {"serious", "critical"}
_STILL: Final = """() => {
    document.body.offsetHeight;
    document.getAnimations().forEach((one) => { try { one.finish(); } catch { one.cancel(); } });
}"""
_BY_SCHEME: Final = ["color-contrast", "link-in-text-block"]
"""The rules whose answer depends on the scheme: the dark one is judged by these alone."""


def faults(page: Page) -> list[str]:
    """Return what axe finds serious or worse on the page, wide and light, then narrow and dark: rule, scheme, where."""
    found: list[str] = []
    page.evaluate(AXE_SCRIPT)  # half a megabyte, once for both runs
    axe = Axe(axe_script="0")
    size = page.viewport_size
    for scheme, width, rules in (("light", 1440, None), ("dark", 390, [*_BY_SCHEME, *_BY_WIDTH])):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.evaluate("(name) => document.documentElement.setAttribute('data-bs-theme', name)", scheme)
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(_STILL)  # a colour on its way from one scheme to the other is neither's
        options: dict[str, Any] = {"resultTypes": ["violations"]}
        if rules is not None:
            options["runOnly"] = rules
        for each in axe.run(page, options=options).response["violations"]:
            if each["impact"] in _GRAVE:
                found += [f"{each['id']} ({scheme}): {node['html'][:200]}" for node in each["nodes"]]
    page.emulate_media(color_scheme="light")
    page.evaluate("document.documentElement.setAttribute('data-bs-theme', 'light')")
    if size:
        page.set_viewport_size(size)
    return found


_BY_WIDTH: Final = ["scrollable-region-focusable", "target-size"]
"""Those whose answer depends on the width."""
