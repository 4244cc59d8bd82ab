"""`manage.py mqc` loads what it uses: neither Django nor what the service talks to routers and workers with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.management.test_mqc_commands import APPENDIX, ROOT

NOT_LOADED = {
    *(
        "django",
        "rest_framework",
        "celery",
        "kombu",
        "redis",
        "psycopg",
        "netmiko",
        "napalm",
        "paramiko",
        "asyncssh",
    ),
    *("inventory", "lab", "cryptography", "yaml", "sqlite3", "asyncio"),
}
PROGRAM = """
import runpy, sys
sys.argv = ["manage.py", *sys.argv[1:]]
try:
    runpy.run_path("manage.py", run_name="__main__")
except SystemExit as ended:
    print("status", ended.code or 0, file=sys.stderr)
print("loaded", *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
print("parts", *sorted(name for name in sys.modules if name.startswith("provisioning.")), file=sys.stderr)
"""


def loaded(*words: str) -> tuple[int, set[str], set[str]]:
    """Exit status, top-level modules and modules of ours after `manage.py` with these words, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        capture_output=True,
        cwd=ROOT,
        text=True,
        timeout=300,
        check=True,
    )
    told = {line.split()[0]: line.split()[1:] for line in done.stderr.splitlines() if line.strip()}
    return int(told.get("status", ["0"])[0]), set(told["loaded"]), set(told["parts"])


@pytest.fixture
def other(tmp_path: Path) -> str:
    file = tmp_path / "intended.ios"
    file.write_text(APPENDIX.read_text().replace("percent 5", "percent 4"))
    return str(file)


@pytest.mark.parametrize(
    ("options", "status"),
    [((), 1), (("--json",), 1), (("--exact",), 1), (("--explain", "--platform", "cisco-12000"), 1)],
)
def test_a_difference_loads_no_django_no_driver_and_no_broker(
    options: tuple[str, ...], status: int, other: str
) -> None:
    ended, modules, _ = loaded("mqc", "diff", str(APPENDIX), other, *options)
    assert ended == status
    assert sorted(modules & NOT_LOADED) == []


def test_what_is_not_asked_for_is_not_loaded() -> None:
    ended, modules, parts = loaded("mqc", "diff", str(APPENDIX), str(APPENDIX))
    assert ended == 0
    assert sorted(modules & (NOT_LOADED | {"jinja2"})) == []
    rooms = {part.split(".")[2] for part in parts if part.startswith("provisioning.pipeline.")}
    assert rooms <= {"units", "platforms", "mqc", "ios", "intent", "rendering", "diff"}
    assert "provisioning.pipeline.intent.building" not in parts


def test_parse_and_refusals_neither(tmp_path: Path) -> None:
    assert not loaded("mqc", "parse", str(APPENDIX))[1] & NOT_LOADED
    bad = tmp_path / "bad.ios"
    bad.write_text("policy-map P\n class class-default\n  random-detect dscp-bassed\n")
    ended, modules, _ = loaded("mqc", "diff", str(APPENDIX), str(bad))
    assert ended == 2 and not modules & NOT_LOADED


def test_every_other_command_is_still_djangos() -> None:
    ended, modules, _ = loaded("help")
    assert ended == 0 and "django" in modules
