"""`manage.py restore FILE`: the rows of a backup, a look whether the service answers, and pushing held until told."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from provisioning.errors import ExpediteError
from provisioning.management import acting
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.pipeline.units import how_many
from provisioning.services import backups


class Command(RefusingCommand):
    help = "Put the rows of a backup into this database (docs/howto/backup.md), or let a restored copy push (--resume)."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, nargs="?", help="what `manage.py backup` wrote")
        parser.add_argument("--replace", action="store_true", help="lose the rows this database has")
        parser.add_argument("--digest", default="", help="the digest noted when the backup was made")
        parser.add_argument("--resume", action="store_true", help="let this restored copy push from now on")
        parser.add_argument("--as", dest="user", default="", help="who says so (with --resume)")
        parser.add_argument("--reason", default="", help="why (with --resume)")

    def status_of(self, error: ExpediteError) -> int:
        return BAD_INPUT if isinstance(error, backups.BadBackup) else 1

    def handle(self, *args: Any, file: Path | None, **options: Any) -> None:
        if options["resume"]:
            if file is not None or not options["user"]:
                raise CommandError("--resume goes with --as USER and no file", returncode=BAD_INPUT)
            actor = acting.as_named(options["user"])
            backups.resume_pushing(actor=actor, reason=options["reason"])
            self.stdout.write("Pushing is no longer held here; PUSH_ENABLED decides.")
            return
        if file is None:
            raise CommandError("name the file to restore, or --resume", returncode=BAD_INPUT)
        actor = acting.as_shell()
        done = backups.restore(actor=actor, path=file, replace=options["replace"], digest=options["digest"])
        made = done.manifest
        self.stdout.write(
            f"{how_many(made.rows, 'row')} of {how_many(len(made.tables), 'table')} restored, as of {made.made_at}"
        )
        self.stdout.write(
            "made safe: " + ", ".join(f"{count} {what}" for what, count in done.made_safe.items())
        )
        for note in done.notes:
            self.stdout.write(f"note: {note}")
        self.stdout.write("Pushing is held until `manage.py restore --resume --as USER`.")
        for fault in done.faults:
            self.stderr.write(fault)
        if done.faults:
            raise CommandError(f"restored, but {how_many(len(done.faults), 'fault')}: see above")
        self.stdout.write(
            f"The service answers; the audit trail is unbroken and holds the head noted (event {made.audit[0]})."
        )
