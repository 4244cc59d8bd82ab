"""The oracle of the killed workers finds what it is there to find."""

from __future__ import annotations

from typing import Any

import pytest

from lab.device import Device
from lab.spec import RouterSpec
from tests.soak.kills_oracle import Approved, Witness, blocks, differences

SPEC: dict[str, Any] = {
    "name": "r0",
    "platform": "cisco-7200vxr",
    "ios": "12.3(14)T",
    "username": "noc",
    "password": "secret-1",
    "enable": "secret-2",
    "interfaces": [{"name": "POS2/0", "bandwidth_kbit": 155000, "ipv6": "2001:db8::1/64"}],
}
LINES = ("policy-map P", "class class-default", "set dscp default")
APPROVED = Approved(LINES, frozenset({"no policy-map P", *LINES}))


def state(device: Device) -> dict[str, Any]:
    return {
        "running": device.running_config(),
        "startup": device.startup,
        "log": list(device.history),
    }


def types(device: Device, *lines: str, user: str = "noc") -> None:
    session = device.open_session(user, privilege=15)
    session.enter_configuration()
    for line in lines:
        session.execute(line)
    session.close()


@pytest.fixture
def device() -> Device:
    return Device(RouterSpec.from_dict(SPEC))


@pytest.fixture
def witness() -> Witness:
    return Witness({"r0": SPEC})


def test_what_was_approved_sent_and_saved_holds(device: Device, witness: Witness) -> None:
    before = state(device)
    types(device, *LINES)
    device.save("noc")
    assert witness.judge("here", "r0", APPROVED, ("VERIFIED", True), before, state(device)) == []


@pytest.mark.parametrize(
    ("end", "lines", "saves", "said"),
    [
        (("VERIFIED", True), LINES[:2], True, "does not hold that"),
        (("VERIFIED", True), LINES, False, "startup-config is another"),
        (("ROLLED_BACK", None), LINES, False, "does not hold that"),
        (("ROLLED_BACK", None), (), True, ""),
        (("FAILED", None), (*LINES, "no policy-map P"), False, "FAILED, and"),
        (("VERIFIED", True), (*LINES, "exit", "ip classless"), True, "never approved"),
        (("VERIFIED", False), LINES, True, "startup-config is another"),
    ],
)
def test_what_does_not_hold_is_said(
    device: Device,
    witness: Witness,
    end: tuple[str, bool | None],
    lines: tuple[str, ...],
    saves: bool,
    said: str,
) -> None:
    before = state(device)
    types(device, *lines)
    if saves:
        device.save("noc")
    found = " ".join(witness.judge("here", "r0", APPROVED, end, before, state(device)))
    assert said in found
    assert bool(found) is bool(said)


def test_a_line_of_somebody_else_must_not_be_saved(device: Device, witness: Witness) -> None:
    types(device, "interface POS2/0", "description hand-1", user="console")
    before = state(device)
    types(device, *LINES)
    after = state(device)
    assert witness.judge("here", "r0", APPROVED, ("VERIFIED", False), before, after, "hand-1") == []
    device.save("noc")
    found = witness.judge("here", "r0", APPROVED, ("VERIFIED", True), before, state(device), "hand-1")
    assert any("somebody else was saved" in each for each in found)


def test_where_a_block_stands_is_no_difference() -> None:
    one = "version 12.3\n!\npolicy-map A\n class x\nend\n"
    other = "policy-map A\n class x\nntp clock-period 17180000\nversion 12.3\nend\n"
    assert blocks(one) == blocks(other)
    assert differences(one, other.replace("class x", "class y")) == [
        "- policy-map A /  class x",
        "+ policy-map A /  class y",
    ]
