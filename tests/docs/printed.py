"""Whether what a document shows is what was printed, but for what is another at each run: times, digests, ports, tokens."""

from __future__ import annotations

import re

_CHANGING = (
    (r"\bexp_\w+", "TOKEN"),
    (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?UTC|Z|\+00:00)?", "INSTANT"),
    (r"\b\d{4}-\d\d-\d\d\b", "DAY"),
    (r"\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b", "DIGEST"),
    (r"\b\d+(\.\d+)? (s|ms|seconds)\b", "TIME"),
    (r"127\.0\.0\.1([ :]+)\d+", "127.0.0.1 PORT"),
    (r"[ \t]+", " "),
    (r" *\n *", "\n"),
)


def differs(shown: str, printed: str) -> bool:
    """Whether `printed` nowhere has the lines of `shown`; `...` in them stands for anything, over lines too."""
    parts = [re.escape(part.strip()) for part in _stable(shown).strip().split("...")]
    return re.search(r"\s*.*?\s*".join(parts), _stable(printed), re.DOTALL) is None


def _stable(text: str) -> str:
    for pattern, name in _CHANGING:
        text = re.sub(pattern, name, text)
    return text
