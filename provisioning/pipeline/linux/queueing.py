"""policy-map outwards -> an HTB: strict priority is rank 0 with the rate of the link, since a class above its own rate is
strict no more.
"""

from __future__ import annotations

from decimal import Decimal

from provisioning.errors import InvalidInput
from provisioning.pipeline.linux.values import DEFAULT_MINOR, FIRST_MINOR, Queue, QueueClass
from provisioning.pipeline.mqc import (
    CLASS_DEFAULT,
    Bandwidth,
    FairQueue,
    PolicyClass,
    PolicyMap,
    Priority,
    QueueLimit,
    RandomDetect,
    SetField,
)
from provisioning.pipeline.platforms.linux import LACKS, RANGES

_LEFT_BPS = 8_000
"""What a class without a guarantee is sure of, bit/s; it borrows the rest."""
_PACKETS = 64
"""The queue limit of classic IOS (ios-facts 2.3)."""
_STRICT, _SHARED = 0, 1


def queue(policy: PolicyMap, where: str, link_bps: int) -> tuple[Queue, dict[str, int], list[str]]:
    """The queue of an interface, its class numbers by class, and what of the policy the kernel lacks.

    Raises InvalidInput naming what cannot be done.
    """
    row = RANGES["link-rate"]
    if not row.holds(link_bps):
        raise InvalidInput(
            f"{where}: {link_bps} {row.unit}: the range is {row.least}-{row.most}", field="bandwidth"
        )
    link_bps = printable_bps(link_bps)
    names = [entry.name for entry in policy.classes if entry.name != CLASS_DEFAULT]
    if len(names) > DEFAULT_MINOR - FIRST_MINOR:
        raise InvalidInput(f"{policy.name} has {len(names)} classes", field="policy-map")
    minors = {name: FIRST_MINOR + at for at, name in enumerate(names)} | {CLASS_DEFAULT: DEFAULT_MINOR}
    notes: list[str] = []
    entries = {entry.name: entry for entry in policy.classes}
    entries.setdefault(CLASS_DEFAULT, PolicyClass(CLASS_DEFAULT))
    made = [
        _class(minors[name], entry, f"class {name} of {policy.name} on {where}", link_bps, notes)
        for name, entry in entries.items()
    ]
    return Queue(link_bps, tuple(sorted(made, key=lambda each: each.minor))), minors, notes


def printable_bps(bps: int) -> int:
    """The next lower rate that tc prints without rounding: kbit/s, and Mbit/s from 1 Gbit/s on."""
    step = 1_000_000 if bps >= 1_000_000_000 else 1_000
    return bps // step * step


def _class(minor: int, entry: PolicyClass, place: str, link_bps: int, notes: list[str]) -> QueueClass:
    rank, rate, ceil, packets = _SHARED, _LEFT_BPS, link_bps, _PACKETS
    for action in sorted(entry.actions, key=lambda each: type(each).__name__):
        match action:
            case Priority(kind=None):
                rank, rate = _STRICT, link_bps
            case Priority(kind="percent" | "kbps" as kind, value=value) if value is not None:
                rank, rate = _STRICT, _share(kind, value, link_bps)
                ceil = rate
            case Bandwidth(kind="percent" | "remaining percent" | "kbps" as kind, value=value):
                rate = _share(kind, value, link_bps)
            case QueueLimit(unit="packets", value=value):
                packets = value
            case RandomDetect():
                notes.append(f"{place}: `random-detect` is left out; {LACKS['random-detect']}")
            case FairQueue():
                notes.append(f"{place}: `fair-queue` is left out; {LACKS['fair-queue']}")
            case SetField():
                pass  # marked by the rule, not by the queue
            case _:
                raise InvalidInput(
                    f"{place}: {type(action).__name__} is not done on output", field="policy-map"
                )
    if not RANGES["queue-limit"].holds(packets):
        raise InvalidInput(f"{place}: {packets} packets wait at most", field="queue-limit")
    return QueueClass(minor, rank, rate, ceil, packets)


def _share(kind: str, value: int | Decimal, link_bps: int) -> int:
    """bit/s of a share; of what remains, of the link: strict priority may take it all."""
    bps = int(value) * 1000 if kind == "kbps" else int(link_bps * Decimal(value) / 100)
    return max(min(printable_bps(bps), link_bps), _LEFT_BPS)
