"""A place that a line card leaves without a policy is closed, also where somebody stopped every push meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from provisioning import drivers
from provisioning.errors import SessionLost
from provisioning.models import BareInterface
from provisioning.pipeline.diff import Line, Step
from provisioning.selectors.plans import plan_of
from provisioning.services import credentials, halting, leases
from provisioning.services.pushing import course, standing
from provisioning.services.pushing.sending import Refusal, send
from tests.services import wired
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house
from tests.services.scenes import Scene, approve, once_more, scene_of
from tests.services.wired import Seconds

pytestmark = pytest.mark.once  # over practice routers, the same on either database

SAID = "SLOT 1:%QM-4-POLICY_REJECTED: policy-map on GigabitEthernet1/0 input: no TCAM"
SWAP = "^service-policy input FILTERED-IN"
LATER = tuple(Line(f"description {word}", 1, step=Step.BINDING) for word in ("one", "two"))
"""What goes out behind the swap."""


@dataclass
class Swapping:
    """The swap of one interface and two lines behind it, one of which is out when everybody is told to stop."""

    house: House
    scene: Scene
    seconds: Seconds

    def send(self, *, stopped: bool = True) -> Refusal | None:
        push = self.scene.push()
        plan = plan_of(push)
        lease = leases.acquire(router=push.router, owner="w")
        assert lease is not None

        def answered(count: int) -> None:
            if count == len(plan.commands) + 1:
                self.seconds.advance(0.5)
            if count == len(plan.commands) + 1 and stopped:
                halting.stop_all(actor=self.house.noc[3], reason="smoke")

        with drivers.connect(credentials.for_router(router=push.router)) as driver:
            return send(driver, push, plan, (*plan.commands, *LATER), lease=lease, answered=answered)

    def bound(self) -> bool:
        shown = self.scene.device.running_config().split("interface GigabitEthernet1/0\n")[1]
        return "service-policy input NON-PARTICIPANT" in shown.split("!\n")[0]


@pytest.fixture
def swapping(house: House, monkeypatch: pytest.MonkeyPatch) -> Swapping:
    seconds = wired.wire(monkeypatch, house.routers)
    made = Swapping(house, scene_of(house, "swap", seconds), seconds)
    made.scene.device.faults.add({"kind": "refuse", "match": SWAP, "message": SAID, "late": 0.3, "times": 1})
    return made


def test_what_is_refused_late_is_closed_where_every_push_was_stopped(swapping: Swapping) -> None:
    refusal = swapping.send()
    assert refusal is not None and "was taken instead" in refusal.reason, refusal
    assert swapping.bound()
    assert list(BareInterface.objects.values_list("interface", "seen")) == [("GigabitEthernet1/0", False)]


def test_a_session_lost_over_the_closing_line_leaves_the_place_feared(swapping: Swapping) -> None:
    drop = {"kind": "drop", "match": "^service-policy input NON-PARTICIPANT", "when": "before", "times": 1}
    swapping.scene.device.faults.add(drop)
    with pytest.raises(SessionLost):
        swapping.send(stopped=False)
    assert not swapping.bound()
    assert list(BareInterface.objects.values_list("interface", "seen")) == [("GigabitEthernet1/0", False)]


def test_what_took_no_policy_is_closed_where_every_push_was_stopped(
    swapping: Swapping, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it is said that it is taken back: where more is bound behind the place, no prefix of the plan looks like it."""
    back, stopped, faults = course.take_back, list[str](), swapping.scene.device.faults

    def stop_then_back(session: Any, *args: Any, **options: Any) -> str:
        if not stopped:
            stopped.append(session.push.router.name)
            faults.items.clear()
            halting.stop_all(actor=swapping.house.noc[3], reason="smoke")
            told = iter([None])
            position = standing.position
            monkeypatch.setattr(standing, "position", lambda *seen: next(told, position(*seen)))
        return back(session, *args, **options)

    monkeypatch.setattr(course, "take_back", stop_then_back)
    with once_more(swapping.house):
        faults.items.clear()
        faults.add({"kind": "refuse", "match": "^service-policy input", "message": SAID})
        approve(swapping.house, whole=False)
        assert stopped
        assert swapping.bound(), swapping.scene.push().error
        assert swapping.scene.push().state == "ROLLED_BACK", swapping.scene.push().error
