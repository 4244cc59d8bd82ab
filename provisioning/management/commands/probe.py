"""`manage.py probe ROUTER --as USER`: ask a router what it can do, and show what it said."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from provisioning.management import acting
from provisioning.management.printable import printable
from provisioning.management.refusing import RefusingCommand
from provisioning.pipeline.platforms.capabilities import MEANING, Answer
from provisioning.selectors.network import router_named
from provisioning.services import capabilities

_WORDS = {True: "yes", False: "no", None: "not known"}


class Command(RefusingCommand):
    help = (
        "Show what a router said it can do, when and to which question. With --as it is asked now, in configuration mode too, by "
        "lines that are not whole: nothing is changed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("router", metavar="ROUTER", help="its name")
        parser.add_argument("--as", dest="user", default="", help="user name of who asks it, of the NOC")
        parser.add_argument("--json", action="store_true", help="print as JSON")

    def handle(self, *_args: Any, **options: Any) -> None:
        router = router_named(options["router"])
        if options["user"]:
            from provisioning.services import probing  # brings a session, which who only reads does not need

            answers = probing.probe(actor=acting.as_named(options["user"]), router=router)
        else:
            answers = capabilities.known(router)
        if options["json"]:
            self.stdout.write(json.dumps({each.capability: each.to_json() for each in answers}, indent=2))
            return
        if not answers:
            self.stdout.write(f"{router.name} was never asked: say who asks it, --as USER.")
        for answer in answers:
            self.stdout.write(printable(_said(answer)))


def _said(answer: Answer) -> str:
    return f"{answer.capability} ({MEANING[answer.capability]}): {_WORDS[answer.can]}; {answer}"
