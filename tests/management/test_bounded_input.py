"""A file of 1 GB, one that never ends, standard input that never ends: 2 and a reason, in little memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from provisioning.pipeline.ios.lines import MAX_CHARACTERS

ROOT = Path(__file__).resolve().parents[2]
APPENDIX = ROOT / "tests" / "pipeline" / "cases" / "appendix-a.ios"
CEILING = 900 * 2**20
"""Bytes of address space for Python, Django, the templates and the input; the input alone is larger."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, float]]:
    """What each command line came to, all run in one process under the ceiling."""
    folder = tmp_path_factory.mktemp("input")
    sparse, line, fifo = folder / "sparse", folder / "line", folder / "fifo"
    with sparse.open("wb") as stream:
        stream.truncate(2**30)
    with line.open("wb") as stream:
        stream.write(b"version 12.4\nhostname r\n description " + b"d" * 10 * 2**20 + b"\nend\n")
    os.mkfifo(fifo)
    names = {"sparse": str(sparse), "line": str(line), "fifo": str(fifo), "zero": "/dev/zero", "stdin": "-"}
    lines = {
        "parse a sparse file": f"mqc parse {names['sparse']}",
        "parse zeros": "mqc parse /dev/zero",
        "running from zeros": f"mqc diff /dev/zero {APPENDIX}",
        "intended from a sparse file": f"mqc diff {APPENDIX} {names['sparse']}",
        "parse a pipe": f"mqc parse {names['fifo']}",
        "parse standard input": "mqc parse -",
        "parse an endless line": f"mqc parse {names['line']}",
        "count a sparse file": f"counters {names['sparse']}",
        "count zeros": "counters /dev/zero",
    }

    def feed() -> None:
        try:
            with fifo.open("wb") as stream:
                for _ in range(2 * MAX_CHARACTERS // 2**16):
                    stream.write(b"interface POS1/0\n" * 4096)
        except BrokenPipeError:
            pass

    writer = threading.Thread(target=feed, daemon=True)
    writer.start()
    environment = {
        "PATH": os.environ["PATH"],
        "EXPEDITE_ENV_FILE": "/nonexistent",
        "DATABASE_URL": "postgres://nobody:x@127.0.0.1:1/none",
        "DJANGO_SETTINGS_MODULE": "provisioning.settings",
    }
    with Path("/dev/zero").open("rb") as endless:
        done = subprocess.run(
            [sys.executable, "-m", "tests.management.bounded", str(CEILING), *lines.values()],
            stdin=endless,
            capture_output=True,
            cwd=ROOT,
            env=environment,
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stderr.decode()
    return dict(zip(lines, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("parse a sparse file", "larger than"),
        ("parse zeros", "/dev/zero: larger than"),
        ("running from zeros", "/dev/zero: larger than"),
        ("intended from a sparse file", "larger than"),
        ("parse a pipe", "larger than"),
        ("parse standard input", "-: larger than"),
        ("parse an endless line", "line 3: the line is longer than"),
        ("count a sparse file", "larger than"),
        ("count zeros", "/dev/zero: larger than"),
    ],
)
def test_refused_with_a_reason_and_little_memory(
    case: str, reason: str, told: dict[str, tuple[int, str, float]]
) -> None:
    status, said, mib = told[case]
    assert status == 2
    assert reason in said
    assert mib < 400
