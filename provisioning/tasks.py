"""Celery's side of the jobs: beat sends one tick, a tick sends one message for each job, a message runs one job.

The rows decide. A message that comes twice finds its job taken, one that never comes is sent again by a later tick.
"""

from __future__ import annotations

import structlog
from kombu.exceptions import OperationalError as BrokerAway

from provisioning.celery import app
from provisioning.services import jobs

log = structlog.get_logger(__name__)


@app.task(name="provisioning.tick")
def tick() -> int:
    """Find what is due and send it; returns how many messages left."""
    jobs.tick()
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
