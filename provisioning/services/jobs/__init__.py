"""Work as leased rows: `tick` finds what is due, `claim` takes one job, `execute` does it and says how it went."""

from provisioning.services.jobs.due import enqueue, tick
from provisioning.services.jobs.execution import claim, claimable, execute, run, sendable, worker_name
from provisioning.services.jobs.working import work

__all__ = ["claim", "claimable", "enqueue", "execute", "run", "sendable", "tick", "work", "worker_name"]
