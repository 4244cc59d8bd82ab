"""``show ...`` and its output filters."""

from __future__ import annotations

import re
from collections.abc import Callable

from lab.cursor import Cursor
from lab.errors import IncompleteCommand
from lab.mode import Login
from lab.show import chassis, configuration, interfaces, policy, routing

Show = Callable[[Login, Cursor], str]


def show(session: Login, cursor: Cursor) -> str:
    """Execute a show command with its filter; the output may be paged."""
    line, bar, pattern = cursor.line.partition(" | ")
    inner = Cursor(line)
    inner.at = cursor.at
    table: dict[str, Show] = {
        "bgp": routing.bgp,
        "clns": routing.clns,
        "clock": chassis.clock,
        "hosts": chassis.hosts,
        "interfaces": interfaces.interfaces,
        "ip": interfaces.ip,
        "ipv6": interfaces.ipv6,
        "processes": routing.processes,
        "users": chassis.users,
        "version": chassis.version,
    }
    if session.privilege == 15:
        table |= {
            "access-lists": configuration.access_lists,
            "class-map": policy.class_maps,
            "diag": chassis.diag,
            "logging": chassis.logging,
            "policy-map": policy.policy_maps,
            "privilege": chassis.privilege,
            "reload": chassis.reload,
            "running-config": configuration.running,
            "startup-config": configuration.startup,
        }
        if session.train.has_archive:
            table["archive"] = configuration.archive  # ios-facts 2.1, 3.8
        if not session.train.release.is_12_0s:
            table["isis"] = routing.isis
        if session.train.has_inventory:
            table["inventory"] = chassis.inventory
        if not session.train.is_12000:
            del table["diag"]
    word = inner.keyword(*table)
    text = table[word](session, inner)
    stamp = ""
    if session.train.exec_timestamp:
        at = session.device.short_stamp()
        stamp = f"Load for five secs: 0%/0%; one minute: 0%; five minutes: 0%\nTime source is NTP, {at}\n\n"
    session.pages = True
    return stamp + (_filtered(session, text, line, pattern) if bar else text)


def _filtered(session: Login, text: str, line: str, rest: str) -> str:
    """``| include``, ``exclude``, ``begin``; ``section`` from 12.3(2)T on (ios-facts 2.1)."""
    words = ("begin", "exclude", "include") + (("section",) if session.train.has_section else ())
    part = Cursor(" " * (len(line) + 3) + rest)
    word = part.keyword(*words)
    if not part.more:
        raise IncompleteCommand
    try:
        pattern = re.compile(part.rest())
    except re.error:
        return "% Failed to compile regular expression.\n"
    lines = text.splitlines()
    if word == "begin":
        start = next((index for index, item in enumerate(lines) if pattern.search(item)), None)
        return "" if start is None else "\n".join(lines[start:]) + "\n"
    if word == "section":
        return "".join(f"{item}\n" for item in _section(lines, pattern))
    wanted = word == "include"
    return "".join(f"{item}\n" for item in lines if bool(pattern.search(item)) == wanted)


def _section(lines: list[str], pattern: re.Pattern[str]) -> list[str]:
    """Every matching line with the more indented lines under it."""
    kept: list[str] = []
    depth: int | None = None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if depth is not None and indent > depth:
            kept.append(line)
            continue
        depth = None
        if pattern.search(line) and not line.startswith(("Building", "Current")):
            depth = indent
            kept.append(line)
    return kept
