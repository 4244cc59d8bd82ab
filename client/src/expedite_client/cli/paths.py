"""`path`: paths as routers see them, and requests that are charged on two of them. The NOC's; auditors look."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from expedite_client.cli import effects
from expedite_client.cli.exits import Exit
from expedite_client.cli.given import Moment, Requests, Why
from expedite_client.cli.text import instant, table
from expedite_client.cli.verbs import Answer, Here, deed, verb
from expedite_client.errors import InvalidInput

LARGEST_FILE = 32 * 1024 * 1024
"""Bytes: longer is no database of a network that fits this service."""


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @verb(app, "drift")
    def drift(here: Here) -> Answer:
        """List requests that routers were seen to send otherwise than they are charged. Exit 1 where there are some."""
        rows = list(here.client.path_drift.list())
        listed = ((row["reference"], row["text"], instant(row["at"]), row["by"]) for row in rows)
        text = table(("REQUEST", "GOES OTHERWISE", "SEEN", "BY"), listed, none="no drift is known")
        return Answer(rows, text, Exit.NOT_SO if rows else Exit.DONE)

    @verb(app, "compare")
    def compare(
        here: Here,
        file: Annotated[
            str, typer.Argument(metavar="FILE", help="What a router printed; - is standard input.")
        ],
        router: Annotated[str, typer.Option(metavar="NAME", help="Whose table it is.")] = "",
        taken_at: Moment = None,
        end_moves: Annotated[
            bool, typer.Option("--end-moves", help="Moves that it shows to be over are ended.")
        ] = False,
        dry_run: Annotated[bool, typer.Option("--dry-run", help="Compare, and note nothing.")] = False,
    ) -> Answer:
        """Compare what a router printed with what is charged: the same text finds the same. Exit 1 where paths differ."""
        found = here.client.path_drift.compare(
            _read(file),
            router=router,
            taken_at=taken_at,
            end_moves=end_moves,
            dry_run=dry_run,
            source="" if file == "-" else Path(file).name[:100],
        )
        return Answer(found, effects.compared(found), Exit.NOT_SO if found["differ"] else Exit.DONE)

    @verb(app, "moves")
    def moves(
        here: Here,
        link: Annotated[str | None, typer.Option("--link", metavar="LINK", help="That leave it.")] = None,
    ) -> Answer:
        """List requests that are charged on two paths until their move is over."""
        rows = list(here.client.moves.list(link=link))
        listed = (
            (
                row["reference"],
                instant(row["since"]),
                ", ".join(f"{each['link']} {each['direction']}" for each in row["leaving"]),
                row["by_the_routers"],
            )
            for row in rows
        )
        return Answer(rows, table(("REQUEST", "SINCE", "LEAVES", "BY THE ROUTERS"), listed, none="no moves"))

    @deed(app, "moved")
    def moved(here: Here, requests: Requests, reason: Why) -> Answer:
        """Say that the traffic of requests takes the new path: all of them, or none. Exit 1 where one was not moving."""
        found = here.client.moves.end(requests, reason=reason, key=here.key)
        ended = ", ".join(f"PIP-{each}" for each in found["ended"]) or "none"
        left = ", ".join(f"PIP-{each}" for each in found["not_moving"])
        text = f"ended: {ended}" + (f"\nnot moving: {left}" if left else "")
        return Answer(found, text, Exit.NOT_SO if left else Exit.DONE)


def _read(file: str) -> str:
    """The text of a file or of standard input; raises InvalidInput where it cannot be read."""
    try:
        if file == "-":
            return sys.stdin.read(LARGEST_FILE)
        with Path(file).open(encoding="utf-8", errors="replace") as opened:
            return opened.read(LARGEST_FILE)
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror or error}", field="file") from error
