"""(what a Linux router holds, what it must hold) -> steps, make before break.

Lower rates first; then filters to policers, new ones behind or before those that stand, so that every packet that any of them
takes is policed; then all marking at once; then queues; then the filters that are not needed, higher rates, and the policers
nobody is led through. So at no step does an interface let in unmarked what it marks before and after, nor a class pass without
a policer that has one before and after.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from provisioning.errors import Conflict
from provisioning.pipeline.linux.steps import (
    AddFilter,
    DropFilter,
    DropPolicer,
    DropQueue,
    SetPolicer,
    SetQueue,
    SetRules,
    Step,
)
from provisioning.pipeline.linux.values import (
    FIRST_PLACE,
    GENERATIONS,
    MOST_FILTERS,
    Filter,
    LinuxState,
    Policer,
)
from provisioning.pipeline.platforms.linux import TICK_NS


def settled(running: LinuxState, wanted: LinuxState) -> LinuxState:
    """`running` with the buckets that are off by what the kernel rounds taken for those wanted: it keeps them as a time."""
    policers = {
        device: wanted.policers[device]
        if device in wanted.policers and _alike(held, wanted.policers[device])
        else held
        for device, held in running.policers.items()
    }
    return replace(running, policers=policers)


def _alike(held: Policer, wanted: Policer) -> bool:
    tick = held.rate_bps * TICK_NS // 8_000_000_000 + 1
    return held.rate_bps == wanted.rate_bps and abs(held.burst_bytes - wanted.burst_bytes) <= 2 * tick


def difference(running: LinuxState, wanted: LinuxState) -> tuple[Step, ...]:
    """The steps; none when the router holds what is wanted. Raises Conflict where what is not ours stands in the way."""
    wanted_at = {
        "filter": {*running.filters, *wanted.filters},
        "queue": {*running.outward, *wanted.queues},
        "rule": {*running.inward, *running.outward},
        "table": {""},
    }
    if in_the_way := [each.text for each in running.strangers if each.interface in wanted_at[each.kind]]:
        raise Conflict("; ".join(in_the_way))
    if broken := _broken(wanted):
        raise Conflict(f"{', '.join(broken)}: what is not whole cannot be wanted")
    return tuple(_steps(settled(running, wanted), wanted))


def _broken(wanted: LinuxState) -> list[str]:
    """What somebody cut off in the making or changed by hand, and was read so."""
    queues = [
        name
        for name, queue in wanted.queues.items()
        if not queue.link_bps or not all(each.packets for each in queue.classes)
    ]
    gone = [
        name
        for name, held in wanted.filters.items()
        if any(each.device not in wanted.policers for each in held)
    ]
    return [*(device for device, each in wanted.policers.items() if not each.rate_bps), *gone, *queues]


def _steps(running: LinuxState, wanted: LinuxState) -> Iterator[Step]:
    for device, policer in wanted.policers.items():
        early = _lower(running.policers.get(device), policer)
        if early != running.policers.get(device):
            yield SetPolicer(early)
    going: list[DropFilter] = []
    for interface in sorted({*running.filters, *wanted.filters}):
        held, new = running.filters.get(interface, ()), wanted.filters.get(interface, ())
        if held == new:
            continue
        yield from (AddFilter(interface, each) for each in _placed(new, held))
        going += [DropFilter(interface, each) for each in held]
    for interface in running.queues:
        if interface not in wanted.queues:
            yield DropQueue(interface)
    if (running.inward, running.outward) != (wanted.inward, wanted.outward):
        yield SetRules(wanted.inward, wanted.outward, running)
    for interface, queue in wanted.queues.items():
        if running.queues.get(interface) != queue:
            yield SetQueue(interface, queue, interface in running.queues)
    yield from going
    for device, policer in wanted.policers.items():
        if _lower(running.policers.get(device), policer) != policer:
            yield SetPolicer(policer)
    yield from (DropPolicer(device) for device in running.policers if device not in wanted.policers)


def _lower(held: Policer | None, wanted: Policer) -> Policer:
    """What of a policer may be changed before anything else: only downwards."""
    if (
        held is None or not held.rate_bps
    ):  # none, or one that was cut off in the making: nothing is led through it
        return wanted
    return replace(
        wanted,
        rate_bps=min(held.rate_bps, wanted.rate_bps),
        burst_bytes=min(held.burst_bytes, wanted.burst_bytes),
    )


def _placed(new: tuple[Filter, ...], held: tuple[Filter, ...]) -> tuple[Filter, ...]:
    """The filters in places that nobody has."""
    if len(new) > MOST_FILTERS:
        raise Conflict(f"{len(new)} filters on one interface; tc has room for {MOST_FILTERS} at a time")
    taken = {each.place for each in held}
    for generation in range(GENERATIONS):
        first = FIRST_PLACE + generation * MOST_FILTERS
        if not any(first <= place < first + len(new) for place in taken):
            return tuple(replace(each, place=first + at) for at, each in enumerate(new))
    raise Conflict(
        "filters of ours stand in every place: they were cut off in the middle more than once; remove them by hand"
    )
