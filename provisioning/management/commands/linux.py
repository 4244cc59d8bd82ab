"""`manage.py linux`: what a Linux router must hold and what it holds, from files."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandError

from provisioning.errors import ExpediteError, InvalidInput
from provisioning.management.captured_text import located, read_captured
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.pipeline import counters, ios, linux
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import Binding
from provisioning.pipeline.units import BitRate

DIFFERENT = 1
PREMIUM = frozenset({46})


class Command(RefusingCommand):
    help = (
        "Work out what a Linux router must hold (nftables, tc), compare it with what it holds, and read its counters, all from "
        "files. `read` prints the script whose output is RUNNING; `render` the one that takes a router with nothing of ours to "
        "INTENDED; `diff` the one from RUNNING to INTENDED and `back` to BEFORE (status 1; nothing and 0 when equal); `counters` "
        "prints JSON. INTENDED has class-maps, policy-maps and access lists as `mqc` takes them; --in and --out bind them. Bad "
        "input is 2."
    )
    refused_with = BAD_INPUT
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(
            dest="verb", required=True, metavar="read | render | diff | back | counters"
        )
        verbs.add_parser("read", help="the script to run on the router, as root: it changes nothing")
        render = verbs.add_parser("render", help="a router with nothing of ours -> INTENDED")
        compare = verbs.add_parser("diff", help="RUNNING -> INTENDED")
        compare.add_argument(
            "running", metavar="RUNNING", help="what the script of `read` printed; `-` is standard input"
        )
        for verb in (render, compare):
            verb.add_argument("intended", metavar="INTENDED")
            bind = {"action": "append", "default": [], "metavar": "IF=POLICY"}
            verb.add_argument(
                "--in", dest="inward", help="the policy for what enters there; may be repeated", **bind
            )
            verb.add_argument(
                "--out", dest="outward", help="the policy for what leaves there; may be repeated", **bind
            )
            verb.add_argument(
                "--bandwidth",
                action="append",
                default=[],
                metavar="IF=RATE",
                help="of an interface, such as eth1=155520k",
            )
        back = verbs.add_parser("back", help="RUNNING -> what the router held when BEFORE was read")
        back.add_argument("running", metavar="RUNNING")
        back.add_argument("before", metavar="BEFORE")
        count = verbs.add_parser("counters", help="RUNNING -> the counters of every class, as JSON")
        count.add_argument("running", metavar="RUNNING")

    def handle(self, *_args: Any, **options: Any) -> None:
        match options["verb"]:
            case "read":
                self.stdout.write(linux.READ, ending="")
            case "counters":
                found = _of_file(options["running"], linux.counted)
                self.stdout.write(
                    json.dumps(counters.to_json(found), indent=2, sort_keys=True, ensure_ascii=False)
                )
            case "back":
                running, before = (_of_file(options[name], linux.read) for name in ("running", "before"))
                self._compared(running, before)
            case "diff":
                running = _of_file(options["running"], linux.read)
                self._compared(running, self._wanted(options))
            case _:
                bare = linux.LinuxState()
                self.stdout.write(
                    linux.script(linux.difference(bare, self._wanted(options)), bare.digest), ending=""
                )

    def _wanted(self, options: dict[str, Any]) -> linux.LinuxState:
        if options.get("running") == options["intended"] == "-":
            raise InvalidInput("only one of RUNNING and INTENDED can be `-`")
        wanted = _wanted(options)
        for note in (*wanted.notes, *sorted(linux.gaps(wanted.state, PREMIUM))):
            self.stderr.write(f"note: {note}")
        return wanted.state

    def _compared(self, running: linux.LinuxState, wanted: linux.LinuxState) -> None:
        """Print the script, and end with status 1; nothing and 0 when there is nothing to do."""
        steps = linux.difference(running, wanted)
        if steps:
            self.stdout.write(linux.script(steps, running.digest), ending="")
            raise SystemExit(DIFFERENT)


def _of_file(file: str, read: Any) -> Any:
    try:
        return read(read_captured(file))
    except ExpediteError as error:
        raise CommandError(located(file, error), returncode=BAD_INPUT) from error


def _wanted(options: dict[str, Any]) -> linux.Wanted:
    """What INTENDED and the options say. Raises CommandError naming the file, InvalidInput naming the option."""
    bindings = frozenset(
        Binding(interface, None, direction, policy)
        for option, direction in (("inward", "input"), ("outward", "output"))
        for interface, policy in _pairs("--in" if option == "inward" else "--out", options[option])
    )
    if not bindings:
        raise InvalidInput("nothing is bound: name an interface and its policy", field="--in")
    bandwidths = {name: BitRate.parse(rate).bps for name, rate in _pairs("--bandwidth", options["bandwidth"])}

    def wanted(text: str) -> linux.Wanted:
        read = ios.parse_intended(text, None).config
        if read.interfaces:
            raise InvalidInput(
                "interfaces are bound with --in and --out: Linux calls them otherwise than IOS",
                field="interface",
            )
        intent = RouterIntent(
            router="this router",
            access_lists=tuple(read.access_lists.values()),
            class_maps=tuple(read.class_maps.values()),
            policy_maps=tuple(read.policy_maps.values()),
            bindings=bindings,
        )
        return linux.intended(intent, bandwidths)

    found: linux.Wanted = _of_file(options["intended"], wanted)
    return found


def _pairs(option: str, given: Iterable[str]) -> list[tuple[str, str]]:
    found = [tuple(each.split("=", 1)) for each in given]
    if any(len(pair) != 2 or not all(pair) for pair in found):
        raise InvalidInput("is IF=VALUE, such as eth1=TRUSTED-IN", field=option)
    names = [pair[0] for pair in found]
    if len(set(names)) != len(names):
        raise InvalidInput("names an interface twice", field=option)
    return [(name, value) for name, value in found]
