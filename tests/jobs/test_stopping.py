"""SIGTERM in the middle of a push: a safe point, the lease given back, and a successor that waits for nothing."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from provisioning.models import Heartbeat, Job, JobState, RouterLease, RouterPush
from provisioning.selectors.plans import plan_of
from provisioning.services import changes
from tests.jobs.ageing import UNHURRIED
from tests.jobs.broker import Broker
from tests.jobs.sent import each_line_once
from tests.jobs.workers import WORKER, beat, process, runjobs, until
from tests.services.backbone import Backbone

LONG = 600  # a lease that nobody gives back runs out long after the successor is done
LEASES = {**UNHURRIED, "ROUTER_LEASE_SECONDS": str(LONG), "JOB_LEASE_SECONDS": str(LONG)}
AT_ONCE = {**LEASES, "STOP_GRACE_SECONDS": "0"}


def begin(backbone: Backbone) -> tuple[RouterPush, list[str]]:
    """A released push whose fifth line takes the router four seconds."""
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    push = change.pushes.get()
    backbone.fault("uk6", "slow", line=5, seconds=4)
    changes.release(actor=backbone.approver, change=change)
    return push, [line.text for line in plan_of(push).commands]


def typed(backbone: Backbone) -> list[str]:
    return [line for line in backbone.typed("uk6") if line != "end"]


def handed_over(push: RouterPush) -> None:
    push.refresh_from_db()
    assert push.state == "PUSHING"
    assert RouterLease.objects.get(router=push.router).until is None, "the lease was given back"
    job = Job.objects.get(kind="push", subject_id=push.pk)
    assert (job.state, job.attempts) == (JobState.QUEUED, 0), (
        "the job is anybody's, and no attempt was used up"
    )
    assert push.transcripts.get().purpose == "push, handed over"


def finished(push: RouterPush) -> bool:
    return RouterPush.objects.filter(pk=push.pk, state="VERIFIED").exists()


def test_runjobs_hands_a_push_over(backbone: Backbone, tmp_path: Path) -> None:
    push, commands = begin(backbone)
    log = tmp_path / "log"
    with runjobs(log, **AT_ONCE) as first:
        until(lambda: len(typed(backbone)) >= 5, 120, "five lines are sent", log)
        first.send_signal(signal.SIGTERM)
        assert first.wait(timeout=180) == 0, log.read_text()[-3000:]
    handed_over(push)
    before = len(typed(backbone))
    assert before < len(commands)
    assert not Heartbeat.objects.filter(kind="worker").exists(), "who ends in order is not missed"
    with runjobs(log, **UNHURRIED):
        until(lambda: finished(push), LONG / 3, "finished before any lease could have run out", log)
    each_line_once(commands, typed(backbone)[:before], typed(backbone)[before:])


@pytest.mark.redis
def test_a_celery_worker_hands_a_push_over(backbone: Backbone, tmp_path: Path, broker: Broker) -> None:
    push, commands = begin(backbone)
    log = tmp_path / "log"
    with process(*beat(tmp_path), log=log, CELERY_BROKER_URL=broker.url):
        with process(*WORKER, log=log, CELERY_BROKER_URL=broker.url, **AT_ONCE) as first:
            until(lambda: len(typed(backbone)) >= 5, 120, "five lines are sent", log)
            assert Heartbeat.objects.get(kind="worker").queues == "tick,read,push"
            first.send_signal(signal.SIGTERM)
            assert first.wait(timeout=180) == 0, log.read_text()[-3000:]
        handed_over(push)
        before = len(typed(backbone))
        assert before < len(commands)
        assert not Heartbeat.objects.filter(kind="worker").exists()
        with process(*WORKER, log=log, CELERY_BROKER_URL=broker.url, **UNHURRIED):
            until(lambda: finished(push), LONG / 3, "finished before any lease could have run out", log)
    each_line_once(commands, typed(backbone)[:before], typed(backbone)[before:])


def test_what_is_under_way_is_finished_where_there_is_time(backbone: Backbone, tmp_path: Path) -> None:
    push, commands = begin(backbone)
    log = tmp_path / "log"
    with runjobs(log, **LEASES, STOP_GRACE_SECONDS="300") as first:
        until(lambda: len(typed(backbone)) >= 5, 120, "five lines are sent", log)
        first.send_signal(signal.SIGTERM)
        assert first.wait(timeout=240) == 0, log.read_text()[-3000:]
    assert finished(push)
    assert typed(backbone) == commands
