"""The same with Celery and Redis: a killed worker, a message that comes twice, a message that never comes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from provisioning.models import Job, RouterPush
from provisioning.selectors.plans import plan_of
from provisioning.services import changes, jobs
from tests.jobs.ageing import UNHURRIED, let_an_hour_pass
from tests.jobs.broker import Broker
from tests.jobs.sent import each_line_once
from tests.jobs.workers import WORKER, beat, environment, kill, process, until
from tests.services.backbone import Backbone

pytestmark = pytest.mark.redis


def test_a_killed_celery_worker_leaves_a_push_that_another_finishes(
    backbone: Backbone, tmp_path: Path, broker: Broker
) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    push = change.pushes.get()
    commands = [line.text for line in plan_of(push).commands]
    backbone.fault("uk6", "slow", line=6, seconds=30)
    changes.release(actor=backbone.approver, change=change)
    log = tmp_path / "celery.log"
    with process(*beat(tmp_path), log=log, CELERY_BROKER_URL=broker.url):
        with process(*WORKER, log=log, CELERY_BROKER_URL=broker.url, **UNHURRIED) as first:
            until(lambda: len(backbone.typed("uk6")) >= 6, 180, "six lines are sent", log)
            kill(first)
        push.refresh_from_db()
        assert push.state == "PUSHING"
        before = len([each for each in backbone.typed("uk6") if each != "end"])
        backbone.clear()
        let_an_hour_pass()
        with process(*WORKER, log=log, CELERY_BROKER_URL=broker.url, **UNHURRIED):
            until(
                lambda: RouterPush.objects.filter(pk=push.pk, state="VERIFIED").exists(), 180, "finished", log
            )
    typed = [each for each in backbone.typed("uk6") if each != "end"]
    each_line_once(commands, typed[:before], typed[before:])
    assert backbone.bound("uk6") == {("POS1/0", "input", "TRUSTED-IN")}


def test_a_message_that_comes_ten_times_changes_nothing(
    backbone: Backbone, tmp_path: Path, broker: Broker
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
    with process(*WORKER, log=log, CELERY_BROKER_URL=broker.url, **UNHURRIED):
        subprocess.run(
            [sys.executable, "-c", send],
            env=environment(CELERY_BROKER_URL=broker.url),
            check=True,
            cwd=Path(__file__).resolve().parents[2],
        )
        until(lambda: RouterPush.objects.filter(pk=push.pk, state="VERIFIED").exists(), 180, "verified", log)
        until(lambda: Job.objects.filter(pk=job.pk, state="done").exists(), 60, "done", log)
    job.refresh_from_db()
    assert job.attempts == 1
    commands = [line.text for line in plan_of(push).commands]
    assert [line for line in backbone.typed("uk6") if line != "end"] == commands
