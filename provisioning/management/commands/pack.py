"""`manage.py pack REQUEST --for ios|linux`: what the sender of a request configures on its own side."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.management.request_argument import request_named
from provisioning.pipeline.advice import Traffic
from provisioning.pipeline.platforms import USUAL
from provisioning.selectors.packs import pack_for


class Command(RefusingCommand):
    help = "Print the marker and shaper for the NREN's own router. Exits 2 and names what is wrong."
    refused_with = BAD_INPUT

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("request", help="the request: 12 or PIP-12")
        parser.add_argument("--for", dest="kind", required=True, help="ios or linux")
        parser.add_argument(
            "--traffic", default=Traffic.REAL_TIME.value, help="elastic or real-time (default)"
        )
        parser.add_argument(
            "--platform", default="", help=f"the NREN's router, for ios; {USUAL.name} when not said"
        )
        parser.add_argument("--ios", default="", metavar="RELEASE", help="its release")
        parser.add_argument(
            "--uplink", default="", metavar="INTERFACE", help="its interface towards the backbone"
        )
        parser.add_argument("--json", action="store_true", help="print it as JSON, with notes and undo")

    def handle(self, *_args: Any, **options: Any) -> None:
        request = request_named(options["request"])
        words = {name: options[name] for name in ("traffic", "platform", "ios", "uplink")}
        made = pack_for(request, options["kind"], **words)
        if options["json"]:
            said = {"request": request.pk, **asdict(made)}
            self.stdout.write(json.dumps(said, indent=2, sort_keys=True, ensure_ascii=False))
        else:
            self.stdout.write(made.text, ending="")
