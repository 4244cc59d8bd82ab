"""docs/reference/platforms.md says what the tables say. ``GOLDEN_UPDATE=1`` writes it anew."""

from __future__ import annotations

import os
from pathlib import Path

from tests.pipeline.platforms.page import BEGIN, END, tables

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "platforms.md"


def test_the_page_is_the_tables() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    shown, after = rest.split(END)
    if os.environ.get("GOLDEN_UPDATE") == "1":
        PAGE.write_text(f"{before}{BEGIN}\n{tables()}{END}{after}", encoding="utf-8")
        return
    assert shown.strip() == tables().strip()
