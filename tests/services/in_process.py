"""Practice routers without SSH: the same engine answers, in this process and at once, for properties of many courses."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import Any

from inventory.models import Domain
from lab.device import Device
from lab.faults import Faults
from lab.spec import RouterSpec
from lab.timers import Timers
from provisioning.drivers import reading
from provisioning.drivers.base import (
    BeforeWrite,
    Facts,
    InterfaceFact,
    Shown,
    Target,
    TranscriptLine,
    UnitReply,
    WriteUnit,
)
from provisioning.drivers.judging import judge
from provisioning.errors import SaveRefused, SessionLost, Unreachable
from provisioning.pipeline import counters
from provisioning.pipeline.counters import InterfacePolicyCounters
from provisioning.services.practice.spec import router_specs


def wrote() -> None:
    """Called when a router has executed a write, or saved, before whoever sent it hears of it (`mortal`)."""


class Routers:
    """The routers of a domain by name, each of which can be put back as it was when noted."""

    def __init__(self, domain: Domain, secrets: dict[str, dict[str, str]]) -> None:
        specs = router_specs(domain, secrets)["routers"]
        self.devices = {spec["name"]: Device(RouterSpec.from_dict(spec)) for spec in specs}
        self.away: set[str] = set()
        self.breaks: dict[str, int] = {}
        """After how many more writes the next session with a router breaks off."""
        self._noted: dict[str, tuple[bytes, str | None]] = {}

    def note(self) -> None:
        """From here on `restore` puts every router back to what it holds now."""
        self._noted = {
            name: (pickle.dumps(device.config), device.startup) for name, device in self.devices.items()
        }

    def restore(self) -> None:
        """Every router as it was noted, without sessions, faults and history."""
        self.away.clear()
        self.breaks.clear()
        for name, device in self.devices.items():
            config, startup = self._noted[name]
            device.config, device.startup = pickle.loads(config), startup
            device.faults, device.timers, device.counters = Faults(), Timers(), {}
            device.sessions, device.history, device.journal = [], [], []
            device.syslog, device.boot_messages = [], []
            device.pending, device.kept = None, 0

    def type(self, name: str, *lines: str) -> None:
        """Somebody else configures a router by hand."""
        session = self.devices[name].open_session(privilege=15, console=True)
        session.execute("configure terminal")
        for line in lines:
            assert judge(session.execute(line)) is None, line
        session.execute("end")
        session.close()

    def connect(self, target: Target, *, timeout: object = None) -> Driver:
        """In place of `drivers.connect`."""
        if target.name in self.away:
            raise Unreachable(f"{target.name} does not answer")
        return Driver(self.devices[target.name], self.breaks)


class Driver:
    """A `RouterDriver` over a session of the engine itself."""

    def __init__(self, device: Device, breaks: dict[str, int]) -> None:
        self._device = device
        self._breaks = breaks
        self._session = device.open_session(privilege=15)
        self._session.execute("terminal length 0")

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def transcript(self) -> tuple[TranscriptLine, ...]:
        return ()

    def facts(self) -> Facts:
        return reading.facts(self._session.execute("show version"), self._device.spec.name)

    def interfaces(self) -> tuple[InterfaceFact, ...]:
        return reading.interfaces(self._session.execute("show interfaces"))

    def engines(self) -> dict[int, str]:
        return reading.engines(self._session.execute("show diag"))

    def running_config(self) -> str:
        return self._session.execute("show running-config")

    def startup_config(self) -> str:
        return self._session.execute("show startup-config")

    def shown(self) -> Shown:
        return Shown(self.interfaces(), self.running_config(), self.startup_config())

    def counted(self, interface: str | None = None) -> tuple[InterfacePolicyCounters, ...]:
        return counters.parse(self.policy_counters(interface))

    def policy_counters(self, interface: str | None = None) -> str:
        return self._session.execute(f"show policy-map interface {interface or ''}".strip())

    def ask(self, commands: Sequence[str]) -> tuple[str, ...]:
        return tuple(self._session.execute(command) for command in commands)

    def configure(
        self, units: Sequence[WriteUnit], before_unit: BeforeWrite, *, listen: bool = True
    ) -> Iterator[UnitReply]:
        session = self._session
        session.execute("configure terminal")
        try:
            for index, unit in enumerate(units):
                before_unit(index)
                replies = tuple(session.execute(line) for line in unit.lines)
                wrote()
                self._may_break(units[:index], unit)
                late = [said for said in session.asynchronous() if said.startswith("SLOT")]
                refused = next((why for text in (*replies, *late) if (why := judge(text))), None)
                if unit.instead and judge(replies[-1]) is not None:
                    for line in unit.instead:
                        before_unit(index, closing=True)
                        taken = judge(session.execute(line)) is None
                        wrote()
                        if taken:
                            refused = None if line == unit.lines[-1] else refused
                            break
                yield UnitReply(index, unit.lines, replies, refused)
                if refused is not None:
                    return
        finally:
            if session.stack and not session.closed:
                session.execute("end")

    def _may_break(self, answered: Sequence[WriteUnit], sent: WriteUnit) -> None:
        name = self._device.spec.name
        if name not in self._breaks:
            return
        self._breaks[name] -= 1
        if self._breaks[name] <= 0:
            del self._breaks[name]
            self._session.close()
            certain = tuple(line for unit in answered for line in unit.lines)
            raise SessionLost(f"the session with {name} broke off", certain=certain, possible=sent.lines)

    def save(self) -> str:
        said = self._device.save("noc")
        if "[OK]" not in said:
            raise SaveRefused(said.strip(), reply=said)
        wrote()
        return said

    def heard_late(self) -> None:
        """Whatever is said late is heard in `configure` already."""

    def close(self) -> None:
        self._session.close()


def secrets_for(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """A sign-in for each router; nobody asks for it here."""
    return {name: {"username": "noc", "password": "pw", "enable": "pw"} for name in names}
