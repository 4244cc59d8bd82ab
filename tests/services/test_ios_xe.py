"""One request on a backbone of IOS-XE: an ASR1001-X and an ISR4331, over SSH, from asking to gone again."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from provisioning.models import PremiumRequest, RouterSync
from provisioning.services import requests as asking
from tests.services.backbone import Backbone, build

pytestmark = pytest.mark.once


@pytest.fixture
def modern(transactional_db: None, settings: object) -> Iterator[Backbone]:
    """fi6 (ASR1001-X, 16.9.4) and lt6 (ISR4331, 17.6.1), with nothing of ours on them."""
    settings.PUSH_ENABLED = True
    settings.ROUTER_TIMEOUT_SECONDS = 60
    settings.TICK_SECONDS = 0.2
    with tempfile.TemporaryDirectory(prefix="xp-") as directory:
        made = build(Path(directory), Path(__file__).with_name("ios_xe.yaml"))
        try:
            yield made
        finally:
            made.stop()


def _state(request: PremiumRequest) -> str:
    request.refresh_from_db()
    return request.state


def test_a_reservation_goes_on_and_comes_off_on_ios_xe(modern: Backbone) -> None:
    baseline = modern.roll_out()
    assert set(modern.states(baseline).values()) == {"VERIFIED"}
    assert not [push for push in baseline.pushes.all() if push.stored_plan.doubts]
    # Each box spells it its own way and holds what was meant.
    policed = "  police cir percent 5 conform-action transmit  exceed-action drop "
    assert policed in modern.running("lt6")
    for name in ("fi6", "lt6"):
        shown = modern.running(name)
        assert "  priority\n" in shown and "priority percent" not in shown
    assert ("TenGigabitEthernet0/1/0", "output", "my_policy") in modern.bound("fi6")
    # What the routers call themselves is read as the release they run.
    assert {
        push.router.name: push.after.ios for push in baseline.pushes.select_related("router", "after")
    } == {
        "fi6": "16.09.04",
        "lt6": "17.06.01",
    }

    request = modern.admit(modern.ask("FUNET", "LITNET", "20M"))
    modern.work()
    change = request.changes.get()
    modern.approve(change, confirm_gaps=True)
    modern.work(change)
    assert _state(request) == "ACTIVE"
    assert ("GigabitEthernet0/0/1", "input", "FILTERED-IN") in modern.bound("fi6")
    shown = modern.running("fi6")
    assert policed in shown
    assert " sequence 10 permit ipv6 2001:708:1::/48 2001:778:2::/48" in shown
    assert set(RouterSync.objects.values_list("state", flat=True)) == {"in-sync"}

    asking.withdraw(actor=modern.nren["FUNET"], request=request, reason="done")
    modern.work()
    removal = request.changes.get(kind="removal")
    modern.approve(removal, confirm_gaps=True)
    modern.work(removal)
    assert _state(request) == "COMPLETED"
    assert "nren-auth-ef" not in modern.running("fi6")
