"""What a request may say of its traffic, and what is refused with the field's name."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline.sls import outside, prefixes, warnings
from provisioning.pipeline.units import BitRate
from tests.pipeline.networks import GRNET, JANET, sls

V4, V6 = ip_network("192.0.2.0/24"), ip_network("2001:db8::/32")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"rate": BitRate(0)}, "rate"),
        ({"rate": BitRate(10**12 + 1)}, "rate"),
        ({"rate": BitRate(10**18)}, "rate"),
        ({"rate": BitRate(10**9999)}, "rate"),
        ({"destination_link": JANET}, "destination_link"),
        ({"max_packet_bytes": 0}, "max_packet_bytes"),
        ({"max_packet_bytes": -1}, "max_packet_bytes"),
        ({"max_packet_bytes": True}, "max_packet_bytes"),
        ({"min_packet_bytes": 0}, "min_packet_bytes"),
        ({"min_packet_bytes": True}, "min_packet_bytes"),
        ({"min_packet_bytes": 10**5000}, "min_packet_bytes"),
        ({"min_packet_bytes": 1501}, "min_packet_bytes"),
        ({"min_packet_bytes": 39}, "min_packet_bytes"),
        ({"min_packet_bytes": 19, "source_prefixes": (V4,), "destination_prefixes": ()}, "min_packet_bytes"),
        ({"bucket_bytes": 1500}, "bucket_bytes"),
        ({"bucket_bytes": 0}, "bucket_bytes"),
        ({"bucket_bytes": 10**5000}, "bucket_bytes"),
        ({"flow_label": 0}, "flow_label"),
        ({"flow_label": 2**20}, "flow_label"),
        ({"flow_label": 5, "source_prefixes": (V4,), "destination_prefixes": ()}, "flow_label"),
        ({"source_prefixes": ()}, "source_prefixes"),
        ({"source_prefixes": (V4, V6), "destination_prefixes": (V6,)}, "destination_prefixes"),
        ({"excess": "remark"}, "excess"),
    ],
)
def test_what_cannot_be_asked_names_its_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        sls(JANET, changes.pop("destination_link", GRNET), changes.pop("rate", BitRate(1)).bps, **changes)
    assert refused.value.field == field


@pytest.mark.parametrize(
    "changes",
    [
        {"flow_label": 1},
        {"flow_label": 2**20 - 1},
        {"bucket_bytes": 1501},
        {"min_packet_bytes": 40},
        {"min_packet_bytes": 1500},
        {"min_packet_bytes": 20, "source_prefixes": (V4,), "destination_prefixes": ()},
        {"source_prefixes": (V4, V6), "destination_prefixes": (V4, V6)},
        {"source_prefixes": (V4,), "destination_prefixes": ()},
    ],
)
def test_what_may_be_asked_is_taken(changes: dict[str, Any]) -> None:
    assert sls(JANET, GRNET, 10**12, **changes).rate.bps == 10**12


def test_rates_are_converted_with_the_smallest_packet_that_was_named() -> None:
    assert sls(JANET, GRNET, 1).smallest_packet_bytes == 1500
    assert sls(JANET, GRNET, 1, min_packet_bytes=220).smallest_packet_bytes == 220


def test_prefixes_are_canonical_sorted_and_each_once() -> None:
    found = prefixes(["2001:630:0:0::/64", "192.0.2.0/24", "2001:630::/64", "2001:0630::/48"], field="x")
    assert [str(prefix) for prefix in found] == ["192.0.2.0/24", "2001:630::/48", "2001:630::/64"]


@pytest.mark.parametrize(
    "bad", ["2001:630::1/32", "fe80::%eth0/64", "x", "", "1" * 100, 7, "2001::/129", "10.0.0.0/8\n!"]
)
def test_a_bad_prefix_is_refused_by_field(bad: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        prefixes([bad], field="source_prefixes")
    assert refused.value.field == "source_prefixes"


def test_prefixes_outside_the_nrens_own_are_found() -> None:
    own = [ip_network("2001:630::/32"), ip_network("192.0.2.0/24")]
    inside = [ip_network("2001:630:8::/48"), ip_network("192.0.2.128/25"), ip_network("2001:630::/32")]
    foreign = [ip_network("2001:648::/32"), ip_network("2001::/16"), ip_network("192.0.0.0/16")]
    assert outside(inside, own) == ()
    assert outside(inside + foreign, own) == tuple(foreign)
    assert outside(inside, []) == tuple(inside)


def test_host_to_any_warns() -> None:
    assert warnings(sls(JANET, GRNET, 1)) == ()
    assert len(warnings(sls(JANET, GRNET, 1, destination_prefixes=()))) == 1
    assert len(warnings(sls(JANET, GRNET, 1, destination_prefixes=(ip_network("::/0"),)))) == 1


def test_a_packet_of_one_byte_makes_no_policer_of_many_times_the_grant() -> None:
    """A header is counted with each packet: by packets of one byte a policer would be 15 times what was granted."""
    assert sls(JANET, GRNET, 1, max_packet_bytes=1).smallest_packet_bytes == 40
    four = sls(
        JANET,
        GRNET,
        1,
        max_packet_bytes=1,
        source_prefixes=(ip_network("192.0.2.0/24"),),
        destination_prefixes=(),
    )
    assert four.smallest_packet_bytes == 20
