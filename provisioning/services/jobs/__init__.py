"""Work as leased rows: `tick` finds what is due, `claim` takes one job, `execute` does it and says how it went."""

from provisioning.services.jobs.due import tick, tick_after_jobs
from provisioning.services.jobs.execution import (
    claim,
    claim_some,
    execute,
    run,
    run_subject,
    sendable,
    unsent,
    worker_name,
)
from provisioning.services.jobs.making import enqueue
from provisioning.services.jobs.queues import ALL as ALL_QUEUES
from provisioning.services.jobs.queues import kinds_of, queue_of
from provisioning.services.jobs.sooner import try_now, waits_to_be_read
from provisioning.services.jobs.standing_in import StandIn
from provisioning.services.jobs.working import AT_ONCE, make_ready, work

__all__ = [
    "ALL_QUEUES",
    "AT_ONCE",
    "StandIn",
    "claim",
    "claim_some",
    "enqueue",
    "execute",
    "kinds_of",
    "make_ready",
    "queue_of",
    "run",
    "run_subject",
    "sendable",
    "tick",
    "tick_after_jobs",
    "try_now",
    "unsent",
    "waits_to_be_read",
    "work",
    "worker_name",
]
