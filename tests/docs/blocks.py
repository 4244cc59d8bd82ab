"""A document as what is typed in it: its `sh` blocks as commands, each with the `text` block that shows what is printed."""

from __future__ import annotations

import re
import subprocess
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^( *)```(\S*)\s*$")
_EXPECTED = re.compile(r"#.*\bexit (\d+)\s*$")


@dataclass(frozen=True)
class Command:
    """One thing to type, possibly over several lines; `line` is where it stands, `status` what it is to end with."""

    text: str
    line: int
    status: int


@dataclass(frozen=True)
class Block:
    """Commands, what the document says they print (empty where it says nothing), and under which `##` they stand; `line` is
    of the fence.
    """

    line: int
    section: str
    commands: tuple[Command, ...]
    shown: str


def documents() -> list[str]:
    """The documents that tell somebody to type something, relative to the project."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [
        str(path.relative_to(ROOT))
        for path in found
        if "_build" not in path.parts and blocks_of(path.read_text())
    ]


def blocks_of(text: str) -> list[Block]:
    """The `sh` blocks of a document, in order."""
    fenced = list(_fenced(text.splitlines()))
    found = []
    for number, (kind, line, _end, body) in enumerate(fenced):
        if kind != "sh":
            continue
        after = fenced[number + 1] if number + 1 < len(fenced) else None
        shows = (
            after is not None and after[0] == "text" and _nothing_between(text, fenced[number][2], after[1])
        )
        heads = [head[3:] for head in text.splitlines()[:line] if head.startswith("## ")]
        found.append(
            Block(
                line,
                heads[-1] if heads else "",
                tuple(_commands(body, line + 1)),
                after[3] if after and shows else "",
            )
        )
    return found


def _fenced(lines: list[str]) -> Iterator[tuple[str, int, int, str]]:
    """Kind, line of the opening fence, line of the closing one, and content of each fenced block."""
    opened: tuple[str, str, int] | None = None
    body: list[str] = []
    for number, line in enumerate(lines, 1):
        fence = _FENCE.match(line)
        if opened is None and fence:
            opened, body = (fence[1], fence[2], number), []
        elif opened is not None and line == f"{opened[0]}```":
            yield opened[1], opened[2], number, textwrap.dedent("\n".join(body))
            opened = None
        elif opened is not None:
            body.append(line)


def _nothing_between(text: str, end: int, begin: int) -> bool:
    return not "".join(text.splitlines()[end : begin - 1]).strip()


def _commands(body: str, first: int) -> Iterator[Command]:
    """Lines put together until bash calls them whole. Raises AssertionError where it never does."""
    held: list[str] = []
    for number, line in enumerate(body.splitlines()):
        if not held and (not line.strip() or line.lstrip().startswith("#")):
            continue
        held.append(line)
        text = "\n".join(held)
        if _is_whole(text):
            expected = _EXPECTED.search(line)
            yield Command(text, first + number + 1 - len(held), int(expected[1]) if expected else 0)
            held = []
    assert not held, f"line {first}: no whole command: {held}"


@cache
def _is_whole(text: str) -> bool:
    if text.endswith("\\"):
        return False
    if not re.search(r"""['"`({]|<<|\b(do|then|in)\b""", text):
        return True
    read = subprocess.run(["bash", "-n"], input=text + "\n", capture_output=True, text=True, check=False)
    return read.returncode == 0 and "here-document" not in read.stderr
