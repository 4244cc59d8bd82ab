"""``manage.py sessions``: where a person is signed in; their sessions ended, their second factors reset."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from provisioning.management import acting
from provisioning.management.refusing import RefusingCommand
from provisioning.selectors import identity as reading
from provisioning.services import clock, identity, people


class Command(RefusingCommand):
    """Lists the sessions of a person's browsers and their second factors; ends or resets them with a reason."""

    one_deed = True
    help = "List where a person is signed in; end their sessions, reset their second factors."

    def add_arguments(self, parser: CommandParser) -> None:
        """A name, and what to do with a reason."""
        parser.add_argument("name", help="the user name")
        deed = parser.add_mutually_exclusive_group()
        deed.add_argument("--end", metavar="REASON", default="", help="end every session of theirs now")
        deed.add_argument(
            "--reset-factors",
            metavar="REASON",
            default="",
            help="take away second factors that they lost, and end their sessions; say how you know that it is them who ask",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print what there is, or what was done."""
        user = people.user_named(options["name"])
        actor = acting.as_shell()
        if options["reset_factors"]:
            gone = identity.reset_factors(actor=actor, user=user, reason=options["reset_factors"])
            self.stdout.write(
                f"{user}: {gone} second factor{'' if gone == 1 else 's'} reset, sessions ended."
            )
            return
        if options["end"]:
            ended = identity.end_sessions(actor=actor, user=user, reason=options["end"])
            self.stdout.write(f"{user}: {ended} session{'' if ended == 1 else 's'} ended.")
            return
        factors = ", ".join(str(factor.type) for factor in reading.factors_of(user.pk)) or "none"
        self.stdout.write(f"{user}: second factors: {factors}")
        lines = reading.live_sessions(user.pk, clock.now())
        for line in lines:
            self.stdout.write(
                f"  {line.address:<39} since {line.since:%Y-%m-%d %H:%M}, seen {line.seen:%Y-%m-%d %H:%M}  "
                f"{line.browser[:80]}"
            )
        if not lines:
            self.stdout.write("  not signed in anywhere")
