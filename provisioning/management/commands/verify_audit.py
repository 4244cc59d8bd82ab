"""``manage.py verify_audit``: read the whole audit trail and say whether anything was edited, removed or reordered."""

from __future__ import annotations

from typing import Any

from provisioning.management.refusing import RefusingCommand
from provisioning.pipeline.units import how_many
from provisioning.services import audit


class Command(RefusingCommand):
    """Exit status 0 when the chain holds, 1 with each fault when it does not."""

    help = "Check the hash chain of the audit trail, and print its head to be noted elsewhere."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Print the length and the head, or every place where the chain breaks."""
        check = audit.verify_chain()
        for fault in check.faults:
            self.stderr.write(f"event {fault.sequence}: {fault.reason}")
        if not check.intact:
            raise SystemExit(1)
        self.stdout.write(f"{how_many(check.length, 'event')}, unbroken. Head: {check.digest}")
