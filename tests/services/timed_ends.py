"""The ends of a push that its router takes back by itself unless it is told to keep it, as they come about (`ending`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest

from lab.device import Device
from provisioning.models import Change, Ownership, RouterPush
from provisioning.selectors.plans import plan_of
from provisioning.services import changes, planning, pushing
from tests.services import wired
from tests.services.timed import ARCHIVE, managed_over, routed

if TYPE_CHECKING:
    from tests.services.ending import Trial


@dataclass
class Timed:
    """A push to a router that takes it back by itself unless it is told to keep it, and the clock they go by."""

    at: Trial
    device: Device
    interface: str
    seconds: wired.Seconds
    change: Change

    def fault(self, **fault: Any) -> None:
        self.device.faults.add(fault)

    def pushed(self) -> RouterPush:
        self.at.house.work()
        return self.change.pushes.get(phase="edges")

    def wait(self, seconds: int) -> None:
        """So much time passes for the router and for us."""
        self.seconds.advance(seconds)
        self.device.tick()
        self.at.house.wait(seconds)


def timed(at: Trial) -> Timed:
    """nl6 is another chassis, of a release with timers, and nothing of ours is on it: the baseline is due there."""
    name, house = "nl6", at.house
    at.stays.callback(house.routers.devices.__setitem__, name, house.routers.devices[name])
    patched = at.stays.enter_context(pytest.MonkeyPatch.context())
    Ownership.objects.filter(router__name=name).delete()
    interface = routed(house, name)
    for device in house.routers.devices.values():
        patched.setattr(device, "clock", device.clock)
    seconds = wired.wire(patched, house.routers)
    device = managed_over(house, name, interface, *ARCHIVE)
    change = planning.plan_domain(actor=house.noc[0], routers=[name])
    changes.approve(actor=house.noc[1], change=change, confirm_gaps=True, reason="read")
    changes.release(actor=house.noc[1], change=change)
    return Timed(at, device, interface, seconds, change)


def reverted(at: Trial) -> RouterPush:
    """The last line cuts us off, and the router goes back when its time is over."""
    on = timed(at)
    on.fault(kind="cut-off", interface=on.interface)
    assert on.pushed().state == "UNKNOWN"
    on.wait(400)
    return on.pushed()


def revert_refused(at: Trial) -> RouterPush:
    on = timed(at)
    on.fault(kind="refuse", match="^configure terminal revert", message="%Error: no", where="exec")
    return on.pushed()


def confirm_refused(at: Trial) -> RouterPush:
    on = timed(at)
    said = "Command authorization failed."
    on.fault(kind="refuse", match="^configure confirm", message=said, where="exec")
    return on.pushed()


def not_settled(at: Trial) -> RouterPush:
    """The session is lost half way, and mary tells the router to keep what she takes for hers, for the time is not over yet."""
    on = timed(at)
    half = plan_of(on.change.pushes.get(phase="edges")).commands
    line = half[len(half) // 2].text
    on.fault(kind="drop", match=f"^{re.escape(line)}$", when="after", times=1)

    def confirmed(_seconds: float) -> None:
        session = on.device.open_session("mary", privilege=15, console=True)
        session.execute("configure confirm")
        session.close()

    at.befalls.enter_context(patch.object(pushing, "time", SimpleNamespace(sleep=confirmed)))
    at.befalls.callback(on.wait, 600)
    return on.pushed()
