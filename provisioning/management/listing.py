"""What `manage.py` prints when it is given no command: ours first, by what they are for, each with one line; Django's behind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import shorten, wrap
from typing import Final

from django.core.management import ManagementUtility, get_commands, load_command_class

OURS: Final = "provisioning"
BAD_INPUT: Final = 2
WIDTH: Final = 110

GROUPS: Final = {
    "Begin": ("demo", "lab", "import_inventory", "netbox", "adopt", "person", "sessions", "token", "notify", "runjobs"),
    "Ask, as an NREN": (
        *("what_if", "ask", "consent", "take_offer", "modify", "extend", "end_early", "withdraw", "series", "pack"),
    ),
    "Decide, as the NOC": (
        *("admit", "refuse", "hold", "modification", "quota", "recheck", "acknowledge"),
    ),
    "Plan and push": (
        *("plan", "lines", "rehearse", "approve", "rollout", "push", "pause", "resume", "abort", "stop_pushes", "go_on"),
    ),
    "Routers": ("verify", "differences", "next_step", "try_now", "save", "undo", "chassis", "probe"),
    "The network": ("core_link", "capacity", "planned_work", "failures", "path_drift", "path_moved"),
    "Keep the records": ("report", "backup", "restore", "verify_audit", "rotate_credentials", "prune"),
    "On files, without a database": ("mqc", "counters", "linux", "advise"),
}  # fmt: skip


class Commands(ManagementUtility):
    """Django's, with a list of what there is that says what each is for, and one exit status for a name that nothing has."""

    def main_help_text(self, commands_only: bool = False) -> str:
        """The list; names alone, one a line, with ``commands_only`` (`manage.py help --commands`)."""
        if commands_only:
            return super().main_help_text(commands_only=True)
        return "\n".join([*_ours(self.prog_name), *_behind(), ""])

    def fetch_command(self, subcommand: str) -> object:
        """The command of that name. Ends with status 2 when nothing has it."""
        try:
            return super().fetch_command(subcommand)
        except SystemExit:
            raise SystemExit(BAD_INPUT) from None


def execute(argv: list[str]) -> None:
    """What `execute_from_command_line` does, with our list of commands."""
    Commands(argv).execute()


def sentence_of(name: str) -> str:
    """The first clause of the help of one of our commands, cut to what fits on a line beside its name."""
    first = re.split(r"[.;:] | \(", load_command_class(OURS, name).help)[0].rstrip(".")
    return shorten(first, WIDTH - 22, placeholder=" ...")


def _ours(program: str) -> Iterator[str]:
    yield f"Commands of Expedite; `{program} help NAME` says all of one, docs/reference/commands.md all of all."
    for group, names in GROUPS.items():
        yield f"\n{group}:"
        yield from (f"  {name:18}  {sentence_of(name)}" for name in names)


def _behind() -> Iterator[str]:
    others = sorted(name for name, where in get_commands().items() if where != OURS)
    yield "\nDjango's, of which an installation needs `migrate` and `check`:"
    yield from wrap(", ".join(others), WIDTH, initial_indent="  ", subsequent_indent="  ")
