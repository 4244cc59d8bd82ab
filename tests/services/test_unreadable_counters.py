"""Policies that cannot be seen at work: tried again, then taken back; never left between PUSHED and VERIFIED."""

from __future__ import annotations

import pytest

from provisioning.drivers.netmiko import NetmikoDriver
from provisioning.models import RouterPush
from tests.services.backbone import Backbone

UNREADABLE = "Something nobody has seen before\n"


@pytest.mark.parametrize(("times", "state"), [(1, "VERIFIED"), (99, "ROLLED_BACK")])
def test_counters_that_cannot_be_read_decide_the_push(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch, times: int, state: str
) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    shown = NetmikoDriver.policy_counters
    asked: list[str | None] = []

    def answer(driver: NetmikoDriver, interface: str | None = None) -> str:
        asked.append(interface)
        return UNREADABLE if len(asked) <= times else shown(driver, interface)

    monkeypatch.setattr(NetmikoDriver, "policy_counters", answer)
    backbone.push(change)
    push = RouterPush.objects.get(change=change, router__name="uk6", phase="edges")
    assert push.state == state, push.error
    if state == "ROLLED_BACK":
        assert push.error_code == "not-working"
        assert "cannot be read" in push.error
        assert backbone.bound("uk6") == set()
