"""The IOS pack on practice routers in-process: every line taken, read back as meant, and undone without a trace."""

from __future__ import annotations

import re

import pytest

from provisioning.pipeline.mqc import Bps, BurstBits, Match, SetField, Shape
from provisioning.pipeline.packs import Edge, Excess
from provisioning.pipeline.units import BitRate
from tests.pipeline.packs.orders import ios
from tests.pipeline.practice import KINDS, Oracle, profile_of

UPLINK = "POS2/0"
DEEP = 30_000


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
    pack = ios(profile.name, str(profile.release), uplink=UPLINK, bucket_bytes=DEEP)
    assert router.send(typed(pack.text)) == []
    held = router.read()
    assert ("output", "PREMIUM-OUT") in {
        (one.direction, one.policy) for one in held.bindings if one.interface == UPLINK
    }
    (entry,) = [one for one in held.policy_maps["PREMIUM-OUT"].classes if one.name == "PIP-12"]
    assert SetField("dscp", 46) in entry.actions
    (shape,) = [one for one in entry.actions if isinstance(one, Shape)]
    # With four bytes of HDLC on each 1500: 5013333.3 bit/s, and a bucket of 30,080 bytes behind it. Where two intervals meet
    # two bursts and the room for one packet leave at once: 2 × 14,288 + 1504 = 30,080.
    assert (shape.rate, shape.burst, shape.excess_burst) == (
        Bps(5_013_334),
        BurstBits(14_288 * 8),
        BurstBits(1504 * 8),
    )
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
    pack = ios("cisco-iosxe", marks=False, bucket_bytes=DEEP)
    assert "  set dscp" not in pack.text and "  shape average 5013334 114304 12032" in pack.text
    assert any("The backbone marks" in note for note in pack.notes)


def test_a_flow_label_is_matched_and_its_theft_is_said() -> None:
    pack = ios("cisco-iosxe", flow_label=74565)
    assert " sequence 10 permit ipv6 2001:630:1::/48 2001:648:2::/48 flow-label 74565" in pack.text
    assert any("it does not protect" in note for note in pack.notes)


def test_without_an_uplink_nothing_is_bound() -> None:
    pack = ios("cisco-iosxe")
    assert not [line for line in typed(pack.text) if "service-policy" in line or line.startswith("interface")]
    assert "! interface UPLINK" in pack.text


def test_an_uplink_of_another_kind_is_counted_as_its_own_frames_are() -> None:
    pack = ios("cisco-iosxe", uplink="GigabitEthernet1/0.100", bucket_bytes=DEEP)
    assert "  shape average 5060000 " in pack.text  # 1518 bytes for 1500
    assert any("Ethernet with a VLAN tag, 18 bytes a packet" in note for note in pack.notes)


def test_the_smallest_packet_is_what_the_rate_is_converted_with() -> None:
    pack = ios("cisco-iosxe", uplink=UPLINK, bucket_bytes=DEEP, min_packet_bytes=100)
    assert "  shape average 5200000 " in pack.text
    assert any("packets of 100 to 1500 bytes" in note for note in pack.notes)
    only = ios("cisco-iosxe", uplink=UPLINK, bucket_bytes=DEEP)
    assert any("Name the smallest when you ask" in note for note in only.notes)


@pytest.mark.parametrize("kind", KINDS)
def test_a_shaper_that_sends_more_at_once_than_the_policer_passes_is_left_out_and_said(kind: str) -> None:
    """100 Mbit/s in 4 ms are 50,000 bytes; before a policer with `bc 25000` they lost 42 % of traffic that conforms."""
    profile = profile_of(kind)
    asked = {"rate": BitRate(100_000_000), "bucket_bytes": 25_000}
    pack = ios(profile.name, str(profile.release), uplink=UPLINK, **asked)
    assert "  shape" not in pack.text and "queue-limit" not in pack.text
    assert pack.notes[0].startswith(f"NOT SHAPED. {profile.name}")
    found = re.search(r"ask with a bucket of (\d+) bytes", pack.notes[0])
    assert found
    enough = ios(profile.name, str(profile.release), uplink=UPLINK, **asked | {"bucket_bytes": int(found[1])})
    assert "  shape average 100266667 " in enough.text
    router = Oracle(kind)
    assert router.send(typed(pack.text)) == []


COLOURED = Edge("FastEthernet0/1", Excess.LET_THROUGH, 6000, coloured=True)
MARKED = Edge("ATM1/0.1", Excess.LET_THROUGH, 6000)


@pytest.mark.parametrize("kind", KINDS)
def test_colours_are_neither_shaped_nor_overwritten(kind: str) -> None:
    """A queue that is blind to them in front of RIO lost a fifth of the green packets and none of the red."""
    profile, router = profile_of(kind), Oracle(kind)
    pack = ios(profile.name, str(profile.release), uplink=UPLINK, edge=COLOURED, bucket_bytes=DEEP)
    assert "  shape" not in pack.text and "  set dscp" not in pack.text
    assert pack.notes[0].startswith("Not shaped and not marked: your packets carry the colours")
    before = router.read()
    assert router.send(typed(pack.text)) == []
    assert router.send(undoing(pack.text)) == []
    assert router.read() == before


def test_what_is_let_through_marked_is_not_shaped() -> None:
    pack = ios("cisco-iosxe", uplink=UPLINK, edge=MARKED, marks=False, bucket_bytes=DEEP)
    assert "  shape" not in pack.text
    assert pack.notes[0].startswith(
        "Not shaped: what you send above the rate is let through with a mark of its own"
    )
