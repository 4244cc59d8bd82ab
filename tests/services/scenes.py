"""The pushes of the fault matrix on practice routers in this process: what befalls them, how they end, the way to VERIFIED."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from lab.device import Device
from provisioning.errors import Conflict
from provisioning.models import (
    BareInterface,
    Change,
    ChangeKind,
    JobKind,
    PremiumRequest,
    RouterPush,
    RouterSync,
)
from provisioning.pipeline.ends.table import HELD
from provisioning.selectors.ends import end_of_push
from provisioning.selectors.plans import plan_of
from provisioning.services import changes, planning, pushing, queues
from tests.services.fault_cases import LINE, PEER, Case
from tests.services.house import House, undone
from tests.services.judged import Ending, Held, bare_seconds, held, judge
from tests.services.mortal import Mortal
from tests.services.same_ends import Ways, alike
from tests.services.wired import ROUND_TRIP_S, STEP_S, Seconds

ROUTER = "nl6"
MARK = "MARK-1"
FOREIGN = ("interface POS2/0", f"description {MARK}")
NEIGHBOUR = ("router bgp 65000", f"neighbor {PEER} remote-as 65001")
FULL_WAITS: dict[str, float] = {
    "ROUTER_QUIET_SECONDS": 0.05,
    "ROUTER_LATE_SECONDS": 1.4,
    "HEALTH_SETTLE_SECONDS": 10.0,
}
"""The waits of the product, which tests shorten elsewhere."""


@dataclass
class Scene:
    """A push of one router that waits for its approval, and what the router holds before it and after one without a fault."""

    house: House
    device: Device
    before: Held
    after: Held
    lines: list[str]
    undo: list[str]
    whole: bool
    """Whether the router is in sync after it: nothing of it waits for other routers."""
    first: int
    """The key of the push that waits."""
    bound: list[tuple[str, str, str]]
    """Interface, direction and policy of what it binds."""
    seconds: Seconds | None = None
    ways: Ways = field(default_factory=Ways)

    def holds(self) -> Held:
        return held(self.device.running_config())

    def push(self) -> RouterPush:
        return RouterPush.objects.filter(router__name=ROUTER).order_by("-pk")[0]

    def stands(self) -> bool:
        """Whether the router holds what was approved, and the last of its pushes says so."""
        return self.holds() == self.after and self.push().state == "VERIFIED"

    def wait(self, seconds: int) -> None:
        """So much time passes for the router and for us; then what is due is done."""
        if self.seconds is not None:
            self.seconds.advance(seconds)
            self.device.tick()
        self.house.wait(seconds)
        self.house.work()


@contextmanager
def once_more(house: House) -> Iterator[None]:
    """What is done in the body is undone: rows by the database, routers by their notes."""
    house.routers.note()
    with undone(house):
        yield


def baseline(house: House) -> None:
    planning.plan_domain(actor=house.noc[0], routers=[ROUTER])


def swap(house: House) -> None:
    house.begin(house.ask(1, "SURFnet", 1))
    house.work()


def edit(house: House) -> None:
    swap(house)
    approve(house)
    house.begin(house.ask(2, "SURFnet", 1))
    house.work()


SCENES: dict[str, Callable[[House], None]] = {
    "baseline": baseline, "swap": swap, "edit": edit, "reverting": baseline,
}  # fmt: skip


def approve(
    house: House, mortal: Mortal | None = None, *, besides: tuple[str, ...] = (), whole: bool = True
) -> None:
    """Whatever of the router waits for it; and the clock does the rest, by a `mortal` where there is one."""
    for change in Change.objects.filter(pushes__state="PLANNED", pushes__router__name=ROUTER).distinct():
        approved = changes.approve(actor=house.noc[3], change=change, confirm_gaps=True, reason="read")
        if approved.approved_at is not None and approved.released_at is None:
            changes.release(actor=house.noc[3], change=approved)
    house.work(mortal=mortal, besides=besides, whole=whole)


def scene_of(house: House, name: str, seconds: Seconds | None = None) -> Scene:
    SCENES[name](house)
    device = house.routers.devices[ROUTER]
    before = held(device.running_config())
    push = RouterPush.objects.filter(router__name=ROUTER, state="PLANNED").order_by("pk").first()
    assert push is not None
    plan = plan_of(push)
    lines, undo = ([line.text for line in each] for each in (plan.commands, plan.undo[-1]))
    whole = name in ("swap", "edit")
    scene = Scene(house, device, before, before, lines, undo, whole, push.pk, [], seconds)
    with once_more(house):
        device.journal.clear()
        approve(house)
        assert scene.push().state == "VERIFIED", scene.push().error
        scene.after = scene.holds()
        assert held(device.startup or "") == scene.after
        scene.bound = [
            (str(each["interface"]), str(each["direction"]), str(each["policy"]))
            for each in device.journal
            if each["policy"] is not None
        ]
    return scene


def walk_on(scene: Scene) -> tuple[str, list[str]]:
    """What is documented for each end, until the router is verified: wait, plan again, repair. Returns how the push stood
    after the wait, and what was done.
    """
    house, done = scene.house, list[str]()
    scene.device.faults.items.clear()
    last = scene.push()
    end = end_of_push(last)
    held_out = end is not None and end.meanwhile == HELD
    if not held_out and not (scene.stands() and last.saved):
        scene.wait(400)
    waited = RouterPush.objects.get(pk=scene.first).state
    for step in ("plan again", "plan again", "repair", "plan again"):
        if scene.stands():
            break
        done.append(step)
        try:
            if step == "repair" or not plan_again(house):
                kind = ChangeKind.REPAIR if step == "repair" else ChangeKind.BASELINE
                planning.plan_domain(actor=house.noc[0], routers=[ROUTER], kind=kind)
            house.work(whole=False)
            approve(house, whole=False)
        except Conflict as error:
            done[-1] += f" ({error.code})"
        if not scene.stands():
            scene.wait(400)
    if scene.seconds is not None and scene.device.pending is not None:
        scene.wait(900)
    assert scene.holds() == scene.after, f"after {done} the router holds something else"
    return waited, done


def plan_again(house: House) -> bool:
    """Every request that waits for a person is planned again; whether there was one."""
    found = False
    for request in PremiumRequest.objects.filter(source_link__interface__router__name=ROUTER):
        with suppress(Conflict):
            queues.retry(actor=house.noc[0], request=request, reason="mended")
            found = True
    return found


def play(scene: Scene, case: Case, *, begun: bool = False) -> Ending:
    """One case: how it ended, and the steps to VERIFIED. `begun`: it is approved and its routers were read again."""
    house, device = scene.house, scene.device
    with once_more(house):
        device.journal.clear()
        device.history.clear()
        if case.foreign:
            house.routers.type(ROUTER, *FOREIGN)
        for fault in case.faults:
            device.faults.add(fault)
        with broken_off(device, case):
            house.work() if begun else approve(house)
        mine = RouterPush.objects.filter(router__name=ROUTER, pk__gte=scene.first)
        first = mine.get(pk=scene.first)
        # Where nothing was sent it is planned anew by itself: then it is the last of them that says what is there.
        last = mine.filter(started_at__isnull=False).order_by("-pk").first() or first
        typed = {str(each["line"]) for each in device.history} - {"end", *FOREIGN}
        judge(last, scene.before, scene.after, device.running_config(), device.startup or "", typed)
        if case.foreign:
            assert MARK not in (device.startup or ""), "somebody else's line was saved"
        bare = bare_seconds(device.journal)
        if case.stage == LINE and case.kind.startswith("refused") and case.kind != "refused late":
            assert bare <= 2 * (ROUND_TRIP_S + STEP_S), f"bare for {bare:.2f} s: longer than two replies"
        (waited, steps), walked = scene.ways.of(alike(device), lambda: to_verified(scene))
        return Ending(first.state, first.saved, waited, bare, tuple(steps), walked)


def to_verified(scene: Scene) -> tuple[str, list[str]]:
    """As `walk_on`; nothing that was wrong is said any more."""
    walked = walk_on(scene)
    assert not BareInterface.objects.exists(), "an interface is still said to be bare"
    if scene.whole:
        assert RouterSync.objects.get(router__name=ROUTER).state == "in-sync"
    return walked


@contextmanager
def broken_off(device: Device, case: Case) -> Iterator[None]:
    """What comes when the session has broken off comes before the next is opened."""
    left: list[Any] = list(case.then)

    def pause(_seconds: float) -> None:
        while left:
            device.faults.add(left.pop())

    with patch.object(pushing, "time", SimpleNamespace(sleep=pause)):
        yield


@contextmanager
def released(scene: Scene) -> Iterator[None]:
    """In the body the push is approved, its routers were read again, and its first session is next."""
    with once_more(scene.house):
        approve(scene.house, besides=(JobKind.PUSH,), whole=False)
        yield
