"""How pushes stand and ended, and what is to be typed next."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from expedite_client.cli.text import hanging, instant, one_line, parts, table
from expedite_client.values.changes import Push

_LIST_WIDTH: Final = 99


def pushes(rows: Iterable[Push]) -> str:
    """Return pushes, a line each; a long reason is wrapped."""
    return table(
        ("PUSH", "CHANGE", "ROUTER", "PHASE", "STATE", "LINES", "NEXT STEP", "ERROR"),
        (
            (
                row["id"],
                f"CHG-{row['change']}",
                row["router"],
                row["phase"],
                row["state"],
                f"{row['answered']}/{row['lines']}",
                row["next_step"]["verb"] if row["next_step"] else "",
                row["error"],
            )
            for row in rows
        ),
        none="no pushes",
        width=_LIST_WIDTH,
    )


def push(row: Push) -> str:
    """Return one push: what happened, why, and what is to be typed."""
    stood: list[tuple[str, object]] = [
        ("change", f"CHG-{row['change']}"),
        ("begun", instant(row["started_at"])),
        ("ended", instant(row["finished_at"])),
        ("saved", {True: "yes", False: "no", None: ""}[row["saved"]]),
    ]
    return f"{_head(row)}\n{hanging([*stood, *_end(row)], indent=2)}"


def open_ends(rows: Iterable[Push]) -> str:
    """Return each push about whose end something is to be done; nothing where there is none."""
    return parts(
        *(
            f"{_head(row)}\n{hanging(_end(row), indent=2)}"
            for row in rows
            if row["next_step"] and row["next_step"]["verb"]
        )
    )


def _head(row: Push) -> str:
    far = f"line {row['answered']} of {row['lines']}{', taken back' if row['state'] == 'ROLLED_BACK' else ''}"
    code = f" ({row['error_code']})" if row["error_code"] else ""
    return one_line(f"push {row['id']}: {row['router']} ({row['phase']}) {row['state']}, {far}{code}")


def _end(row: Push) -> list[tuple[str, object]]:
    step = row["next_step"]
    if step is None:
        return [("why", row["error"])]
    return [
        ("happened", step["means"]),
        ("why", row["error"]),
        ("next", step["do"]),
        ("type", _commands(row, step["verb"])),
        ("or", [line for verb in step["also"] for line in _commands(row, verb)]),
        ("meanwhile", step["meanwhile"]),
    ]


def _commands(row: Push, verb: str | None) -> list[str]:
    """The command of a step, after the one that shows what it names."""
    if verb is None:
        return []
    step = f"expedite noc next-step {row['id']} {verb}"
    if verb == "look":
        return [step]
    if verb == "save":
        return [f"expedite noc unsaved {row['router']}", f"{step} --reason WHY --seen DIGEST"]
    return [f"{step} --reason WHY"]
