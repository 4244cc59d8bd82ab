"""What a Celery worker does beside its tasks: it shows that it lives, goes on without a broker, and stops in order.

All of it happens in the worker's main process, between two events: no thread is there when the pool forks.
"""

from __future__ import annotations

import logging.config
from typing import Any

import structlog
from celery import bootsteps
from celery.apps import worker as celery_worker
from celery.signals import setup_logging, worker_init, worker_shutdown, worker_shutting_down
from django.conf import settings
from django.db import Error, connection

from provisioning.broker import broker_answers, broker_away
from provisioning.celery import app
from provisioning.services import heartbeats, jobs, stopping

log = structlog.get_logger(__name__)


class SignOfLife(bootsteps.StartStopStep):  # type: ignore[misc]
    """Given by the loop that also receives messages: a worker whose loop stands still falls silent."""

    requires = {"celery.worker.consumer.tasks:Tasks"}

    def start(self, consumer: Any) -> None:
        consumer.timer.call_repeatedly(heartbeats.interval(), _give)
        _give()


app.steps["consumer"].add(SignOfLife)

_worker: dict[str, Any] = {}


@setup_logging.connect
def _as_everywhere(**_kwargs: Any) -> None:
    """Celery configures no logging of its own then: `LOG_LEVEL` and `LOG_JSON` count, `--loglevel` does not."""
    logging.config.dictConfig(settings.LOGGING)


@worker_init.connect
def _begin(sender: Any, **_kwargs: Any) -> None:
    if settings.LOG_JSON:
        sender.quiet = True  # no banner
        celery_worker.safe_say = lambda said, *_: log.warning(said.strip())
    queues = [name for name in jobs.ALL_QUEUES if name in app.amqp.queues.consume_from]
    # Before the pool forks: a process that takes the place of one that died has a router to reach within seconds.
    jobs.make_ready()
    _worker.update(name=str(sender.hostname), queues=queues, stand_in=jobs.StandIn(queues))


@broker_away.connect
def _go_on_without(**_kwargs: Any) -> None:
    _worker["stand_in"].lost()
    _give()


@broker_answers.connect
def _go_on_with(**_kwargs: Any) -> None:
    if _worker:
        _worker["stand_in"].back()


@worker_shutting_down.connect
def _told_to_stop(**_kwargs: Any) -> None:
    stopping.ask()


@worker_shutdown.connect
def _end(**_kwargs: Any) -> None:
    _worker["stand_in"].stop()
    try:
        heartbeats.ended(_worker["name"])
    except Error:
        pass
    finally:
        connection.close()


def _give() -> None:
    """The connection is not kept: what is forked next must not find it."""
    try:
        heartbeats.heard(_worker["name"], _worker["queues"])
    except Error:
        pass  # who asks finds the row old, and the database away
    finally:
        connection.close()
