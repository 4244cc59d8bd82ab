"""What was configured and not saved: running-config against startup-config, without noise and without
secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Final

from provisioning.drivers.redaction import without_secrets

# ios-facts N36: lines that differ, or stand on one side only, although nobody changed anything.
_NOISE: Final = re.compile(
    r"^(?:Building configuration\.\.\.|Current configuration ?:.*|Using \d+ .*bytes.*|!.*"
    r"|ntp clock-period \d+|end|Load for five secs.*|Time source is .*)$"
)


_UNORDERED: Final = re.compile(r"(?:class-map|policy-map|ip access-list|ipv6 access-list) ")
"""Sections whose order among each other says nothing (ios-facts N25): one that was made anew stands elsewhere."""


def unsaved_difference(running: str, startup: str) -> tuple[str, ...]:
    """Lines of running-config that startup-config lacks (``+ ...``) and the other way round (``- ...``).

    Each is written with the lines it stands under, ``interface POS1/0 / service-policy input X``. A secret
    that changed shows as a removed and an added line that read the same. A class-map, policy-map or named access list
    that merely stands elsewhere is no difference.
    """
    before, after = _ordered(_paths(startup)), _ordered(_paths(running))
    difference: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            difference += [f"- {_shown(path)}" for path in before[a:b]]
            difference += [f"+ {_shown(path)}" for path in after[c:d]]
    return tuple(difference)


def _paths(text: str) -> Iterator[tuple[str, ...]]:
    """Each line with its parents, by indentation; blanks collapsed, so the manner of printing does not
    count (N1)."""
    above: list[tuple[int, str]] = []
    for line in text.splitlines():
        words = " ".join(line.split())
        if not words or _NOISE.match(words):
            continue
        depth = len(line) - len(line.lstrip())
        if words.startswith(("policy-map ", "class-map ")):
            depth = 0  # 12.2T prints them one blank to the right (ios-facts N27)
        while above and above[-1][0] >= depth:
            above.pop()
        yield (*(parent for _, parent in above), words)
        above.append((depth, words))


def _ordered(paths: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """The lines with those sections behind all others, by their headers; each stays as it is inside."""
    return tuple(sorted(paths, key=lambda path: path[0] if _UNORDERED.match(path[0]) else ""))


def _shown(path: tuple[str, ...]) -> str:
    return " / ".join(without_secrets(part) for part in path)
