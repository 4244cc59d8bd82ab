"""`manage.py backup FILE`: all rows of one moment in one file, while the service runs."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from provisioning.management.refusing import RefusingCommand
from provisioning.pipeline.units import how_many
from provisioning.services import backups


class Command(RefusingCommand):
    help = "Write everything the service knows, as it is at one moment, to a new file (docs/howto/backup.md)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="a file that does not exist yet")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        made = backups.backup(path=file)
        self.stdout.write(
            f"{file}: {how_many(made.rows, 'row')} of {how_many(len(made.tables), 'table')}, "
            f"{file.stat().st_size} bytes, as of {made.made_at}"
        )
        self.stdout.write(f"audit head: event {made.audit[0]}, {made.audit[1]}")
        self.stdout.write(f"digest: {made.digest} (note it elsewhere; `restore --digest` compares)")
        self.stdout.write(
            f"To restore it, CREDENTIAL_KEYS ({', '.join(made.keys) or 'none'}), TOKEN_PEPPER and SECRET_KEY are needed as well; "
            "they are not in the file."
        )
