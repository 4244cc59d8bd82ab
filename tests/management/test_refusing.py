"""One way to tell what is refused: every command goes through it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

from provisioning.errors import Conflict, ExpediteError, InvalidInput, NotVisible
from provisioning.management import commands
from provisioning.management.refusing import RefusingCommand

NAMES = sorted(file.stem for file in Path(commands.__path__[0]).glob("[!_]*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_every_command_tells_what_it_refuses_in_the_one_way(name: str) -> None:
    module = import_module(f"{commands.__name__}.{name}")
    assert issubclass(module.Command, RefusingCommand)


class Refuses(RefusingCommand):
    requires_system_checks: tuple[str, ...] = ()

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def handle(self, *_args: Any, **_options: Any) -> None:
        raise self.error


class RefusesWithTwo(Refuses):
    refused_with = 2


@pytest.mark.parametrize(
    ("kind", "error", "status"),
    [
        (Refuses, Conflict("no\x1b[2J such\u202e thing", field="router"), 1),
        (Refuses, InvalidInput("no\x1b[2J such\u202e thing", field="router"), 2),
        (Refuses, NotVisible("no\x1b[2J such\u202e thing", field="router"), 2),
        (RefusesWithTwo, Conflict("no\x1b[2J such\u202e thing", field="router"), 2),
        (Refuses, CommandError("router: no\x1b[2J such\u202e thing", returncode=3), 3),
    ],
)
def test_one_line_that_moves_no_cursor_and_the_status(
    kind: type[Refuses], error: ExpediteError | CommandError, status: int
) -> None:
    with pytest.raises(CommandError) as told:
        kind(error).execute(force_color=False, no_color=True, skip_checks=True)
    assert str(told.value) == r"router: no\x1b[2J such\u202e thing"
    assert told.value.returncode == status


def test_what_nobody_foresaw_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        Refuses(ZeroDivisionError()).execute(force_color=False, no_color=True, skip_checks=True)
