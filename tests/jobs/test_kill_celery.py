"""The same with Celery and Redis: a killed worker, a message that comes twice, a message that never comes."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from provisioning.models import Job, RouterPush
from provisioning.pipeline.change import ChangePlan
from provisioning.services import changes, jobs
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
def broker(tmp_path: Path) -> Iterator[str]:
    """A Redis of this test's own, so that no other test's messages are in it."""
    server = shutil.which("redis-server")
    if server is None:
        pytest.skip("needs redis-server: `make test` installs it")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    started = subprocess.Popen(
        [
            server,
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
            str(tmp_path),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until(lambda: _listens(port), 10, "redis answers")
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        started.terminate()
        started.wait(timeout=10)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


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
        with process(*WORKER, log=log, CELERY_BROKER_URL=broker, ROUTER_TIMEOUT_SECONDS="60") as first:
            until(lambda: len(backbone.typed("uk6")) >= 6, 90, "six lines are sent", log)
            kill(first)
        push.refresh_from_db()
        assert push.state == "PUSHING"
        before = len([each for each in backbone.typed("uk6") if each != "end"])
        backbone.clear()
        with process(*WORKER, log=log, CELERY_BROKER_URL=broker):
            until(
                lambda: RouterPush.objects.filter(pk=push.pk, state="VERIFIED").exists(), 120, "finished", log
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
    with process(*WORKER, log=log, CELERY_BROKER_URL=broker):
        subprocess.run(
            [sys.executable, "-c", send],
            env=environment(CELERY_BROKER_URL=broker),
            check=True,
            cwd=Path(__file__).resolve().parents[2],
        )
        until(lambda: RouterPush.objects.filter(pk=push.pk, state="VERIFIED").exists(), 90, "verified", log)
        until(lambda: Job.objects.filter(pk=job.pk, state="done").exists(), 10, "done", log)
    job.refresh_from_db()
    assert job.attempts == 1
    commands = [line.text for line in ChangePlan.from_json(push.plan).commands]
    assert [line for line in backbone.typed("uk6") if line != "end"] == commands
