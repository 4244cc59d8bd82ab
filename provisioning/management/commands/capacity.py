"""`manage.py capacity`: what a link carries, or a pool takes of links, from a date on or between two; what would break by it."""

from __future__ import annotations

from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from provisioning.errors import InvalidInput
from provisioning.management import acting
from provisioning.management.moments import moment
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.pipeline.topology import LinkCapacity, Planned, PoolShare
from provisioning.pipeline.units import BitRate, TimeWindow, instant_text
from provisioning.selectors.capacity import as_value, standing
from provisioning.selectors.network import the_domain
from provisioning.services import clock

if TYPE_CHECKING:
    from provisioning.services.topology import Said


class Command(RefusingCommand):
    one_deed = True
    help = (
        "Say what a link carries, or a pool takes of every link of a kind, from an instant on or between two, or take that back; "
        "with --dry-run what would break by it. Without a link and a pool, list the changes there are."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("link", metavar="LINK", nargs="?", help="such as de6:POS2/0--gr6:POS2/0")
        parser.add_argument("--usable", metavar="RATE", help="what the link carries then: 100M, 2 Mbit/s, 0")
        parser.add_argument("--pool", help="a pool of the scheme, in place of a link")
        parser.add_argument(
            "--kind", choices=["access", "core", "border"], help="the links it takes its share of"
        )
        parser.add_argument("--percent", help="what the pool takes of each of them then")
        parser.add_argument(
            "--from", dest="start", type=moment, metavar="INSTANT", help="2026-12-24T18:00Z; now if not given"
        )
        parser.add_argument("--until", type=moment, metavar="INSTANT", help="from then on it is as it was")
        parser.add_argument("--take-back", type=int, metavar="N", help="the number that the list shows")
        parser.add_argument("--reason", default="", help="it is kept in the audit trail")
        parser.add_argument("--domain", help="where there are several")
        parser.add_argument("--dry-run", action="store_true", help="say what would come of it, write nothing")

    def handle(self, *_args: Any, **options: Any) -> None:
        actor = acting.as_shell()
        how = {"actor": actor, "reason": options["reason"], "dry_run": options["dry_run"]}
        if options["take_back"] is None and not options["link"] and not options["pool"]:
            self._list(options)
            return
        # Loaded by who changes something: the list is of rows alone.
        from provisioning.services import topology

        if options["take_back"] is not None:
            self._say(topology.take_back(key=options["take_back"], **how), "Taken back", options)
        else:
            planned = self._planned(options)
            domain = the_domain(options["domain"])
            self._say(topology.change_capacity(domain=domain, planned=planned, **how), "Said", options)

    def _planned(self, options: dict[str, Any]) -> Planned:
        window = TimeWindow(options["start"] or clock.now(), options["until"])
        if options["link"]:
            if options["usable"] is None or options["pool"] or options["percent"]:
                raise CommandError("Of a link say --usable, and no pool.", returncode=BAD_INPUT)
            usable = (
                0
                if options["usable"].strip() == "0"
                else BitRate.parse(options["usable"], field="usable").bps
            )
            return LinkCapacity(options["link"], usable, window)
        if not options["kind"] or options["percent"] is None:
            raise CommandError("Of a pool say --kind and --percent.", returncode=BAD_INPUT)
        try:
            percent = Decimal(options["percent"])
        except InvalidOperation as error:
            raise InvalidInput(f"not a number: {options['percent']!r:.40}", field="percent") from error
        return PoolShare(options["pool"], options["kind"], percent, window)

    def _say(self, said: Said, deed: str, options: dict[str, Any]) -> None:
        for over in said.breaks:
            self.stdout.write(f"NO LONGER FITS: {over}")
        for over in said.mends:
            self.stdout.write(
                f"FITS AGAIN: {over.link} {over.direction}, {', '.join(over.sls_ids)} from {instant_text(over.start)}"
            )
        dry = "Dry run, nothing written: " if options["dry_run"] else ""
        self.stdout.write(
            f"{dry}{deed}: {said}. Version {said.renewal.version.number} of the topology, {len(said.breaks)} too much."
        )

    def _list(self, options: dict[str, Any]) -> None:
        rows = list(standing(the_domain(options["domain"])))
        for row in rows:
            self.stdout.write(f"{row.pk}  {as_value(row)} ({row.said_by}: {row.reason})")
        self.stdout.write(f"{len(rows) or 'No'} change{'' if len(rows) == 1 else 's'} of capacity or share.")
