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
    "provisioning.urls", "provisioning.web.urls", "provisioning.api.urls", "lab",
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


@pytest.mark.parametrize(
    "command", [["quota", "JANET"], ["hold", "PIP-1"], ["capacity"], ["withdraw", "PIP-1"]]
)
def test_it_loads_neither_pages_nor_workers(command: list[str], tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-c", RUN.format(command=", ".join(map(repr, command)), names=NOT_ITS_OWN)],
        cwd=ROOT,
        env=os.environ
        | {"DEBUG": "true", "STATE_DIR": str(tmp_path), "DATABASE_URL": f"sqlite:///{tmp_path}/none.sqlite3"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert said.stdout.splitlines()[-1] == "loaded", said.stdout + said.stderr
