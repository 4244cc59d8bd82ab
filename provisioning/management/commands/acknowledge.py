"""`manage.py acknowledge [BG-3 --as USER]`: what was done alone by break-glass, and that somebody else has seen it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from provisioning.management import acting
from provisioning.management.printable import printable
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.selectors import broken_glass
from provisioning.services import break_glass


class Command(RefusingCommand):
    one_deed = True
    help = (
        "List what was done alone by break-glass and nobody else has acknowledged; acknowledge one of them."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "which", nargs="?", help="the break-glass: 3 or BG-3; without it those that stand are listed"
        )
        parser.add_argument(
            "--as", dest="user", help="user name of who has seen it, of the NOC; needed to acknowledge"
        )
        parser.add_argument("--reason", default="", help="a word about it; kept in the audit trail")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["which"] is None:
            for row in broken_glass.standing():
                said = f"{row.reference} {row.at:%Y-%m-%d %H:%M} {row.about} {row.get_deed_display().lower()} by {row.user}"
                self.stdout.write(printable(f"{said}: {row.reason} ({'; '.join(row.objections)})"))
            return
        if not options["user"]:
            raise CommandError("Say who acknowledges it: --as USER.", returncode=BAD_INPUT)
        actor = acting.as_named(options["user"])
        digits = str(options["which"]).upper().removeprefix("BG-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
            raise CommandError(
                f"{options['which']!r:.60} is no number of a break-glass, such as BG-3", returncode=BAD_INPUT
            )
        row = break_glass.acknowledge(
            actor=actor, row=broken_glass.visible(actor, int(digits)), reason=options["reason"]
        )
        self.stdout.write(f"{row.reference} is acknowledged by {options['user']}.")
