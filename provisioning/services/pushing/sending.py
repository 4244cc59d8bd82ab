"""Sending approved lines over one session: the lease before every write, a judgement after every reply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from provisioning.drivers.base import BeforeWrite, RouterDriver, UnitReply, WriteUnit
from provisioning.errors import SessionLost
from provisioning.models import RouterPush
from provisioning.pipeline.change import ChangePlan, Write, writes
from provisioning.pipeline.diff import Line, Step
from provisioning.services import bare, halting, leases, stopping
from provisioning.services.leases import Lease
from provisioning.services.pushing.standing import write_ends

_HARMLESS: Final = frozenset({Step.CLASS_MAP, Step.CHILD_POLICY, Step.POLICY, Step.DELETE})
"""Steps whose lines concern objects that no packet meets; an access list may be one that a bound policy reads."""


def touches_traffic(lines: Sequence[Line]) -> bool:
    """Whether what some packet meets may be another thing after these lines."""
    return any(line.step not in _HARMLESS for line in lines)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The router did not take a line: `line` is what was sent, `reason` what it said, `answered` lines before it."""

    line: str
    reason: str
    answered: int

    def __str__(self) -> str:
        # The reply names its line itself; of a swap only one of the two was refused.
        for line in self.line.split(" / "):
            if self.reason.startswith(f"{line!r}: "):
                return f"{line!r} was refused: {self.reason.removeprefix(f'{line!r}: ')}"
        return f"{self.line!r} was refused: {self.reason}"


def send(
    driver: RouterDriver,
    push: RouterPush,
    plan: ChangePlan,
    lines: Sequence[Line],
    *,
    lease: Lease,
    answered: Callable[[int], None],
    together: Sequence[tuple[int, int]] = (),
    listen: bool = True,
    closing: bool = False,
) -> Refusal | None:
    """Send lines of a plan until the end or the first refusal; `answered(n)` after every write that went well.

    `together` are the ranges of `lines` that are blocks: those go out many in a write. Where a swap is refused the
    alternatives of the plan go out at once; an interface that takes none of them is named (`services.bare`). Without
    `listen` the next look at the router waits for what a line card says late, unless a swap is among the lines: that is
    waited for here, where its alternatives can still go out at once. `closing` says that the lines give a place without a policy
    one again: they go out whoever stops.

    Raises LeaseLost before the write for which the lease could not be confirmed, Stopping before the one that a worker
    which is told to stop has no time for, or that whoever stopped every push forbids, DeviceError when the session dies.
    After LeaseLost and Stopping the driver leaves configuration mode of its own session (`end`) and writes nothing else.
    """
    # Before `configure terminal` too: who lost the router does not even enter that mode.
    leases.check(lease)
    units = writes(lines, plan.alternatives, together)
    replies: list[UnitReply] = []
    gate = _Gate(push, lease, units, closing=closing)
    try:
        refusal = say(driver, units, before=gate, answered=answered, replies=replies, listen=listen)
    except SessionLost:
        gate.lost(len(replies))
        raise
    _measure(push, units, replies)
    return refusal


def say(
    driver: RouterDriver,
    units: Sequence[Write],
    *,
    before: BeforeWrite,
    answered: Callable[[int], None],
    replies: list[UnitReply],
    listen: bool = True,
) -> Refusal | None:
    """Send writes until the end or the first refusal, `before` each and `answered` as in `send`; `replies` grows with each reply.

    Nothing in here knows whose router it is: a rehearsal says the same. Raises what `before` raises, and DeviceError.
    """
    ends, done = write_ends(units), 0
    for reply in driver.configure(
        [WriteUnit(tuple(line.text for line in unit.lines), unit.instead, unit.together) for unit in units],
        before_unit=before,
        listen=listen or any(unit.instead for unit in units),
    ):
        replies.append(reply)
        if reply.refused is not None:
            sent = reply.sent or tuple(line.text for line in units[max(0, reply.unit_index - 1)].lines)
            if reply.sent and units[reply.unit_index].together:
                sent = sent[reply.taken : reply.taken + 1]
                done += reply.taken
            return Refusal(" / ".join(sent), reply.refused, done)
        done = ends[reply.unit_index]
        answered(done)
    return None


def _measure(push: RouterPush, units: Sequence[Write], replies: Sequence[UnitReply]) -> None:
    """Keep how long the swaps among these writes lasted: the next one who approves a swap there is told."""
    swaps = [
        reply
        for reply in replies
        if reply.sent and units[reply.unit_index].place is not None and len(reply.sent) > 1
    ]
    bare.measured(
        push.router,
        through=[reply.seconds for reply in swaps if reply.closing is None and reply.refused is None],
        refused=[reply.closing.seconds for reply in swaps if reply.closing is not None],
    )


class _Gate:
    """Before every write the lease is asked for. A worker that is told to stop stops before a write, but not before one that
    closes a place which was left without a policy.

    Such a place is named whatever becomes of this process: as feared before the first of these writes where a line card spoke
    when others had gone out since, else before the next one when the first line that was to close it is refused too.
    """

    def __init__(
        self, push: RouterPush, lease: Lease, units: Sequence[Write], *, closing: bool = False
    ) -> None:
        self._push, self._lease, self._units, self._closing = push, lease, units, closing
        self._index = -1
        self._closed = Counter[int]()

    def __call__(self, index: int, /, *, closing: bool = False) -> None:
        if not closing:
            self._index = index
        if not (closing or self._closing):
            stopping.check()
            if self._push.undo_from is None and touches_traffic(self._units[index].lines):
                halting.check()
        leases.check(self._lease)
        place = self._units[index].place
        if not closing or place is None:
            return
        self._closed[index] += 1
        if index < self._index and self._closed[index] == 1:
            bare.note(self._push, [place], seen=False)
        elif index == self._index and self._closed[index] == 2:
            bare.note(self._push, [place])
        else:
            return
        leases.check(self._lease)  # the note may have waited for other writers

    def lost(self, answered: int) -> None:
        """The session ended after so many writes were answered: a swap that was on its way, or was being closed, may have left
        its place bare.
        """
        unit = self._units[self._index]
        unsure = answered <= self._index or self._closed[self._index]
        if unsure and unit.place is not None and unit.instead:
            leases.confirm(self._lease)
            bare.note(self._push, [unit.place], seen=False)
