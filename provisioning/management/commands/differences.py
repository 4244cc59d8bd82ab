"""`manage.py differences`: what routers were seen to hold that is not intended; ignore one until a day, or no longer."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from inventory.models import Router
from provisioning.management import acting
from provisioning.management.moments import moment
from provisioning.management.printable import printable
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.models import RouterDifference
from provisioning.pipeline.units import instant_text


class Command(RefusingCommand):
    """Exit status 0 when nothing stands but what is ignored, 1 when something does, 2 on bad input."""

    one_deed = True
    help = (
        "List what routers were seen to hold that is not intended, the oldest first, as last read. With --ignore leave one as it "
        "is until a day, with a reason; with --heed ignore it no longer. Exits 1 when something stands that is not ignored."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--router", help="of this router only")
        parser.add_argument("--ignore", type=int, metavar="ID", help="the difference that is left as it is")
        parser.add_argument("--until", type=moment, metavar="INSTANT", help="until when, at most 90 days")
        parser.add_argument("--heed", type=int, metavar="ID", help="the difference that is ignored no longer")
        parser.add_argument("--reason", default="", help="why; kept in the audit trail")
        parser.add_argument("--as", dest="user", default="", help="user name of who acts")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["ignore"] is not None and options["heed"] is not None:
            raise CommandError("--ignore or --heed: one of them", returncode=BAD_INPUT)
        if options["ignore"] is None and options["heed"] is None:
            self._list(options)
            return
        if not options["user"]:
            raise CommandError("Say who acts: --as USER.", returncode=BAD_INPUT)
        if options["ignore"] is not None and options["until"] is None:
            raise CommandError("Say until when: --until INSTANT.", returncode=BAD_INPUT)
        # Loaded once there is something to do.
        from provisioning.services import differences

        actor, reason = acting.as_named(options["user"]), options["reason"]
        if options["ignore"] is not None:
            row = differences.ignore(
                actor=actor, difference=options["ignore"], until=options["until"], reason=reason
            )
            said = f"{row}: ignored until {instant_text(options['until'])}; the router differs all the same."
        else:
            row = differences.heed(actor=actor, difference=options["heed"], reason=reason)
            said = f"{row}: ignored no longer; the next reading that shows it tells of it."
        self.stdout.write(printable(said))

    def _list(self, options: dict[str, Any]) -> None:
        from provisioning.selectors import differences
        from provisioning.services import clock

        rows = differences.differences().filter(gone_at=None)
        if options["router"]:
            if not Router.objects.filter(name=options["router"]).exists():
                raise CommandError(f"There is no router {options['router']!r:.80}.", returncode=BAD_INPUT)
            rows = rows.filter(router__name=options["router"])
        now = clock.now()
        heeded = set(rows.filter(differences.heeded(now)).values_list("pk", flat=True))
        found = list(rows)
        if options["json"]:
            self.stdout.write(json.dumps([_as_json(row) for row in found], indent=2))
        else:
            for row in found:
                self.stdout.write(printable(_as_line(row, heeded=row.pk in heeded)))
            self.stdout.write(f"{len(found)} stand, {len(found) - len(heeded)} of them ignored.")
        if heeded:
            raise SystemExit(1)


def _as_line(row: RouterDifference, *, heeded: bool) -> str:
    from provisioning.selectors.differences import how

    left = (
        ""
        if heeded or row.ignored_until is None
        else f"; ignored until {instant_text(row.ignored_until)}: {row.ignored_reason}"
    )
    return f"{row.pk}  {row.router.name}  {row.object}: {how(row)}, since {instant_text(row.first_seen_at)}{left}"


def _as_json(row: RouterDifference) -> dict[str, Any]:
    moments = ("first_seen_at", "last_seen_at", "ignored_until")
    return {
        "id": row.pk,
        "router": row.router.name,
        **{name: getattr(row, name) for name in ("object", "expected", "found", "ignored_reason")},
        **{name: None if getattr(row, name) is None else getattr(row, name).isoformat() for name in moments},
        "ignored_by": None if row.ignored_by is None else row.ignored_by.username,
    }
