"""The soak that kills workers at its smallest: two kills on each stack; `make soak ONLY=kills` is the whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.run import ROOT, find
from tests.soak.kills_stack import STACKS


@pytest.mark.skipif(not os.environ.get("DEEP"), reason="three minutes: DEEP=1, or make soak ONLY=kills")
@pytest.mark.postgres
@pytest.mark.redis
def test_workers_killed_on_each_stack_are_succeeded_in_time() -> None:
    if find("postgres") is None or shutil.which("redis-server") is None:
        pytest.skip("needs PostgreSQL and Redis: `make test` installs them")
    # Servers, settings and a state directory of its own: nothing of this test run's.
    ours = {"DATABASE_URL", "REDIS_URL", "STATE_DIR", "DJANGO_SETTINGS_MODULE", "DJANGO_ALLOW_ASYNC_UNSAFE"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    options = ["--smallest", "--seed", "3"]
    # Side by side: most of it is waiting for leases to run out.
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.soak.kills", "--stack", stack, *options],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for stack in STACKS
    ]
    for process in started:
        said, _ = process.communicate(timeout=400)
        assert process.returncode == 0, said[-6000:]
