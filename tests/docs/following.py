"""Follows a document: types its commands in order and says what went otherwise than it says."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from tests.docs.blocks import Command, blocks_of
from tests.docs.checkout import PASSWORD, Checkout
from tests.docs.printed import differs
from tests.docs.shell import Shell

Skipped = Callable[[Command], bool]


def follow(
    text: str,
    checkout: Checkout,
    *,
    environment: Mapping[str, str] | None = None,
    before: str = "",
    skipped: Skipped = lambda _command: False,
    tell: Callable[[str], None] = lambda _said: None,
) -> list[str]:
    """The faults of a document: commands that end otherwise than it says, or print something else than it shows.

    ``before`` is a document too, followed first in the same session. The first command that ends otherwise ends it all: what
    comes after presupposes it.
    """
    with tempfile.TemporaryDirectory(prefix="typed-") as notes:
        (Path(notes) / "stdin").write_text(PASSWORD + "\n")
        shell = Shell(checkout.folder, {**checkout.environment, **(environment or {})}, Path(notes), checkout.port)
        faults: list[str] = []
        try:
            for part, named in ((before, "its preparation, "), (text, "")):
                if not faults:
                    faults = [f"{named}{fault}" for fault in _faults(_of_today(part, checkout), shell, skipped, tell)]
        finally:
            gone = shell.end()
    return faults + [f"ended by itself: {each}" for each in gone]


def _faults(text: str, shell: Shell, skipped: Skipped, tell: Callable[[str], None]) -> Iterator[str]:
    for block in blocks_of(text):
        printed = ""
        for command in block.commands:
            if skipped(command):
                continue
            status, said = shell.type(command.text)
            tell(f"$ {command.text}\n{said}")
            printed += said
            if status != command.status:
                yield f"line {command.line}: {command.text!r} ended with {status}:\n{said[-3000:]}"
                return
        if block.shown and printed and differs(block.shown, printed):
            yield f"line {block.line}: it shows\n{block.shown}\nand this was printed:\n{printed}"


def _of_today(text: str, checkout: Checkout) -> str:
    """The document with the port of this checkout's site, and with dates that are still to come."""
    return text.replace("127.0.0.1:8000", f"127.0.0.1:{checkout.port}").replace(
        "2027-", f"{datetime.now(UTC).year + 1}-"
    )
