"""A push, and one that is taken back, killed after each of its deeds: a line typed, a row written, a transaction that ends."""

from __future__ import annotations

import pytest

from provisioning.models import RouterPush
from tests.depth import DEEP
from tests.services import wired
from tests.services.fault_cases import AT_A_LINE, Fault, matching
from tests.services.house import House, with_baseline
from tests.services.house import bare_house as bare_house
from tests.services.mortal import Mortal
from tests.services.scenes import ROUTER, Scene, approve, once_more, scene_of

pytestmark = pytest.mark.once  # over practice routers, the same on either database

STEP = 1 if DEEP else 23
MOST = 600


@pytest.mark.parametrize(("name", "refused"), [("swap", False), ("swap", True), ("baseline", True)])
def test_whatever_a_worker_dies_after_its_successor_ends_right(
    bare_house: House, monkeypatch: pytest.MonkeyPatch, name: str, refused: bool
) -> None:
    """Refused: the last line is, always, so that the successor meets the undo at every one of its lines."""
    made = bare_house if name == "baseline" else with_baseline(bare_house)
    wired.wire(monkeypatch, made.routers)
    scene = scene_of(made, name)
    fault = AT_A_LINE["refused always"] | matching(scene.lines[-1]) if refused else None
    killed = 0
    for deeds in range(1, MOST, STEP):
        if not dies_after(scene, deeds, fault):
            break
        killed += 1
    else:
        raise AssertionError("the push never ends")
    assert killed > 40 // STEP, f"{killed} deaths: not enough is tried here"


def dies_after(scene: Scene, deeds: int, fault: Fault | None) -> bool:
    """Whether the first worker was killed before all was done; what its successor makes of it is judged."""
    house = scene.house
    mortal = Mortal(deeds)
    with once_more(house):
        if fault is not None:
            scene.device.faults.add(fault)
        with house.outliving():
            approve(house, mortal=mortal)
        house.wait(400)  # leases run out, and the longest write is over
        house.work()
        push = RouterPush.objects.get(pk=scene.first)
        where = f"killed after {deeds} deeds: {push.state} {push.error}"
        now = scene.holds()
        if fault is None:
            assert push.state == "VERIFIED", where
            assert now == scene.after, where
            assert push.saved, where
        else:
            assert push.state == "ROLLED_BACK", where
            assert (now, now.names) == (scene.before, scene.before.names), where
        assert not RouterPush.objects.filter(router__name=ROUTER, follow_up_due=True).exists(), where
    return mortal.dead
