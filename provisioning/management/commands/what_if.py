"""`manage.py what_if --as USER --from LINK --rate R ...`: whether a request would fit at this moment; no row is made."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from provisioning.management import acting
from provisioning.management.refusing import RefusingCommand
from provisioning.management.verdict_as_text import evidence_lines, refusal_lines
from provisioning.management.wishing import add_wish, series_of, wish_of
from provisioning.models import Actor

if TYPE_CHECKING:
    from provisioning.services.series import SubmitSeries


class Command(RefusingCommand):
    help = "Say whether a request would fit at this moment, and what would instead. Exits 1 when it does not. Writes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_wish(parser)
        parser.add_argument("--json", action="store_true", help="as the API says it to the NOC")

    def handle(self, *_args: Any, **options: Any) -> None:
        actor = acting.as_named(options["user"])
        if options["rrule"]:
            self._tell_of_each(actor, series_of(options, contact="what if"), as_json=options["json"])
            return
        # Loaded once it is known who asks: it takes longer to load than to say that there is no such person.
        from provisioning.services.requests import try_out

        tried = try_out(actor=actor, data=wish_of(options, contact="what if"))
        seen = tried.seen
        if options["json"]:
            self.stdout.write(json.dumps(tried.to_json(), indent=2))
            if not seen.fits:
                raise CommandError("It would be refused.")
            return
        for line in evidence_lines(seen):
            self.stdout.write(line)
        if not seen.fits:
            raise CommandError("It would be refused:\n" + "\n".join(refusal_lines(seen)))
        self.stdout.write("It would fit at this moment. Nothing was asked and nothing is kept aside.")

    def _tell_of_each(self, actor: Actor, asked: SubmitSeries, *, as_json: bool) -> None:
        from provisioning.management.series_as_text import occurrence_lines, occurrences_as_json
        from provisioning.services import series

        verdict = series.try_out(actor=actor, data=asked)
        if as_json:
            items = occurrences_as_json(verdict, asked.time_zone)
            told = {"fits": verdict.fits, "rate_that_fits": verdict.rate_that_fits, "items": items}
            self.stdout.write(json.dumps(told, indent=2))
        else:
            for line in occurrence_lines(verdict, asked.time_zone):
                self.stdout.write(line)
        if verdict.misfits:
            raise CommandError(
                f"{len(verdict.misfits)} of {len(verdict.occurrences)} occurrences would not fit."
            )
