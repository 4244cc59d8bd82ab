"""``manage.py verify_audit``: read the whole audit trail and say whether anything was edited, removed or reordered."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from provisioning.errors import InvalidInput
from provisioning.management.refusing import RefusingCommand
from provisioning.pipeline.units import how_many
from provisioning.services import audit


class Command(RefusingCommand):
    """Exit status 0 when the trail holds, 1 with each fault when it does not."""

    help = "Check the audit trail, and print its head to be noted elsewhere."

    def add_arguments(self, parser: ArgumentParser) -> None:
        noted = parser.add_mutually_exclusive_group()
        noted.add_argument("--head", default="", help="a head noted earlier: it has to be in the trail still")
        noted.add_argument(
            "--signed", type=Path, help="a file that --export wrote: its signature and its head are checked"
        )
        parser.add_argument(
            "--export", type=Path, help="write the head, signed with AUDIT_SIGNING_KEY, to this file"
        )

    def handle(
        self, *_args: Any, head: str, signed: Path | None, export: Path | None, **_options: Any
    ) -> None:
        """Seal what waits, read everything, and print the length and the head, or every place where it breaks."""
        audit.seal_waiting()
        noted = head.strip().lower() if signed is None else audit.head_of(_read(signed))[0]
        if noted and (len(noted) != 64 or set(noted) - set("0123456789abcdef")):
            raise InvalidInput("a head is 64 hexadecimal digits", field="head")
        check = audit.verify_chain(noted=noted)
        for fault in check.faults:
            self.stderr.write(f"event {fault.sequence}: {fault.reason}")
        if not check.intact:
            raise SystemExit(1)
        self.stdout.write(f"{how_many(check.length, 'event')}, unbroken. Head: {check.digest}")
        if export is not None:
            text = json.dumps(audit.signed_head(), indent=1) + "\n"
            try:
                export.write_text(text)
            except OSError as error:
                raise InvalidInput(f"{export} cannot be written: {error.strerror}", field="export") from error
            self.stdout.write(f"Signed and written to {export}.")


def _read(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return stream.read(10_000).decode("utf-8", "replace")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}", field="signed") from error
