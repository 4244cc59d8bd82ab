"""The work of each router as rows: what is to be done, what waits, and when it is looked at again (ADR 16)."""

from provisioning.services.queues.marking import (
    done,
    due,
    look_again,
    mark,
    mark_changed,
    mark_waiting,
    retry,
)
from provisioning.services.queues.reading import cause_of, is_frozen, plans_of, work_of
from provisioning.services.queues.waiting import hold_out, let_in, lock_reservations, say, until

__all__ = [
    "cause_of",
    "done",
    "due",
    "hold_out",
    "is_frozen",
    "let_in",
    "lock_reservations",
    "look_again",
    "mark",
    "mark_changed",
    "mark_waiting",
    "plans_of",
    "retry",
    "say",
    "until",
    "work_of",
]
