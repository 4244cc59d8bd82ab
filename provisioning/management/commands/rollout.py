"""`manage.py rollout CHANGE`: when its routers may be begun, how many first and at once, and under which ticket."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime
from typing import Any

from django.core.management.base import CommandError

from provisioning.management import acting
from provisioning.management.moments import moment
from provisioning.management.printable import printable
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.selectors import changes as selecting
from provisioning.selectors.steering import course_in_words
from provisioning.services import steering

NONE = "none"


class Command(RefusingCommand):
    one_deed = True
    help = (
        "Say when routers of a change may be begun (a maintenance window), how many go first, in waves of how many, how many at "
        "once, and under which ticket; `none` takes a rule away. Without any of it, show what holds."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("change", help="the change: 12 or CHG-12")
        parser.add_argument("--from", dest="window_start", type=_moment, help="no router is begun before")
        parser.add_argument(
            "--until", dest="window_end", type=_moment, help="no router is begun from then on"
        )
        parser.add_argument("--ticket", help="what the work is called where it is announced")
        parser.add_argument("--canary", type=_number, help="so many routers of each phase first; 0: none")
        parser.add_argument("--wave-size", type=_number, help="so many in each wave after that")
        parser.add_argument("--at-once", type=_number, help="no more than so many at once")
        parser.add_argument("--reason", default="", help="why; kept in the audit trail")
        parser.add_argument("--as", dest="user", default="", help="user name of who says so; of the NOC")

    def handle(self, *_args: Any, **options: Any) -> None:
        change = selecting.by_reference(options["change"])
        names = ("window_start", "window_end", "ticket", "canary", "wave_size", "at_once")
        said = {name: options[name] for name in names if options[name] is not None}
        if said:
            if not options["user"]:
                raise CommandError("--as USER says who sets it", returncode=BAD_INPUT)
            rules = {name: None if value == NONE else value for name, value in said.items()}
            actor = acting.as_named(options["user"])
            change = steering.set_course(actor=actor, change=change, reason=options["reason"], **rules)
        lines = course_in_words(change, selecting.pushes_of(change))
        if change.ticket:
            lines.append(f"ticket {change.ticket}")
        told = "; ".join(lines) or "no rule: routers are begun at any time, as many as there are workers"
        self.stdout.write(printable(f"{change.reference}: {told}"))


def _moment(text: str) -> datetime | str:
    return text if text == NONE else moment(text)


def _number(text: str) -> int | str:
    if text == NONE:
        return text
    if not text.isdecimal() or len(text) > 6:
        raise ArgumentTypeError(f"not a number: {text!r:.20}")
    return int(text)
