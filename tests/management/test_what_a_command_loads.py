"""A command answers soon because it loads what it uses: no pages, no API, no Celery, no driver of another database, and what
takes long to load only where there is something to do with it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOT_ITS_OWN = (
    "celery", "django_filters", "django_tables2", "rest_framework.views", "drf_spectacular.views", "psycopg", "netmiko",
    "napalm", "asyncssh", "provisioning.urls", "provisioning.web.urls", "provisioning.api.urls", "lab", "rich", "pygments",
    "cryptography", "jinja2", "smtplib", "yaml",
)  # fmt: skip
DEEDS = (
    "provisioning.services.decisions", "provisioning.services.requests", "provisioning.services.modifications",
    "provisioning.services.planning", "provisioning.services.pushing", "provisioning.services.topology",
    "provisioning.drivers", "provisioning.pipeline.admission", "provisioning.pipeline.change",
)  # fmt: skip
PLANNER = (
    "provisioning.services.planning", "provisioning.services.pushing", "provisioning.pipeline.adoption",
    "provisioning.pipeline.change", "provisioning.pipeline.diff", "smtplib", "yaml",
)  # fmt: skip
WISH = ("--as", "nora", "--from", "DFN@de6:POS1/0", "--rate", "1M", "--source-prefix", "2001:638:1::/48")
COMMAND = """
import runpy, sys
sys.argv = ["manage.py", *{words}]
try:
    runpy.run_path("manage.py", run_name="__main__")
except SystemExit as end:
    print("ended with", end.code)
"""
SERVICE = """
import importlib, os, sys
import django
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "provisioning.settings")
django.setup()
for module in {words}:
    importlib.import_module(module)
"""
LOADED = """
print("loaded", *(name for name in {names} if name in sys.modules))
"""


def loaded(script: str, words: list[str], names: tuple[str, ...], place: Path) -> list[str]:
    """Which of these modules a process of its own loads for these words, over a database without tables."""
    said = subprocess.run(
        [sys.executable, "-c", script.format(words=words) + LOADED.format(names=names)],
        cwd=ROOT,
        env=os.environ
        | {"DEBUG": "true", "STATE_DIR": str(place), "DATABASE_URL": f"sqlite:///{place}/none.sqlite3"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    told = said.stdout.splitlines()[-1].split() if said.stdout else []
    assert told[:1] == ["loaded"], said.stdout + said.stderr
    return told[1:]


@pytest.mark.parametrize("command", [["sessions", "nora"], ["person", "nora"], ["token", "JANET"]])
def test_what_asks_one_row_does_not_load_the_planner(command: list[str], tmp_path: Path) -> None:
    planner = ("provisioning.pipeline.change", "provisioning.pipeline.diff", "provisioning.pipeline.scheme")
    assert loaded(COMMAND, command, planner, tmp_path) == []


@pytest.mark.parametrize(
    "command", [["quota", "JANET"], ["hold", "PIP-1"], ["capacity"], ["withdraw", "PIP-1"]]
)
def test_it_loads_neither_pages_nor_workers(command: list[str], tmp_path: Path) -> None:
    assert loaded(COMMAND, command, NOT_ITS_OWN, tmp_path) == []


@pytest.mark.parametrize(
    "command",
    [
        ["admit", "PIP-1", "--as", "nora", "--reason", "it fits"],
        ["modify", "PIP-1", "--as", "nora", "--rate", "2M"],
        ["abort", "CHG-1", "--as", "nora", "--reason", "not today"],
        ["next_step", "CHG-1"],
        ["rehearse", "CHG-1"],
        ["series", "SER-1", "--as", "nora", "--admit", "--reason", "it fits"],
        ["what_if", *WISH],
        ["ask", *WISH, "--contact", "noc@example.org"],
        ["import_inventory", "none-of-this-name"],
    ],
)
def test_what_finds_no_row_loads_nothing_of_the_deed(command: list[str], tmp_path: Path) -> None:
    assert loaded(COMMAND, command, DEEDS, tmp_path) == []


@pytest.mark.parametrize(
    "command", [["push", "CHG-1", "--as", "nora"], ["plan", "--request", "PIP-1", "--reason", "again"]]
)
def test_what_is_planned_is_shown_without_a_session(command: list[str], tmp_path: Path) -> None:
    carried_out = ("provisioning.services.planning", "provisioning.services.pushing", "provisioning.drivers")
    assert loaded(COMMAND, command, carried_out, tmp_path) == []


def test_a_deed_of_requests_loads_neither_planner_nor_mail(tmp_path: Path) -> None:
    deeds = [f"provisioning.services.{name}" for name in ("requests", "decisions", "quotas", "steering")]
    assert loaded(SERVICE, deeds, (*PLANNER, "provisioning.drivers"), tmp_path) == []


def test_a_decision_loads_nothing_of_how_pushes_end_and_of_migrations(tmp_path: Path) -> None:
    of_others = ("provisioning.pipeline.ends", "provisioning.selectors.turns", "django.db.migrations.loader")
    assert loaded(SERVICE, ["provisioning.services.decisions"], of_others, tmp_path) == []


def test_a_change_of_terms_loads_no_planning(tmp_path: Path) -> None:
    planning = (
        "provisioning.services.planning",
        "provisioning.services.pushing",
        "provisioning.pipeline.adoption",
    )
    assert loaded(SERVICE, ["provisioning.services.modifications"], planning, tmp_path) == []
