"""``manage.py recheck PIP-n | --all``: derive a decision again from what was kept of it, and say whether it still follows."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from provisioning.management.printable import printable
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.management.request_argument import request_named
from provisioning.pipeline.units import instant_text

if TYPE_CHECKING:
    from provisioning.services.records import Recheck

_WORDS = {"fault": "FAULT", "missing": "MISSING", "changed": "SINCE"}


class Command(RefusingCommand):
    """Exit status 0 when it follows, 1 when something does not hold, 3 when something is missing to say so, 2 on bad input."""

    help = (
        "Derive a decision again from the evidence, the version of the topology and the scheme that were kept with it, and say "
        "whether it follows, whether the signature holds, and what changed since."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("request", metavar="REQUEST", nargs="?", help="PIP-12 or 12")
        parser.add_argument(
            "--all", action="store_true", help="every decision; what changed since only with --since"
        )
        parser.add_argument("--since", action="store_true", help="with --all: what changed since, of each")
        parser.add_argument("--json", action="store_true", help="one object a line")

    def handle(self, *_args: Any, **options: Any) -> None:
        if bool(options["request"]) == options["all"]:
            raise CommandError("Name a request, or say --all.", returncode=BAD_INPUT)
        if options["since"] and not options["all"]:
            raise CommandError(
                "--since is for --all: of one request it is always said.", returncode=BAD_INPUT
            )
        row = None if options["all"] else request_named(options["request"])
        # Loaded once there is a request: it takes longer to load than to say that there is none.
        from provisioning.services import records

        if row is None:
            found: Iterable[Recheck] = self._counted(records.recheck_all(since=options["since"]))
        else:
            found = [records.recheck(row)]
        counts = {0: 0, 1: 0, 3: 0}
        for each in found:
            counts[each.status] += 1
            if options["json"]:
                self.stdout.write(json.dumps(each.to_json()))
            elif each.status or options["since"] or not options["all"]:
                self._say(each)
        if options["all"] and not options["json"]:
            self.stdout.write(
                f"{sum(counts.values())} decisions: {counts[0]} follow, {counts[1]} do not hold, of {counts[3]} it cannot be "
                "said in full."
            )
        if counts[1] or counts[3]:
            raise SystemExit(1 if counts[1] else 3)

    def _counted(self, found: Iterable[Recheck]) -> Iterator[Recheck]:
        """How far it is, on a terminal, about once a second."""
        if not self.stderr.isatty():
            yield from found
            return
        from provisioning.services import records

        total, last = records.how_many_to_recheck(), 0.0
        for number, each in enumerate(found, start=1):
            if time.monotonic() - last >= 1:
                last = time.monotonic()
                self.stderr.write(f"\r{number} of {total}", ending="")
                self.stderr.flush()
            yield each
        self.stderr.write("\r\033[K", ending="")

    def _say(self, each: Recheck) -> None:
        about = ", ".join(each.references)
        when = "" if each.at is None else f" on {instant_text(each.at)}"
        deed = each.deed.replace("-", " ") or "no record"
        said = {
            0: "it follows, and the signature holds",
            1: "IT DOES NOT HOLD",
            3: "it cannot be said in full",
        }
        version = f" by version {each.version} of the topology" if each.version else ""
        follows = f", derived again: {each.verdict}" if each.verdict else ""
        self.stdout.write(printable(f"{about} {deed}{when}{version}{follows}: {said[each.status]}."))
        for finding in each.findings:
            self.stdout.write(printable(f"  {_WORDS[finding.kind]} {finding}"))
