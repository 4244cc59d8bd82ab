"""`manage.py undo CHANGE --reason WHY --as USER`: withdraw all that a change put on; taking it off is planned next."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from provisioning.management import acting
from provisioning.management.printable import printable
from provisioning.management.refusing import RefusingCommand
from provisioning.selectors import changes as selecting


class Command(RefusingCommand):
    one_deed = True
    help = (
        "Withdraw, all or none, what a change put on that is over; taking it off is planned next, router by router, and approved "
        "like any change. Prints what that does not undo."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("change", help="the change: 12 or CHG-12")
        parser.add_argument("--as", dest="user", required=True, help="user name of who says so; of the NOC")
        parser.add_argument("--reason", required=True, help="why; kept in the audit trail")

    def handle(self, *_args: Any, **options: Any) -> None:
        actor = acting.as_named(options["user"])
        change = selecting.by_reference(options["change"])
        # Loaded once there is a change: it takes longer to load than to say that there is none.
        from provisioning.services import undoing

        done = undoing.undo(actor=actor, change=change, reason=options["reason"])
        names = ", ".join(one.reference for one in done.withdrawn)
        lines = [f"Withdrawn: {names}. Taking it off is planned next, router by router."]
        lines += [f"Still to do: {step.text}" for step in done.left]
        self.stdout.write(printable("\n".join(lines)))
