"""`manage.py try_now CHANGE [--router R] --as USER`: have the routers of a broken push read now, not when the pause is over."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from provisioning.management import acting
from provisioning.management.refusing import RefusingCommand
from provisioning.selectors import changes as selecting


class Command(RefusingCommand):
    one_deed = True
    help = "Have the routers on which a push broke off read as soon as a worker is free, and the push finished or taken back."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("change", help="the change: 12 or CHG-12")
        parser.add_argument("--router", help="only this one")
        parser.add_argument("--as", dest="user", required=True, help="user name of who acts")

    def handle(self, *_args: Any, **options: Any) -> None:
        actor = acting.as_named(options["user"])
        change = selecting.by_reference(options["change"])
        # Loaded once there is a change: it takes longer to load than to say that there is none.
        from provisioning.services import jobs

        waiting = [
            push
            for push in selecting.pushes_of(change)
            if jobs.waits_to_be_read(push) and options["router"] in (None, push.router.name)
        ]
        if not waiting:
            where = f" on {options['router']}" if options["router"] else ""
            raise CommandError(f"{change.reference}: nothing waits to be tried{where}.", returncode=1)
        for push in waiting:
            jobs.try_now(actor=actor, push=push)
            self.stdout.write(f"{change.reference} on {push.router.name}: read as soon as a worker is free.")
