"""A process that takes the place of a killed one has to reach a router within seconds: what that needs is loaded before."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.jobs.workers import ROOT, environment

BEGIN = """
import sys
from types import SimpleNamespace
import django
django.setup()
from provisioning import tasks, worker
assert "netmiko" not in sys.modules, "who only asks for a task needs none of it"
worker._begin(sender=SimpleNamespace(hostname="w@here", quiet=False))
assert "netmiko" in sys.modules
"""


@pytest.mark.once
def test_the_pool_of_a_celery_worker_is_forked_with_all_that_a_session_needs(db: None) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BEGIN], env=environment(), cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
