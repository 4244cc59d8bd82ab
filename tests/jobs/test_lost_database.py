"""PostgreSQL restarts: every connection of every process is ended, in the middle of a push too. All go on with new ones."""

from __future__ import annotations

from pathlib import Path

from django.db import connection

from provisioning.models import RouterPush
from provisioning.services import changes
from tests.jobs.broker import Broker
from tests.jobs.workers import WORKER, beat, process, until
from tests.services.backbone import Backbone


def end_every_other_connection() -> int:
    """What a restart is to whoever is connected; how many were."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])


def test_workers_and_the_clock_go_on_after_the_database_was_away(
    postgres: None, backbone: Backbone, tmp_path: Path, broker: Broker
) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    backbone.fault("uk6", "slow", line=5, seconds=3)
    changes.release(actor=backbone.approver, change=change)
    log = tmp_path / "celery.log"
    with (
        process(*beat(tmp_path), log=log, CELERY_BROKER_URL=broker.url) as clock,
        process(*WORKER, log=log, CELERY_BROKER_URL=broker.url) as worker,
    ):
        until(lambda: len(backbone.typed("uk6")) >= 5, 180, "five lines are sent", log)
        assert end_every_other_connection() > 0
        until(
            lambda: RouterPush.objects.filter(change=change, state="VERIFIED").exists(),
            240,
            "it is finished",
            log,
        )
        second = backbone.approve(backbone.plan(routers=["nl6"]))
        changes.release(actor=backbone.approver, change=second)
        until(
            lambda: not RouterPush.objects.filter(change=second).exclude(state="VERIFIED").exists(),
            240,
            "and so is the next one",
            log,
        )
        assert worker.poll() is None and clock.poll() is None, log.read_text()[-3000:]
