"""Celery's side of the jobs: beat sends one tick, a tick sends one message for each job, a message runs one job.

The rows decide. A message that comes twice finds its job taken, one that never comes is sent again by a later tick.
"""

from __future__ import annotations

from typing import Any

import structlog
from celery.signals import worker_init
from django.db import Error
from kombu.exceptions import OperationalError as BrokerAway

from provisioning.celery import app
from provisioning.services import jobs, versions

log = structlog.get_logger(__name__)


@worker_init.connect
def start_as_one_version(**_: Any) -> None:
    """End a worker of another version than the database before it takes anything; a database that is away is waited for."""
    try:
        versions.check()
    except versions.OtherVersion as error:
        raise SystemExit(f"CommandError: {error}") from None
    except Error as error:
        log.warning("the database's version could not be read", reason=str(error)[:200])


@app.task(name="provisioning.tick", bind=True)
def tick(self: Any) -> int:
    """Find what is due and send it; returns how many messages left. A worker of another version ends, warmly."""
    try:
        jobs.tick()
    except versions.OtherVersion as error:
        log.error("this worker ends", reason=str(error))
        app.control.shutdown(destination=[self.request.hostname])
        return 0
    waiting = jobs.sendable()
    for number, job in enumerate(waiting):
        try:
            run_job.apply_async(args=[job.pk], queue=jobs.queue_of(job.kind))
        except BrokerAway as error:
            log.warning(
                "no broker; messages are kept back", messages=len(waiting) - number, reason=str(error)
            )
            jobs.unsent(waiting[number:])
            return number
    return len(waiting)


@app.task(name="provisioning.run_job")
def run_job(job_id: int) -> bool:
    """Run one job, unless somebody else has it or did it."""
    return jobs.run(job_id=job_id, worker=jobs.worker_name("celery"))
