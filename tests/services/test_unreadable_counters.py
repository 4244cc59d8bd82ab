"""Policies that cannot be seen at work: looked at one by one, tried again, then taken back; never left between PUSHED
and VERIFIED.
"""

from __future__ import annotations

import pytest

from provisioning.drivers.netmiko import NetmikoDriver
from provisioning.errors import LineRefused
from provisioning.models import RouterPush
from tests.services.backbone import Backbone

pytestmark = pytest.mark.once

UNREADABLE = "Something nobody has seen before\n"
REFUSED = "show policy-map interface: % Incomplete command."


@pytest.mark.parametrize(
    ("times", "state", "sessions"),
    [(1, "VERIFIED", 1), (2, "VERIFIED", 2), (99, "ROLLED_BACK", 5)],
    ids=["all at once", "one session", "always"],
)
def test_counters_that_cannot_be_read_decide_the_push(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch, times: int, state: str, sessions: int
) -> None:
    """All interfaces are asked for first, in a text nobody can read; the one of the plan is refused as long."""
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    shown = NetmikoDriver.policy_counters
    asked: list[str | None] = []

    def answer(driver: NetmikoDriver, interface: str | None = None) -> str:
        asked.append(interface)
        if len(asked) > times:
            return shown(driver, interface)
        if interface is not None:
            raise LineRefused(REFUSED, sent=f"show policy-map interface {interface}", reply=REFUSED)
        return UNREADABLE

    monkeypatch.setattr(NetmikoDriver, "policy_counters", answer)
    backbone.push(change)
    push = RouterPush.objects.get(change=change, router__name="uk6", phase="edges")
    assert push.state == state, push.error
    assert asked == [None, "POS1/0"] * sessions if times != 2 else asked == [None, "POS1/0", None]
    if state == "ROLLED_BACK":
        assert push.error_code == "not-working"
        assert "cannot be read" in push.error and "Incomplete" in push.error
        assert backbone.bound("uk6") == set()
