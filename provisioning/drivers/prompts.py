"""Prompts of IOS: ``R>``, ``R#``, ``R(config-pmap-c)#`` (ios-facts 3.1), and the questions it asks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_FIRST_PROMPT: Final = re.compile(
    r"^(?P<host>[A-Za-z0-9][^\s#>():]{0,79})(?:\((?P<mode>[\w.\-/ ]+)\))?(?P<end>[>#])\s*"
    r"(?:(?P=host)(?P=end)\s*)*$"  # one after the other on one line, when nothing is echoed
)
_QUESTION: Final = re.compile(
    r"(?:[Pp]assword:|\[confirm\]|\[yes/no\](?::|\?)?|\[(?:yes|no)\]:|\(y/n\)\??:?|\[[^\]]*\]\?|\[y/n\]:?)\s*$"
)
_PAGER: Final = re.compile(r"^\s*<?-+\s?[Mm]ore\s?-+>?\s*$")

CONFIG_PROMPT_CUT: Final = 8
"""In configuration mode IOS cuts the host name (to about 20 characters); fewer than these are not
believed."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """Where the session stands: ``mode`` is ``None`` in exec, ``config``, ``config-pmap-c``, ... else."""

    hostname: str
    mode: str | None
    privileged: bool

    @property
    def configuring(self) -> bool:
        """True in any configuration mode."""
        return self.mode is not None and self.mode.startswith("config")

    def __str__(self) -> str:
        mode = f"({self.mode})" if self.mode else ""
        return f"{self.hostname}{mode}{'#' if self.privileged else '>'}"


def first_prompt(line: str) -> Prompt | None:
    """The prompt this line is, when the host name is not known yet; None when it cannot be one."""
    match = _FIRST_PROMPT.match(line)
    if match is None:
        return None
    return Prompt(match["host"], match["mode"], match["end"] == "#")


def prompt_at_start(line: str, hostname: str) -> tuple[Prompt, str] | None:
    """The prompt of ``hostname`` that begins this line, and the rest of the line; None when none does.

    The whole name outside configuration mode; inside it, any beginning long enough to be meant.
    """
    match = _named_prompt(hostname).match(line)
    if match is None:
        return None
    host, mode = match["host"], match["mode"]
    if host != hostname:
        if mode is None or len(host) < min(len(hostname), CONFIG_PROMPT_CUT):
            return None
        if not hostname.startswith(host):
            return None
    return Prompt(hostname, mode, match["end"] == "#"), line[match.end() :]


def is_pager(line: str) -> bool:
    """True for `` --More-- `` on the cursor line."""
    return _PAGER.match(line) is not None


def is_question(line: str) -> bool:
    """True when the router waits for an answer: a password, ``[confirm]``, a file name in brackets, yes or
    no."""
    return _QUESTION.search(line) is not None


def is_password_question(line: str) -> bool:
    """True for ``Password:`` on the cursor line, and nothing else on it."""
    return line.strip().lower() in ("password:", "password")


@lru_cache(maxsize=256)
def _named_prompt(hostname: str) -> re.Pattern[str]:
    letters = re.escape(hostname[:1])
    return re.compile(rf"^(?P<host>{letters}[^\s#>():]*?)(?:\((?P<mode>[\w.\-/ ]+)\))?(?P<end>[>#]) ?")
