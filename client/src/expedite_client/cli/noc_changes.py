"""`noc`: changes planned, read, approved, released and steered."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Final

import typer

from expedite_client.cli import ended, reading
from expedite_client.cli.approving import Gaps, Override, Said, Seen, answered, must_ask, read_change
from expedite_client.cli.given import BreakGlass, ChangeId, Why, WhyIfAny
from expedite_client.cli.text import parts
from expedite_client.cli.verbs import Answer, Here, deed, verb
from expedite_client.values.changes import Change

_NOT_BEGUN: Final = frozenset({"PLANNING", "PLANNED", "APPROVED"})


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @deed(app, "plan")
    def plan(
        here: Here,
        router: Annotated[
            list[str] | None, typer.Option(metavar="NAME", help="Again for more; all if none.")
        ] = None,
        kind: Annotated[str, typer.Option("--kind", metavar="KIND", help="baseline or repair.")] = "baseline",
        title: Annotated[str, typer.Option(metavar="TEXT")] = "",
        reason: WhyIfAny = "",
    ) -> Answer:
        """Have routers read and planned; nothing is sent."""
        return told(
            here.client.changes.plan(kind=kind, routers=router, title=title, reason=reason, key=here.key)
        )

    @verb(app, "changes")
    def changes(
        here: Here,
        request: Annotated[
            int | None, typer.Option(metavar="ID", min=1, help="That carry this request.")
        ] = None,
        limit: Annotated[int, typer.Option(min=1, metavar="N", help="So many at most.")] = 50,
    ) -> Answer:
        """List changes, the newest first."""
        found = here.client.changes.list(request=request)
        rows = list(islice(found, limit))
        return Answer(rows, reading.changes(rows))

    @verb(app, "change")
    def change(here: Here, change: ChangeId) -> Answer:
        """Show a change, and of each push that ended otherwise why and what is to be typed."""
        row = here.client.changes.show(change)
        return Answer(row, parts(reading.change(row), _ends(here, row)))

    @verb(app, "approval")
    def approval(here: Here, change: ChangeId) -> Answer:
        """Show every line of a change, what speaks against it, and the fingerprint that an approval names."""
        found, plans = read_change(here.client, change)
        return Answer({**found, "pushes": plans}, reading.approval(found, plans))

    @deed(app, "approve")
    def approve(
        here: Here,
        change: ChangeId,
        seen: Seen = None,
        confirm_gaps: Gaps = False,
        override: Override = "",
        save_others_edits: Annotated[
            bool, typer.Option("--save-others-edits", help="Save also what other people typed.")
        ] = False,
        break_glass: BreakGlass = "",
        reason: WhyIfAny = "",
    ) -> Answer:
        """Approve exactly the lines that were shown: asked here, or named with --seen."""
        said = Said(confirm_gaps, override)
        if seen is None:
            must_ask(here, f"expedite noc approval {change}")
            found, plans = read_change(here.client, change)
            gaps, doubts = bool(found["gaps"]), bool(found["doubts"])
            said = answered(reading.approval(found, plans), said, gaps=gaps, doubts=doubts)
            seen = found["fingerprint"]
        return told(
            here.client.changes.approve(
                change,
                seen=seen,
                confirm_gaps=said.confirm_gaps,
                override=said.override,
                save_others_edits=save_others_edits,
                break_glass=break_glass,
                reason=reason,
                key=here.key,
            )
        )

    @deed(app, "push")
    def push(here: Here, change: ChangeId) -> Answer:
        """Release an approved change: workers read every router again and send it."""
        return told(here.client.changes.push(change, key=here.key))

    @deed(app, "pause")
    def pause(here: Here, change: ChangeId, reason: Why) -> Answer:
        """Begin no further router of a change."""
        return told(here.client.changes.pause(change, reason=reason, key=here.key))

    @deed(app, "resume")
    def resume(here: Here, change: ChangeId, reason: Why) -> Answer:
        """Let a paused change go on."""
        return told(here.client.changes.resume(change, reason=reason, key=here.key))

    @deed(app, "abort")
    def abort(here: Here, change: ChangeId, reason: Why) -> Answer:
        """Cancel what has not begun of a change; what is done stays."""
        return told(here.client.changes.abort(change, reason=reason, key=here.key))

    @deed(app, "undo")
    def undo(here: Here, change: ChangeId, reason: Why) -> Answer:
        """Withdraw what a change put on; taking it off is planned next."""
        found = here.client.changes.undo(change, reason=reason, key=here.key)
        withdrawn = ", ".join(f"PIP-{each}" for each in found["withdrawn"]) or "nothing"
        return Answer(
            found, "\n".join([f"withdrawn: {withdrawn}", *(f"left to do: {each}" for each in found["left"])])
        )


def _ends(here: Here, row: Change) -> str:
    """How its pushes ended; nothing for programs, who get the change as it is answered, and where none has begun."""
    if here.as_json or row["state"] in _NOT_BEGUN:
        return ""
    return ended.open_ends(here.client.pushes.show(each) for each in row["pushes"] or [])


def told(row: Change) -> Answer:
    """Return a change as a command says it."""
    return Answer(row, reading.change(row))
