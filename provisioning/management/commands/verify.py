"""`manage.py verify [--router R] [--json]`: read the routers again and say how each stands."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from provisioning.management import changes_as_text, routers_as_text
from provisioning.management.refusing import RefusingCommand
from provisioning.models import SyncState

EXIT = {SyncState.IN_SYNC: 0, SyncState.DIFFERS: 1, SyncState.UNKNOWN: 2}


class Command(RefusingCommand):
    refused_with = EXIT[SyncState.UNKNOWN]
    help = (
        "Read the routers again and report: in sync (exit 0), differs (1), unknown (2); the worst one counts."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--router", action="append", help="only this router; may be repeated")
        parser.add_argument("--json", action="store_true", help="print as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        from provisioning.services import verifying  # it brings SSH and the parser, which --help does without

        found = verifying.verify_routers(names=options["router"])
        if options["json"]:
            self.stdout.write(json.dumps([routers_as_text.sync_as_json(row) for row in found], indent=2))
        else:
            width = changes_as_text.name_width(row.router.name for row in found)
            for row in found:
                self.stdout.write(routers_as_text.sync(row, width))
        code = max((EXIT[SyncState(row.state)] for row in found), default=0)
        if code:
            raise SystemExit(code)
