"""The IOS pack on practice routers in-process: every line taken, read back as meant, and undone without a trace."""

from __future__ import annotations

import pytest

from provisioning.pipeline.mqc import Bps, BurstBits, Match, SetField, Shape
from tests.pipeline.packs.orders import ios
from tests.pipeline.practice import KINDS, Oracle, profile_of

UPLINK = "POS2/0"


def typed(text: str) -> list[str]:
    """What is typed of a pack: everything but its comments and the closing end."""
    return [line for line in text.splitlines() if not line.startswith("!") and line != "end"]


def undoing(text: str) -> list[str]:
    """The lines that the pack's last comments name."""
    block = text.partition("! Undo, in configuration mode:\n")[2]
    lines = [line.removeprefix("! ") for line in block.splitlines()]
    return [line for line in lines if not line.startswith("and with the last request")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_router_takes_it_and_gives_it_back(kind: str) -> None:
    router, profile = Oracle(kind), profile_of(kind)
    before = router.read()
    pack = ios(profile.name, str(profile.release), uplink=UPLINK)
    assert router.send(typed(pack.text)) == []
    held = router.read()
    assert ("output", "PREMIUM-OUT") in {
        (one.direction, one.policy) for one in held.bindings if one.interface == UPLINK
    }
    (entry,) = [one for one in held.policy_maps["PREMIUM-OUT"].classes if one.name == "PIP-12"]
    assert SetField("dscp", 46) in entry.actions
    (shape,) = [one for one in entry.actions if isinstance(one, Shape)]
    assert shape.rate == Bps(5_000_000)
    assert isinstance(shape.burst, BurstBits) and shape.burst.value >= 2 * 1518 * 8
    assert held.class_maps["PIP-12"].matches == {Match("access-group", frozenset({"PIP-12-V6"}))}
    assert [one.text for one in held.access_lists["PIP-12-V6"].entries] == [
        "permit ipv6 2001:630:1::/48 2001:648:2::/48"
    ]
    assert router.send(undoing(pack.text)) == []
    assert router.read() == before


def test_two_requests_share_the_policy_of_the_uplink() -> None:
    router = Oracle("ios-xe")
    first, second = ios("cisco-iosxe", uplink=UPLINK), ios("cisco-iosxe", uplink=UPLINK, number=13)
    assert router.send([*typed(first.text), *typed(second.text)]) == []
    names = [one.name for one in router.read().policy_maps["PREMIUM-OUT"].classes]
    assert [name for name in names if name.startswith("PIP")] == ["PIP-12", "PIP-13"]
    assert router.send(first.undo) == []
    names = [one.name for one in router.read().policy_maps["PREMIUM-OUT"].classes]
    assert "PIP-12" not in names and "PIP-13" in names


def test_both_families_are_alternatives_of_one_class() -> None:
    pack = ios(
        "cisco-7200",
        "12.4(24)T",
        source_prefixes=("2001:630:1::/48", "192.0.2.0/24"),
        destination_prefixes=("2001:648:2::/48", "198.51.100.0/24"),
    )
    assert "class-map match-any PIP-12" in pack.text
    assert (
        " match access-group name PIP-12-V4" in pack.text
        and " match access-group name PIP-12-V6" in pack.text
    )
    assert Oracle("7200-hqf").send(typed(pack.text)) == []


def test_where_the_backbone_marks_it_shapes_only() -> None:
    pack = ios("cisco-iosxe", marks=False)
    assert "set dscp" not in pack.text and "  shape average 5000000 24288 0" in pack.text
    assert any("The backbone marks" in note for note in pack.notes)


def test_a_flow_label_is_matched_and_its_theft_is_said() -> None:
    pack = ios("cisco-iosxe", flow_label=74565)
    assert " sequence 10 permit ipv6 2001:630:1::/48 2001:648:2::/48 flow-label 74565" in pack.text
    assert any("it does not protect" in note for note in pack.notes)


def test_without_an_uplink_nothing_is_bound() -> None:
    pack = ios("cisco-iosxe")
    assert not [line for line in typed(pack.text) if "service-policy" in line or line.startswith("interface")]
    assert "! interface UPLINK" in pack.text
