"""Our real driver on the wire of a practice router in this process: every byte of a session, no SSH, and a clock that only
moves while somebody waits, so that a wait of thirty seconds costs none."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace

import pytest

from lab.device import Device
from lab.errors import SessionDropped, SessionHung
from lab.session import Session
from provisioning import drivers
from provisioning.drivers import closing, session
from provisioning.drivers.base import Target, Timeouts, VtyRefused
from provisioning.drivers.dialogue import Dialogue
from provisioning.drivers.exchange import DialogueError
from provisioning.drivers.session import SessionDriver
from provisioning.drivers.transcripts import Transcript
from provisioning.drivers.unreached import Unreached
from provisioning.drivers.wire import WireError
from provisioning.errors import DeviceError, Unreachable
from provisioning.services.pushing import health
from tests.services import in_process
from tests.services.in_process import Routers
from tests.services.mortal import Killed

ROUND_TRIP_S = 0.03
STEP_S = 0.05
WRITES = ("write memory", "configure terminal revert", "configure confirm", "configure revert")


class Seconds:
    """The clock of everybody: the routers, the waits of a session, the pauses between them."""

    def __init__(self) -> None:
        self.now = 1_767_225_600.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


class PracticeWire:
    """What is typed reaches the router's session key by key; what it prints comes back after a round trip."""

    def __init__(self, device: Device, typed_at: Session, clock: Seconds) -> None:
        self._device, self._session, self._clock = device, typed_at, clock
        self._keys: deque[str] = deque()
        self._line = ""
        refused = device.faults.has("vty-refused")
        self._out = f"\r\n{typed_at.prompt if refused is None else refused.message}"
        if refused is not None:
            typed_at.close()
        self._busy_until = 0.0
        self._hangs = False

    def write(self, text: str) -> None:
        self._alive()
        self._keys.extend(text)
        self._clock.advance(ROUND_TRIP_S)
        self._work()

    def read(self, seconds: float) -> str:
        until = self._clock.now + seconds
        while True:
            self._work()
            if self._out:
                said, self._out = self._out, ""
                return said
            self._alive()
            if self._clock.now >= until:
                return ""
            self._clock.advance(min(STEP_S, until - self._clock.now))

    def close(self) -> None:
        self._session.close()

    def _alive(self) -> None:
        if self._session.closed and not self._out:
            raise WireError("the router closed the session")

    def _work(self) -> None:
        """All that the router has done by now: a slow line keeps those behind it waiting, where they are."""
        self._device.tick()
        if not self._hangs and self._clock.now >= self._busy_until:
            self._say()
        while self._keys and not self._hangs and not self._session.closed:
            if self._clock.now < self._busy_until:
                return
            self._key(self._keys.popleft())

    def _key(self, key: str) -> None:
        asked = self._session.dialogue
        if asked is not None and asked.single_key:
            self._execute(key)
        elif key == "\n":
            self._out += "\r\n"
            line, self._line = self._line, ""
            self._execute(line)
        else:
            self._line += key
            if asked is None or asked.echo:
                self._out += self._echoed(key)

    def _echoed(self, key: str) -> str:
        """A line wider than the terminal scrolls sideways behind a ``$``, as over SSH (`lab.terminal`)."""
        short = self._device.faults.has("truncate-echo")
        width = self._session.width if short is None else short.width
        used = len(self._session.prompt) + len(self._line)
        if not width or used < width or not (used % max(1, width // 2) == 0 or used == width):
            return key
        return f"\r{self._session.prompt}${self._line[-(width // 2) :]}"

    def _execute(self, line: str) -> None:
        where = "config" if self._session.stack else "exec"
        try:
            reply = self._session.execute(line)
            if where == "config" or line.startswith(WRITES):
                in_process.wrote()
        except Killed:
            self._session.close()  # whoever typed is no more: what is still on its way reaches nobody
            self._out = ""
            raise
        except SessionHung:
            self._hangs = True
            return
        except SessionDropped:
            self._session.close()
            return
        self._busy_until = self._clock.now + self._device.faults.delay(self._session, line, where)
        self._out += f"{reply}{self._session.prompt}".replace("\n", "\r\n")
        self._say()

    def _say(self) -> None:
        for text in self._session.asynchronous():
            self._out += f"\r\n{text}\r\n{self._session.prompt}".replace("\n", "\r\n")


class WiredConnection:
    """A way in to one practice router; as of a driver's library."""

    def __init__(self, device: Device, target: Target, timeouts: Timeouts, said: Transcript, clock: Seconds):
        self._wire = PracticeWire(device, device.open_session(), clock)
        self._dialogue = Dialogue(self._wire, said, timeouts, clock)
        try:
            self._dialogue.log_in()
            self._dialogue.become_privileged(target.enable)
            self._dialogue.prepare()
        except DialogueError as lost:
            raise VtyRefused(f"{target.name} dropped the session at login: {lost.reason}") from lost
        except DeviceError:
            self._wire.close()
            raise

    def talking(self) -> Dialogue:
        return self._dialogue

    def disconnect(self) -> None:
        self._dialogue.close()


class WiredDriver(SessionDriver[WiredConnection]):
    """Everything of a driver but SSH."""

    routers: Routers
    clock: Seconds

    def _open(self) -> WiredConnection:
        if self._target.name in self.routers.away:
            raise Unreachable(f"{self._target.name} does not answer")
        device, not_reached = self.routers.devices[self._target.name], Unreached(self._target)
        device.tick()
        if device.faults.has("unreachable"):
            raise not_reached.no_route()
        if device.faults.has("vty-closed") or device.cut_off or device.vty_full:
            raise not_reached.hung_up()
        if device.faults.has("wrong-password"):
            raise not_reached.refused_password()
        return WiredConnection(device, self._target, self._timeouts, self._transcript, self.clock)


def wire(monkeypatch: pytest.MonkeyPatch, routers: Routers) -> Seconds:
    """Every session from now on is one of these; the clock they go by."""
    clock = Seconds()
    for device in routers.devices.values():
        device.clock = clock

    class Here(WiredDriver):
        pass

    Here.routers, Here.clock = routers, clock
    monkeypatch.setattr(
        drivers, "connect", lambda target, *, timeout=None: Here(target, timeout or Timeouts())
    )
    for waiting in (closing, health):
        monkeypatch.setattr(waiting, "time", SimpleNamespace(monotonic=clock, sleep=clock.advance))
    monkeypatch.setattr(session, "RETRY_PAUSE_S", 0)
    return clock
