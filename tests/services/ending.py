"""Every end of a push, made on practice routers: what befalls the push of a reservation, or of what a person planned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from provisioning import drivers
from provisioning.drivers.base import VtyRefused
from provisioning.errors import (
    AuthenticationRefused,
    ConfigurationLocked,
    DeviceError,
    HostKeyChanged,
    SessionLost,
    Unreachable,
    WrongRouter,
)
from provisioning.models import Change, ChangeKind, RouterPush
from provisioning.services import changes, planning, steering
from provisioning.services.pushing import reverting
from provisioning.services.stopping import Stopping
from tests.services import in_process
from tests.services.house import House, undone
from tests.services.in_process import Driver
from tests.services.timed_ends import confirm_refused, not_settled, revert_refused, reverted

NAME = "uk6"
NO_SESSION: dict[str, DeviceError] = {
    "unreachable": Unreachable("uk6 does not answer"),
    "vty-refused": VtyRefused("uk6 gives no session"),
    "authentication-refused": AuthenticationRefused("uk6 refuses the password"),
    "host-key-changed": HostKeyChanged("uk6 shows another key"),
    "wrong-router": WrongRouter("this is not uk6", said={"serial": "X"}),
    "": DeviceError("uk6 says what nobody understands"),
}
LOCKED = ConfigurationLocked("configuration mode is locked", reply="user 'mary' from terminal '2'")


class Breaking(dict[str, int]):
    """Sessions with a router that break off at a write, so many times; `then` is done at the first."""

    def __init__(self, at: int, times: int, then: Callable[[], object] = lambda: None) -> None:
        super().__init__({NAME: at})
        self._at, self._left, self._then = at, times - 1, then

    def __delitem__(self, name: str) -> None:
        then, self._then = self._then, lambda: None
        then()
        if self._left > 0:
            self._left -= 1
            self[name] = self._at
        else:
            super().__delitem__(name)


@dataclass
class Trial:
    """One push and what befalls it, until `cease`."""

    house: House
    befalls: ExitStack = field(default_factory=ExitStack)
    stays: ExitStack = field(default_factory=ExitStack)
    """What is so until the trial is over, whatever befalls the router meanwhile."""

    def fault(self, **fault: Any) -> None:
        self.house.routers.devices[NAME].faults.add(fault)

    def no_session(self, error: DeviceError) -> None:
        """From now on no session with the router comes about."""
        connect = self.house.routers.connect

        def refuse(target: Any, *, timeout: object = None) -> Driver:
            if target.name == NAME:
                raise error
            return connect(target, timeout=timeout)

        self.befalls.enter_context(patch.object(drivers, "connect", refuse))

    def locked(self) -> None:
        def configure(_driver: Driver, _units: Any, before_unit: Any, **_: Any) -> Iterator[Any]:
            raise LOCKED
            yield

        self.befalls.enter_context(patch.object(Driver, "configure", configure))

    def no_write(self, *, times: int) -> None:
        """So many more sessions break off before their first write."""
        configure, left = Driver.configure, [times]

        def may_break(driver: Driver, units: Any, before_unit: Any, **how: Any) -> Iterator[Any]:
            if left[0] > 0:
                left[0] -= 1
                raise SessionLost("the session broke off")
            yield from configure(driver, units, before_unit, **how)

        self.befalls.enter_context(patch.object(Driver, "configure", may_break))

    def counters(self, answer: Callable[[Driver], str]) -> None:
        def said(driver: Driver, _interface: str | None = None) -> str:
            return answer(driver)

        self.befalls.enter_context(patch.object(Driver, "policy_counters", said))

    def breaks(self, *, at: int = 1, times: int = 1, then: Callable[[], object] = lambda: None) -> None:
        self.house.routers.breaks = Breaking(at, times, then)

    def cease(self) -> None:
        """What befell the router is over: mended, or gone."""
        self.befalls.close()
        self.house.routers.breaks = {}
        self.house.routers.away.clear()
        for device in self.house.routers.devices.values():
            device.faults = type(device.faults)()

    def reserved(self) -> Change:
        """A reservation that is due at the router, approved, nothing of it sent."""
        request = self.house.ask(1, "JANET", 0)
        self.house.begin(request)
        self.house.work()
        change = request.changes.get()
        self.house.approve(self.house.noc[2], change)
        return change

    def untie(self, *names: str) -> None:
        """Somebody takes a policy off each of these routers."""
        places = {"uk6": "POS1/0", "nl6": "GigabitEthernet2/0"}
        for name in names:
            device = self.house.routers.devices[name]
            bound = next(
                each
                for each in device.running_config()
                .split(f"interface {places[name]}\n")[1]
                .split("!\n")[0]
                .splitlines()
                if "service-policy input" in each
            )
            self.house.routers.type(name, f"interface {places[name]}", f"no {bound.strip()}")

    def planned(self, *names: str, kind: ChangeKind = ChangeKind.BASELINE) -> Change:
        """What a person plans for routers of which somebody has taken a policy off; approved and released."""
        self.untie(*names)
        change = planning.plan_domain(actor=self.house.noc[0], kind=kind, routers=list(names))
        changes.approve(actor=self.house.noc[1], change=change, confirm_gaps=True, reason="read")
        changes.release(actor=self.house.noc[1], change=change)
        return change

    def go(self, change: Change, *, router: str = NAME) -> RouterPush:
        self.house.work()
        return RouterPush.objects.filter(change=change, router__name=router).latest("position")


@contextmanager
def trial(house: House) -> Iterator[Trial]:
    """A trial after which rows, routers and the clock are as before."""
    made = Trial(house)
    with undone(house):
        try:
            yield made
        finally:
            made.cease()
            made.stays.close()


def not_read(at: Trial) -> RouterPush:
    at.house.routers.type(NAME, "interface POS1/0", "no service-policy input NON-PARTICIPANT")
    at.house.routers.away.add(NAME)
    change = planning.plan_domain(actor=at.house.noc[0], routers=[NAME])
    return change.pushes.get()


def half_way(error: DeviceError) -> Callable[[Trial], RouterPush]:
    def make(at: Trial) -> RouterPush:
        change = at.reserved()
        at.breaks(then=lambda: at.no_session(error))
        return at.go(change)

    return make


def locked_half_way(at: Trial) -> RouterPush:
    change = at.reserved()
    at.breaks(then=at.locked)
    return at.go(change)


def bare(at: Trial) -> RouterPush:
    change = at.reserved()
    at.fault(kind="refuse", match="^service-policy input", message="SLOT 1: not enough TCAM")
    return at.go(change)


def unrecognised(at: Trial) -> RouterPush:
    """Somebody binds another policy between two writes."""
    change, device = at.reserved(), at.house.routers.devices[NAME]
    lines = ("interface POS1/0", "no service-policy input NON-PARTICIPANT", "service-policy input TRUSTED-IN")
    typed: list[bool] = []

    def wrote() -> None:
        if not typed and "policy-map FILTERED-IN" in device.running_config():
            typed.append(True)
            at.house.routers.type(NAME, *lines)

    at.befalls.enter_context(patch.object(in_process, "wrote", wrote))
    return at.go(change)


def refused(at: Trial) -> RouterPush:
    change = at.reserved()
    at.fault(kind="refuse", match="^set dscp 46", message="QoS: not supported here")
    return at.go(change)


def silent(at: Trial) -> RouterPush:
    change = at.reserved()
    at.fault(kind="ignore", match="^service-policy input FILTERED-IN", times=1)
    return at.go(change)


def not_as_approved(at: Trial) -> RouterPush:
    """The worker is told to stop after the last line; somebody has taken the policy off when the next one reads the router."""
    change = at.reserved()

    def dies(_driver: Driver) -> str:
        at.befalls.close()
        at.house.routers.type(NAME, "interface POS1/0", "no service-policy input FILTERED-IN")
        raise Stopping("this worker is told to stop")

    at.counters(dies)
    return at.go(change)


def not_working(at: Trial) -> RouterPush:
    change = at.reserved()
    at.counters(lambda _driver: "")
    return at.go(change)


def unhealthy(at: Trial) -> RouterPush:
    change = at.reserved()
    at.fault(kind="busy", percent=97, match="FILTERED-IN")
    return at.go(change)


def given_up(at: Trial) -> RouterPush:
    """It breaks off in four sessions, so that the fifth takes it back."""
    change = at.reserved()
    at.breaks(then=lambda: at.no_write(times=3))
    push = at.go(change)
    for _ in range(4):
        if push.state != "UNKNOWN":
            break
        at.house.wait(400)
        push = at.go(change)
    return push


def of_a_code_without_a_row(at: Trial) -> RouterPush:
    """Whatever was taken back for a reason that has no row yet: a push that was refused stands for it."""
    push = refused(at)
    RouterPush.objects.filter(pk=push.pk).update(error_code="said-no")
    push.refresh_from_db()
    return push


def not_sent(error: DeviceError) -> Callable[[Trial], RouterPush]:
    def make(at: Trial) -> RouterPush:
        change = at.reserved()
        at.no_session(error)
        return at.go(change)

    return make


def locked(at: Trial) -> RouterPush:
    change = at.reserved()
    at.locked()
    return at.go(change)


def moved(at: Trial) -> RouterPush:
    change = at.planned(NAME)
    at.house.routers.type(NAME, "interface POS1/0", "bandwidth 100000")
    return at.go(change)


def intent(at: Trial) -> RouterPush:
    change = at.planned(NAME)
    Change.objects.filter(pk=change.pk).update(intent_digest="0" * 64)  # as if an import had come between
    return at.go(change)


def open_edge(at: Trial) -> RouterPush:
    device = at.house.routers.devices[NAME]
    core = next(
        line.strip() for line in device.running_config().splitlines() if "service-policy output" in line
    )
    at.house.routers.type(NAME, "interface POS2/0", f"no {core}")
    change = planning.plan_domain(actor=at.house.noc[0], routers=[NAME])
    changes.approve(actor=at.house.noc[1], change=change, confirm_gaps=True, reason="read")
    changes.release(actor=at.house.noc[1], change=change)
    at.house.routers.type("gr6", "interface GigabitEthernet3/0", "no service-policy input TRUSTED-IN")
    at.befalls.callback(
        at.house.routers.type, "gr6", "interface GigabitEthernet3/0", "service-policy input TRUSTED-IN"
    )
    return at.go(change)


def left_out(at: Trial) -> RouterPush:
    """Planned with another router, which is planned anew by itself before anybody has approved."""
    at.untie(NAME, "nl6")
    change = planning.plan_domain(actor=at.house.noc[0], routers=["nl6", NAME])
    planning.plan_domain(actor=at.house.noc[0], routers=["nl6"])
    return change.pushes.get(router__name=NAME)


def not_started(at: Trial) -> RouterPush:
    """The first of two goes alone, and wrong."""
    change = at.planned("uk6", "nl6")
    steering.set_course(actor=at.house.noc[0], change=change, reason="one first", canary=1)
    for device in at.house.routers.devices.values():
        device.faults.add({"kind": "refuse", "match": "^service-policy input", "message": "not here"})
    at.house.work()
    return change.pushes.get(state="CANCELLED")


def save_refused(at: Trial) -> RouterPush:
    change = at.reserved()
    at.fault(kind="write-fails", times=1)
    return at.go(change)


def kept_back(at: Trial) -> RouterPush:
    change = at.reserved()
    at.house.routers.type(NAME, "interface POS1/0", "description typed by mary")
    return at.go(change)


MAKE: dict[tuple[str, str], Callable[[Trial], RouterPush]] = {
    ("UNKNOWN", "not-read"): not_read,
    ("UNKNOWN", "session-lost"): half_way(SessionLost("the session broke off")),
    **{("UNKNOWN", code): half_way(error) for code, error in NO_SESSION.items()},
    ("UNKNOWN", reverting.NotSettled.code): not_settled,
    ("UNKNOWN", "configuration-locked"): locked_half_way,
    ("UNKNOWN", "interface-bare"): bare,
    ("UNKNOWN", "unrecognised"): unrecognised,
    ("ROLLED_BACK", "line-refused"): refused,
    ("ROLLED_BACK", "silently-refused"): silent,
    ("ROLLED_BACK", "not-as-approved"): not_as_approved,
    ("ROLLED_BACK", "not-working"): not_working,
    ("ROLLED_BACK", "unhealthy"): unhealthy,
    ("ROLLED_BACK", "interrupted"): given_up,
    ("ROLLED_BACK", reverting.CODE): reverted,
    ("ROLLED_BACK", reverting.NOT_ARMED): revert_refused,
    ("ROLLED_BACK", reverting.NOT_KEPT): confirm_refused,
    ("ROLLED_BACK", ""): of_a_code_without_a_row,
    **{("FAILED", code): not_sent(error) for code, error in NO_SESSION.items()},
    ("FAILED", "configuration-locked"): locked,
    ("STALE", "moved"): moved,
    ("STALE", "intent"): intent,
    ("STALE", "open-edge"): open_edge,
    ("STALE", "left-out"): left_out,
    ("CANCELLED", "not-started"): not_started,
    ("VERIFIED", "save-refused"): save_refused,
    ("VERIFIED", "kept-back"): kept_back,
}
"""By state and code of a row of the table of ends: how it comes about."""
