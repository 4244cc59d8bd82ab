"""The oracle: a practice router's engine, in-process. It was written from the facts, never from our planner."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import count
from typing import Any

from lab.device import Device
from lab.faults import Faults
from lab.spec import RouterSpec
from lab.timers import Timers
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import Profile, profile

KINDS: dict[str, tuple[str, str]] = {
    "12000": ("cisco-12400", "12.0(28)S"),
    "7200-12.2T": ("cisco-7200vxr", "12.2(15)T2"),
    "7200-12.3T": ("cisco-7200vxr", "12.3(14)T"),
    "7200-hqf": ("cisco-7200vxr", "12.4(24)T"),
    "ios-xe": ("cisco-iosxe", "16.9.4"),
}

# What the properties draw from, and the platforms that only golden cases meet.
PLATFORMS: dict[str, tuple[str, str]] = KINDS | {
    "7200-12.4T": ("cisco-7200vxr", "12.4(15)T"),
    "7200-15.x": ("cisco-7200vxr", "15.2(4)M3"),
    "asr1000": ("asr1001-x", "16.09.04"),
    "isr4000": ("isr4331", "17.6.1"),
}

PORTS: list[dict[str, Any]] = [
    {"name": "POS1/0", "bandwidth_kbit": 155000, "ipv6": "2001:db8:1::1/64"},
    {"name": "POS1/1", "bandwidth_kbit": 155000, "ipv6": "2001:db8:2::1/64"},
    {"name": "GigabitEthernet3/0", "bandwidth_kbit": 1000000, "ipv6": "2001:db8:3::1/64"},
    {
        "name": "ATM5/0.1",
        "bandwidth_kbit": 34368,
        "pvc": "0/32",
        "pvc_rate_kbit": 34368,
        "ipv6": "2001:db8:5::1/64",
    },
    {"name": "POS2/0", "bandwidth_kbit": 155000, "ipv6": "2001:db8:6::1/64"},
    {"name": "POS2/1", "bandwidth_kbit": 155000, "ipv6": "2001:db8:7::1/64"},
]
BANDWIDTHS = {str(port["name"]): int(port["bandwidth_kbit"]) * 1000 for port in PORTS}


# One line typed changes one section: the others are not read again (tests/pipeline/ios/test_two_speeds.py).
_KNOWN: dict[str, ios.Known] = {}
_READ = count()
_PROFILES = {kind: profile(*release) for kind, release in PLATFORMS.items()}


def profile_of(kind: str) -> Profile:
    """Our profile of a kind of practice router."""
    return _PROFILES[kind]


class Oracle:
    """One router: takes lines as a session would send them, says what it refused and what it holds."""

    def __init__(self, kind: str, load: str = "") -> None:
        self.kind = kind
        template, configuration = _started(kind, load)
        self.device = copy.copy(template)
        self.device.config = pickle.loads(configuration)
        self.device.faults = Faults()
        self.device.sessions, self.device.timers, self.device.counters = [], Timers(), {}
        self.device.history, self.device.journal = [], []
        self.device.syslog, self.device.boot_messages = [], []

    def send(self, lines: Iterable[object]) -> list[tuple[str, str]]:
        """Type the lines in configuration mode; returns (line, reply) of everything that was answered."""
        session = self.device.open_session(privilege=15)
        session.execute("configure terminal")
        answered = []
        for line in lines:
            text = line if isinstance(line, str) else line.text
            reply = session.execute(text)
            replies = [reply.strip(), *(said for said in session.asynchronous() if said.startswith("SLOT"))]
            answered += [(text, said) for said in replies if said]
        session.execute("end")
        session.close()
        return answered

    def after_each(self, lines: Iterable[object]) -> Iterator[RunningConfig]:
        """Type the lines in one session and read after every one of them; an answer is a failure."""
        session = self.device.open_session(privilege=15)
        session.execute("configure terminal")
        for line in lines:
            text = line if isinstance(line, str) else line.text
            assert session.execute(text).strip() == "", text
            yield self.read()

    def text(self) -> str:
        """What `show running-config` prints."""
        return self.device.running_config()

    def read(self) -> RunningConfig:
        """That, parsed."""
        return _parsed(self.kind, self.text())


@cache
def _started(kind: str, load: str) -> tuple[Device, bytes]:
    """A router that has booted and holds `load`, and its configuration to copy: booting is most of a short test."""
    platform, release = PLATFORMS[kind]
    spec = {
        "name": "r1",
        "platform": platform,
        "ios": release,
        "password": "pw",
        "enable": "secret",
        "engines": {"1": 3, "2": 3, "3": 3, "5": 3},
        "interfaces": PORTS,
    }
    device = Device(RouterSpec.from_dict(spec), clock=lambda: 1_104_537_600.0)
    device.load(load)
    return device, pickle.dumps(device.config)


@lru_cache(maxsize=256)
def _parsed(kind: str, text: str) -> RunningConfig:
    if next(_READ) % 500 == 0:  # what is known would grow through a whole run
        _KNOWN.clear()
    return ios.parse(text, profile_of(kind), _KNOWN.setdefault(kind, ios.Known()))
