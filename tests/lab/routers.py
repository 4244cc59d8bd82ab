"""Practice routers for the tests: one per platform and train, and what is typed into them."""

from __future__ import annotations

from typing import Any

from lab.device import Device
from lab.session import Session
from lab.spec import RouterSpec

GSR = ("cisco-12400", "12.0(28)S")
OLD_GSR = ("cisco-12400", "12.0(27)S")
T2 = ("cisco-7200vxr", "12.2(15)T2")
T3 = ("cisco-7200vxr", "12.3(14)T")
T4 = ("cisco-7200vxr", "12.4(15)T")
HQF = ("cisco-7200vxr", "12.4(24)T")
XE = ("cisco-iosxe", "16.9.4")
ALL = [GSR, T2, T3, T4, HQF, XE]

PORTS = [
    {"name": "POS1/0", "bandwidth_kbit": 155000, "description": "customer"},
    {"name": "POS2/0", "bandwidth_kbit": 155000, "description": "core", "ipv6": "2001:db8:6::1/64"},
    {"name": "GigabitEthernet3/0", "bandwidth_kbit": 1000000},
    {"name": "Serial4/0", "bandwidth_kbit": 2048},
    {"name": "ATM5/0.1", "bandwidth_kbit": 34368, "pvc": "0/32", "pvc_rate_kbit": 34368},
    {"name": "ATM5/0.2", "bandwidth_kbit": 34368, "pvc": "0/33"},
]

BASELINE = """\
class-map match-all GOLD
 match dscp 46
class-map match-all SCAVENGER
 match dscp 8
policy-map UNTRUSTED
 class class-default
  set dscp 0
policy-map TRUSTED
 class GOLD
  police cir percent 5 conform-action transmit exceed-action drop
 class SCAVENGER
  police cir percent 1 conform-action transmit exceed-action transmit
 class class-default
  set dscp 0
"""


class Clock:
    """A clock the test moves."""

    def __init__(self, now: float = 1_100_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def spec(kind: tuple[str, str] = GSR, **changes: Any) -> RouterSpec:
    """A router called r1 with PORTS."""
    platform, ios = kind
    data: dict[str, Any] = {
        "name": "r1",
        "platform": platform,
        "ios": ios,
        "password": "pw",
        "enable": "secret",
        "interfaces": PORTS,
    }
    return RouterSpec.from_dict(data | changes)


def device(kind: tuple[str, str] = GSR, clock: Clock | None = None, **changes: Any) -> Device:
    """A router that has booted."""
    return Device(spec(kind, **changes), clock=clock or Clock())


def at_config(kind: tuple[str, str] = GSR, *, load: str = "", **changes: Any) -> Session:
    """A session in global configuration mode of a router that holds ``load``."""
    router = device(kind, **changes)
    router.load(load)
    session = router.open_session(privilege=15)
    session.execute("configure terminal")
    return session


def typed(session: Session, text: str) -> list[str]:
    """The reply to every line."""
    return [session.execute(line) for line in text.splitlines()]


def lines_of(session: Session, start: str) -> list[str]:
    """The lines of the running-config from the one that begins with ``start`` to the next less indented one."""
    lines = session.device.body().splitlines()
    at = next(index for index, line in enumerate(lines) if line.startswith(start))
    depth = len(lines[at]) - len(lines[at].lstrip())
    found = [lines[at]]
    for line in lines[at + 1 :]:
        if len(line) - len(line.lstrip()) <= depth:
            break
        found.append(line)
    return found
