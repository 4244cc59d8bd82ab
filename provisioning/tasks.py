"""Celery's side of the jobs: beat sends one tick, a tick sends one message for each job, a message runs one job.

The rows decide. A message that comes twice finds its job taken, one that never comes is sent again by a later tick.
"""

from __future__ import annotations

from provisioning.celery import app
from provisioning.models import JobKind
from provisioning.services import jobs

# Pushes have workers of their own, so that nobody's reading keeps a push waiting.
QUEUES = {JobKind.PUSH: "push", JobKind.RECOVER: "push"}


@app.task(name="provisioning.tick")
def tick() -> int:
    """Find what is due and send it; returns how many messages left."""
    jobs.tick()
    waiting = jobs.sendable()
    for job in waiting:
        run_job.apply_async(args=[job.pk], queue=QUEUES.get(JobKind(job.kind), "read"))
    return len(waiting)


@app.task(name="provisioning.run_job")
def run_job(job_id: int) -> bool:
    """Run one job, unless somebody else has it or did it."""
    return jobs.run(job_id=job_id, worker=jobs.worker_name("celery"))
