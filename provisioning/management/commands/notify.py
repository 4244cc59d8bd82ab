"""`manage.py notify [list | mail ADDRESS | webhook URL | change ID | test ID | end ID | again ID | let-go ID]`: who is told."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from inventory.models import Nren
from provisioning.management import acting
from provisioning.management.printable import printable
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.models import Actor
from provisioning.selectors import telling as reading
from provisioning.services.telling import subscribing


class Command(RefusingCommand):
    one_deed = True
    help = "Say who is told what happens, by mail or by webhook, as a named member of the NOC; without a deed, show it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        deeds = ["list", "mail", "webhook", "change", "test", "end", "again", "let-go"]
        parser.add_argument("deed", nargs="?", choices=deeds, default="list")
        parser.add_argument(
            "what",
            nargs="?",
            help="an address; - reads that of a webhook from stdin; or a number of the list",
        )
        parser.add_argument(
            "--topic",
            action="append",
            default=[],
            help="told of this only; may come again; none: of everything but decisions",
        )
        parser.add_argument("--nren", help="told of decisions on requests of this NREN only")
        parser.add_argument("--as", dest="user", default="", help="user name of who acts")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["deed"] == "list":
            self._list()
            return
        if not options["what"] or not options["user"]:
            raise CommandError("Say what, and who acts: --as USER.", returncode=BAD_INPUT)
        actor = acting.as_named(options["user"])
        if options["deed"] in ("mail", "webhook"):
            self._add(actor, options)
        else:
            self._do(actor, options["deed"], options["what"], options["topic"])

    def _add(self, actor: Actor, options: dict[str, Any]) -> None:
        nren = None
        if options["nren"]:
            nren = Nren.objects.filter(name=options["nren"]).first()
            if nren is None:
                raise CommandError(f"There is no NREN {options['nren']!r:.60}.", returncode=BAD_INPUT)
        what = {"topics": options["topic"], "nren": nren}
        if options["deed"] == "mail":
            row = subscribing.add_mail(actor=actor, address=options["what"], **what)
            self.stdout.write(printable(f"{row.pk}: {row} from now on."))
            return
        url = sys.stdin.readline() if options["what"] == "-" else options["what"]
        row, secret = subscribing.add_webhook(actor=actor, url=url, **what)
        self.stdout.write(printable(f"{row.pk}: {row} from now on. Signed with {secret} (not shown again)."))

    def _do(self, actor: Actor, deed: str, number: str, topics: list[str]) -> None:
        if not number.isascii() or not number.isdigit() or len(number) > 18:
            raise CommandError(f"{number!r:.40} is no number of the list.", returncode=BAD_INPUT)
        if deed == "test":
            subscribing.test(actor=actor, subscriber=reading.subscriber_of(int(number)))
        elif deed == "change":
            subscribing.change(actor=actor, subscriber=reading.subscriber_of(int(number)), topics=topics)
        elif deed == "end":
            subscribing.end(actor=actor, subscriber=reading.subscriber_of(int(number)))
        elif deed == "again":
            subscribing.try_again(actor=actor, message=reading.message_of(int(number)))
        else:
            subscribing.let_go(actor=actor, message=reading.message_of(int(number)))
        self.stdout.write("Done.")

    def _list(self) -> None:
        for row in reading.subscribers():
            of = (
                f"decisions on requests of {row.nren.name}"
                if row.nren
                else ", ".join(row.topics) or "everything but decisions"
            )
            waits = f"; {row.waiting} waiting: {row.error}" if row.waiting else ""
            self.stdout.write(printable(f"{row.pk}: {row}: {of}{waits}"))
        for message in reading.given_up()[:100]:
            self.stdout.write(
                printable(
                    f"given up, {message.pk}: {message.notifications} to {message.subscriber.address}: {message.error}"
                )
            )
