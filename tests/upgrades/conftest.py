"""A database of its own as an earlier version left it, to be brought up to date step by step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

ALIAS = "upgrade"


class Upgrade:
    """`to` brings the database to a migration of provisioning and returns the models as they are there."""

    alias = ALIAS

    def __init__(self, database: BaseDatabaseWrapper) -> None:
        self.database = database

    def to(self, name: str) -> Any:
        executor = MigrationExecutor(self.database)
        state = executor.migrate([("provisioning", name)])
        executor.loader.build_graph()
        return state.apps


@pytest.fixture
def upgrade(transactional_db: None, tmp_path: Path) -> Iterator[Upgrade]:
    """An empty database on the same kind of server as the tests use."""
    values = {**connection.settings_dict, "NAME": str(tmp_path / "upgrade.sqlite3")}
    if connection.vendor == "postgresql":
        values["NAME"] = f"{connection.settings_dict['NAME']}_upgrade"
        with connection.cursor() as cursor:
            cursor.execute(f'CREATE DATABASE "{values["NAME"]}"')
    connections.databases[ALIAS] = values
    database = connections[ALIAS]
    try:
        database.connect()  # by hand: Django's test case lets no connection open but those it made itself
        yield Upgrade(database)
    finally:
        connections[ALIAS].close()
        del connections[ALIAS]
        del connections.databases[ALIAS]
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(f'DROP DATABASE "{values["NAME"]}"')
