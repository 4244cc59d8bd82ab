"""What the processes wrote that no server that was away explains."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

_LAST = re.compile(
    r"^([A-Za-z_][\w.]*(?:Error|Exception|Lost|Exit|Interrupt|Warning|Busy|[a-z]Conflict))(?::|$)"
)
_CHAINED = ("During handling of the above", "The above exception was the direct cause")
# A database, a broker or a process of the pool that was killed: the run did that itself.
_EXPECTED = re.compile(
    r"^(psycopg\.|django\.db\.utils\.(Operational|Interface)Error|redis\.|kombu\.|celery\.beat\.SchedulingError|"
    r"Connection\w+Error|BrokenPipeError|billiard\.exceptions\.WorkerLostError|"
    r"provisioning\.errors\.(Busy|Unreachable))"
)


def unexplained(text: str) -> list[str]:
    """The last line of every traceback whose exception is of another kind than what the run does to its servers."""
    lines = text.splitlines()
    found, inside = [], False
    for number, line in enumerate(lines):
        if line.startswith("Traceback (most recent call last)"):
            inside = True
        elif inside and line and not line[0].isspace() and _LAST.match(line):
            inside = False
            following = next((each for each in lines[number + 1 : number + 5] if each.strip()), "")
            if not following.startswith(_CHAINED) and not _EXPECTED.match(line):
                found.append(line[:200])
    return found


def said_in_logs(folder: Path) -> list[str]:
    """Each kind of them once, with the log and how often."""
    found = []
    for log in sorted(folder.glob("*.log")):
        counted = Counter(unexplained(log.read_text(errors="replace")))
        found += [f"{log.name}: {line} ({count} times)" for line, count in counted.most_common(5)]
    return found
