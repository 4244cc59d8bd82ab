"""Who a command acts as, and which account of the operating system typed it: anybody with a shell can give any name."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from provisioning.models import Actor, Via
from provisioning.services import people

ALONE = "why you do it alone although somebody else should: everybody sees it until another acknowledged it"
_LOGIN = Path("/proc/self/loginuid")
_UNSET = 2**32 - 1


def account() -> str:
    """Return the account that typed this command: who signed in to the machine, and as whom the process runs where that is
    another (`anna as expedite`).

    Who signed in is the kernel's word where it keeps one (/proc/self/loginuid: `su` and `sudo` do not change it).
    """
    runs_as, signed_in = _name(os.getuid()), _signed_in()
    return runs_as if signed_in is None or signed_in == os.getuid() else f"{_name(signed_in)} as {runs_as}"


def as_named(username: str) -> Actor:
    """Return the actor of that user name, typed at this account. Raises InvalidInput when there is none."""
    return people.actor_named(username, via=Via.CLI, account=account())


def as_shell() -> Actor:
    """Return the actor of a command that is given no name: Expedite itself, typed at this account."""
    return Actor(label="command line", user_id=None, via=Via.CLI, account=account())


def _signed_in() -> int | None:
    try:
        found = int(_LOGIN.read_text())
    except (OSError, ValueError):
        return None
    return None if found == _UNSET else found


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
