"""`manage.py save ROUTER [--reason WHY]`: what startup-config lacks, by whose lines they are; with a reason, save it."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import TYPE_CHECKING, Any

from provisioning.management import acting
from provisioning.management.printable import printable
from provisioning.management.refusing import RefusingCommand
from provisioning.pipeline.units import how_many
from provisioning.selectors.network import router_named

if TYPE_CHECKING:
    from provisioning.services.saving import Done, Seen

UNSAVED = 1


class Command(RefusingCommand):
    help = (
        "Read a router and show what is not in startup-config, by whose lines they are (exit 0 when nothing, 1 when something "
        "is). With a reason, save exactly that: `write memory` saves all or nothing, other people's lines with ours."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("router", metavar="ROUTER", help="its name")
        parser.add_argument(
            "--as", dest="user", required=True, help="user name of who looks, or saves; of the NOC"
        )
        parser.add_argument("--reason", default="", help="why it is saved; kept in the audit trail")
        parser.add_argument(
            "--seen",
            default="",
            help="save only what an earlier look showed: its digest, as --json prints it",
        )
        parser.add_argument("--json", action="store_true", help="print as JSON")

    def handle(self, *_args: Any, **options: Any) -> None:
        actor = acting.as_named(options["user"])
        router = router_named(options["router"])
        # Loaded once there is a router: it takes longer to load than to say that there is none.
        from provisioning.services import saving

        seen = saving.look(actor=actor, router=router)
        if not options["json"]:
            self.stdout.write(_shown(seen))
        if not options["reason"]:
            if options["json"]:
                self.stdout.write(json.dumps({**seen.to_json(), "saved": False}, indent=2))
            if seen.ours or seen.foreign:
                raise SystemExit(UNSAVED)
            return
        done = saving.save_router(
            actor=actor, router=router, seen=options["seen"] or seen.digest, reason=options["reason"]
        )
        self.stdout.write(json.dumps(done.to_json(), indent=2) if options["json"] else _said(done))


def _shown(seen: Seen) -> str:
    if not (seen.ours or seen.foreign):
        return f"{seen.router}: startup-config holds everything."
    lines = [f"{seen.router}: not in startup-config"]
    for whose, found in (("ours", seen.ours), ("of other people", seen.foreign)):
        if found:
            lines.append(f"  {how_many(len(found), 'line')} {whose}:")
            lines += [f"    {line}" for line in found]
    return printable("\n".join(lines))


def _said(done: Done) -> str:
    if not done.saved:
        return f"{done.seen.router}: nothing to save."
    lines = [f"{done.seen.router}: saved."]
    if done.meanwhile:
        lines.append("  Typed between the look and `write memory`, and saved too:")
        lines += [f"    {line}" for line in done.meanwhile]
    return printable("\n".join(lines))
