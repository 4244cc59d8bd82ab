"""A change that the router takes back by itself, by every driver against a practice router over real SSH."""

from __future__ import annotations

import pytest

from provisioning.drivers import Timeouts, WriteUnit, connect
from provisioning.errors import LineRefused
from tests.drivers.practice import Practice

USUAL = Timeouts(settle=0.02, binding_settle=0.3)


def send(session: object, *lines: str) -> None:
    for reply in session.configure([WriteUnit((line,)) for line in lines], lambda _index: None):  # type: ignore[attr-defined]
        assert reply.refused is None, reply.refused


@pytest.mark.parametrize("driver", ["netmiko", "asyncssh"])
def test_a_change_is_kept_or_goes_back(practice: Practice, driver: str) -> None:
    with connect(practice.target("isr", driver), timeout=USUAL) as session:
        with pytest.raises(LineRefused, match="turn config archive on"):
            session.arm_revert(5)
        send(session, "archive", "path bootflash:keep")
        assert session.pending_revert() is None
        assert session.confirm_revert() is False
        session.arm_revert(5)
        assert session.pending_revert() == practice.target("isr", driver).username
        with pytest.raises(LineRefused, match="pending"):
            session.arm_revert(5)
        send(session, "policy-map GONE", "class class-default", "set dscp 0")
        assert "Rollback Done" in session.revert_now()
        assert "policy-map GONE" not in session.running_config()
        session.arm_revert(5)
        send(session, "policy-map KEPT", "class class-default", "set dscp 0")
        assert session.confirm_revert() is True
        assert session.pending_revert() is None
        assert "policy-map KEPT" in session.running_config()
        send(session, "no policy-map KEPT", "no archive")


def test_a_router_that_knows_no_timer_says_so(practice: Practice) -> None:
    with connect(practice.target("gsr", "netmiko"), timeout=USUAL) as session:
        for ask in (session.pending_revert, session.confirm_revert, lambda: session.arm_revert(5)):
            with pytest.raises(LineRefused, match="Invalid input"):
                ask()
        assert session.running_config()
