"""``manage.py lab``: practice routers over SSH from the inventory; their state, and faults, on request."""

from __future__ import annotations

import json
import signal
import time
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from types import FrameType
from typing import Any

from django.core.management.base import CommandError, CommandParser

from provisioning.errors import InvalidInput
from provisioning.management import acting
from provisioning.management.refusing import RefusingCommand
from provisioning.services import practice

FAULTS = """faults, with key=value for what they take:
  drop-before N, drop-after N      the session ends at the Nth configuration line, once
  refuse match=REGEX message=TEXT  ignore match=REGEX  hang match=REGEX  slow seconds=S
  wrong-password  enable-refused  unreachable  vty-refused  write-fails  noise  truncate-echo width=N
  vanish interface=NAME seconds=S  (and times=N on most: how often, else until `lab clear`)"""


class Command(RefusingCommand):
    """Without a word: start, and stay until interrupted. The other words speak to routers that run."""

    help = "Practice routers over SSH, one for every router of the inventory."

    def add_arguments(self, parser: CommandParser) -> None:
        """One word per operation; see ``lab WORD --help``."""
        parser.add_argument("--state", type=Path, default=None, help="where keys, ports and NVRAM are kept")
        parser.add_argument(
            "--replace", action="store_true", help="even if routers are recorded at real addresses"
        )
        words = parser.add_subparsers(dest="word", metavar="WORD")
        start = words.add_parser("start", help="start and stay (the default), or leave them running")
        start.add_argument("--background", action="store_true", help="return once they listen")
        words.add_parser("stop", help="end routers started in the background")
        words.add_parser("status", help="which routers listen where")
        self._word(words, "state", "running and startup configuration, sessions, unsaved lines")
        fault = self._word(words, "fault", "let a router misbehave")
        fault.epilog = FAULTS
        fault.formatter_class = RawDescriptionHelpFormatter
        fault.add_argument("fault", nargs="+", metavar="FAULT")
        self._word(words, "clear", "end all faults of a router")
        configure = self._word(words, "configure", "type lines at the console, as another person would")
        configure.add_argument("lines", nargs="+", metavar="LINE")
        self._word(words, "reload", "start again from the startup configuration")
        self._word(words, "hostkey", "give the router a new host key (the pinned one stays as it is)")
        traffic = self._word(words, "traffic", "let packets pass an interface, for its counters")
        traffic.add_argument("interface")
        traffic.add_argument("--direction", choices=["input", "output"], default="input")
        traffic.add_argument("--dscp", type=int, default=46)
        traffic.add_argument("--bytes", type=int, default=1000, help="size of a packet")
        traffic.add_argument("--rate", type=int, default=1_000_000, help="bit/s")
        traffic.add_argument("--seconds", type=float, default=30.0)
        traffic.add_argument("--src", default=None)
        traffic.add_argument("--dst", default=None)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Do what the word says; exit 1 with the reason when it cannot be done."""
        word = options["word"] or "start"
        getattr(self, f"_{word}")(options)

    @staticmethod
    def _word(words: Any, name: str, text: str) -> CommandParser:
        parser: CommandParser = words.add_parser(name, help=text)
        parser.add_argument("router")
        return parser

    def _start(self, options: dict[str, Any]) -> None:
        network = practice.start(
            actor=acting.as_shell(), state_dir=options["state"], replace_real=options["replace"]
        )
        for router in network.routers:
            self.stdout.write(f"{router.name:8} {router.host} {router.port}")
        if options.get("background"):
            self.stdout.write(f"{len(network.routers)} practice routers run; `manage.py lab stop` ends them.")
            return
        self.stdout.write(f"{len(network.routers)} practice routers listen; Ctrl-C ends them.")
        self.stdout.flush()
        signal.signal(signal.SIGTERM, _interrupt)
        try:
            while network.process.poll() is None:
                time.sleep(0.5)
        except KeyboardInterrupt:
            network.stop()
            return
        raise CommandError(f"The practice routers ended with status {network.process.returncode}.")

    def _stop(self, options: dict[str, Any]) -> None:
        ended = practice.stop(state_dir=options["state"])
        self.stdout.write("Practice routers ended." if ended else "No practice routers ran.")

    def _status(self, options: dict[str, Any]) -> None:
        folder = self._folder(options)
        if not practice.running(state_dir=folder):
            raise CommandError("No practice routers run.")
        for router in practice.listening(state_dir=folder):
            self.stdout.write(f"{router.name:8} {router.host} {router.port} {router.host_key}")

    def _state(self, options: dict[str, Any]) -> None:
        self._say(self._call(options, "state"))

    def _clear(self, options: dict[str, Any]) -> None:
        self._say(self._call(options, "clear"))

    def _reload(self, options: dict[str, Any]) -> None:
        self._say(self._call(options, "reload"))

    def _hostkey(self, options: dict[str, Any]) -> None:
        self._say(self._call(options, "hostkey"))

    def _configure(self, options: dict[str, Any]) -> None:
        self._say(self._call(options, "configure", lines=options["lines"]))

    def _fault(self, options: dict[str, Any]) -> None:
        self._say(self._call(options, "fault", fault=fault_from_words(options["fault"])))

    def _traffic(self, options: dict[str, Any]) -> None:
        packets = {"dscp": options["dscp"], "bytes": options["bytes"], "rate_bps": options["rate"]}
        packets |= {key: options[key] for key in ("src", "dst") if options[key]}
        arguments = {key: options[key] for key in ("interface", "direction", "seconds")}
        self._say(self._call(options, "traffic", packets=[packets], **arguments))

    def _folder(self, options: dict[str, Any]) -> Path:
        return (options["state"] or practice.default_state_dir()).resolve()

    def _call(self, options: dict[str, Any], op: str, **arguments: Any) -> dict[str, Any]:
        return practice.call(state_dir=self._folder(options), op=op, router=options["router"], **arguments)

    def _say(self, answer: dict[str, Any]) -> None:
        """Print an answer: texts as they are, the rest as JSON; "done" where there is nothing to tell."""
        if not answer.keys() - {"ok"}:
            self.stdout.write("done")
        for key, value in answer.items():
            if isinstance(value, str) and "\n" in value:
                self.stdout.write(f"--- {key}\n{value.rstrip()}")
            elif key != "ok":
                self.stdout.write(f"{key}: {json.dumps(value)}")


def fault_from_words(words: list[str]) -> dict[str, Any]:
    """Return the fault object the routers take; ``drop-after 3`` is short for one drop after the third line.

    Raises InvalidInput for words that are neither a number after ``drop-...`` nor ``key=value``.
    """
    kind, *rest = words
    fault: dict[str, Any] = {"kind": kind}
    if kind in ("drop-before", "drop-after"):
        if not rest or not rest[0].isdigit():
            raise InvalidInput(f"{kind} needs the number of a configuration line", field="fault")
        fault = {"kind": "drop", "when": kind.removeprefix("drop-"), "line": int(rest[0]), "times": 1}
        rest = rest[1:]
    for word in rest:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise InvalidInput(f"{word!r} is not key=value", field="fault")
        fault[key] = int(value) if value.isdigit() else value
    return fault


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
