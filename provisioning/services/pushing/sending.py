"""Sending approved lines over one session: the lease before every write, a judgement after every reply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from provisioning.drivers.base import RouterDriver, WriteUnit
from provisioning.pipeline.diff import Line, write_units
from provisioning.services import leases, stopping
from provisioning.services.leases import Lease
from provisioning.services.pushing.standing import write_ends


@dataclass(frozen=True, slots=True)
class Refusal:
    """The router did not take a line: `line` is what was sent, `reason` what it said, `answered` lines before it."""

    line: str
    reason: str
    answered: int

    def __str__(self) -> str:
        return f"{self.line!r} was refused: {self.reason}"


def send(
    driver: RouterDriver, lines: Sequence[Line], *, lease: Lease, answered: Callable[[int], None]
) -> Refusal | None:
    """Send lines until the end or the first refusal; `answered(n)` after every write that went well.

    Raises LeaseLost before the write for which the lease could not be confirmed, Stopping before the one that a worker
    which is told to stop has no time for, DeviceError when the session dies. After LeaseLost and Stopping the driver
    leaves configuration mode of its own session (`end`) and writes nothing else.
    """
    leases.confirm(
        lease
    )  # before `configure terminal` too: who lost the router does not even enter that mode
    units = write_units(lines)
    ends = write_ends(lines)
    done = 0
    replies = driver.configure(
        [WriteUnit(tuple(line.text for line in unit)) for unit in units],
        before_unit=lambda _index: _may_write(lease),
    )
    for reply in replies:
        if reply.refused is not None:
            sent = reply.sent or tuple(line.text for line in units[max(0, reply.unit_index - 1)])
            return Refusal(" / ".join(sent), reply.refused, done)
        done = ends[reply.unit_index]
        answered(done)
    return None


def _may_write(lease: Lease) -> None:
    stopping.check()
    leases.confirm(lease)
