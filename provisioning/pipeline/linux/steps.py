"""Steps that change a Linux router: each is one thing, and says what the router holds after it.

`shell` is the step as lines for a POSIX shell; they end with the exit status of the first that fails. Steps can be done again:
one that was cut off in the middle is done by doing it once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from provisioning.errors import InvalidInput
from provisioning.pipeline.linux import kernel
from provisioning.pipeline.linux.values import MAJOR, Filter, LinuxState, Policer, Queue, Rule


@dataclass(frozen=True, slots=True)
class SetPolicer:
    """A policer is made, or changed where it stands."""

    policer: Policer


@dataclass(frozen=True, slots=True)
class DropPolicer:
    """A policer no filter leads to goes."""

    device: str


@dataclass(frozen=True, slots=True)
class AddFilter:
    """Packets that enter are led through a policer, unless a filter before takes them."""

    interface: str
    filter: Filter


@dataclass(frozen=True, slots=True)
class DropFilter:
    """Packets are led through it no more."""

    interface: str
    filter: Filter


@dataclass(frozen=True)
class SetRules:
    """All rules at once: no packet sees a part of them (one transaction of nftables). ``before`` are those that stand."""

    inward: Mapping[str, tuple[Rule, ...]]
    outward: Mapping[str, tuple[Rule, ...]]
    before: LinuxState


@dataclass(frozen=True, slots=True)
class SetQueue:
    """The queue of an interface; for a moment, before its classes are there, packets pass unsorted."""

    interface: str
    queue: Queue
    there: bool


@dataclass(frozen=True, slots=True)
class DropQueue:
    """The interface has the kernel's own queue again."""

    interface: str


Step = SetPolicer | DropPolicer | AddFilter | DropFilter | SetRules | SetQueue | DropQueue


def apply(state: LinuxState, step: Step) -> LinuxState:
    """What the router holds after the step."""
    match step:
        case SetPolicer(policer):
            return replace(state, policers={**state.policers, policer.device: policer})
        case DropPolicer(device):
            return replace(
                state, policers={key: each for key, each in state.policers.items() if key != device}
            )
        case AddFilter(interface, added):
            held = (*state.filters.get(interface, ()), added)
            inserted = tuple(sorted(held, key=lambda each: each.place))
            return replace(state, filters={**state.filters, interface: inserted})
        case DropFilter(interface, gone):
            left = tuple(each for each in state.filters.get(interface, ()) if each.place != gone.place)
            return replace(state, filters={**state.filters, interface: left})
        case SetRules(inward, outward):
            return replace(state, inward=inward, outward=outward)
        case SetQueue(interface, queue):
            return replace(state, queues={**state.queues, interface: queue})
        case DropQueue(interface):
            return replace(
                state, queues={key: each for key, each in state.queues.items() if key != interface}
            )


def shell(step: Step) -> str:
    """The step as text for a POSIX shell, without the last line end."""
    match step:
        case SetPolicer(policer):
            name = policer.device
            return (
                f"[ -e /sys/class/net/{name} ] || ip link add {name} type ifb\n"
                # Without an address of its own: it would ask for routers, through the policer.
                f"ip link set dev {name} addrgenmode none\nip link set dev {name} up\n"
                # limit 1 is a byte where there is no queue yet, and a packet where there is: a change keeps it at one packet.
                f"tc qdisc replace dev {name} root handle 1: "
                f"tbf rate {policer.rate_bps}bit burst {policer.burst_bytes}b limit 1\n"
                f"tc qdisc replace dev {name} parent 1: handle 2: pfifo limit 1"
            )
        case DropPolicer(device):
            return f"ip link del dev {device}"
        case AddFilter(interface, added):
            return (
                f"tc qdisc show dev {interface} | grep '^qdisc clsact ' >/dev/null || tc qdisc add dev {interface} clsact\n"
                f"tc filter add dev {interface} ingress pref {added.place} "
                f"protocol {kernel.protocol(added.selector)} u32 {kernel.keys(added.selector)} "
                f"action mirred egress redirect dev {added.device}"
            )
        case DropFilter(interface, gone):
            if not gone.place:  # tc would take that for all filters, also those of others
                raise InvalidInput(
                    f"{interface}: where the filter stands is not known: read the router", field="filter"
                )
            return f"tc filter del dev {interface} ingress pref {gone.place}"
        case SetRules(inward, outward, before):
            return f"nft -f - <<'RULES'\n{kernel.transaction(before, inward, outward)}\nRULES"
        case SetQueue(interface, queue, there):
            return "\n".join(_queue(interface, queue, there=there))
        case DropQueue(interface):
            return f"tc qdisc del dev {interface} root"


def _queue(interface: str, queue: Queue, *, there: bool) -> list[str]:
    """A batch of tc: what there is goes, the new stands some microseconds later."""
    lines = ["tc -batch - <<'QUEUE'"]
    if there:
        lines.append(f"qdisc del dev {interface} root")
    lines.append(f"qdisc add dev {interface} root handle {MAJOR}: htb default {kernel.DEFAULT}")
    link = f"rate {queue.link_bps}bit ceil {queue.link_bps}bit quantum {kernel.QUANTUM}"
    lines.append(f"class add dev {interface} parent {MAJOR}: classid {MAJOR}:{kernel.LINK} htb {link}")
    for each in queue.classes:
        lines.append(
            f"class add dev {interface} parent {MAJOR}:{kernel.LINK} classid {MAJOR}:{each.minor:x} htb prio {each.rank} "
            f"rate {each.rate_bps}bit ceil {each.ceil_bps}bit quantum {kernel.QUANTUM}"
        )
        lines.append(
            f"qdisc add dev {interface} parent {MAJOR}:{each.minor:x} handle {each.minor:x}: pfifo limit {each.packets}"
        )
    return [*lines, "QUEUE"]
