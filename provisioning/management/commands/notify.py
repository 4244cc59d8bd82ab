"""`manage.py notify [list | mail ADDRESS | webhook URL | change ID | test ID | end ID | messages ID | replay ID | again ID |
let-go ID]`: who is told, and what they were sent.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from inventory.models import Nren
from provisioning.management import acting
from provisioning.management.moments import moment
from provisioning.management.printable import printable
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.models import Actor
from provisioning.pipeline.units import how_many, instant_text
from provisioning.selectors import telling as reading
from provisioning.services.telling import replaying, subscribing

SHOWN = 100


class Command(RefusingCommand):
    one_deed = True
    help = "Say who is told what happens, by mail or by webhook, as a named member of the NOC; without a deed, show it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        deeds = ["list", "mail", "webhook", "change", "test", "end", "messages", "replay", "again", "let-go"]
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
        parser.add_argument(
            "--since", type=moment, help="replay: messages made from then on, such as 2026-12-24T18:00Z"
        )
        parser.add_argument("--until", type=moment, help="replay: and before then; without it until now")
        parser.add_argument("--as", dest="user", default="", help="user name of who acts")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["deed"] == "list":
            self._list()
            return
        if options["deed"] == "messages":
            self._messages(_number(options["what"] or ""))
            return
        if not options["what"] or not options["user"]:
            raise CommandError("Say what, and who acts: --as USER.", returncode=BAD_INPUT)
        actor = acting.as_named(options["user"])
        if options["deed"] in ("mail", "webhook"):
            self._add(actor, options)
        elif options["deed"] == "replay":
            self._replay(actor, options)
        else:
            self._do(actor, options["deed"], _number(options["what"]), options["topic"])

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

    def _replay(self, actor: Actor, options: dict[str, Any]) -> None:
        row = reading.subscriber_of(_number(options["what"]))
        if options["since"] is None:
            raise CommandError("Say since when: --since INSTANT.", returncode=BAD_INPUT)
        found = replaying.replay(actor=actor, subscriber=row, since=options["since"], until=options["until"])
        waits = f"; {found.waiting} of that time waiting already" if found.waiting else ""
        self.stdout.write(printable(f"{how_many(found.messages, 'message')} again: {row}{waits}."))

    def _messages(self, number: int) -> None:
        rows = list(reading.messages_of(reading.subscriber_of(number))[:SHOWN])
        topics = reading.topics_of([row.pk for row in rows])
        for row in rows:
            told = ", ".join(f"{count} x {topic.value}" for topic, count in topics[row.pk].items())
            again = " again" if row.before_replay else ""
            why = f": {row.error}" if row.error else ""
            self.stdout.write(
                printable(f"{row.pk}: {instant_text(row.created_at)}: {row.state}{again}: {told}{why}")
            )

    def _do(self, actor: Actor, deed: str, number: int, topics: list[str]) -> None:
        if deed == "test":
            subscribing.test(actor=actor, subscriber=reading.subscriber_of(number))
        elif deed == "change":
            subscribing.change(actor=actor, subscriber=reading.subscriber_of(number), topics=topics)
        elif deed == "end":
            subscribing.end(actor=actor, subscriber=reading.subscriber_of(number))
        elif deed == "again":
            subscribing.try_again(actor=actor, message=reading.message_of(number))
        else:
            subscribing.let_go(actor=actor, message=reading.message_of(number))
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
        for message in reading.given_up()[:SHOWN]:
            self.stdout.write(
                printable(
                    f"given up, {message.pk}: {message.notifications} to {message.subscriber.address}: {message.error}"
                )
            )


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise CommandError(f"{text!r:.40} is no number of the list.", returncode=BAD_INPUT)
    return int(text)
