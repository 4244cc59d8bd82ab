"""``write memory``, believed only with ``[OK]`` (ios-facts 3.7)."""

from __future__ import annotations

import re
from typing import Final

from provisioning.drivers.dialogue import Dialogue
from provisioning.drivers.judging import is_syslog
from provisioning.errors import SaveRefused

# The two questions whose default is what was asked for. Anything else is answered with no.
_EXPECTED: Final = (
    re.compile(r"^Destination filename \[startup-config\]\?$"),
    re.compile(r"Overwrite the previous NVRAM configuration\?\s*\[confirm\]$"),
)
_FAILED: Final = re.compile(
    r"^\s*%|\bfail|\bbusy\b|\berror\b|\babort|\bdenied\b|not (?:enough|saved|written)", re.I
)
_ABOUT_NVRAM: Final = re.compile(r"%(?:NV|SYS-[0-4]-\w*NV|\w+-[0-4]-\w*NVRAM)")


def write_memory(dialogue: Dialogue) -> str:
    """Save running-config to NVRAM; returns what the router said.

    Raises ``SaveRefused`` when it did not say ``[OK]``, reported a failure beside it, or asked something
    unexpected (which is answered with no).
    """
    exchange = dialogue.write(
        ["write memory"], seconds=dialogue.timeouts.save, settle=dialogue.timeouts.settle
    )
    said = [exchange.replies.texts[0]]
    for _ in _EXPECTED:
        if exchange.question is None or not any(known.search(exchange.question) for known in _EXPECTED):
            break
        exchange = dialogue.answer("", dialogue.timeouts.save)
        said.append(exchange.replies.texts[0])
    text = "\n".join(part for part in said if part)
    if exchange.question is not None:
        dialogue.decline(exchange.question)
        raise SaveRefused(f"write memory asks {exchange.question!r}; answered no", reply=text)
    if not _saved(text):
        shown = "; ".join(line.strip() for line in text.splitlines() if line.strip())
        raise SaveRefused(f"write memory did not end in [OK]: {shown or 'no word'}", reply=text)
    return text


def _saved(text: str) -> bool:
    """``[OK]`` and nothing against it; what the router logs meanwhile counts only when it is about NVRAM."""
    log = [line for line in text.splitlines() if is_syslog(line)]
    own = [line for line in text.splitlines() if not is_syslog(line)]
    if any(_ABOUT_NVRAM.search(line) for line in log):
        return False
    return any("[OK]" in line for line in own) and not any(_FAILED.search(line) for line in own)
