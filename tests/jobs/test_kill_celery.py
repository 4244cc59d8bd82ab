"""The same with Celery and Redis: a killed worker, a message that comes twice, a message that never comes."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from provisioning.models import Job, RouterPush
from provisioning.pipeline.change import ChangePlan
from provisioning.services import changes, jobs
from tests.jobs.ageing import UNHURRIED, let_an_hour_pass
from tests.jobs.sent import each_line_once
from tests.jobs.workers import environment, kill, process, until
from tests.services.backbone import Backbone

WORKER = (
    "-m",
    "celery",
    "-A",
    "provisioning.celery",
    "worker",
    "-Q",
    "tick,read,push",
    "-c",
    "2",
    "-l",
    "WARNING",
)


@pytest.fixture
def broker() -> Iterator[str]:
    """A Redis of this test's own, so that no other test's messages are in it."""
    server = shutil.which("redis-server")
    if server is None:
        pytest.skip("needs redis-server: `make test` installs it")
    # A unix socket's path is short, pytest's own directories are not; and a path, unlike a port, is nobody else's.
    with tempfile.TemporaryDirectory(prefix="xp-") as folder:
        path = Path(folder) / "redis.sock"
        started = subprocess.Popen(
            [
                server,
                "--port",
                "0",
                "--unixsocket",
                str(path),
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                folder,
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            until(lambda: _listens(path), 60, "redis answers")
            yield f"redis+socket://{path}"
        finally:
            started.terminate()
            started.wait(timeout=60)


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


def test_a_killed_celery_worker_leaves_a_push_that_another_finishes(
    backbone: Backbone, tmp_path: Path, broker: str
) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    push = change.pushes.get()
    commands = [line.text for line in ChangePlan.from_json(push.plan).commands]
    backbone.fault("uk6", "slow", line=6, seconds=30)
    changes.release(actor=backbone.approver, change=change)
    beat = (
        "-m",
        "celery",
        "-A",
        "provisioning.celery",
        "beat",
        "-s",
        str(tmp_path / "beat"),
        "-l",
        "WARNING",
    )
    log = tmp_path / "celery.log"
    with process(*beat, log=log, CELERY_BROKER_URL=broker):
        with process(*WORKER, log=log, CELERY_BROKER_URL=broker, **UNHURRIED) as first:
            until(lambda: len(backbone.typed("uk6")) >= 6, 180, "six lines are sent", log)
            kill(first)
        push.refresh_from_db()
        assert push.state == "PUSHING"
        before = len([each for each in backbone.typed("uk6") if each != "end"])
        backbone.clear()
        let_an_hour_pass()
        with process(*WORKER, log=log, CELERY_BROKER_URL=broker, **UNHURRIED):
            until(
                lambda: RouterPush.objects.filter(pk=push.pk, state="VERIFIED").exists(), 180, "finished", log
            )
    typed = [each for each in backbone.typed("uk6") if each != "end"]
    each_line_once(commands, typed[:before], typed[before:])
    assert backbone.bound("uk6") == {("POS1/0", "input", "TRUSTED-IN")}


def test_a_message_that_comes_ten_times_changes_nothing(
    backbone: Backbone, tmp_path: Path, broker: str
) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    push = change.pushes.get()
    changes.release(actor=backbone.approver, change=change)
    jobs.tick()
    jobs.work(workers=1, until=lambda: Job.objects.filter(kind="preflight", state="done").exists())
    jobs.tick()
    job = Job.objects.get(kind="push")
    send = (
        "import django; django.setup()\n"
        "from provisioning.tasks import run_job\n"
        f"[run_job.apply_async(args=[{job.pk}], queue='push') for _ in range(10)]\n"
    )
    log = tmp_path / "celery.log"
    with process(*WORKER, log=log, CELERY_BROKER_URL=broker, **UNHURRIED):
        subprocess.run(
            [sys.executable, "-c", send],
            env=environment(CELERY_BROKER_URL=broker),
            check=True,
            cwd=Path(__file__).resolve().parents[2],
        )
        until(lambda: RouterPush.objects.filter(pk=push.pk, state="VERIFIED").exists(), 180, "verified", log)
        until(lambda: Job.objects.filter(pk=job.pk, state="done").exists(), 60, "done", log)
    job.refresh_from_db()
    assert job.attempts == 1
    commands = [line.text for line in ChangePlan.from_json(push.plan).commands]
    assert [line for line in backbone.typed("uk6") if line != "end"] == commands
