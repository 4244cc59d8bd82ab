"""`manage.py counters FILE`: the output of `show policy-map interface` as JSON."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from provisioning.errors import ExpediteError, ParseFailure
from provisioning.management.captured_text import located, read_captured
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.pipeline import counters


class Command(RefusingCommand):
    help = (
        "Print the output of `show policy-map interface` (a file, or `-`) as JSON. Exits 2 with file, line and "
        "reason on bad input. Needs no database."
    )
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE")

    def handle(self, *_args: Any, **options: Any) -> None:
        file = options["file"]
        try:
            found = counters.parse(read_captured(file))
            if not found:
                raise ParseFailure("the text is empty")
        except ExpediteError as error:
            raise CommandError(located(file, error), returncode=BAD_INPUT) from error
        self.stdout.write(json.dumps(counters.to_json(found), indent=2, sort_keys=True, ensure_ascii=False))
