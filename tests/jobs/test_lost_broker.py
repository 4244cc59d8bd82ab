"""Redis goes away: killed, away for a while, back with nothing in it. No worker ends, no released change stands still."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from kombu import Connection
from kombu.transport.redis import Transport as PlainTransport

from provisioning.broker import Transport
from provisioning.models import Heartbeat, RouterPush
from provisioning.selectors.plans import plan_of
from provisioning.services import changes
from tests.jobs.ageing import UNHURRIED
from tests.jobs.broker import Broker
from tests.jobs.workers import WORKER, beat, children, process, until
from tests.services.backbone import Backbone

pytestmark = pytest.mark.redis


def acknowledge_late(broker: Broker, transport: type) -> None:
    """A job is done, and the connection that its message came over was given up meanwhile."""
    connection = Connection(broker.url)
    connection.transport_cls = transport  # the URL would choose whichever is registered under its scheme
    channel = connection.default_channel  # where a worker's consumer listens
    connection.collect(socket_timeout=1)
    connection.close()
    channel.basic_ack("of-a-message-of-long-ago")


def test_the_library_s_own_channel_trips_over_what_it_forgot(broker: Broker) -> None:
    """What ends a worker of Celery's own. When this fails, a newer kombu may have made `broker.Channel` unnecessary."""
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute"):
        acknowledge_late(broker, PlainTransport)


def test_nobody_is_told_over_a_connection_that_was_given_up(broker: Broker) -> None:
    acknowledge_late(broker, Transport)


def test_a_worker_survives_outages_in_the_middle_of_a_push(
    backbone: Backbone, tmp_path: Path, broker: Broker
) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    push = change.pushes.get()
    commands = [line.text for line in plan_of(push).commands]
    backbone.fault("uk6", "slow", line=3, seconds=8)
    changes.release(actor=backbone.approver, change=change)
    log = tmp_path / "celery.log"
    with (
        process(*beat(tmp_path), log=log, CELERY_BROKER_URL=broker.url) as clock,
        process(*WORKER, log=log, CELERY_BROKER_URL=broker.url, **UNHURRIED) as worker,
    ):
        until(lambda: len(backbone.typed("uk6")) >= 3, 180, "three lines are sent", log)
        for _ in range(2):
            broker.kill()
            until(lambda: "no broker; trying again" in log.read_text(), 60, "missed", log)
            broker.start()
            broker.flush()
        until(lambda: RouterPush.objects.filter(pk=push.pk, state="VERIFIED").exists(), 180, "finished", log)
        # Messages flow again: what is released now is carried by the broker that came back.
        second = backbone.approve(backbone.plan(routers=["nl6"]))
        changes.release(actor=backbone.approver, change=second)
        until(lambda: _verified(second.pk), 180, "the next one is carried", log)
        assert worker.poll() is None, log.read_text()[-3000:]
        assert clock.poll() is None, log.read_text()[-3000:]
    assert [line for line in backbone.typed("uk6") if line != "end"] == commands


def test_a_worker_starts_whose_process_was_killed_while_it_waited_for_the_broker(
    backbone: Backbone, tmp_path: Path, broker: Broker
) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    log = tmp_path / "celery.log"
    # Nobody stands in meanwhile: its children are the pool's.
    alone = {**UNHURRIED, "BROKER_PATIENCE_SECONDS": "600", "CELERY_BROKER_URL": broker.url}
    broker.kill()
    with process(*WORKER, log=log, **alone) as worker:
        until(lambda: "no broker; trying again" in log.read_text(), 60, "it waits", log)
        until(lambda: len(children(worker.pid)) == 2, 60, "two processes", log)
        os.kill(children(worker.pid)[0], signal.SIGKILL)
        broker.start()
        changes.release(actor=backbone.approver, change=change)
        with process(*beat(tmp_path), log=log, CELERY_BROKER_URL=broker.url):
            until(lambda: _verified(change.pk), 180, "it starts and works", log)
        assert worker.poll() is None, log.read_text()[-3000:]


def _verified(change: int) -> bool:
    states = set(RouterPush.objects.filter(change=change).values_list("state", flat=True))
    return states == {"VERIFIED"}


def test_a_released_change_goes_on_while_redis_is_away(
    backbone: Backbone, tmp_path: Path, broker: Broker
) -> None:
    """The rows say what is due: the worker has it done by a process that needs no messages, and ends that again."""
    log = tmp_path / "celery.log"
    quick = {**UNHURRIED, "BROKER_PATIENCE_SECONDS": "0.5", "CELERY_BROKER_URL": broker.url}
    with process(*WORKER, log=log, **quick) as worker:
        until(lambda: Heartbeat.objects.filter(kind="worker").exists(), 60, "the worker is there", log)
        broker.kill()
        change = backbone.approve(backbone.plan(routers=["uk6"]))
        changes.release(actor=backbone.approver, change=change)
        until(lambda: _verified(change.pk), 180, "done without a broker", log)
        assert Heartbeat.objects.filter(kind="worker", name__startswith="runjobs@").exists()
        assert Heartbeat.objects.get(kind="tick").beats > 0, "no beat is there: who stands in ticks"
        broker.start()
        until(
            lambda: not Heartbeat.objects.filter(kind="worker", name__startswith="runjobs@").exists(),
            60,
            "it ends when the broker is back",
            log,
        )
        assert worker.poll() is None
