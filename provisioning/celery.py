"""Celery distributes and executes; what was done is in the Job rows, so a lost or doubled message changes nothing.

`celery -A provisioning.celery worker` and `... beat`. Late acknowledgement and a prefetch of one keep a long push from
sitting in a busy worker's pocket; one queue per kind lets an operator give pushes workers of their own.
"""

from __future__ import annotations

import os
import signal
from typing import Any

from celery import Celery
from celery.signals import beat_init
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "provisioning.settings")

# By name: it is loaded by who opens a connection to a broker, and by nobody else.
TRANSPORT_ALIASES.update(redis="provisioning.broker:Transport", rediss="provisioning.broker:Transport")

app = Celery("expedite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    # Named here, not discovered: a worker sets Django up while it sends the very signal a discovery would wait for.
    imports=("provisioning.tasks", "provisioning.worker"),
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    task_ignore_result=True,
    task_default_queue="read",
    task_create_missing_queues=True,
    task_soft_time_limit=1800,
    task_time_limit=1860,
    worker_consumer="provisioning.broker:Consumer",
    # A broker that went away is waited for without an end, at the start too; one that is silent is not (settings).
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    # A job that is under way when the connection is lost goes on: its row is leased, whatever becomes of its message.
    worker_cancel_long_running_tasks_on_connection_loss=False,
    worker_enable_prefetch_count_reduction=False,
    timezone="UTC",
)


@app.on_after_finalize.connect
def schedule_tick(sender: Celery, **_kwargs: object) -> None:
    """Beat sends one tick; everything else follows from the rows (architecture: dispatch by state)."""
    from django.conf import settings

    sender.add_periodic_task(
        settings.TICK_SECONDS,
        sender.signature("provisioning.tick", options={"expires": 30, "queue": "tick"}),
        name="tick",
    )


@beat_init.connect
def stop_in_order(sender: Any, **_kwargs: object) -> None:
    """Have SIGTERM and SIGINT end beat after the tick that it is sending, with status 0.

    Celery 5.7 closes connection and schedule file inside its handler, in the middle of whatever was being sent. What
    fails by that hides that beat was to stop, and the next round ends it with status 1 ("invalid operation on closed
    shelf"). Beat closes both by itself once its loop has ended.
    """

    def stop(_signal: int, _frame: object) -> None:
        sender.stop()
        raise SystemExit  # out of the sleep between two ticks; where it is lost, the loop ends at its next round

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
