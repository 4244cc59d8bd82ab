"""What every test may ask for. Servers are started by `make test` (tests/run.py) and named in the environment."""

from __future__ import annotations

import os

import pytest
from django.db import connection


@pytest.fixture
def postgres(db: None) -> None:
    """Skips unless the suite runs on PostgreSQL, where row locks are real."""
    if connection.vendor != "postgresql":
        pytest.skip("needs PostgreSQL: `make test` runs it there")


@pytest.fixture(scope="session")
def redis_url() -> str:
    """The URL of the run's own Redis server."""
    url = os.environ.get("REDIS_URL", "")
    if not url:
        pytest.skip("needs Redis: `make test` runs it there")
    return url


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium that Playwright can drive."""
    path = os.environ.get("CHROMIUM") or "/usr/bin/chromium"
    if not os.path.exists(path):
        pytest.skip("needs Chromium: `make test` installs it")
    return path
