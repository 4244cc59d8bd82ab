"""`manage.py prune [--dry-run] [--json]`: take away the rows that are older than their kind is kept."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from provisioning.management import acting
from provisioning.management.refusing import RefusingCommand
from provisioning.services import retention

HEADINGS = ("kind", "rows", "goes", "oldest kept", "kept for")


class Command(RefusingCommand):
    help = (
        "Remove what is older than its kind is kept (docs/reference/retention.md), in small transactions, while the "
        "service runs. Exit 1 when rows had to be left."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="count what would go; write nothing")
        parser.add_argument("--json", action="store_true", help="print as JSON")

    def handle(self, *args: Any, dry_run: bool, **options: Any) -> None:
        found = retention.prune(actor=acting.as_shell(), dry_run=dry_run)
        if options["json"]:
            rows = [asdict(each) | {"oldest": each.oldest and each.oldest.isoformat()} for each in found]
            self.stdout.write(json.dumps({"dry_run": dry_run, "kinds": rows}, indent=2))
        else:
            self._table(found)
            self.stdout.write(retention.KEPT_FOR_EVER)
            if dry_run:
                self.stdout.write("Nothing was removed (--dry-run).")
        for each in found:
            if each.left:
                self.stderr.write(f"{each.kind}: {each.left}")
        if any(each.left for each in found):
            raise SystemExit(1)

    def _table(self, found: list[retention.Pruned]) -> None:
        rows = [HEADINGS]
        for each in found:
            oldest = f"{each.oldest:%Y-%m-%d %H:%M}" if each.oldest else "-"
            rows.append((each.kind, str(each.rows), str(each.gone), oldest, each.keeps))
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        for row in rows:
            kind, *numbers = (text.rjust(width) for text, width in zip(row[:4], widths, strict=True))
            self.stdout.write("  ".join((kind.strip().ljust(widths[0]), *numbers, row[4])))
