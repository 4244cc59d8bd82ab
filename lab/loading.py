"""A running-config that somebody read from a router, typed in by its indentation: what is not known here is named and left out.

A startup-config is typed line by line (`Device.boot`), and what is refused is skipped, as a router does. A configuration of
another router must not be: the lines under a header that is not known here would land in the mode before it. So the text is
taken as a tree, a line is tried only in the mode its parent opened, and what stands under a refused line is refused with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lab.mode import Mode
from lab.session import Session

_BEFORE = re.compile(r"^(Building configuration|Current configuration|Using \d+ out of \d+ bytes)")
_HARMLESS = re.compile(r"^(Enter TEXT message|Conform burst size increased)")


@dataclass(frozen=True)
class Unknown:
    """A line that was not taken: its number in the text, counted from 1, and what the router said; of one that stands under
    such a line nothing was said.
    """

    number: int
    line: str
    reply: str


@dataclass
class _Node:
    number: int
    line: str
    raw: list[str] = field(default_factory=list)
    """The lines after it as they are: of a banner, its own included."""
    under: list[_Node] = field(default_factory=list)


_Failed = tuple[Mode, _Node, str]


def load_as_read(session: Session, text: str) -> list[Unknown]:
    """Type a running-config at a session that is in global configuration; returns the lines that were not taken, in order.

    What is refused is tried once more when all else is in: a router prints some things before what they refer to.
    """
    (top,) = session.stack
    waiting: list[_Failed] = []
    for node in _tree(text):
        waiting += _type(session, top, node)
    failed: list[_Failed] = []
    for mode, node, _reply in waiting:
        failed += _type(session, mode, node)
    session.stack = [top]
    found = [each for _mode, node, reply in failed for each in _named(node, reply)]
    return sorted(found, key=lambda each: each.number)


def _tree(text: str) -> list[_Node]:
    """The lines from the first command to ``end``, each under the nearest line before it that is indented less."""
    lines = enumerate(text.replace("\r\n", "\n").split("\n"), 1)
    top: list[_Node] = []
    open_: list[tuple[int, _Node]] = []
    for number, line in lines:
        words = line.strip()
        if line.startswith("!"):  # between sections; 12.2T indents the header of one too (ios-facts N27)
            open_.clear()
        if not words or words.startswith("!") or _BEFORE.match(line):
            continue
        if line.rstrip() == "end":
            break
        indent = len(line) - len(line.lstrip())
        node = _Node(number, words)
        if words.startswith("banner "):
            node.raw = list(_banner(words, lines))
        while open_ and open_[-1][0] >= indent:
            open_.pop()
        (open_[-1][1].under if open_ else top).append(node)
        open_.append((indent, node))
    return top


def _banner(first: str, lines: Iterator[tuple[int, str]]) -> Iterator[str]:
    """The lines of a banner up to the one with its delimiter, the first of them `first`."""
    yield first
    text = first.split(maxsplit=2)[-1]
    mark = "^C" if text.startswith("^C") else text[:1]
    if mark in text[len(mark) :]:
        return
    for _number, line in lines:
        yield line
        if mark in line:
            return


def _type(session: Session, mode: Mode, node: _Node) -> list[_Failed]:
    """Type a line in a mode, and what stands under it in the mode it opened; what was not taken, each with its mode."""
    session.stack = [mode]
    reply = ""
    for line in node.raw or [node.line]:
        reply += session.execute(line)
        session.stack = session.stack or [mode]
    session.banner = None
    reply += "\n".join(said for said in session.asynchronous() if said.startswith("SLOT"))
    if reply and not _HARMLESS.match(reply):
        return [(mode, node, reply)]
    opened = session.stack[-1]
    return [each for child in node.under for each in _type(session, opened, child)]


def _named(node: _Node, reply: str) -> Iterator[Unknown]:
    said = [line.strip() for line in reply.splitlines() if line.strip() not in ("", "^")]
    yield Unknown(node.number, node.line, " ".join(said))
    for child in node.under:
        yield from _named(child, "")
