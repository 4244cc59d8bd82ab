"""``manage.py recheck PIP-n | --all``: derive a decision again from what was kept of it, and say whether it still follows."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandError

from provisioning.management.printable import printable
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.management.request_argument import request_named
from provisioning.pipeline.units import instant_text
from provisioning.services import records
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
        parser.add_argument("--all", action="store_true", help="every decision, without what changed since")
        parser.add_argument("--json", action="store_true", help="one object a line")

    def handle(self, *_args: Any, **options: Any) -> None:
        if bool(options["request"]) == options["all"]:
            raise CommandError("Name a request, or say --all.", returncode=BAD_INPUT)
        if options["all"]:
            found: Iterable[Recheck] = records.recheck_all()
        else:
            found = [records.recheck(request_named(options["request"]))]
        counts = {0: 0, 1: 0, 3: 0}
        for each in found:
            counts[each.status] += 1
            if options["json"]:
                self.stdout.write(json.dumps(each.to_json()))
            elif each.status or not options["all"]:
                self._say(each)
        if options["all"] and not options["json"]:
            self.stdout.write(
                f"{sum(counts.values())} decisions: {counts[0]} follow, {counts[1]} do not hold, of {counts[3]} it cannot be "
                "said in full."
            )
        if counts[1] or counts[3]:
            raise SystemExit(1 if counts[1] else 3)

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
