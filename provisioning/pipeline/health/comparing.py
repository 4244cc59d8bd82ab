"""Two looks at a router, and what is worse at the second: only what was well before can have been harmed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from provisioning.pipeline.health.values import Health


@dataclass(frozen=True, slots=True)
class Worse:
    """One thing that became worse: ``what`` it is, and how it was ``before`` and ``after``, in words."""

    what: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.what} was {self.before} and is {self.after}"


def worsened(before: Health, after: Health, *, cpu_limit: int) -> tuple[Worse, ...]:
    """Everything that was well before and is not any more: a neighbour, an interface, a processor past ``cpu_limit`` per cent.

    What either look could not see is no difference, nor what somebody shut down in between.
    """
    return (
        *_neighbours(before, after),
        *_interfaces(before, after),
        *_processor(before, after, cpu_limit),
    )


def _neighbours(before: Health, after: Health) -> Iterator[Worse]:
    for key, was in sorted(before.neighbours.items()):
        protocol, name = key
        if not was.up or protocol not in after.looked:
            continue
        now = after.neighbours.get(key)
        if now is None or not (now.up or now.closed):
            yield Worse(f"{protocol} neighbour {name}", was.state, "gone" if now is None else now.state)


def _interfaces(before: Health, after: Health) -> Iterator[Worse]:
    for name, up in sorted(before.interfaces.items()):
        if up and after.interfaces.get(name) is False:
            yield Worse(f"interface {name}", "up", "down")


def _processor(before: Health, after: Health, limit: int) -> Iterator[Worse]:
    if before.cpu is None or after.cpu is None:
        return
    if after.cpu.past(limit) and not before.cpu.past(limit):
        yield Worse("the processor", str(before.cpu), f"{after.cpu}, past {limit} %")
