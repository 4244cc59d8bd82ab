"""Workers as processes of their own, on the database of the test, to be killed at any line."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path

from django.db import connection

ROOT = Path(__file__).resolve().parents[2]

CELERY = ("-m", "celery", "-A", "provisioning.celery")
WORKER = (*CELERY, "worker", "-Q", "tick,read,push", "-c", "2", "-l", "WARNING")


def environment(**more: str) -> dict[str, str]:
    """What a worker needs to work on the same rows as this test."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": _database_url(),
        "PUSH_ENABLED": "true",
        "ROUTER_TIMEOUT_SECONDS": "3",
        "ROUTER_LEASE_SECONDS": "3",
        "JOB_LEASE_SECONDS": "3",
        "TICK_SECONDS": "0.3",
        **more,
    }


def _database_url() -> str:
    values = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{values['NAME']}"
    account = f"{values['USER']}:{values['PASSWORD']}@" if values["USER"] else ""
    return f"postgres://{account}{values['HOST']}:{values['PORT']}/{values['NAME']}"


@contextmanager
def process(*arguments: str, log: Path, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a group of its own; the whole group is killed at the end."""
    with log.open("ab") as output:
        started = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=environment(**more),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield started
        finally:
            kill(started)


def beat(folder: Path, *options: str) -> tuple[str, ...]:
    return (*CELERY, *options, "beat", "-s", str(folder / "beat"), "-l", "WARNING")


def kill(started: subprocess.Popen[bytes]) -> None:
    """kill -9, the worker and its children, no farewell."""
    with suppress(ProcessLookupError):
        os.killpg(started.pid, signal.SIGKILL)
    started.wait(timeout=10)


def children(pid: int) -> list[int]:
    """The processes that this one started and that are there."""
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def stand_still(started: subprocess.Popen[bytes]) -> None:
    """SIGSTOP between two transactions; SIGCONT to `started.pid` wakes it.

    A process that is stopped inside a transaction keeps its locks for as long as it is stopped: on SQLite that is the
    one lock of all writers, and no successor could take over. Where it stops is chance, so try until it holds none.
    """
    for _ in range(1000):
        os.killpg(started.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, started.pid, os.WSTOPPED)
        if _nobody_is_in_a_transaction():
            return
        os.killpg(started.pid, signal.SIGCONT)
        time.sleep(0.005)
    raise AssertionError("the worker is in a transaction whenever it is stopped")


def _nobody_is_in_a_transaction() -> bool:
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(connection.settings_dict["NAME"], timeout=0)) as probe:
            try:
                probe.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return False
            probe.rollback()
            return True
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend' AND xact_start IS NOT NULL"
        )
        return bool(cursor.fetchone() == (0,))


def runjobs(log: Path, **more: str) -> AbstractContextManager[subprocess.Popen[bytes]]:
    return process("manage.py", "runjobs", "--workers", "2", log=log, **more)


def until(true: Callable[[], object], seconds: float, what: str, log: Path | None = None) -> None:
    """Wait for something that other processes bring about; what they said belongs to the failure."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            said = log.read_text()[-3000:] if log is not None else ""
            raise AssertionError(f"not within {seconds} seconds: {what}\n{said}")
        time.sleep(0.02)
