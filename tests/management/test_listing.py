"""`manage.py` alone: our commands first, each with what it is for."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import get_commands

from provisioning.management import commands
from provisioning.management.listing import GROUPS, OURS, WIDTH, Commands

NAMES = {file.stem for file in Path(commands.__path__[0]).glob("[!_]*.py")}


def test_every_command_of_ours_stands_in_one_group() -> None:
    listed = [name for names in GROUPS.values() for name in names]
    assert sorted(listed) == sorted(NAMES)


def test_ours_are_listed_first_each_with_a_line_and_djangos_behind() -> None:
    told = Commands(["manage.py", "help"]).main_help_text()
    ours, _, others = told.partition("\nDjango's")
    rows = {line.split()[0]: line for line in ours.splitlines() if line.startswith("  ")}
    assert rows.keys() == NAMES
    assert all(len(line.split()) > 2 and len(line) <= WIDTH for line in rows.values())
    for name, where in get_commands().items():
        assert where == OURS or name in others


def test_names_alone_are_still_to_be_had() -> None:
    assert set(Commands(["manage.py"]).main_help_text(commands_only=True).splitlines()) >= NAMES


def test_a_command_that_nobody_has_is_status_two(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        Commands(["manage.py", "nonsense"]).execute()
    assert ended.value.code == 2
    assert "Unknown command: 'nonsense'" in capsys.readouterr().err
