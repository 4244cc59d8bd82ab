"""`manage.py mqc`: the MQC engine on its own, on files. Knows neither Django nor a database, so that it answers at once."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from provisioning.errors import ExpediteError, InvalidInput, ParseFailure
from provisioning.management import mqc_as_text
from provisioning.management.captured_text import located, read_captured
from provisioning.management.mqc_marks import ASSUMED, read_marks
from provisioning.management.printable import printable
from provisioning.pipeline import ios
from provisioning.pipeline.diff import Remediation, diff_configs, equal_today, not_compared, unresolved
from provisioning.pipeline.diff.store import needs, store_of
from provisioning.pipeline.mqc import RunningConfig, canonical_json
from provisioning.pipeline.platforms import NAMES, Profile, profile
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import shared_ios_environment

if TYPE_CHECKING:
    from provisioning.pipeline.change.doubts import Doubt

EQUAL, DIFFERENT, BAD_INPUT = 0, 1, 2
HELP: Final = (
    "Read running-configs of IOS and IOS-XE. `parse` prints canonical JSON. `diff` takes what INTENDED names to "
    "what it says and leaves all else (with --exact nothing else): it prints nothing and exits 0 when equal; else the "
    "commands and, after a line `! rollback`, the way back, and exits 1. Every line of INTENDED is understood to its last "
    "word, or it exits 2 with FILE:LINE:COLUMN and the reason. FILE may be `-`. Needs no database."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command, for whichever parser."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="parse | diff")
    parse = verbs.add_parser("parse", help="running-config -> canonical JSON")
    parse.add_argument("file", metavar="FILE")
    compare = verbs.add_parser("diff", help="what takes RUNNING to INTENDED, and back")
    compare.add_argument("running", metavar="RUNNING")
    compare.add_argument("intended", metavar="INTENDED", help="MQC objects, access lists, bound interfaces")
    compare.add_argument(
        "--exact",
        action="store_true",
        help="INTENDED is all there shall be: objects and service-policies that it lacks go",
    )
    compare.add_argument("--json", action="store_true", help="print the difference as JSON, also when equal")
    compare.add_argument(
        "--explain",
        action="store_true",
        help="below each line what it changes: who marks, who polices, at what rate; as comments",
    )
    compare.add_argument(
        "--marks",
        metavar="M",
        help="for --explain, the DSCPs that may enter only authorised and policed, and behind a slash those that may enter "
        f"as they are: `46,47/8`; without it {ASSUMED} are assumed",
    )
    for verb in (parse, compare):
        verb.add_argument("--platform", metavar="P", help=NAMES)
        verb.add_argument("--ios", metavar="RELEASE", default="", help="its release, such as 12.4(24)T")


def main(words: Sequence[str]) -> int:
    """Carry out `manage.py mqc` with these words behind it; returns the exit status."""
    parser = argparse.ArgumentParser(prog="manage.py mqc", description=HELP)
    add_arguments(parser)
    parser.add_argument("--traceback", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--no-color", action="store_true", help=argparse.SUPPRESS)
    try:
        status = run(vars(parser.parse_args(words)))
        sys.stdout.flush()
        return status
    except ExpediteError as error:
        print(printable(str(error)), file=sys.stderr)
        return BAD_INPUT


def run(options: Mapping[str, Any]) -> int:
    """Carry it out; returns 0 or 1. Raises ExpediteError, which is status 2, its text naming the file."""
    platform = _platform(options["platform"], options["ios"])
    if options["verb"] == "parse":
        file = options["file"]
        try:
            sys.stdout.write(canonical_json(ios.parse(read_captured(file), platform)))
        except ExpediteError as error:
            raise InvalidInput(located(file, error)) from error
        return EQUAL
    return _diff(platform, options)


def _diff(platform: Profile | None, options: Mapping[str, Any]) -> int:
    running, intended, exact = options["running"], options["intended"], options["exact"]
    if running == intended == "-":
        raise InvalidInput("only one of RUNNING and INTENDED can be `-`")
    if options["marks"] is not None and not options["explain"]:
        raise InvalidInput("--marks says what --explain goes by: name that too")
    marks = read_marks(options["marks"])
    before_text = _read(running)
    wanted = _intended(intended, platform)
    before, passed_over = _running(running, before_text, platform, wanted.config, exact=exact)
    found = _difference(intended, before, wanted, platform, exact=exact)
    refused = [each.text for each in _nowhere(before, found) if each.refused or exact]
    if refused:
        raise InvalidInput(f"{intended}: {'; '.join(refused)}: a router refuses that")
    _refuse_what_is_typed_back(running, before_text, before, found)
    doubts = _doubts(before, found, platform)
    certain = [each.text for each in doubts if each.finding.certain]
    if certain:
        raise InvalidInput(f"{intended}: {mqc_as_text.REFUSES}: {'; '.join(certain)}")
    left = () if exact else not_compared(before, wanted.config)
    same = equal_today(before, found.result)
    notes = tuple(each.text for each in _nowhere(before, found))
    unread = [f"not compared, since it cannot be read: {each}" for each in passed_over]
    explained = mqc_as_text.explain(before, found, platform, marks) if options["explain"] else None
    if options["json"]:
        told = mqc_as_text.as_json(found, same, explained, doubts, (*notes, *unread), left)
        sys.stdout.write(json.dumps(told, indent=2, sort_keys=True) + "\n")
    elif found.commands:
        sys.stdout.write(mqc_as_text.as_text(found, explained) + "\n")
        for note in _notes(found, notes, doubts, same):
            print(printable(f"note: {note}"), file=sys.stderr)
    for text in (*unread, *(each.text for each in left)):
        print(printable(f"note: {text}"), file=sys.stderr)
    if found.conflicts:
        raise InvalidInput(f"{running}: {'; '.join(conflict.text for conflict in found.conflicts)}")
    return DIFFERENT if found.commands else EQUAL


def _notes(
    found: Remediation, notes: Sequence[str], doubts: Sequence[Doubt], same: Sequence[Any]
) -> Iterator[str]:
    yield from (gap.text for gap in found.gaps)
    yield from found.warnings
    yield from notes
    yield from map(mqc_as_text.doubted, doubts)
    yield from (each.text for each in same)


def _read(file: str) -> str:
    try:
        return read_captured(file)
    except ExpediteError as error:
        raise InvalidInput(located(file, error)) from error


def _intended(file: str, platform: Profile | None) -> ios.Intended:
    try:
        return ios.parse_intended(_read(file), platform)
    except ParseFailure as error:
        raise InvalidInput(located(file, error)) from error


def _running(
    file: str, text: str, platform: Profile | None, wanted: RunningConfig, *, exact: bool
) -> ios.Around:
    """What a router printed. What cannot be read of an object that is not compared is passed over."""
    try:
        return ios.parse_around(text, platform, None if exact else wanted)
    except ParseFailure as error:
        raise InvalidInput(located(file, error)) from error


def _difference(
    file: str, before: RunningConfig, wanted: ios.Intended, platform: Profile | None, *, exact: bool
) -> Remediation:
    others = {} if exact else {key: needs(thing) for key, thing in store_of(before).items()}
    renderer = Renderer(shared_ios_environment, platform)
    try:
        wanted.understanding.refuse_circles(others)
        return diff_configs(
            before, wanted.config, renderer, platform, owned=wanted.config.interfaces, exact=exact
        )
    except ExpediteError as error:
        raise InvalidInput(located(file, error)) from error


def _nowhere(before: RunningConfig, found: Remediation) -> tuple[Any, ...]:
    return unresolved(before, found.result) if found.commands else ()


def _refuse_what_is_typed_back(file: str, text: str, before: RunningConfig, found: Remediation) -> None:
    """The way back types what the router holds now: of that, too, each line is understood or nothing is printed."""
    there, after = store_of(before), store_of(found.result)
    gone = {
        line.text.split()[-1] for line in found.commands if not line.depth and line.text.startswith("no ")
    }
    changed = {key for key, thing in there.items() if after.get(key) is not thing or thing.name in gone}
    if not changed:
        return
    try:
        ios.refuse_not_understood(text, changed)
    except ParseFailure as error:
        raise InvalidInput(located(file, error)) from error


def _doubts(before: RunningConfig, found: Remediation, platform: Profile | None) -> list[Doubt]:
    """What the platform would not take of what gets there. What the router has taken at that place once is no refusal."""
    if platform is None:
        return []
    # Loaded where they are needed: the plans of the service come with them.
    from provisioning.pipeline.change.doubts import Doubt
    from provisioning.pipeline.change.refusals import findings

    rates = mqc_as_text.configured_bps(before)
    doubts = [Doubt(*each) for each in findings(before, found.result, platform, rates)]
    if not any(each.finding.certain for each in doubts):
        return doubts
    nothing = dataclasses.replace(before, bindings=frozenset())
    taken = {(place, finding.code) for place, finding in findings(nothing, before, platform, rates)}
    return [each for each in doubts if (each.place, each.finding.code) not in taken]


def _platform(name: str | None, release: str) -> Profile | None:
    """The profile of ``--platform`` and ``--ios``; None without them."""
    if not name:
        if release:
            raise InvalidInput("--ios says the release of a --platform: name that too")
        return None
    try:
        profile(name)
    except ExpediteError as error:
        raise InvalidInput(f"--platform: {error.reason}") from error
    try:
        return profile(name, release)
    except ExpediteError as error:
        raise InvalidInput(f"--ios: {error.reason}") from error
