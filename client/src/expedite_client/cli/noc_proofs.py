"""`noc`: changes proved and rehearsed before they are approved, and the course that they take."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from expedite_client.cli.exits import Exit
from expedite_client.cli.given import (
    FREE,
    AtOnce,
    Canary,
    ChangeId,
    WaveSize,
    Why,
    WindowEnd,
    WindowStart,
)
from expedite_client.cli.noc_changes import told
from expedite_client.cli.text import as_it_is, facts, instant, one_line, parts, table
from expedite_client.cli.verbs import Answer, Here, deed, verb
from expedite_client.errors import InvalidInput
from expedite_client.values.proofs import Proof, Rehearsal


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @verb(app, "proof")
    def proof(here: Here, change: ChangeId) -> Answer:
        """Say of each line of a change what it changes on which interface. Exit 1 where that is not safe at every line."""
        found = here.client.changes.proof(change)
        unsafe = [each for each in found if not each["commands"]["safe"]]
        return Answer(
            found,
            parts(*(_proof(each) for each in found)) or "no router of it is read yet",
            Exit.NOT_SO if unsafe else Exit.DONE,
        )

    @deed(app, "rehearse")
    def rehearse(here: Here, change: ChangeId) -> Answer:
        """Have a change played on practice routers; `noc rehearsal` says how it went."""
        return Answer(found := here.client.changes.rehearse(change, key=here.key), _rehearsal(found))

    @verb(app, "rehearsal")
    def rehearsal(here: Here, change: ChangeId) -> Answer:
        """Say how the last rehearsal of a change went. Exit 1 unless every router took every line of today's plan."""
        found = here.client.changes.rehearsal(change)
        through = found["passed"] and found["current"]
        return Answer(found, _rehearsal(found), Exit.DONE if through else Exit.NOT_SO)

    @deed(app, "rollout")
    def rollout(
        here: Here,
        change: ChangeId,
        reason: Why,
        canary: Canary = None,
        wave_size: WaveSize = None,
        at_once: AtOnce = None,
        window_start: WindowStart = None,
        window_end: WindowEnd = None,
        ticket: Annotated[str | None, typer.Option(metavar="TEXT")] = None,
    ) -> Answer:
        """Say when routers of a change may be begun, and how many first and at once; `none` is no such rule."""
        given = {
            "canary": canary,
            "wave_size": wave_size,
            "at_once": at_once,
            "window_start": window_start,
            "window_end": window_end,
            "ticket": ticket,
        }
        course: dict[str, Any] = {
            name: None if value == FREE else value for name, value in given.items() if value is not None
        }
        if not course:
            raise InvalidInput("say what is to be otherwise: --canary, --window-start ...", field="course")
        return told(here.client.changes.rollout(change, reason=reason, key=here.key, **course))


def _proof(row: Proof) -> str:
    """Every line with what it changes; an interface is named where it is otherwise than before the line."""
    said = []
    for line in row["commands"]["lines"]:
        said.append(as_it_is(line["line"]))
        said += [f"    ! {one_line(each['interface'])}: {one_line(each['text'])}" for each in line["changed"]]
        said += [f"    ! a gap {line['gap']}"] if line["gap"] else []
        said += [f"    ! UNSAFE: {one_line(each)}" for each in line["violations"]]
    said += [f"! UNSAFE: {one_line(each)}" for each in row["commands"]["problems"]]
    head = one_line(f"! {row['router']} ({row['phase']}): {'safe' if row['commands']['safe'] else 'UNSAFE'}")
    return "\n".join([head, *said])


def _rehearsal(found: Rehearsal) -> str:
    rows = table(
        ("PUSH", "ROUTER", "PHASE", "OUTCOME", "WHAT CAME OF IT", "LINE", "REPLY"),
        (
            (
                each["push"],
                each["router"],
                each["phase"],
                each["outcome"],
                each["said"],
                each["line"],
                each["reply"],
            )
            for each in found["pushes"]
        ),
        none="",
    )
    said = facts(
        [
            ("asked", f"{instant(found['asked_at'])} by {found['asked_by'] or 'nobody who gave a name'}"),
            ("finished", instant(found["finished_at"], none="not yet")),
            ("of today", "yes" if found["current"] else "no: other lines were planned since"),
            ("error", found["error"]),
        ]
    )
    return parts(f"{one_line(found['summary'])}\n{said}", rows)
