"""`manage.py mqc parse FILE` and `manage.py mqc diff RUNNING INTENDED`: the MQC engine on its own, on files."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from provisioning.errors import ExpediteError
from provisioning.management import mqc_as_text
from provisioning.management.captured_text import located, read_captured
from provisioning.management.printable import printable
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.pipeline import ios
from provisioning.pipeline.change import Doubt
from provisioning.pipeline.change.refusals import findings
from provisioning.pipeline.diff import diff_configs, equal_today, unresolved
from provisioning.pipeline.mqc import RunningConfig, canonical_json
from provisioning.pipeline.platforms import Profile, profile
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import shared_ios_environment

DIFFERENT = 1


class Command(RefusingCommand):
    help = (
        "Read running-configs of IOS and IOS-XE. `parse` prints canonical JSON. `diff` takes what INTENDED names to "
        "what it says and leaves all else: it prints nothing and exits 0 when equal; else the commands and, after a line "
        "`! rollback`, the way back, and exits 1. Exits 2 with file, line and reason on bad input. FILE may be `-`. "
        "Needs no database."
    )
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="parse | diff")
        parse = verbs.add_parser("parse", help="running-config -> canonical JSON")
        parse.add_argument("file", metavar="FILE")
        compare = verbs.add_parser("diff", help="what takes RUNNING to INTENDED, and back")
        compare.add_argument("running", metavar="RUNNING")
        compare.add_argument(
            "intended", metavar="INTENDED", help="MQC objects, access lists, bound interfaces"
        )
        compare.add_argument(
            "--json", action="store_true", help="print the difference as JSON, also when equal"
        )
        compare.add_argument(
            "--explain",
            action="store_true",
            help="below each line what it changes: who marks, who polices, at what rate; as comments",
        )
        for verb in (parse, compare):
            verb.add_argument("--platform", metavar="P", help="cisco-12000, cisco-7200 or cisco-iosxe")
            verb.add_argument("--ios", metavar="RELEASE", default="", help="its release, such as 12.4(24)T")

    def handle(self, *_args: Any, **options: Any) -> None:
        platform = _platform(options["platform"], options["ios"])
        if options["verb"] == "parse":
            self.stdout.write(canonical_json(self._read(options["file"], platform)), ending="")
        else:
            self._diff(platform, options)

    def _read(
        self, file: str, platform: Profile | None, known: ios.Known | None = None, *, fragment: bool = False
    ) -> RunningConfig:
        read = ios.parse_fragment if fragment else ios.parse
        try:
            text = read_captured(file)
            found = read(text, platform, known)
            if fragment:
                ios.refuse_lost_bindings(text)
            return found
        except ExpediteError as error:
            raise CommandError(located(file, error), returncode=BAD_INPUT) from error

    def _diff(self, platform: Profile | None, options: dict[str, Any]) -> None:
        running, intended = options["running"], options["intended"]
        if running == intended == "-":
            raise CommandError("only one of RUNNING and INTENDED can be `-`", returncode=BAD_INPUT)
        known = ios.Known()
        before = self._read(running, platform, known)
        wanted = self._read(intended, platform, known, fragment=True)
        try:
            found = diff_configs(before, wanted, Renderer(shared_ios_environment(), platform), platform)
        except ExpediteError as error:
            raise CommandError(located(intended, error), returncode=BAD_INPUT) from error
        nowhere = unresolved(before, found.result) if found.commands else ()
        if any(each.refused for each in nowhere):
            reasons = "; ".join(each.text for each in nowhere if each.refused)
            raise CommandError(f"{intended}: {reasons}: a router refuses that", returncode=BAD_INPUT)
        doubts = []
        if platform is not None:
            rates = mqc_as_text.configured_bps(before)
            doubts = [Doubt(*each) for each in findings(before, found.result, platform, rates)]
        notes = (
            *(each.text for each in nowhere),
            *(mqc_as_text.not_understood(before, wanted) if found.commands else ()),
        )
        same = equal_today(before, found.result)
        explained = mqc_as_text.explain(before, found, platform) if options["explain"] else None
        if options["json"]:
            self.stdout.write(
                json.dumps(
                    mqc_as_text.as_json(found, same, explained, doubts, notes), indent=2, sort_keys=True
                )
            )
        elif found.commands:
            self.stdout.write(mqc_as_text.as_text(found, explained))
            for note in (
                *(gap.text for gap in found.gaps),
                *found.warnings,
                *notes,
                *map(mqc_as_text.doubted, doubts),
                *(each.text for each in same),
            ):
                self.stderr.write(printable(f"note: {note}"))
        if found.conflicts:
            reasons = "; ".join(conflict.text for conflict in found.conflicts)
            raise CommandError(f"{running}: {reasons}", returncode=BAD_INPUT)
        if found.commands:
            raise SystemExit(DIFFERENT)


def _platform(name: str | None, release: str) -> Profile | None:
    """The profile of ``--platform`` and ``--ios``; None without them."""
    if not name:
        if release:
            raise CommandError("--ios says the release of a --platform: name that too", returncode=BAD_INPUT)
        return None
    try:
        profile(name)
    except ExpediteError as error:
        raise CommandError(f"--platform: {error.reason}", returncode=BAD_INPUT) from error
    try:
        return profile(name, release)
    except ExpediteError as error:
        raise CommandError(f"--ios: {error.reason}", returncode=BAD_INPUT) from error
