"""`manage.py lines REQUEST`: what would put a reservation on and take it off, and who has approved it ahead."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from provisioning.management import acting
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.management.request_argument import request_named
from provisioning.selectors.ahead import approved_lines


class Command(RefusingCommand):
    help = (
        "Show the lines that put a request on its ingress and take it off, before they are due. "
        "`manage.py approve PIP-12` approves them; `--revoke` takes what was approved back."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("request", help="the request: 12 or PIP-12")
        parser.add_argument("--explain", action="store_true", help="say below each line what it changes")
        parser.add_argument("--json", action="store_true", help="machine-readable")
        parser.add_argument("--revoke", action="store_true", help="take back every approval given ahead")
        parser.add_argument("--as", dest="user", help="user name of who takes it back")
        parser.add_argument("--reason", default="", help="why it is taken back; kept in the audit trail")

    def handle(self, *_args: Any, **options: Any) -> None:
        request = request_named(options["request"])
        # Loaded once there is a request: it takes longer to load than to say that there is none.
        from provisioning.management import lines_as_text
        from provisioning.services import ahead

        if options["revoke"]:
            if not options["user"]:
                raise CommandError("Say with --as who takes it back.", returncode=BAD_INPUT)
            count = ahead.revoke(
                actor=acting.as_named(options["user"]),
                request=request,
                reason=options["reason"],
            )
            self.stdout.write(f"{request.reference}: {count} approvals given ahead are taken back.")
            return
        found, given = ahead.foresee(request), approved_lines(request)
        if options["json"]:
            self.stdout.write(json.dumps(ahead.shown(found, given), indent=2))
        else:
            self.stdout.write(lines_as_text.lines(found, given, explain=options["explain"]))
