"""What every test may ask for. Servers are started by `make test` (tests/run.py) and named in the environment."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import product
from unittest.mock import patch

import pytest
from django.db import connection, transaction
from django.test import TransactionTestCase
from psycopg.pq import TransactionStatus
from whitenoise.middleware import WhiteNoiseMiddleware

from provisioning.selectors import topology


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long searches to DEEP=1."""
    if os.environ.get("PROPERTIES") != "deep":
        left = [item for item in items if item.get_closest_marker("deep")]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The table of the fault matrix, of whatever was run of it, by however many workers."""
    from tests.services.judged import PROPERTY, table

    reports = [each for name in ("passed", "failed") for each in terminalreporter.stats.get(name, ())]
    found = [
        value for each in reports for name, value in getattr(each, "user_properties", ()) if name == PROPERTY
    ]
    rows = [row for part in found for row in part]
    if rows:
        terminalreporter.section("the fault matrix")
        for line in table(rows):
            terminalreporter.write_line(line)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    """A test that is stopped while PostgreSQL answers leaves a connection that answers nobody: the next test gets another.
    Without this one test too long made nine hundred of its neighbours red.
    """
    ended = yield
    session = connection.connection if connection.vendor == "postgresql" else None
    if session is not None and session.info.transaction_status == TransactionStatus.ACTIVE:
        session.close()
        connection.connection = None
    return ended


@pytest.fixture(autouse=True)
def networks_forgotten() -> None:
    """Tests write rows of the network by hand: what an earlier one kept of it in this process is not theirs."""
    topology.forget()


@pytest.fixture
def postgres(db: None) -> None:
    """Skips unless the suite runs on PostgreSQL, where row locks are real."""
    if connection.vendor != "postgresql":
        pytest.skip("needs PostgreSQL: `make test` runs it there")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """On SQLite each worker begins with a copy of what was migrated once (tests/run.py); PostgreSQL copies it itself."""
    if template := _sqlite_template():
        shutil.copyfile(template, connection.settings_dict["TEST"]["NAME"])


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool) -> bool:
    """Whether what there is already is migrated and not made anew: a copy of the template is."""
    return django_db_keepdb or bool(_sqlite_template())


def _sqlite_template() -> str:
    return os.environ.get("TEST_TEMPLATE", "") if connection.vendor == "sqlite" else ""


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> None:
    """Tables are emptied between tests by DELETE, which the append-only audit trail refuses; PostgreSQL is told to let us."""
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                for table, verb in product(("auditevent", "auditseal"), ("update", "delete")):
                    cursor.execute(f"DROP TRIGGER IF EXISTS {table}_append_only_{verb}")
            connection.close()


@pytest.fixture(autouse=True, scope="session")
def _emptied_quickly() -> Iterator[None]:
    """Between tests that commit, only tables with rows are emptied; Django truncates all fifty and fills two of them anew."""
    with patch.object(TransactionTestCase, "_fixture_teardown", lambda self: empty_tables()):
        yield


@pytest.fixture(autouse=True, scope="session")
def _static_files_are_found_once() -> Iterator[None]:
    """Each test client has middleware of its own, and each would look for every static file before its first request."""
    found: dict[str, object] = {}
    look = WhiteNoiseMiddleware.add_files_from_finders

    def add_found(middleware: WhiteNoiseMiddleware) -> None:
        if not found:
            look(middleware)
            found.update(middleware.files)
        middleware.files.update(found)

    with patch.object(WhiteNoiseMiddleware, "add_files_from_finders", add_found):
        yield


def empty_tables() -> None:
    """Delete every row but those of migrations (content types and permissions are the same for every test)."""
    kept = {"django_migrations", "django_content_type", "auth_permission"}
    names = set(connection.introspection.django_table_names(only_existing=True, include_views=False)) - kept
    quoted = [connection.ops.quote_name(name) for name in sorted(names)]
    with connection.cursor() as cursor:
        cursor.execute(
            " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name})" for name in quoted)
        )
        filled = [name for (name,) in cursor.fetchall()]
    with connection.constraint_checks_disabled(), transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SET LOCAL session_replication_role = replica"
            )  # neither triggers nor foreign keys
            # A test that leaves a transaction open in another connection is red here, and its table is named.
            cursor.execute("SET LOCAL lock_timeout = '60s'")
        for name in filled:
            cursor.execute(f"DELETE FROM {name}")


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
