"""`manage.py path_drift FILE`: paths as routers see them, beside those that are charged."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from provisioning.errors import ExpediteError, InvalidInput
from provisioning.management import acting
from provisioning.management.moments import moment
from provisioning.management.printable import printable
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.pipeline.topology import LARGEST_TEXT
from provisioning.selectors.network import the_domain
from provisioning.services import topology


class Command(RefusingCommand):
    """Exit status 0 when every path is as it is charged, 1 when one differs, 2 on bad input."""

    help = (
        "Compare what a router printed (IS-IS database, routing or forwarding table) or a traceroute with the paths that "
        "everything live is charged on, and say which traffic goes otherwise; with --end-moves end the moves that are over by it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="what a router printed: database, table, or traceroute")
        parser.add_argument("--router", default="", help="whose table it is, where no prompt in it says so")
        parser.add_argument(
            "--taken-at", type=moment, metavar="INSTANT", help="when it was printed; needed by --end-moves"
        )
        parser.add_argument("--end-moves", action="store_true", help="who takes the new path alone has moved")
        parser.add_argument("--dry-run", action="store_true", help="compare, write nothing")
        parser.add_argument("--domain", help="where there are several")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_args: Any, **options: Any) -> None:
        found = topology.compare_paths(
            actor=acting.as_shell(),
            domain=the_domain(options["domain"]),
            text=_read(options["file"]),
            router=options["router"],
            taken_at=options["taken_at"],
            end_moves=options["end_moves"],
            source=options["file"].name[:100],
            dry_run=options["dry_run"],
        )
        if options["json"]:
            said = {
                "by": found.by,
                "at": None if found.at is None else found.at.isoformat(),
                "compared": found.compared,
                "drift": [{"request": each.request.reference, "text": each.text} for each in found.drifts],
                "links": list(found.links),
                "settled": [each.reference for each in found.settled],
                "ended": [each.reference for each in found.ended],
                "older": [each.reference for each in found.older],
            }
            self.stdout.write(json.dumps(said))
        else:
            for link in found.links:
                self.stdout.write(printable(f"LINK: {link}"))
            for drift in found.drifts:
                self.stdout.write(printable(f"DRIFT: {drift}"))
            for request in found.settled:
                over = (
                    "has moved"
                    if request in found.ended
                    else "takes its new path alone; --end-moves ends the move"
                )
                self.stdout.write(f"MOVED: {request.reference} {over}")
            for request in found.older:
                self.stdout.write(f"OLDER: {request.reference} changed its path since that was printed")
            self.stdout.write(
                f"{found.compared} paths compared, {len(found.drifts)} differ, {len(found.links)} links differ."
            )
        if found.drifts:
            raise SystemExit(1)

    def status_of(self, error: ExpediteError) -> int:
        return BAD_INPUT if isinstance(error, InvalidInput) else super().status_of(error)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return stream.read(LARGEST_TEXT + 1).decode("utf-8", "replace")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}", field="file") from error
