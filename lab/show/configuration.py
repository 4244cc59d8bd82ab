"""``show running-config``, ``show startup-config``, ``show access-lists``, ``show archive`` (ios-facts section 1, 3.8)."""

from __future__ import annotations

import difflib

from lab import rollback
from lab.cursor import Cursor
from lab.errors import InvalidInput
from lab.mode import Login
from lab.printing import Printer
from lab.printing_acl import entry_text
from lab.store import AccessList


def running(session: Login, cursor: Cursor) -> str:
    """The whole, or one interface."""
    device = session.device
    if cursor.more:
        cursor.keyword("interface")
        at = cursor.at
        name = cursor.interface()
        cursor.end()
        item = session.config.interfaces.get(name)
        if item is None:
            raise InvalidInput(cursor.words[at].column)
        text = "!\n" + "\n".join(Printer(session.train).interface(item)) + "\nend\n"
        return f"Building configuration...\n\nCurrent configuration : {len(text)} bytes\n{text}\n"
    return device.running_config()


def startup(session: Login, cursor: Cursor) -> str:
    """What is in NVRAM."""
    cursor.end()
    text = session.device.startup
    if text is None:
        return "startup-config is not present\n"
    return f"Using {len(text)} out of 522232 bytes\n{text}\n"


def access_lists(session: Login, cursor: Cursor) -> str:
    """IPv4 lists, or one list of either family."""
    name = cursor.word() if cursor.more else None
    cursor.end()
    lists = session.config.access_lists.values()
    return "".join(_shown(session, acl) for acl in lists if name in (None, acl.name))


def ipv6_access_lists(session: Login, cursor: Cursor) -> str:
    """``show ipv6 access-list [NAME]``: every entry with its sequence at the end."""
    name = cursor.word() if cursor.more else None
    cursor.end()
    lists = session.config.access_lists.values()
    return "".join(_shown(session, acl) for acl in lists if acl.family == "ipv6" and name in (None, acl.name))


def _shown(session: Login, acl: AccessList) -> str:
    title = {"ipv6": "IPv6", "ip standard": "Standard IP"}.get(acl.family, "Extended IP") + " access list"
    lines = [f"{title} {acl.name}"]
    for number, ace in acl.ordered():
        text = entry_text(session.train, acl, ace)
        if acl.family == "ipv6":
            lines.append(f"    {text} sequence {number}")
        elif ace.remark is None:
            lines.append(f"    {text}" if session.train.release.is_12_0s else f"    {number} {text}")
    return "\n".join(lines) + "\n"


def archive(session: Login, cursor: Cursor) -> str:
    """``show archive [config differences]``: startup against running, as IOS marks it."""
    if not cursor.more:
        return rollback.archive(session.device)
    cursor.keyword("config")
    kinds = ("differences", "incremental-diffs") + (("rollback",) if session.train.has_revert else ())
    word = cursor.keyword(*kinds)
    if word == "rollback":
        cursor.keyword("timer")
        cursor.end()
        return rollback.shown(session.device)
    cursor.rest()
    if word == "incremental-diffs":
        return "%Please turn config archive on\n"
    device = session.device
    lines = ["!Contextual Config Diffs:"]
    old, new = _plain(device.startup or ""), _plain(device.body())
    changes = list(difflib.unified_diff(old, new, lineterm="", n=0))[2:]
    lines.extend(line for line in changes if not line.startswith("@@"))
    if len(lines) == 1:
        lines.append("!No changes were found")
    return "\n".join(lines) + "\n"


def _plain(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith(("!", "ntp clock-period"))]
