"""`manage.py ask --as USER --from LINK --rate R ... --contact C [--rrule R --time-zone Z]`: ask, once or again and again."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from provisioning.management import acting
from provisioning.management.refusing import RefusingCommand
from provisioning.management.wishing import add_wish, series_of, wish_of


class Command(RefusingCommand):
    one_deed = True
    help = (
        "Ask for a class, as who acts for the NREN of the link or is of the NOC; with --rrule for a series."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_wish(parser)
        parser.add_argument("--contact", required=True, help="whom to write to")
        parser.add_argument("--reason", default="", help="what it is for")

    def handle(self, *_args: Any, **options: Any) -> None:
        actor = acting.as_named(options["user"])
        said = {"contact": options["contact"], "reason": options["reason"]}
        if options["rrule"]:
            from provisioning.services import series

            made = series.submit(actor=actor, data=series_of(options, **said))
            self.stdout.write(f"{made.reference} is submitted: {made.occurrences} occurrences.")
            return
        # Loaded once it is known who asks: it takes longer to load than to say that there is no such person.
        from provisioning.services import requests

        for row in requests.submit(actor=actor, data=wish_of(options, **said)):
            self.stdout.write(f"{row.reference} is {row.state}, consent {row.consent}.")
