"""The soak of the service at its smallest, so that it runs when it is needed; `make soak ONLY=service` is the whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.run import ROOT, find


@pytest.mark.postgres
@pytest.mark.redis
def test_three_routers_ten_requests_and_three_faults_come_to_rest() -> None:
    if find("postgres") is None or shutil.which("redis-server") is None:
        pytest.skip("needs PostgreSQL and Redis: `make test` installs them")
    # Servers, settings and a state directory of its own: nothing of this test run's.
    ours = {"DATABASE_URL", "REDIS_URL", "STATE_DIR", "DJANGO_SETTINGS_MODULE", "DJANGO_ALLOW_ASYNC_UNSAFE"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    done = subprocess.run(
        [sys.executable, "-m", "tests.soak.service", "--smallest", "--seed", "3"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=540,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
