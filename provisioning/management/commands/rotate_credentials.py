"""``manage.py rotate_credentials``: encrypt the router credentials anew with the first of CREDENTIAL_KEYS."""

from __future__ import annotations

from typing import Any

from provisioning.management import acting
from provisioning.management.refusing import RefusingCommand
from provisioning.services import credentials


class Command(RefusingCommand):
    """Put the new key first in CREDENTIAL_KEYS, run this, then take the old key out."""

    one_deed = True
    help = (
        "Encrypt all router credentials anew with the first key of CREDENTIAL_KEYS. To change it: put a new "
        "one first, restart, run this, then take the old one out and restart."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Rotate all or none; exit 1 with the reason when a credential cannot be read."""
        actor = acting.as_shell()
        count = credentials.rotate(actor=actor)
        self.stdout.write(f"{count} credential(s) now read with the first key of CREDENTIAL_KEYS alone.")
