"""What the commands that steer a change have in common: one change, a person and a reason."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any, ClassVar

from provisioning.management import acting
from provisioning.management.printable import printable
from provisioning.management.refusing import RefusingCommand
from provisioning.models import Change
from provisioning.selectors import changes as selecting


class SteeringCommand(RefusingCommand):
    """One deed about one change; `told` is what is printed of it once it is done."""

    one_deed = True
    deed: ClassVar[Callable[..., Change]]
    told: ClassVar[str]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("change", help="the change: 12 or CHG-12")
        parser.add_argument("--as", dest="user", required=True, help="user name of who says so; of the NOC")
        parser.add_argument("--reason", required=True, help="why; kept in the audit trail")

    def handle(self, *_args: Any, **options: Any) -> None:
        actor = acting.as_named(options["user"])
        change = selecting.by_reference(options["change"])
        type(self).deed(actor=actor, change=change, reason=options["reason"])
        self.stdout.write(printable(f"{change.reference}: {self.told.format(change.pk)}"))
