"""`manage.py path_moved PIP-n|--all --reason WHY`: the traffic has left the old path; what is charged there is free."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from provisioning.errors import ExpediteError
from provisioning.management import acting
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.management.request_argument import request_named
from provisioning.services import topology


class Command(RefusingCommand):
    one_deed = True
    help = (
        "Say that the traffic of a request (or of all that are moving) takes its new path: the old one is charged no more. "
        "Without a request, show which are moving."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("request", metavar="REQUEST", nargs="?", help="PIP-12 or 12")
        parser.add_argument("--all", action="store_true", help="every request that is moving")
        parser.add_argument("--reason", default="", help="how you know; it is kept in the audit trail")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["request"] and options["all"]:
            raise CommandError("Name a request, or say --all.", returncode=BAD_INPUT)
        moving = [request_named(options["request"])] if options["request"] else topology.moving()
        if not options["request"] and not options["all"]:
            for request in moving:
                self.stdout.write(f"{request.reference} is charged on its old path and on its new one.")
            self.stdout.write(f"{len(moving)} moving.")
            return
        actor = acting.as_shell()
        for request in moving:
            try:
                topology.path_moved(actor=actor, request=request, reason=options["reason"])
            except ExpediteError as error:
                raise CommandError(f"{request.reference}: {error.reason}", returncode=1) from error
            self.stdout.write(f"{request.reference} is charged on its new path alone.")
