"""Follows a document: types its commands in order and says what went otherwise than it says."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tests.docs.blocks import ROOT, Block, Command, blocks_of
from tests.docs.checkout import PASSWORD, Checkout
from tests.docs.prepared import FROM_A_FILE, PREPARED, STATES, administrator, is_skipped, servers
from tests.docs.printed import differs
from tests.docs.shell import Shell

PUSHING: Final = {"PUSH_ENABLED": "true"}  # where a document presupposes a state, that may be sent to it
Skipped = Callable[[Block, Command], bool]
SERVERS_SECTION: Final = "On several machines"  # of a document: what needs PostgreSQL and Redis


def follow_document(
    document: str,
    checkout: Checkout,
    *,
    several: bool = False,
    tell: Callable[[str], None] = lambda _said: None,
) -> list[str]:
    """The faults of a document of the project, from the state it presupposes.

    ``several``: the part of it that needs PostgreSQL and Redis, and nothing else; without it all but that part.
    """
    state, before = PREPARED.get(document, ("nothing", ""))
    _have(state, checkout, tell)
    checkout.begin(state)
    return follow(
        (ROOT / document).read_text(),
        checkout,
        environment=administrator() if several else PUSHING if document in PREPARED else {},
        before=before if not several else FROM_A_FILE,
        skipped=lambda block, command: (
            is_skipped(document, command) or (block.section == SERVERS_SECTION) is not several
        ),
        tell=tell,
    )


def _have(state: str, checkout: Checkout, tell: Callable[[str], None]) -> None:
    """Make a state that documents begin with, unless this checkout keeps it already."""
    if state == "nothing" or checkout.keeps(state):
        return
    begins, made_by = STATES[state]
    _have(begins, checkout, tell)
    checkout.begin(begins)
    faults = follow(made_by, checkout, environment=PUSHING, tell=tell)
    assert not faults, f"the state {state!r} cannot be made: {faults}"
    checkout.keep(state)


def follow(
    text: str,
    checkout: Checkout,
    *,
    environment: Mapping[str, str] | None = None,
    before: str = "",
    skipped: Skipped = lambda _block, _command: False,
    tell: Callable[[str], None] = lambda _said: None,
) -> list[str]:
    """The faults of a document: commands that end otherwise than it says, or print something else than it shows.

    ``before`` is a document too, followed first in the same session. The first command that ends otherwise ends it all: what
    comes after presupposes it.
    """
    with tempfile.TemporaryDirectory(prefix="typed-") as notes:
        (Path(notes) / "stdin").write_text(f"{PASSWORD}\n{PASSWORD}\n")  # createuser asks twice
        shell = Shell(
            checkout.folder, {**checkout.environment, **(environment or {})}, Path(notes), checkout.port
        )
        faults: list[str] = []
        try:
            for part, named in ((before, "its preparation, "), (text, "")):
                if not faults:
                    left_out: Skipped = skipped if part is text else lambda _block, _command: False
                    faults = [
                        f"{named}{fault}"
                        for fault in _faults(_of_today(part, checkout), shell, left_out, tell)
                    ]
        finally:
            gone = shell.end()
            checkout.end_routers()
    return faults + [f"ended by itself: {each}" for each in gone]


def _faults(text: str, shell: Shell, skipped: Skipped, tell: Callable[[str], None]) -> Iterator[str]:
    for block in blocks_of(text):
        printed = ""
        for command in block.commands:
            if skipped(block, command):
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
    """The document with the port of this checkout's site, the servers of this run, and dates that are still to come."""
    written = {
        "127.0.0.1:8000": f"127.0.0.1:{checkout.port}",
        "2027-": f"{datetime.now(UTC).year + 1}-",
        **servers(),
    }
    for old, new in written.items():
        text = text.replace(old, new)
    return text
