"""`manage.py failures [NAME] [--router] [--work-out] [--json]`: what any single failure would do, or one of them."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from inventory.models import Domain
from provisioning.errors import InvalidInput
from provisioning.management.failures_as_text import effect_lines, standing_lines
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.pipeline.topology import Failure
from provisioning.selectors.failures import effect_of, standing_of
from provisioning.selectors.failures_as_json import effect_json, standing_json
from provisioning.services import failures


class Command(RefusingCommand):
    help = (
        "Say who would be left without what was promised if a core link failed (or, with --router, a router): every link's "
        "load after it. Without a name: all single failures as they were last worked out."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", nargs="?", help="such as uk6:POS2/0--nl6:POS2/0")
        parser.add_argument("--router", action="store_true", help="NAME is a router")
        parser.add_argument("--work-out", action="store_true", help="work all of them out now, and keep it")
        parser.add_argument("--domain", default="", help="of which domain, where there are several")
        parser.add_argument("--json", action="store_true", help="the same as JSON")

    def handle(self, *_args: Any, **options: Any) -> None:
        domain = _domain(options["domain"])
        if options["name"] and options["work_out"]:
            raise InvalidInput("all failures are worked out, not one", field="name")
        if options["name"]:
            failure = Failure("router" if options["router"] else "link", options["name"])
            effect = effect_of(domain, failure, now=timezone.now())
            self._say(options["json"], effect_json(effect), effect_lines(effect))
            return
        if options["work_out"]:
            failures.work_out(domain_id=domain.pk)
        standing = standing_of(domain)
        self._say(options["json"], standing_json(standing), standing_lines(standing))

    def _say(self, as_json: bool, plain: object, lines: list[str]) -> None:
        self.stdout.write(json.dumps(plain, indent=2) if as_json else "\n".join(lines))

    def status_of(self, error: Exception) -> int:
        """Bad input is 2."""
        return BAD_INPUT if isinstance(error, InvalidInput) else 1


def _domain(name: str) -> Domain:
    rows = Domain.objects.order_by("pk")
    found = list((rows.filter(name=name) if name else rows)[:2])
    if not found:
        raise InvalidInput(
            f"there is no domain {name!r:.100}" if name else "nothing is imported", field="domain"
        )
    if len(found) > 1:
        raise InvalidInput("there are several domains: say which (--domain)", field="domain")
    return found[0]
