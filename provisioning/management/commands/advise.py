"""`manage.py advise`: bursts for a rate, or for a request, with the reason of each."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from provisioning.management.advice_as_text import advice_lines
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.management.request_argument import request_named
from provisioning.pipeline.advice import Traffic
from provisioning.pipeline.platforms import NAMES
from provisioning.selectors.advice import DEFAULT_PACKET_BYTES, Advised, advice_for, burst_advice, to_json


class Command(RefusingCommand):
    help = (
        "Advise the bursts of a policer and of the shaper in front of it, for --rate or for a request, with formula and "
        "source. Changes nothing; needs no database with --rate. Exits 2 and names what is wrong."
    )
    requires_system_checks: tuple[str, ...] = ()
    refused_with = BAD_INPUT

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("request", nargs="?", help="the request: 12 or PIP-12")
        parser.add_argument("--rate", help="5M, '5 Mbit/s' or 5000000, at layer 3")
        parser.add_argument(
            "--traffic", default=Traffic.REAL_TIME.value, help="elastic or real-time (default)"
        )
        parser.add_argument(
            "--mtu", type=int, default=DEFAULT_PACKET_BYTES, help="largest packet in bytes; 1500"
        )
        parser.add_argument("--platform", default="", help=NAMES)
        parser.add_argument("--ios", default="", metavar="RELEASE", help="its release, such as 12.4(24)T")
        parser.add_argument("--json", action="store_true", help="print it as JSON")

    def handle(self, *_args: Any, **options: Any) -> None:
        if (options["request"] is None) == (options["rate"] is None):
            raise CommandError("Name a request or a --rate, one of the two.", returncode=BAD_INPUT)
        found = self._advised(options)
        if options["json"]:
            self.stdout.write(json.dumps(to_json(found), indent=2, sort_keys=True, ensure_ascii=False))
            return
        for line in advice_lines(found):
            self.stdout.write(line)

    def _advised(self, options: dict[str, Any]) -> Advised:
        if options["request"] is not None:
            return advice_for(request_named(options["request"]), options["traffic"])
        return burst_advice(
            rate=options["rate"],
            traffic=options["traffic"],
            max_packet_bytes=options["mtu"],
            platform=options["platform"],
            ios=options["ios"],
        )
