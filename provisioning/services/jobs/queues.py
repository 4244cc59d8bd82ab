"""Which jobs travel together: a worker serves some of the queues, and by them what it executes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from provisioning.errors import InvalidInput
from provisioning.models import JobKind

TICK, READ, PUSH, TELL = "tick", "read", "push", "tell"
ALL = (TICK, READ, PUSH, TELL)

# Pushes have workers of their own, so that nobody's reading keeps a push waiting.
_PUSHING = frozenset({JobKind.PUSH, JobKind.RECOVER, JobKind.SAVE_AGAIN})


def queue_of(kind: str) -> str:
    """The queue whose workers execute jobs of a kind."""
    if kind == JobKind.NOTIFY:
        return TELL  # a mail server that hangs keeps its own worker, and nobody's reading waits for it
    return PUSH if kind in _PUSHING else READ


def lanes(kinds: Sequence[str], running: Iterable[str], workers: int) -> list[tuple[list[str], int]]:
    """The kinds that a process with so many `workers` does, as (kinds, how many more of them it may begin beside what it is
    `running`), in the order in which they are asked for. Messages take at most a quarter of it, unless it does nothing else;
    counters are read last, by at most another quarter: nothing waits for them.
    """
    telling = [kind for kind in kinds if queue_of(kind) == TELL]
    counting = [kind for kind in kinds if kind == JobKind.COUNT]
    others = [kind for kind in kinds if kind not in telling and kind not in counting]
    if not others:
        return [(list(kinds), workers)]
    quarter, now = max(1, workers // 4), list(running)
    found = [(telling, quarter - sum(kind in telling for kind in now))] if telling else []
    found.append((others, workers))
    return [*found, (counting, quarter - now.count(JobKind.COUNT))] if counting else found


def kinds_of(queues: Iterable[str]) -> list[str]:
    """The kinds of jobs that workers of these queues execute. Raises InvalidInput for a queue there is not."""
    chosen = set(queues)
    if unknown := sorted(chosen - set(ALL)):
        raise InvalidInput(f"there is no queue {unknown[0]!r}; there are {', '.join(ALL)}", field="queues")
    return [kind.value for kind in JobKind if queue_of(kind) in chosen]
