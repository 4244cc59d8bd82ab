"""`manage.py quota (NREN | --all) [--rate R] [--open N] [--holds N] [--clear] --as USER --reason WHY`: what an NREN may have."""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import replace
from typing import Any

from django.core.management.base import CommandError

from inventory.models import Domain, Nren
from provisioning.management import acting
from provisioning.management.printable import printable
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.pipeline.units import BitRate, instant_text, rate_text
from provisioning.services import clock


class Command(RefusingCommand):
    one_deed = True
    help = (
        "Show the quota of an NREN and what is used of it, or set it as a named member of the NOC: the sum of rates at any "
        "instant, open requests, holds at once. --all: of each that has none of its own."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("nren", nargs="?", help="such as JANET")
        parser.add_argument("--all", action="store_true", help="of each NREN that has none of its own")
        parser.add_argument("--rate", help="at layer 3, sum at any instant: 20M")
        parser.add_argument("--open", type=int, help="requests that are not decided")
        parser.add_argument("--holds", type=int, help="requests that are held")
        parser.add_argument("--clear", action="store_true", help="take the quota away first")
        parser.add_argument("--as", dest="user", help="user name of who sets it")
        parser.add_argument("--reason", default="", help="why; kept in the audit trail")

    def handle(self, *_args: Any, **options: Any) -> None:
        if bool(options["nren"]) == options["all"]:
            raise CommandError("Name an NREN, or say --all: one of the two.", returncode=BAD_INPUT)
        nren = None
        if options["nren"]:
            nren = Nren.objects.select_related("domain").filter(name=options["nren"]).first()
            if nren is None:
                raise CommandError(f"There is no NREN {options['nren']!r:.60}.", returncode=BAD_INPUT)
        domain = nren.domain if nren else Domain.objects.order_by("pk").first()
        if domain is None:
            raise CommandError(
                "There is no network yet: manage.py import_inventory FILE.", returncode=BAD_INPUT
            )
        if options["clear"] or any(options[name] is not None for name in ("rate", "open", "holds")):
            self._set(domain, nren, options)
        self._tell(nren, domain)

    def _set(self, domain: Domain, nren: Nren | None, options: dict[str, Any]) -> None:
        if not options["user"]:
            raise CommandError("Say who sets it: --as USER.", returncode=BAD_INPUT)
        # Admission and the ledger are loaded once there is an NREN, and admission only by who sets something.
        from provisioning.selectors import quotas as reading
        from provisioning.selectors.quotas import Limits
        from provisioning.services import quotas

        # What is not given stays: as it was read. Who clears it wants nothing of it.
        seen = None if options["clear"] else reading.standing_limits(domain, nren)
        limits = seen or Limits()
        if options["rate"] is not None:
            limits = replace(limits, rate_bps=BitRate.parse(options["rate"]).bps)
        if options["open"] is not None:
            limits = replace(limits, open_requests=options["open"])
        if options["holds"] is not None:
            limits = replace(limits, holds=options["holds"])
        actor = acting.as_named(options["user"])
        quotas.set_quota(
            actor=actor, domain=domain, nren=nren, limits=limits, reason=options["reason"], seen=seen
        )

    def _tell(self, nren: Nren | None, domain: Domain) -> None:
        from provisioning.selectors import quotas as reading

        if nren is None:
            limits, used = reading.standing_limits(domain, None), ("", "", "")
        else:
            found = reading.used_of(nren, now=clock.now())
            limits = found.limits
            rate = f", {rate_text(found.rate_bps)} used" if found.rate_bps else ", nothing used"
            at = f" at {instant_text(found.rate_at)}" if found.rate_at else ""
            used = (f"{rate}{at}", f", {found.open_requests} used", f", {found.holds} used")
        rate = "no bound" if limits.rate_bps is None else rate_text(limits.rate_bps)
        self.stdout.write(
            printable(f"{nren.name if nren else domain.name}: rate at any instant {rate}{used[0]}")
        )
        for title, value, told in (
            ("open requests", limits.open_requests, used[1]),
            ("holds at once", limits.holds, used[2]),
        ):
            self.stdout.write(f"  {title} {'no bound' if value is None else value}{told}")
