"""Secrets out of what is kept of a session: this session's own by value, configured ones by where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from provisioning.pipeline.ios import redact

REMOVED: Final = "<removed>"

# A secret wherever it stands: type 5, 8 and 9 hashes, and a key in type 7.
_HASHES: Final = re.compile(r"\$(?:1|8|9|14)\$[./A-Za-z0-9$]{8,}")
_TYPE_7: Final = re.compile(r"(?<=\b7 )[01][0-9](?:[0-9A-F]{2}){2,}\b")
_KEY_BLOCK: Final = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S
)


def without_secrets(text: str, known: Iterable[str] = ()) -> str:
    """``text`` with ``<removed>`` in place of every secret; ``known`` are this session's (password, enable).

    A known secret goes even where it is an ordinary word: a mangled line is better than a kept password.
    """
    for secret in sorted({value for value in known if value}, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", REMOVED, text)
    text = _KEY_BLOCK.sub(REMOVED, text)
    return _TYPE_7.sub(REMOVED, _HASHES.sub(REMOVED, redact(text)))
