"""Threads and processes that write to SQLite: one after the other, none asleep while nobody writes."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connections, transaction
from django.db.utils import OperationalError

from provisioning.database.sqlite3 import turn
from provisioning.database.sqlite3.base import DatabaseWrapper
from provisioning.database.sqlite3.turn import Turn

ROOT = Path(__file__).resolve().parents[2]


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


_HOLD = (
    "import os, sys, time; from provisioning.database.sqlite3.turn import Turn; "
    "turn = Turn(sys.argv[1]); assert turn.take(5);"
)


@contextmanager
def holding(name: str, then: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the turn and goes on with `then`; it has said a line."""
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD + then, name], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait(10)


def test_another_process_has_the_turn_until_it_gives_it_back_or_is_killed(file: str) -> None:
    name = str(connections[file].settings_dict["NAME"])
    mine = Turn(name)
    with holding(name, "print('taken', flush=True); time.sleep(60)") as process:
        assert not mine.take(0.2) and not mine.taken
        connections[file]._patience = 0.2
        with pytest.raises(OperationalError, match="locked"), transaction.atomic(using=file):
            pass
        process.kill()
        assert mine.take(5)
        mine.give()
    with holding(name, "turn.give(); print('given', flush=True); time.sleep(60)"):
        assert mine.take(1)
    mine.give()


def test_a_child_of_a_process_that_was_killed_does_not_keep_the_turn(file: str) -> None:
    name = str(connections[file].settings_dict["NAME"])
    forks = (
        "child = os.fork(); child or time.sleep(1); print(child or os.getpid(), flush=True); time.sleep(30)"
    )
    with holding(name, forks) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.kill()
        process.wait(10)
        mine = Turn(name)
        try:
            assert mine.take(5), "its child holds it"
        finally:
            mine.give()
            os.kill(child, signal.SIGKILL)


def test_processes_that_write_much_all_get_it_written(file: str, django_db_blocker: Any) -> None:
    counts = (
        "turn.give(); import sqlite3; print('go', flush=True)\n"
        "c = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)\n"
        "for _ in range(200):\n"
        "    assert turn.take(20); c.execute('UPDATE counted SET number = number + 1'); turn.give()"
    )
    name = str(connections[file].settings_dict["NAME"])
    with holding(name, counts) as one, holding(name, counts) as other:
        assert one.wait(30) == 0 and other.wait(30) == 0
    with django_db_blocker.unblock(), connections[file].cursor() as cursor:
        cursor.execute("SELECT number FROM counted")
        assert cursor.fetchone() == (400,)


def test_where_files_cannot_be_locked_sqlite_alone_decides(
    file: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    name = str(connections[file].settings_dict["NAME"])

    def no_locks(*_args: Any) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(turn.fcntl, "flock", no_locks)
    for _ in range(3):
        mine = Turn(name)
        assert mine.take(1)
        mine.give()
    assert [record.message for record in caplog.records].count(
        "processes do not take turns at the database: [Errno 37] No locks available"
    ) == 1


def test_who_is_interrupted_while_it_waits_for_another_process_leaves_the_turn_to_the_next_thread(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = str(connections[file].settings_dict["NAME"])

    def interrupted(_seconds: float) -> None:
        raise KeyboardInterrupt

    mine = Turn(name)
    with holding(name, "print('taken', flush=True); time.sleep(60)"), monkeypatch.context() as patched:
        patched.setattr(turn.time, "sleep", interrupted)
        with pytest.raises(KeyboardInterrupt):
            mine.take(5)
    assert mine.take(5) and mine.taken
    mine.give()


def test_whoever_may_use_the_database_may_take_turns(file: str) -> None:
    """What root made first would keep every service out of it."""
    name = connections[file].settings_dict["NAME"]
    of, beside = os.stat(name), os.stat(f"{name}-turn")
    assert (beside.st_mode & 0o777, beside.st_uid, beside.st_gid) == (
        of.st_mode & 0o666,
        of.st_uid,
        of.st_gid,
    )
    os.unlink(f"{name}-turn")
    os.chmod(name, 0o660)
    turn._forget()
    mine = Turn(str(name))
    assert mine.take(1)
    mine.give()
    assert os.stat(f"{name}-turn").st_mode & 0o777 == 0o660
