"""`manage.py series ID [--admit|--refuse|--hold UNTIL|--unhold|--withdraw|...] --as USER --reason WHY`: a series, its deeds."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from provisioning.management import acting
from provisioning.management.moments import moment
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.models import Actor, Series
from provisioning.selectors import series as reading

if TYPE_CHECKING:
    from provisioning.services.series import Verdict

_DEEDS = ("admit", "refuse", "unhold", "withdraw", "agree", "decline", "take-offer", "end-early")


class Command(RefusingCommand):
    one_deed = True
    help = (
        "Show a series: each open occurrence, whether it fits now, and why not. With a deed: it is done about all of it, "
        "as a named person. Exits 1 when an occurrence does not fit and nothing was granted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("series", help="the series: 3 or SER-3")
        parser.add_argument("--as", dest="user", required=True, help="user name of who asks or decides")
        deeds = parser.add_mutually_exclusive_group()
        for deed in _DEEDS:
            deeds.add_argument(f"--{deed}", dest="deed", action="store_const", const=deed)
        deeds.add_argument("--hold", dest="until", type=moment, metavar="UNTIL", help="2026-12-24T18:00Z")
        parser.add_argument(
            "--at", type=moment, help="with --end-early: 2026-12-24T18:00Z; now when not given"
        )
        parser.add_argument("--reason", default="", help="why; kept in the audit trail")
        parser.add_argument("--json", action="store_true", help="the occurrences as JSON")

    def handle(self, *_args: Any, **options: Any) -> None:
        number = options["series"].upper().removeprefix("SER-")
        if not (number.isdecimal() and number.isascii() and len(number) < 16):
            raise CommandError(
                f"Not a series: {options['series']!r}; write 3 or SER-3.", returncode=BAD_INPUT
            )
        actor = acting.as_named(options["user"])
        series = reading.visible(actor, int(number))
        verdict = self._done(actor, series, options)
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(series, verdict), indent=2))
        else:
            self._tell(series, verdict)
        if (options["deed"] == "admit" or options["until"]) and not verdict.granted:
            raise CommandError(f"{series.reference}: nothing was granted.")

    def _done(self, actor: Actor, series: Series, options: dict[str, Any]) -> Verdict:
        """What was judged: in the deed, or now where none is done."""
        # Loaded once there is a series: it takes longer to load than to say that there is none.
        from provisioning.selectors.viewers import viewer_of
        from provisioning.services import series as service

        reason = options["reason"]
        if options["until"]:
            return service.hold(actor=actor, series=series, until=options["until"], reason=reason)
        if options["deed"] == "admit":
            return service.admit(actor=actor, series=series, reason=reason)
        if options["deed"] == "refuse":
            return service.refuse(actor=actor, series=series, reason=reason)
        if options["deed"] == "unhold":
            service.unhold(actor=actor, series=series, reason=reason)
        elif options["deed"] == "withdraw":
            service.withdraw(actor=actor, series=series, reason=reason)
        elif options["deed"] == "end-early":
            service.end_early(actor=actor, series=series, end=options["at"], reason=reason)
        elif options["deed"] == "take-offer":
            service.take_offer(actor=actor, series=series)
        elif options["deed"] in ("agree", "decline"):
            service.consent(actor=actor, series=series, agree=options["deed"] == "agree", reason=reason)
        return service.evidence(series=series, viewer=viewer_of(actor, series.nren.domain))

    def _tell(self, series: Series, verdict: Verdict) -> None:
        from provisioning.management.series_as_text import occurrence_lines

        for line in occurrence_lines(verdict, series.time_zone):
            self.stdout.write(line)
        standing = reading.standing_of([series.pk])[series.pk]
        listed = ", ".join(f"{count} {state}" for state, count in sorted(standing.items()))
        self.stdout.write(f"{series.reference} ({series.rule}, {series.time_zone}): {listed}.")


def _as_json(series: Series, verdict: Verdict) -> dict[str, Any]:
    from provisioning.management.series_as_text import occurrences_as_json

    return {
        "series": series.reference,
        "granted": verdict.granted,
        "states": reading.standing_of([series.pk])[series.pk],
        "rate_that_fits": verdict.rate_that_fits,
        "time_zone": series.time_zone,
        "occurrences": occurrences_as_json(verdict, series.time_zone),
    }
