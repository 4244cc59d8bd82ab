"""`manage.py what_if --as USER --from LINK --rate R ...`: whether a request would fit at this moment; no row is made."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from provisioning.management.moments import moment
from provisioning.management.refusing import RefusingCommand
from provisioning.management.verdict_as_text import evidence_lines, refusal_lines
from provisioning.models import Via
from provisioning.pipeline.admission import Refused
from provisioning.services import people
from provisioning.services.requests import SubmitRequest, try_out


class Command(RefusingCommand):
    help = "Say whether a request would fit at this moment, and what would instead. Exits 1 when it does not. Writes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--as", dest="user", required=True, help="user name of who asks")
        parser.add_argument("--from", dest="source_link", required=True, help="access link it enters on")
        parser.add_argument("--to", dest="destination_link", help="access link it leaves on")
        parser.add_argument("--rate", required=True, help="at layer 3: 2M, 64 kbit/s, 2000000")
        parser.add_argument("--start", type=moment, help="2026-12-24T18:00Z; now when not given")
        parser.add_argument("--end", type=moment, help="until further notice when not given")
        parser.add_argument("--bucket", dest="bucket_bytes", type=int, default=6000, help="bytes, 6000")
        parser.add_argument("--packet", dest="max_packet_bytes", type=int, default=1500, help="bytes, 1500")
        parser.add_argument("--source-prefix", dest="source_prefixes", action="append", required=True)
        parser.add_argument("--destination-prefix", dest="destination_prefixes", action="append", default=[])
        parser.add_argument("--direction", choices=["one-way", "both"], default="one-way")
        parser.add_argument("--class", dest="service_class", default="ip-premium")
        parser.add_argument("--json", action="store_true", help="as the API says it to the NOC")

    def handle(self, *_args: Any, **options: Any) -> None:
        actor = people.actor_named(options["user"], via=Via.CLI)
        names = (
            "source_link", "destination_link", "rate", "start", "end", "bucket_bytes", "max_packet_bytes", "direction",
            "service_class",
        )  # fmt: skip
        tried = try_out(
            actor=actor,
            data=SubmitRequest(
                **{name: options[name] for name in names},
                source_prefixes=tuple(options["source_prefixes"]),
                destination_prefixes=tuple(options["destination_prefixes"]),
                contact="what if",
            ),
        )
        verdict = tried.evidence
        if options["json"]:
            self.stdout.write(json.dumps(tried.to_json(), indent=2))
            if isinstance(verdict, Refused):
                raise CommandError("It would be refused.")
            return
        for line in evidence_lines(verdict):
            self.stdout.write(line)
        if isinstance(verdict, Refused):
            raise CommandError("It would be refused:\n" + "\n".join(refusal_lines(verdict)))
        self.stdout.write("It would fit at this moment. Nothing was asked and nothing is kept aside.")
