"""A process of another version than the database neither plans nor pushes; it says so in a sentence and ends."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from provisioning.models import SYSTEM
from provisioning.services import backups, jobs, planning, pushing, versions
from tests.jobs.workers import environment

ROOT = Path(__file__).resolve().parents[3]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_transaction]
TOMORROW = "9999_tomorrow"


@pytest.fixture
def newer(transactional_db: None) -> object:
    """The database as a later version leaves it."""
    recorder = MigrationRecorder(connection)
    recorder.record_applied("provisioning", TOMORROW)
    yield
    recorder.record_unapplied("provisioning", TOMORROW)


def test_database_and_process_are_of_one_version() -> None:
    versions.check()


def test_an_older_process_does_nothing(newer: object, tmp_path: Path) -> None:
    said = f"newer version than this process .*provisioning.{TOMORROW}.*neither plans nor pushes"
    for act in (
        jobs.tick,
        lambda: planning.plan_domain(actor=SYSTEM),
        lambda: planning.plan_router(router_id=0),
        lambda: pushing.push(router_push_id=1, worker="w"),
        lambda: pushing.preflight(change_id=1),
        lambda: pushing.recover(router_push_id=1, worker="w"),
        lambda: backups.backup(path=tmp_path / "backup.zip"),
        lambda: jobs.work(stop=threading.Event(), until_idle=True),
    ):
        with pytest.raises(versions.OtherVersion, match=said):
            act()


def test_a_newer_process_asks_for_the_migration() -> None:
    recorder = MigrationRecorder(connection)
    last = max(name for app, name in versions.known() if app == "provisioning")
    recorder.record_unapplied("provisioning", last)
    try:
        with pytest.raises(
            versions.OtherVersion, match=rf"lacks the migration provisioning.{last}.*manage.py migrate"
        ):
            versions.check()
    finally:
        recorder.record_applied("provisioning", last)


def test_runjobs_ends_with_the_sentence(newer: object) -> None:
    with pytest.raises(CommandError, match="newer version than this process"):
        call_command("runjobs", "--once", stdout=io.StringIO())


def run(*command: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def test_the_site_does_not_start(newer: object) -> None:
    done = run("-c", "import provisioning.wsgi")
    assert done.returncode == 1
    assert "newer version than this process" in done.stderr and "Traceback" not in done.stderr


def test_a_celery_worker_does_not_start(newer: object) -> None:
    done = run(
        "-m", "celery", "-A", "provisioning.celery", "worker", "--pool", "solo", CELERY_BROKER_URL="memory://"
    )  # fmt: skip
    assert done.returncode != 0
    assert "newer version than this process" in done.stderr + done.stdout


def test_the_site_starts_beside_the_database_of_its_version() -> None:
    done = run("-c", "import provisioning.wsgi; print('started')")
    assert (done.returncode, done.stdout) == (0, "started\n"), done.stderr


def test_a_database_that_is_away_keeps_nobody_from_starting(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import provisioning.wsgi; print('started')"],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0 and "started" in done.stdout, done.stderr
