"""What every test may ask for. Servers are started by `make test` (tests/run.py) and named in the environment."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import product

import pytest
from django.db import connection


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long searches to DEEP=1."""
    if os.environ.get("PROPERTIES") != "deep":
        left = [item for item in items if item.get_closest_marker("deep")]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


@pytest.fixture
def postgres(db: None) -> None:
    """Skips unless the suite runs on PostgreSQL, where row locks are real."""
    if connection.vendor != "postgresql":
        pytest.skip("needs PostgreSQL: `make test` runs it there")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> None:
    """SQLite is emptied between tests by DELETE, which the append-only audit trail refuses; PostgreSQL by TRUNCATE."""
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                for table, verb in product(("auditevent", "auditseal"), ("update", "delete")):
                    cursor.execute(f"DROP TRIGGER IF EXISTS {table}_append_only_{verb}")
            connection.close()


@pytest.fixture
def tampering(db: None) -> Iterator[None]:
    """A hand in the tables that knows how to go round every trigger."""
    if connection.vendor == "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
    yield
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = origin")


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
