"""Threads of one process that write to SQLite: one after the other, none asleep while nobody writes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connections, transaction
from django.db.utils import OperationalError

from provisioning.database.sqlite3.base import DatabaseWrapper
from provisioning.database.sqlite3.turn import Turn


@pytest.fixture
def file(tmp_path: Path, django_db_blocker: Any) -> Iterator[str]:
    """The alias of a database of its own, whatever the tests run on."""
    alias = "turns"
    settings = dict(connections.settings["default"])
    settings |= {
        "ENGINE": "provisioning.database.sqlite3",
        "NAME": str(tmp_path / "turns.sqlite3"),
        "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 5, "init_command": "PRAGMA journal_mode=WAL"},
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": False,
        "ATOMIC_REQUESTS": False,
        "AUTOCOMMIT": True,
    }
    connections.settings[alias] = settings

    with django_db_blocker.unblock():
        assert isinstance(connections[alias], DatabaseWrapper)
        with connections[alias].cursor() as cursor:
            cursor.execute("CREATE TABLE counted (number INTEGER)")
            cursor.execute("INSERT INTO counted VALUES (0)")
        yield alias
        connections[alias].close()
    del connections[alias]
    del connections.settings[alias]


def test_all_that_many_threads_write_is_there_and_no_thread_sleeps_while_nobody_writes(
    file, django_db_blocker
):
    def one(times: int) -> None:
        try:
            for number in range(times):
                if number % 2:
                    with transaction.atomic(using=file), connections[file].cursor() as cursor:
                        cursor.execute("UPDATE counted SET number = number + 1")
                else:
                    with connections[file].cursor() as cursor:
                        cursor.execute("UPDATE counted SET number = number + 1")
        finally:
            connections[file].close()

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(one, [20] * 16))
        with connections[file].cursor() as cursor:
            cursor.execute("SELECT number FROM counted")
            assert cursor.fetchone() == (320,)


def test_the_turn_ends_with_the_transaction_however_it_ends_and_with_the_connection(file: str) -> None:
    def free() -> bool:
        other = Turn(str(connections[file].settings_dict["NAME"]))
        got = other.take(0.01)
        other.give()
        return got

    with transaction.atomic(using=file):
        assert not free()
        with transaction.atomic(using=file):
            pass
        assert not free()
    assert free()
    with pytest.raises(ZeroDivisionError), transaction.atomic(using=file):
        raise ZeroDivisionError
    assert free()
    connections[file].set_autocommit(True)
    with pytest.raises(OperationalError), connections[file].cursor() as cursor:
        cursor.execute("UPDATE nothing SET number = 1")
    assert free()
    block = transaction.atomic(using=file)
    block.__enter__()
    connections[file].close()
    assert free()
    block.__exit__(None, None, None)


def test_who_waits_too_long_is_told_what_sqlite_says(file: str) -> None:
    began, done = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic(using=file):
            began.set()
            done.wait(10)
        connections[file].close()

    connections[file]._patience = 0.2
    thread = threading.Thread(target=hold)
    thread.start()
    try:
        began.wait(5)
        asked = time.monotonic()
        with pytest.raises(OperationalError, match="locked"), transaction.atomic(using=file):
            pass
        assert time.monotonic() - asked < 4
    finally:
        done.set()
        thread.join()
    with transaction.atomic(using=file):
        pass
