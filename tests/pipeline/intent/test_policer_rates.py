"""Rates are asked for at layer 3, policers count layer 2: both are said, and what was assumed about headers."""

from __future__ import annotations

import pytest

from provisioning.pipeline import intent
from provisioning.pipeline.intent import PolicerRate, policer_rates
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import framing_of, layer2_bps, layer3_bps
from tests.pipeline.networks import GRNET, JANET, sixnet, sls

BANDWIDTHS = {"POS1/0": 155_000_000}
NETWORK = sixnet()


def rates(scheme: Scheme, *reservations: Sls, bandwidths: dict[str, int] = BANDWIDTHS) -> list[PolicerRate]:
    wanted = intent.build(NETWORK, scheme, "uk6", profile("cisco-12400", "12.0(28)S"), reservations)
    return list(policer_rates(NETWORK, scheme, wanted, bandwidths, reservations))


def test_a_trusted_stm1_says_percent_layer_2_and_layer_3(sixnet: Scheme) -> None:
    ef, lbe = [each for each in rates(sixnet) if each.link == JANET]
    assert (ef.class_name, ef.percent, ef.rate_bps, ef.drops) == ("EF", 5, 7_750_000, True)
    assert ef.layer3 == ((1500, 7_750_000 * 1500 // 1504),)
    assert str(ef) == (
        "POS1/0 TRUSTED-IN, class EF: polices 7.75 Mbit/s at layer 2 (5 % of BW 155 Mbit/s), at layer 3 "
        "7.729388 Mbit/s in packets of 1500 bytes (PPP or HDLC, 4 bytes a packet)"
    )
    assert (lbe.class_name, lbe.rate_bps, lbe.drops) == ("LBE", 1_550_000, False)
    assert "meters, never drops, 1.55 Mbit/s" in str(lbe)


def test_grants_are_reckoned_in_their_own_largest_packets(sixnet: Scheme) -> None:
    voice = sls(JANET, GRNET, 2_000_000, identifier="PIP-1", max_packet_bytes=200)
    video = sls(JANET, GRNET, 5_000_000, identifier="PIP-2", max_packet_bytes=1280)
    found = next(each for each in rates(sixnet, voice, video) if each.link == JANET and each.drops)
    assert [size for size, _ in found.layer3] == [200, 1280]
    assert found.needed_bps == 2_040_000 + 5_015_625
    assert found.short_bps == 0
    assert "granted to PIP-1, PIP-2: 7 Mbit/s at layer 3, 7.055625 Mbit/s at layer 2" in str(found)


def test_the_smallest_packet_that_was_named_counts(sixnet: Scheme) -> None:
    mixed = sls(JANET, GRNET, 2_000_000, identifier="PIP-1", max_packet_bytes=1280, min_packet_bytes=200)
    found = next(each for each in rates(sixnet, mixed) if each.link == JANET and each.drops)
    assert found.needed_bps == 2_040_000
    assert found.to_json()["granted"] == [{"id": "PIP-1", "rate_bps": 2_000_000, "packet_bytes": 200}]


def test_a_full_share_of_small_packets_is_more_than_the_policer_lets_through(sixnet: Scheme) -> None:
    full = sls(JANET, GRNET, 7_750_000, identifier="PIP-1", max_packet_bytes=100)
    found = next(each for each in rates(sixnet, full) if each.link == JANET and each.drops)
    assert found.short_bps == 310_000
    assert str(found).endswith("310 kbit/s MORE than the policer lets through")
    assert found.to_json()["short_bps"] == 310_000


def test_a_bw_that_was_not_read_is_said_and_nothing_is_reckoned_from_it(sixnet: Scheme) -> None:
    found = next(each for each in rates(sixnet, bandwidths={}) if each.link == JANET)
    assert found.rate_bps is None
    assert found.layer3 == ()
    assert found.short_bps == 0
    assert "5 % of a BW that the router does not show" in str(found)


@pytest.mark.parametrize(
    ("interface", "header"),
    [
        ("POS1/0", 4), ("Serial0/0:1", 4), ("GigabitEthernet1/0", 14), ("GigabitEthernet1/0.100", 18),
        ("FastEthernet0/1", 14), ("ATM2/0.1", 8), ("Tunnel1", None), ("Loopback0", None),
    ],
)  # fmt: skip
def test_headers_by_kind_of_interface(interface: str, header: int | None) -> None:
    found = framing_of(interface)
    assert (found.header_bytes if found else None) == header


def test_the_two_layers_lead_back_to_each_other() -> None:
    for packet in (40, 200, 1280, 1500, 9000):
        wire = layer2_bps(2_000_000, packet, 14)
        assert wire > 2_000_000
        assert layer3_bps(wire, packet, 14) >= 2_000_000
        assert layer3_bps(wire - 1, packet, 14) < 2_000_000
