"""A class and a policer for each Virtual Wire of GRNET: no wire takes what another was granted."""

from __future__ import annotations

import dataclasses
from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.pipeline import intent
from provisioning.pipeline.intent.carried import carried_classes
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import AccessLinkValue, Network, RouterValue
from provisioning.pipeline.units import BitRate
from provisioning.selectors.schemes import load_scheme
from tests.pipeline.networks import sls
from tests.pipeline.properties import PROPERTY

GRNET = load_scheme("grnet")
NTUA, PATRAS = "NTUA@ilissos:GigabitEthernet1/0", "UPATRAS@patra:GigabitEthernet1/0"


def wire(number: int, source: str, *to: str, mbit: int = 4, label: int | None = None) -> Sls:
    return sls(
        NTUA,
        PATRAS,
        mbit * 10**6,
        identifier=f"PIP-{number}",
        service_class="virtual-wire",
        source_prefixes=(ip_network(source),),
        destination_prefixes=tuple(ip_network(each) for each in to),
        flow_label=label,
    )


def wires(*granted: Sls) -> list[tuple[str | None, list[str]]]:
    """The classes of wires on the link, each with what it carries."""
    found = carried_classes(GRNET, GRNET.case_policy("filtered"), granted)
    return [
        (each.flow, [one.id for one in each.reservations])
        for each in found
        if each.entry.class_name == "PIP-VW-FILTERED"
    ]


def test_wires_of_4_and_6_mbit_have_a_class_each() -> None:
    four = wire(1, "2001:db8:1::/48", "2001:db8:f::/48", mbit=4)
    six = wire(2, "2001:db8:2::/48", "2001:db8:f::/48", mbit=6)
    assert wires(six, four) == [("PIP-1", ["PIP-1"]), ("PIP-2", ["PIP-2"])]


@pytest.mark.parametrize(
    "second",
    [
        wire(2, "2001:db8:1::/48", "2001:db8:f::/48"),
        wire(2, "2001:db8:1:7::/64", "2001:db8:f:1::/64"),
        wire(2, "2001:db8:1::/48", "2001:db8::/32"),
        wire(2, "2001:db8:1::/48", "2001:db8:f::/48", label=7),
    ],
)
def test_wires_that_no_packet_tells_apart_share_one(second: Sls) -> None:
    """The class of the first would take the packets of both, and drop what exceeds its own rate."""
    first = wire(1, "2001:db8:1::/48", "2001:db8:f::/48")
    assert wires(first, second) == [("PIP-1", ["PIP-1", "PIP-2"])]


def test_other_labels_and_other_ends_are_other_wires() -> None:
    labelled = [wire(n, "2001:db8:1::/48", "2001:db8:f::/48", label=n) for n in (1, 2)]
    assert len(wires(*labelled)) == 2
    elsewhere = [wire(1, "2001:db8:1::/48", "2001:db8:e::/48"), wire(2, "2001:db8:1::/48", "2001:db8:f::/48")]
    assert len(wires(*elsewhere)) == 2
    between = wire(3, "2001:db8:1::/48", "2001:db8:e::/47")
    assert wires(*elsewhere, between) == [("PIP-1", ["PIP-1", "PIP-2", "PIP-3"])]


def test_labels_do_not_tell_packets_of_ipv4_apart() -> None:
    both = [
        dataclasses.replace(
            wire(number, "2001:db8:1::/48", "2001:db8:f::/48", label=number),
            source_prefixes=(ip_network("192.0.2.0/24"), ip_network("2001:db8:1::/48")),
            destination_prefixes=(ip_network("198.51.100.0/24"), ip_network("2001:db8:f::/48")),
        )
        for number in (1, 2)
    ]
    assert wires(*both) == [("PIP-1", ["PIP-1", "PIP-2"])]


def test_all_wires_together_are_never_above_the_share() -> None:
    """Four of 100 Mbit/s on a gigabit, whose share is 200: each is cut to half, and the plan says so once."""
    asked = [wire(n, f"2001:db8:{n}::/48", "2001:db8:f::/48", mbit=100) for n in (1, 2, 3, 4)]
    asked = [dataclasses.replace(each, bucket_bytes=50_000) for each in asked]
    link = AccessLinkValue(
        NTUA, "NTUA", "ilissos", "GigabitEthernet1/0", None, 10**9, 10**9, 10**9, "filtered", False
    )
    network = Network(
        routers=(RouterValue("ilissos", "cisco-7200vxr", "12.4(24)T", {}, ("GigabitEthernet1/0",)),),
        access_links=(link,),
        core_links=(),
    )
    wanted = intent.build(network, GRNET, "ilissos", profile("cisco-7200vxr", "12.4(24)T"), asked)
    rates = [
        entry.police.rate.value
        for policy in wanted.policy_maps
        for entry in policy.classes
        if entry.name.startswith("PIP-VW-FILTERED") and entry.police is not None
    ]
    assert len(rates) == 4
    assert 199_000_000 < sum(rates) <= 200_000_000
    assert sum("policed to the cap of 200 Mbit/s" in text for text in wanted.warnings) == 1


@PROPERTY
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3), st.integers(0, 2)), max_size=7
    )
)
def test_a_packet_is_policed_with_all_it_was_granted_by_and_with_nobody_else_s(
    chosen: list[tuple[int, int, int, int]],
) -> None:
    """Each reservation stands in one class, and no two classes have a packet in common."""
    granted = [
        dataclasses.replace(
            wire(n + 1, f"2001:db8:{a << (16 - 2 * al):x}::/{32 + 2 * al}", f"2001:db9:{b << (16 - 2 * bl):x}::/{32 + 2 * bl}"),
            rate=BitRate(n + 1),
        )
        for n, (a, al, b, bl) in enumerate((a % 4**al, al, b % 4**bl, bl) for a, al, b, bl in chosen)
    ]  # fmt: skip
    found = wires(*granted)
    assert sorted(name for _, held in found for name in held) == sorted(one.id for one in granted)
    known = {one.id: one for one in granted}
    for place, (_, held) in enumerate(found):
        for _, others in found[place + 1 :]:
            for one in (known[name] for name in held):
                for other in (known[name] for name in others):
                    assert not (
                        one.source_prefixes[0].overlaps(other.source_prefixes[0])  # type: ignore[arg-type]
                        and one.destination_prefixes[0].overlaps(other.destination_prefixes[0])  # type: ignore[arg-type]
                    )
