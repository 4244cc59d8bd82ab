"""What is to be read before lines are approved: changes, their lines, and what speaks against them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from expedite_client.cli.text import as_it_is, facts, instant, one_line, parts, table
from expedite_client.values.changes import Approval, Change, OnRouter, PushWithPlan
from expedite_client.values.requests import Lines, Side


def changes(rows: Iterable[Change]) -> str:
    """Return changes, a line each."""
    return table(
        ("CHANGE", "KIND", "STATE", "REQUESTS", "STILL NEEDED", "TITLE"),
        (
            (
                row["reference"],
                row["kind"],
                row["state"],
                ", ".join(f"PIP-{each}" for each in row["requests"]),
                "; ".join(row["still_needed"] or []),
                row["title"],
            )
            for row in rows
        ),
        none="no changes",
    )


def change(row: Change) -> str:
    """Return one change: how far it is, and whose word it needs."""
    planning = row["planning"]
    step = row["next_step"]
    stated = facts(
        [
            ("title", row["title"]),
            ("puts on", _on(row)),
            ("takes off", ", ".join(f"PIP-{each}" for each in row["takes_off"])),
            ("modifies", ", ".join(f"PIP-{each}" for each in row["modifies"])),
            (
                "planning",
                f"{planning['read']} of {planning['routers']} routers read {planning['error']}"
                if planning
                else "",
            ),
            ("approved by", ", ".join(each["user"] for each in row["approvals"] or [])),
            ("still needed", "; ".join(row["still_needed"] or [])),
            ("held", row["held"]),
            ("released", instant(row["released_at"])),
            ("finished", instant(row["finished_at"])),
            ("pushes", ", ".join(str(each) for each in row["pushes"] or [])),
            ("next step", f"{step['verb'] or 'none'}: {step['means']} {step['do']}" if step else ""),
        ]
    )
    return f"{row['reference']}  {row['kind']}  {row['state']}\n{stated}"


def approval(found: Approval, plans: Sequence[PushWithPlan]) -> str:
    """Return what is to be read of a change: every line, then what speaks against them, then the fingerprint."""
    lines = [f"! {_router(push)}\n{_commands(push['plan'])}" for push in plans]
    said = facts(
        [
            ("fingerprint", found["fingerprint"]),
            ("routers", found["routers"]),
            ("lines", found["lines"]),
            ("approved by", ", ".join(found["approved_by"])),
            ("still needed", "; ".join(found["still_needed"])),
            ("you may not", "; ".join(found["why_not"])),
        ]
    )
    return parts(
        *lines,
        _listed("Gaps, confirmed with --confirm-gaps", found["gaps"]),
        _listed("Doubts, which need --override REASON", found["doubts"]),
        _listed("Conflicts, to be cleared on the router", found["conflicts"]),
        _listed("Unsafe, never approved", found["violations"]),
        _listed("Not read, and not approved", found["unread"]),
        _listed("Warnings", found["warnings"]),
        _named(
            "Typed by others and not saved (--save-others-edits saves them too)",
            [f"{each['router']}: {line}" for each in found["unsaved"] for line in each["lines"]],
        ),
        said,
    )


def ahead(found: Lines) -> str:
    """Return the lines of a request before they are due, and their fingerprint."""
    sides = [_side(side) for side in found["sides"]]
    given = table(
        ("APPROVED", "BY", "AT"),
        (("on" if each["puts_on"] else "off", each["by"], instant(each["at"])) for each in found["approved"]),
        none="",
    )
    said = facts(
        [
            ("fingerprint", found["fingerprint"]),
            ("router", found["router"]),
            ("read", instant(found["seen_at"], none="never")),
            ("waits for", found["waits_for"]),
        ]
    )
    return parts(*sides, given, said)


def _on(row: Change) -> str:
    other = {*row["takes_off"], *row["modifies"]}
    return ", ".join(f"PIP-{each}" for each in row["requests"] if each not in other)


def _router(push: PushWithPlan) -> str:
    return one_line(f"{push['router']} ({push['phase']}): {push['lines']} lines")


def _commands(plan: dict[str, Any] | None) -> str:
    if plan is None:
        return "! not read when it was planned, or its lines were removed"
    rows = plan.get("commands") or []
    return (
        "\n".join(" " * int(row.get("depth", 0)) + as_it_is(row.get("text", "")) for row in rows)
        or "! no lines"
    )


def _side(side: Side) -> str:
    head = f"! {'On' if side['puts_on'] else 'Off'} at {instant(side['at'], none='whenever it ends')}"
    if side["why_not"]:
        return f"{head}\n! cannot be foreseen: {one_line(side['why_not'])}"
    return parts(
        "\n".join([head, *(as_it_is(line) for line in side["commands"])]),
        _named("Gaps, confirmed with --confirm-gaps", side["gaps"]),
        _named("Doubts, which need --override REASON", side["doubts"]),
    )


def _listed(head: str, rows: Sequence[OnRouter]) -> str:
    return _named(head, [f"{row['router']}: {row['text']}" for row in rows])


def _named(head: str, rows: Sequence[str]) -> str:
    return "\n".join([f"{head}:", *(f"  {as_it_is(row)}" for row in rows)]) if rows else ""
