"""docs/explanation/why-not-the-others.md holds the very outputs, each behind a comment that names its file.

EXPEDITE_UPDATE=1 writes the files into the page.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
from pathlib import Path

from tests.pipeline.others.engines import CASES, NAMES

PAGE = Path(__file__).resolve().parents[3] / "docs/explanation/why-not-the-others.md"
_BLOCK = re.compile(r"<!-- (?P<name>\S+) -->\n(?:\n```text\n(?P<text>.*?)```\n)?", re.DOTALL)


def block(name: str) -> str:
    return f"<!-- {name} -->\n\n```text\n{(CASES / name).read_text()}```\n"


def test_the_page_holds_the_outputs() -> None:
    page = PAGE.read_text()
    if os.environ.get("EXPEDITE_UPDATE"):
        page = _BLOCK.sub(lambda found: block(found["name"]), page)
        PAGE.write_text(page)
    shown = {found["name"]: found["text"] for found in _BLOCK.finditer(page)}
    assert len(shown) >= 14
    assert shown == {name: (CASES / name).read_text() for name in shown}


def test_every_case_is_on_the_page() -> None:
    page = PAGE.read_text()
    assert [name for name in NAMES if f"<!-- {name}/theirs.ios -->" not in page] == ["swapped-classes"]
    assert [path.name for path in CASES.glob("*.txt") if f"<!-- {path.name} -->" not in page] == []


def test_nothing_is_nothing_on_the_page() -> None:
    """Where the page says that one of the two sends nothing, its output is empty."""
    for name in ("names-of-numbers/ours.ios", "shapes-of-a-policer/ours.ios", "swapped-classes/theirs.ios"):
        assert (CASES / name).read_text() == ""


def test_the_releases_are_those_that_run() -> None:
    page = PAGE.read_text()
    assert f"hier_config {importlib.metadata.version('hier-config')}" in page
    assert f"NAPALM {'.'.join(importlib.metadata.version('napalm').split('.')[:2])}" in page
