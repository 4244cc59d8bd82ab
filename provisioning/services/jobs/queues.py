"""Which jobs travel together: a worker serves some of the queues, and by them what it executes."""

from __future__ import annotations

from collections.abc import Iterable

from provisioning.errors import InvalidInput
from provisioning.models import JobKind

TICK, READ, PUSH = "tick", "read", "push"
ALL = (TICK, READ, PUSH)

# Pushes have workers of their own, so that nobody's reading keeps a push waiting.
_PUSHING = frozenset({JobKind.PUSH, JobKind.RECOVER, JobKind.SAVE_AGAIN})


def queue_of(kind: str) -> str:
    """The queue whose workers execute jobs of a kind."""
    return PUSH if kind in _PUSHING else READ


def kinds_of(queues: Iterable[str]) -> list[str]:
    """The kinds of jobs that workers of these queues execute. Raises InvalidInput for a queue there is not."""
    chosen = set(queues)
    if unknown := sorted(chosen - set(ALL)):
        raise InvalidInput(f"there is no queue {unknown[0]!r}; there are {', '.join(ALL)}", field="queues")
    return [kind.value for kind in JobKind if queue_of(kind) in chosen]
