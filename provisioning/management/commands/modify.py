"""`manage.py modify ID --as USER [--rate R] [--start T] [--end T] ...`: change a request, or say how far it could change."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from provisioning.management.changing import add_who, request_of, told
from provisioning.management.moments import moment
from provisioning.management.refusing import RefusingCommand
from provisioning.management.verdict_as_text import evidence_lines, refusal_lines
from provisioning.models import Actor, PremiumRequest
from provisioning.pipeline.units import instant_text, rate_text


class Command(RefusingCommand):
    one_deed = True
    help = (
        "Change rate, window or prefixes of a request: an undecided one is replaced, of a granted one it is proposed. Without "
        "a change, say how far it could change."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_who(parser, reason=False)
        parser.add_argument("--reason", default="", help="why; kept in the audit trail")
        parser.add_argument("--rate", help="at layer 3: 2M, 64 kbit/s, 2000000")
        parser.add_argument("--start", type=moment, help="of what has not begun: 2026-12-24T18:00Z")
        ends = parser.add_mutually_exclusive_group()
        ends.add_argument("--end", type=moment)
        ends.add_argument("--open-ended", action="store_true", help="until further notice")
        parser.add_argument("--source-prefix", dest="source_prefixes", action="append")
        parser.add_argument("--destination-prefix", dest="destination_prefixes", action="append")
        parser.add_argument(
            "--what-if", action="store_true", help="say whether it would fit, and propose nothing"
        )

    def handle(self, *_args: Any, request: str, user: str, **options: Any) -> None:
        actor, row = request_of(user, request)
        # Loaded once there is a request: it takes longer to load than to say that there is none.
        from provisioning.services import modifications
        from provisioning.services.modifications import UNCHANGED, Modify

        sources, destinations = options["source_prefixes"], options["destination_prefixes"]
        wanted = Modify(
            rate=options["rate"],
            start=options["start"],
            end=None if options["open_ended"] else options["end"] or UNCHANGED,
            source_prefixes=None if sources is None else tuple(sources),
            destination_prefixes=None if destinations is None else tuple(destinations),
        )
        if wanted == Modify():
            self._range(actor, row)
        elif options["what_if"]:
            seen = modifications.what_if(actor=actor, request=row, wanted=wanted).seen
            for line in evidence_lines(seen):
                self.stdout.write(line)
            if not seen.fits:
                raise CommandError("It would be refused:\n" + "\n".join(refusal_lines(seen)))
            self.stdout.write("It would fit at this moment. Nothing was proposed.")
        else:
            made = modifications.modify(actor=actor, request=row, wanted=wanted, reason=options["reason"])
            self.stdout.write(told(row, made))

    def _range(self, actor: Actor, row: PremiumRequest) -> None:
        from provisioning.pipeline.admission import Reason
        from provisioning.services import modifications

        found = modifications.range_of(actor=actor, request=row)
        if isinstance(found, Reason):
            raise CommandError(found.text)
        self.stdout.write(f"rate: {rate_text(found.least_bps)} to {rate_text(found.most_bps)} in its window")
        until = "until further notice" if found.latest_end is None else instant_text(found.latest_end)
        self.stdout.write(f"end: at the latest {until}, at its rate")
        if found.earliest_start is not None:
            self.stdout.write(f"start: at the earliest {instant_text(found.earliest_start)}, at its rate")
