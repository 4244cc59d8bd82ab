"""`manage.py report`: the month of every NREN, or of one: promised and held, used beside reserved, dropped, changed."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from provisioning.management.printable import printable
from provisioning.management.refusing import RefusingCommand


class Command(RefusingCommand):
    """Exit status 0, 2 for what is no month, has not begun, or is no NREN."""

    help = (
        "Print the report of a month (of UTC; this one unless said): of each NREN what was promised and held of its "
        "reservations, what it sent as its routers counted it, and what was dropped. A month that is not over says so."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--month", default="", metavar="YYYY-MM")
        parser.add_argument("--nren", default="", help="of this NREN only")
        parser.add_argument(
            "--json", action="store_true", help="with the classes and the reservations as well"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        # Loaded once there is something to do.
        from provisioning.selectors.monthly import Month, monthly
        from provisioning.selectors.monthly_columns import to_json
        from provisioning.services import clock

        now = clock.now()
        month = Month.parse(options["month"]) if options["month"] else Month.of(now)
        found = monthly(None, month, now=now, nren=options["nren"])
        if options["json"]:
            said = to_json(found) | {"reservations": [to_json(each) for each in found.reservations()]}
            self.stdout.write(json.dumps(said, indent=2, ensure_ascii=False))
            return
        self.stdout.write(
            f"{found.month}, the whole month" if found.is_over else f"{found.month}, not over: until now"
        )
        for total in found.totals:
            held = "-" if total.availability is None else f"{total.availability:.2%}"
            lost = "-" if total.lost is None else f"{total.lost:.2%}"
            sent = f"{total.sent_bps} bit/s" if total.is_counted else "not counted"
            self.stdout.write(
                printable(
                    f"{total.nren.name}: {total.reservations} reservations, available {held}, {total.changes} changes, "
                    f"sent {sent}, dropped {lost}"
                )
            )
