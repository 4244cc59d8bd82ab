"""`manage.py modification ID admit|refuse|withdraw|agree|decline --as USER --reason WHY`: decide about a modification."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from provisioning.management import acting
from provisioning.management.changing import told
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.management.verdict_as_text import evidence_lines, refusal_lines
from provisioning.selectors.modifications import visible

_NAME = re.compile(r"(?:MOD-)?([0-9]{1,18})", re.IGNORECASE)


class Command(RefusingCommand):
    one_deed = True
    help = "Admit or refuse a modification (the NOC), agree to it or decline (the receiver), or withdraw it (who asked)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("modification", help="the modification: 3 or MOD-3")
        parser.add_argument("deed", choices=["admit", "refuse", "withdraw", "agree", "decline"])
        parser.add_argument("--as", dest="user", required=True, help="user name of who acts")
        parser.add_argument("--reason", required=True, help="why; kept in the audit trail")

    def handle(
        self, *_args: Any, modification: str, deed: str, user: str, reason: str, **_options: Any
    ) -> None:
        name = _NAME.fullmatch(modification)
        if name is None:
            raise CommandError(
                f"Not a modification: {modification!r:.60}; write 3 or MOD-3.", returncode=BAD_INPUT
            )
        actor = acting.as_named(user)
        found = visible(actor, int(name[1]))
        # Loaded once there is a modification: it takes longer to load than to say that there is none.
        from provisioning.pipeline.admission import Refused, whole
        from provisioning.services import modifications

        if deed == "admit":
            verdict = modifications.admit(actor=actor, modification=found, reason=reason)
            seen = whole(verdict)
            for line in evidence_lines(seen):
                self.stdout.write(line)
            if isinstance(verdict, Refused):
                raise CommandError(f"{found.reference} does not fit:\n" + "\n".join(refusal_lines(seen)))
        elif deed == "refuse":
            modifications.refuse(actor=actor, modification=found, reason=reason)
        elif deed == "withdraw":
            modifications.withdraw(actor=actor, modification=found, reason=reason)
        else:
            modifications.consent(actor=actor, modification=found, agree=deed == "agree", reason=reason)
        self.stdout.write(told(found.request, found))
