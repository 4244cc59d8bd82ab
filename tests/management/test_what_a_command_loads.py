"""A command answers soon because it loads what it uses: no pages, no API, no Celery, no driver of another database."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOT_ITS_OWN = (
    "celery", "django_tables2", "rest_framework.views", "drf_spectacular.views", "psycopg", "netmiko", "napalm", "asyncssh",
    "provisioning.urls", "provisioning.web.urls", "provisioning.api.urls", "lab", "rich", "pygments",
)  # fmt: skip
RUN = """
import runpy, sys
sys.argv = ["manage.py", {command}]
try:
    runpy.run_path("manage.py", run_name="__main__")
except SystemExit as end:
    print("ended with", end.code)
print("loaded", *(name for name in {names} if name in sys.modules))
"""


def loaded(command: list[str], names: tuple[str, ...], place: Path) -> list[str]:
    """Which of these modules a command loads, over a database without tables."""
    said = subprocess.run(
        [sys.executable, "-c", RUN.format(command=", ".join(map(repr, command)), names=names)],
        cwd=ROOT,
        env=os.environ
        | {"DEBUG": "true", "STATE_DIR": str(place), "DATABASE_URL": f"sqlite:///{place}/none.sqlite3"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    words = said.stdout.splitlines()[-1].split() if said.stdout else []
    assert words[:1] == ["loaded"], said.stdout + said.stderr
    return words[1:]


@pytest.mark.parametrize("command", [["sessions", "nora"], ["person", "nora"], ["token", "JANET"]])
def test_what_asks_one_row_does_not_load_the_planner(command: list[str], tmp_path: Path) -> None:
    planner = ("provisioning.pipeline.change", "provisioning.pipeline.diff", "provisioning.pipeline.scheme")
    assert loaded(command, planner, tmp_path) == []


@pytest.mark.parametrize(
    "command", [["quota", "JANET"], ["hold", "PIP-1"], ["capacity"], ["withdraw", "PIP-1"]]
)
def test_it_loads_neither_pages_nor_workers(command: list[str], tmp_path: Path) -> None:
    assert loaded(command, NOT_ITS_OWN, tmp_path) == []
