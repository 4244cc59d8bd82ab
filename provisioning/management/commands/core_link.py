"""`manage.py core_link NAME --down|--up|--remove --reason WHY [--dry-run]`: a core link goes out of use, or comes back."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from provisioning.management import acting
from provisioning.management.refusing import RefusingCommand
from provisioning.services import topology


class Command(RefusingCommand):
    one_deed = True
    help = (
        "Declare a core link down or up, or take it away: a new version of the topology. Says whose path moves and who no "
        "longer fits; with --dry-run beforehand, and nothing is written."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("link", metavar="NAME", help="such as uk6:POS2/0--nl6:POS2/0")
        deeds = parser.add_mutually_exclusive_group(required=True)
        for deed, text in (
            ("down", "no path goes over it"),
            ("up", "it is in use again"),
            ("removed", "it is there no more"),
        ):
            flag = "--remove" if deed == "removed" else f"--{deed}"
            deeds.add_argument(flag, dest="deed", action="store_const", const=deed, help=text)
        parser.add_argument("--reason", required=True, help="it is kept in the audit trail")
        parser.add_argument("--dry-run", action="store_true", help="say what would come of it, write nothing")

    def handle(self, *_args: Any, **options: Any) -> None:
        actor = acting.as_shell()
        outcome = topology.declare(
            actor=actor,
            name=options["link"],
            deed=options["deed"],
            reason=options["reason"],
            dry_run=options["dry_run"],
        )
        for moved in outcome.moved:
            self.stdout.write(str(moved))
        for lost in outcome.lost:
            self.stdout.write(f"NO PATH: {lost} stays charged where it was")
        for over in outcome.over_by_this:
            self.stdout.write(f"NO LONGER FITS: {over}")
        for over in outcome.over_already:
            self.stdout.write(f"DID NOT FIT BEFORE: {over}")
        said = f"version {outcome.version.number} of the topology, {len(outcome.moved)} moved, {len(outcome.over)} too much"
        if outcome.over_already:
            said += f" ({len(outcome.over_already)} of them before)"
        self.stdout.write(
            f"{'Dry run, nothing written: ' if options['dry_run'] else ''}{options['link']}: {said}."
        )
