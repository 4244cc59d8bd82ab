"""`events`: what happened, from a cursor on."""

from __future__ import annotations

from typing import Annotated

import typer

from expedite_client.cli.exits import Exit
from expedite_client.cli.text import instant, one_line
from expedite_client.cli.verbs import Answer, Here, away, verb
from expedite_client.values.trail import Event


def register(app: typer.Typer) -> None:
    """Add the command."""

    @verb(app, "events")
    def events(
        here: Here,
        after: Annotated[
            int, typer.Option(min=0, metavar="CURSOR", help="Behind this; 0 is the beginning.")
        ] = 0,
        limit: Annotated[int, typer.Option(min=1, max=200, metavar="N", help="So many at most.")] = 200,
        follow: Annotated[
            bool, typer.Option("--follow", help="Go on as things happen, until ctrl-C.")
        ] = False,
    ) -> Answer | Exit:
        """Say what happened behind a cursor; the cursor to go on from is said last.

        With --follow --json a line of JSON for each event; its `position` is the cursor.
        """
        if not follow:
            found = here.client.events.read(after, limit=limit)
            lines = [_line(each) for each in found["events"]]
            return Answer(found, "\n".join([*lines, f"next: {found['next']}"]))
        for event in here.client.events.follow(after, lost=away):
            if event is not None:
                here.say(event, _line(event))
        return Exit.DONE


def _line(event: Event) -> str:
    who = f"{event['actor']} ({event['via']})"
    about = event["object_label"] or f"{event['object_type']} {event['object_id']}"
    why = f": {event['reason']}" if event["reason"] else ""
    return one_line(f"{event['position']}  {instant(event['at'])}  {event['action']}  {about}  by {who}{why}")
