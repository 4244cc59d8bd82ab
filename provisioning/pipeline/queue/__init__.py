"""What is planned together on one router, and when: the rule by which the work of a router queues (ADR 16)."""

from provisioning.pipeline.queue.deciding import decide
from provisioning.pipeline.queue.values import (
    FROZEN_AT_MOST,
    FROZEN_SINCE_LOOK,
    LOOKED_AT_AFTER,
    MOST_TOGETHER,
    Decision,
    Member,
    QueuedPlan,
    Standing,
    Work,
)

__all__ = [
    "FROZEN_AT_MOST",
    "FROZEN_SINCE_LOOK",
    "LOOKED_AT_AFTER",
    "MOST_TOGETHER",
    "Decision",
    "Member",
    "QueuedPlan",
    "Standing",
    "Work",
    "decide",
]
