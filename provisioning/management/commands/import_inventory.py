"""``manage.py import_inventory FILE [--dry-run]``: a network file -> rows.

Exit status: 0 done, 1 the file contradicts what is there, 2 the file is bad (file, path and reason on
stderr).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

import inventory
from inventory.readers.entries import NetworkFile
from inventory.readers.errors import NetworkFileError
from inventory.readers.network_yaml import read_network
from provisioning.errors import ExpediteError
from provisioning.management import acting
from provisioning.management.refusing import RefusingCommand

BUNDLED = Path(inventory.__file__).parent / "networks"


class Command(RefusingCommand):
    """Import a network; rows absent from the file are reported, never deleted."""

    one_deed = True
    help = "Import a network file (or a bundled network by name, such as 6net). Idempotent; deletes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE, --dry-run, --json."""
        parser.add_argument(
            "file", metavar="FILE", help="a network file in YAML, or the name of a bundled one"
        )
        parser.add_argument("--dry-run", action="store_true", help="say what would change and write nothing")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Read, import, report."""
        network = self._read(options["file"])
        # Loaded once the file is good: what it does to paths and charges takes longer to load than to read it.
        from provisioning.services.inventory import import_network

        actor = acting.as_shell()
        try:
            report = import_network(actor=actor, network=network, dry_run=options["dry_run"])
        except ExpediteError as error:
            raise CommandError(f"{network.source}: {error}", returncode=self.status_of(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(report.as_dict(), indent=2))
            return
        for line in report.lines():
            self.stdout.write(line)

    def _read(self, name: str) -> NetworkFile:
        path = Path(name)
        if not path.exists() and "/" not in name and (BUNDLED / f"{name}.yaml").is_file():
            path = BUNDLED / f"{name}.yaml"
        try:
            return read_network(path)
        except NetworkFileError as error:
            raise CommandError(str(error), returncode=2) from error
