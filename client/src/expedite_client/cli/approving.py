"""Approve what was shown: the fingerprint of what somebody read, or their answer to it here and now."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

import typer

from expedite_client.cli.text import plain
from expedite_client.cli.verbs import Here, put
from expedite_client.client import Client
from expedite_client.errors import InvalidInput
from expedite_client.values.changes import Approval, PushWithPlan

Seen = Annotated[
    str | None,
    typer.Option(
        "--seen", metavar="FINGERPRINT", help="Of the lines that you read; others are not approved."
    ),
]
Gaps = Annotated[
    bool, typer.Option("--confirm-gaps", help="Interfaces may be without a policy as the gaps say.")
]
Override = Annotated[
    str, typer.Option("--override", metavar="TEXT", help="Why go ahead in spite of the doubts.")
]


@dataclass(frozen=True, slots=True)
class Said:
    """What an approval says beside the fingerprint."""

    confirm_gaps: bool
    override: str


def read_change(client: Client, change: int) -> tuple[Approval, list[PushWithPlan]]:
    """Return what is to be read of a change, and its pushes with their lines."""
    found = client.changes.approval(change)
    ids = client.changes.show(change)["pushes"] or []
    return found, [client.pushes.show(each) for each in ids]


def must_ask(here: Here, how: str) -> None:
    """Raise InvalidInput unless somebody can be asked."""
    if not here.interactive:
        raise InvalidInput(f"name the fingerprint that `{how}` shows", field="--seen")


def answered(text: str, given: Said, *, gaps: bool, doubts: bool) -> Said:
    """Show it and ask; return what was said. Raises InvalidInput where anything but yes is."""
    put(text)
    _yes("Approve exactly these lines?")
    if gaps and not given.confirm_gaps:
        _yes("Interfaces will be without a policy as the gaps say. Go ahead?")
    override = given.override
    if doubts and not override:
        override = _ask("There are doubts. Why go ahead?")
        if not override:
            raise InvalidInput("nothing was approved", field="--override")
    return Said(given.confirm_gaps or gaps, override)


def _yes(question: str) -> None:
    if _ask(f"{question} Type yes:") != "yes":
        raise InvalidInput("nothing was approved", field="answer")


def _ask(question: str) -> str:
    sys.stderr.write(f"{plain(question)} ")
    sys.stderr.flush()
    return sys.stdin.readline().strip()
