"""`watch`: how a request stands, said again whenever that is otherwise, until it is over."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import chain
from typing import Annotated, Final

import typer

from expedite_client.cli.exits import Exit
from expedite_client.cli.given import RequestId
from expedite_client.cli.text import one_line
from expedite_client.cli.verbs import Here, away, verb
from expedite_client.errors import InvalidInput
from expedite_client.trying import Trying
from expedite_client.values.requests import RequestDetail

_REACHED: Final = {"active": frozenset({"ACTIVE", "COMPLETED"}), "completed": frozenset({"COMPLETED"})}
PATIENCE_SECONDS: Final = 300
"""So long the server may be away, as while it is upgraded."""


def register(app: typer.Typer) -> None:
    """Add the command."""

    @verb(app, "watch")
    def watch(
        here: Here,
        request: RequestId,
        until: Annotated[str, typer.Option(metavar="active|completed")] = "active",
        look: Annotated[
            int,
            typer.Option(
                "--look", min=1, max=25, metavar="SECONDS", help="Look again after so long at the latest."
            ),
        ] = 20,
        patience: Annotated[
            int,
            typer.Option(
                "--patience", min=0, metavar="SECONDS", help="So long the server may be away in one go."
            ),
        ] = PATIENCE_SECONDS,
    ) -> Exit:
        """Say how a request stands until it is ACTIVE or over: exit 0 for ACTIVE and COMPLETED, 1 for any other end.

        With --json a line of JSON for each change. While the server is away, as while it is upgraded, it is asked again.
        """
        if until not in _REACHED:
            raise InvalidInput("is active or completed", field="--until")
        said: tuple[str, str | None] | None = None
        client = here.connect(tries=1)  # it is asked again here, and that is said
        log = client.events
        trying = Trying(patience, lost=away)
        # The cursor first: what happens between it and the first look is looked at twice rather than never.
        end = trying(log.end)
        looks = chain([None], log.follow(end, wait=look, patience_seconds=patience, lost=away))
        for _event in looks:
            row = trying(lambda: client.requests.show(request))
            now = (row["stage"], row["waits_for"])
            if now != said:
                _say(here, row)
                said = now
            ended = _ended(row, until)
            if ended is not None:
                return ended
        raise AssertionError("the log is followed for ever")


def _ended(row: RequestDetail, until: str) -> Exit | None:
    """How it ended; None while something is still to come of it."""
    if row["stage"] in _REACHED[until]:
        return Exit.DONE
    return Exit.NOT_SO if row["final"] or row["stage"] == "REFUSED" else None


def _say(here: Here, row: RequestDetail) -> None:
    now = datetime.now(UTC)
    value = {
        "at": now.isoformat(timespec="seconds"),
        "id": row["id"],
        "reference": row["reference"],
        "state": row["state"],
        "stage": row["stage"],
        "waits_for": row["waits_for"],
    }
    waits = f"  {one_line(row['waits_for'])}" if row["waits_for"] else ""
    here.say(value, f"{now:%H:%M:%S}Z  {row['reference']}  {row['stage']}{waits}")
