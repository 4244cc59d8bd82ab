"""`manage.py planned_work LINK... --from T --until T`: what work on core links would do, before anybody touches them."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from provisioning.management.moments import moment
from provisioning.management.refusing import RefusingCommand
from provisioning.pipeline.units import TimeWindow, how_many, instant_text
from provisioning.selectors.network import the_domain
from provisioning.services import clock, topology
from provisioning.services.topology import Affected


class Command(RefusingCommand):
    help = "Say who would move, fit no more or have no path if core links carried nothing for a time. Writes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("links", metavar="LINK", nargs="+", help="such as de6:POS2/0--gr6:POS2/0")
        parser.add_argument(
            "--from", dest="start", type=moment, metavar="INSTANT", help="2026-12-24T02:00Z; now if not given"
        )
        parser.add_argument("--until", type=moment, metavar="INSTANT", help="without: until further notice")
        parser.add_argument("--domain", help="where there are several")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_args: Any, **options: Any) -> None:
        window = TimeWindow(options["start"] or clock.now(), options["until"])
        found = topology.affected(the_domain(options["domain"]), options["links"], window)
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(found)))
            return
        for detour in found.detours:
            self.stdout.write(f"MOVES: {detour}")
        for request in found.cut:
            self.stdout.write(f"NO PATH: {request.reference} is cut off")
        for over in found.over:
            self.stdout.write(f"DOES NOT FIT: {over}")
        self.stdout.write(
            f"Work on {', '.join(found.links)}, {window}: {how_many(len(found.references), 'request')} affected, "
            f"{len(found.detours)} move, {len(found.cut)} without a path, {len(found.over)} too much."
        )


def _as_json(found: Affected) -> dict[str, Any]:
    return {
        "links": list(found.links),
        "start": found.window.start.isoformat(),
        "end": None if found.window.end is None else found.window.end.isoformat(),
        "affected": list(found.references),
        "moves": [
            {
                "request": each.request.reference,
                "left": [f"{link} {way}" for link, way in sorted(each.left)],
                "taken": [f"{link} {way}" for link, way in sorted(each.taken)],
            }
            for each in found.detours
        ],
        "no_path": [each.reference for each in found.cut],
        "too_much": [
            {
                "link": each.link,
                "direction": each.direction.value,
                "start": each.start.isoformat(),
                "end": None if each.end is None else each.end.isoformat(),
                "excess_bps": each.excess_bps,
                "requests": list(each.sls_ids),
                "text": f"{each.link} {each.direction} from {instant_text(each.start)}",
            }
            for each in found.over
        ],
    }
