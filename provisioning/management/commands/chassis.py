"""`manage.py chassis ROUTER [--serial S --reason WHY --as USER]`: a replaced chassis, and the serial that is taken for it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from inventory.models import Router
from provisioning.management import acting
from provisioning.management.refusing import BAD_INPUT, RefusingCommand


class Command(RefusingCommand):
    one_deed = True
    help = (
        "Take the serial of a chassis that was replaced, as a person of the NOC. Without --serial, show the serial of the "
        "inventory and the one that answered."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("router", metavar="ROUTER")
        parser.add_argument("--serial", default="", help="that of the new chassis, as it stands on the box")
        parser.add_argument("--reason", default="", help="why; kept in the audit trail")
        parser.add_argument("--as", dest="user", default="", help="user name of who acts")

    def handle(self, *_args: Any, **options: Any) -> None:
        router = Router.objects.filter(name=options["router"]).first()
        if router is None:
            raise CommandError(f"There is no router {options['router']!r:.80}.", returncode=BAD_INPUT)
        # Loaded once there is a router: it takes longer to load than to say that there is none.
        from provisioning.services import chassis

        if not options["serial"]:
            shown = chassis.waiting(router)
            said = f"another one answered: {shown}" if shown else "no other one answered"
            self.stdout.write(f"{router.name}: serial {router.serial or 'not known'}; {said}.")
            return
        if not options["user"]:
            raise CommandError("Say who acts: --as USER.", returncode=BAD_INPUT)
        taken = chassis.accept(
            actor=acting.as_named(options["user"]),
            router=router,
            serial=options["serial"],
            reason=options["reason"],
        )
        self.stdout.write(f"{taken.name}: serial {taken.serial} from now on; it is read again by itself.")
