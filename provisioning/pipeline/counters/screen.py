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
    margin = min((len(raw) - len(raw.lstrip()) for raw in lines if raw.strip()), default=0)
    for number, line in enumerate(lines, start=1):
        raw = line[margin:]
        if _PROMPT.match(raw):
            continue
        before = whole[-1][1] if whole else ""
        broken = len(before) >= _BROKEN_FROM and before[0] == " " and raw[:1].strip() and _REST.match(raw)
        if broken or (_ROW.match(before) and _ROW_REST.match(raw)):
            whole[-1] = (whole[-1][0], f"{before.rstrip()} {raw.strip()}")
        else:
            whole.append((number, raw))
    return whole
