"""What a terminal did to the text before it was kept: lines broken by a narrow screen, a margin, prompts."""

from __future__ import annotations

import re
from typing import Final

_REST: Final = re.compile(r"\(?\d[^:]*\Z|(?:drop|bytes|thresh|prob|pkts/bytes|Minimum)\b[^:]*\Z")
"""The rest of a broken line: a number, or a column's heading, at the left margin."""
_BROKEN_FROM: Final = 40
_ROW: Final = re.compile(r"\s*[a-z0-9]+(?:\s+\d+/\d+){2,3}\s*\Z")
_ROW_REST: Final = re.compile(r"\s*(?:\d+/\d+\s+)?\d+\s+\d+\s+1/\d+\s*\Z")
"""A row of a WRED table without its thresholds, and the thresholds on a line of their own."""
_PROMPT: Final = re.compile(r"\s*[\w.-]+[#>](?:\s*sh.*)?\s*\Z")


def whole_lines(lines: list[str]) -> list[tuple[int, str]]:
    """The lines with their numbers: without the margin that all have, prompts left out, broken lines whole again."""
    whole: list[tuple[int, str]] = []
    margin = _margin(lines)
    before = ""
    for number, line in enumerate(lines, start=1):
        raw = line[margin:]
        if ("#" in raw or ">" in raw) and _PROMPT.match(raw):
            continue
        if _is_rest(raw, before):
            before = f"{before.rstrip()} {raw.strip()}"
            whole[-1] = (whole[-1][0], before)
        else:
            before = raw
            whole.append((number, raw))
    return whole


def _margin(lines: list[str]) -> int:
    margin: int | None = None
    for raw in lines:
        text = raw.lstrip()
        if text:
            indent = len(raw) - len(text)
            margin = indent if margin is None else min(margin, indent)
            if margin < 2:  # the usual text: no more is common to all lines
                return 0
    return margin or 0


def _is_rest(raw: str, before: str) -> bool:
    if len(before) >= _BROKEN_FROM and before[0] == " " and raw[:1].strip() and _REST.match(raw):
        return True
    return " 1/" in raw and bool(_ROW_REST.match(raw)) and bool(_ROW.match(before))
