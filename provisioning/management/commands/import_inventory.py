"""``manage.py import_inventory FILE [--csv SECTION] [--dry-run]``: a network file, or a table of one section -> rows.

Exit status: 0 done, 1 the file contradicts what is there, 2 the file is bad (every fault with line, place and reason on
stderr).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import CommandError, CommandParser

import inventory
from inventory.readers.entries import NetworkFile
from inventory.readers.errors import NetworkFileError
from inventory.readers.network_yaml import read_network
from inventory.readers.tables import COLUMNS, read_table, write_table
from inventory.readers.yaml_text import LARGEST_FILE_BYTES
from provisioning.errors import ExpediteError
from provisioning.management import acting
from provisioning.management.refusing import RefusingCommand

BUNDLED = Path(inventory.__file__).parent / "networks"


class Command(RefusingCommand):
    """Import a network; rows absent from the file are reported, never deleted."""

    one_deed = True
    help = "Import a network file (or a bundled network by name, such as 6net). Idempotent; deletes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE, --csv, --write, --dry-run, --json."""
        parser.add_argument(
            "file", metavar="FILE", help="a network file in YAML, or the name of a bundled one"
        )
        parser.add_argument(
            "--csv",
            choices=list(COLUMNS),
            metavar="SECTION",
            help=f"FILE is a table of one section: {', '.join(COLUMNS)}",
        )
        parser.add_argument(
            "--write",
            action="store_true",
            help="with --csv: write what there is of the section into FILE, and import nothing",
        )
        parser.add_argument("--dry-run", action="store_true", help="say what would change and write nothing")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Read, import, report."""
        if options["write"] and not options["csv"]:
            raise CommandError("--write goes with --csv", returncode=2)
        if options["write"]:
            self._write(Path(options["file"]), options["csv"])
            return
        try:
            network = (
                self._table(options["file"], options["csv"])
                if options["csv"]
                else self._read(options["file"])
            )
        except NetworkFileError as error:
            self._refuse(error)
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
        return read_network(path)

    def _table(self, name: str, section: str) -> NetworkFile:
        from provisioning.selectors.network import the_domain
        from provisioning.services.inventory import network_with_rows

        try:
            with Path(name).open("rb") as stream:
                raw = stream.read(LARGEST_FILE_BYTES + 1)
        except OSError as error:
            raise NetworkFileError(name, "", f"cannot be read: {error.strerror}") from error
        return network_with_rows(the_domain(), read_table(raw, section=section, source=name))

    def _write(self, path: Path, section: str) -> None:
        from provisioning.selectors.network import the_domain
        from provisioning.services.inventory import entries_of

        entries = entries_of(section, the_domain())
        try:
            path.write_text(write_table(section, entries), encoding="utf-8", newline="")
        except OSError as error:
            raise CommandError(f"{path}: cannot be written: {error.strerror}", returncode=2) from error
        self.stdout.write(f"{len(entries)} {section} written to {path}")

    def _refuse(self, error: NetworkFileError) -> NoReturn:
        """Tell every fault, one a line; what is wrong with one alone is the error itself."""
        if len(error.faults) == 1:
            raise CommandError(f"{error.file}: {error.spoken()}", returncode=2) from error
        for fault in error.faults:
            self.stderr.write(f"{error.file}: {fault.spoken()}")
        raise CommandError(
            f"{error.file}: {len(error.faults)} things are wrong; nothing was written", returncode=2
        ) from error
