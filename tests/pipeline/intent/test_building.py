"""What one router must hold: cases, standing links, names per link, access lists, options."""

from __future__ import annotations

import dataclasses
from ipaddress import ip_network

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline import intent
from provisioning.pipeline.intent import Role, RouterIntent, link_names, removal
from provisioning.pipeline.mqc import Binding, Bps, BurstBytes, Police, SetField
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.topology import Network
from tests.pipeline.practice import profile_of
from tests.pipeline.worlds import World, reservation

PLAIN = World(
    cases=(
        ("ALPHA", "trusted", True),
        ("BETA", "non-participant", True),
        ("DELTA", "filtered", False),
        ("GAMMA", "filtered", False),
    ),
)
NETWORK = PLAIN.network("12000")
GAMMA, DELTA, ALPHA, BETA = (
    "GAMMA@r1:GigabitEthernet3/0",
    "DELTA@r1:ATM5/0.1",
    "ALPHA@r1:POS1/0",
    "BETA@r1:POS1/1",
)
FAR = "2001:db8:f::/48"


def built(*reservations, world: World = PLAIN, network: Network = NETWORK, **options) -> RouterIntent:
    return intent.build(network, world.scheme(), "r1", profile_of("12000"), reservations, **options)


def bound(wanted: RouterIntent) -> dict[str, str]:
    return {
        f"{each.interface} {each.pvc or ''} {each.direction}".replace("  ", " "): each.policy
        for each in wanted.bindings
    }


def test_every_interface_has_exactly_its_policy():
    assert bound(built()) == {
        "POS1/0 input": "TRUSTED-IN",
        "POS1/1 input": "NON-PARTICIPANT",
        "ATM5/0.1 0/32 input": "NON-PARTICIPANT",
        "GigabitEthernet3/0 input": "NON-PARTICIPANT",
        "POS2/1 input": "NON-PARTICIPANT",
        "POS2/0 output": "my_policy",
    }


def test_roles_by_interface():
    assert dict(built().roles) == {
        "POS1/0": Role.ACCESS,
        "POS1/1": Role.ACCESS,
        "ATM5/0.1 pvc 0/32": Role.ACCESS,
        "GigabitEthernet3/0": Role.ACCESS,
        "POS2/1": Role.PEERING,
        "POS2/0": Role.CORE,
    }
    assert built().managed == {"POS1/0", "POS1/1", "ATM5/0.1", "GigabitEthernet3/0", "POS2/1", "POS2/0"}


def test_a_link_that_is_not_standing_takes_part_while_something_is_reserved():
    wanted = built(reservation("R1", GAMMA, "2001:db8:a::/48", FAR))
    assert bound(wanted)["GigabitEthernet3/0 input"] == "FILTERED-IN"
    assert bound(built())["GigabitEthernet3/0 input"] == "NON-PARTICIPANT"


def test_a_reservation_on_a_standing_trusted_link_changes_nothing():
    assert built(reservation("R1", ALPHA, "2001:db8:a::/48", FAR)).revision == built().revision


def test_a_reservation_elsewhere_changes_nothing():
    assert built(reservation("R1", "ZETA@r7:POS1/0", "2001:db8:a::/48", FAR)) == built()


def test_a_reservation_from_a_link_that_does_not_take_part_is_refused():
    with pytest.raises(InvalidInput, match="does not participate"):
        built(reservation("R1", BETA, "2001:db8:a::/48", FAR))


def test_entries_are_source_and_destination_each_once_and_sorted():
    wanted = built(
        reservation("R2", GAMMA, "2001:db8:b::/48", FAR, label=77),
        reservation("R1", GAMMA, "2001:db8:a::7/128", FAR),
        reservation("R3", GAMMA, "2001:db8:a::7/128", FAR),
    )
    (authorised,) = wanted.access_lists
    assert authorised.name == "nren-auth-ef"
    assert [(entry.sequence, entry.text) for entry in authorised.entries] == [
        (10, "permit ipv6 host 2001:db8:a::7 2001:db8:f::/48"),
        (20, "permit ipv6 2001:db8:b::/48 2001:db8:f::/48 flow-label 77"),
    ]


def test_without_a_destination_everything_the_host_sends_is_taken_and_that_warns():
    wide = dataclasses.replace(reservation("R1", GAMMA, "2001:db8:a::/48", FAR), destination_prefixes=())
    wanted = built(wide)
    assert wanted.access_lists[0].entries[0].text == "permit ipv6 2001:db8:a::/48 any"
    assert any("R1" in warning for warning in wanted.warnings)


def test_the_second_filtered_link_of_a_router_has_names_of_its_own():
    wanted = built(
        reservation("R1", GAMMA, "2001:db8:a::/48", FAR),
        reservation("R2", DELTA, "2001:db8:b::/48", FAR),
        suffixes={GAMMA: 1},
    )
    assert dict(wanted.suffixes) == {GAMMA: 1, DELTA: 2}
    assert bound(wanted)["GigabitEthernet3/0 input"] == "FILTERED-IN"
    assert bound(wanted)["ATM5/0.1 0/32 input"] == "FILTERED-IN-L2"
    assert {each.name for each in wanted.access_lists} == {"nren-auth-ef", "nren-auth-ef-L2"}
    assert {each.name for each in wanted.class_maps} == {"EF", "EF-FILTERED", "EF-FILTERED-L2", "LBE"}


def test_names_are_never_given_to_another_link():
    wanted = built(reservation("R2", DELTA, "2001:db8:b::/48", FAR), suffixes={GAMMA: 1})
    assert bound(wanted)["ATM5/0.1 0/32 input"] == "FILTERED-IN-L2"


def test_a_standing_filtered_link_without_reservations_authorises_nobody_in_so_many_words():
    links = tuple(
        dataclasses.replace(link, standing=True) if link.id == GAMMA else link
        for link in NETWORK.access_links
    )
    wanted = built(network=dataclasses.replace(NETWORK, access_links=links))
    (authorised,) = wanted.access_lists
    assert [entry.text for entry in authorised.entries] == ["deny ipv6 any any"]


def test_two_families_are_two_lists_and_match_any():
    """Both lines under match-all would have to match one packet (ios-facts 2.7)."""
    both = dataclasses.replace(
        reservation("R1", GAMMA, "2001:db8:a::/48", FAR),
        source_prefixes=(ip_network("2001:db8:a::/48"), ip_network("198.51.100.0/24")),
        destination_prefixes=(ip_network(FAR), ip_network("203.0.113.7/32")),
    )
    wanted = built(both)
    assert {each.name: each.entries[0].text for each in wanted.access_lists} == {
        "nren-auth-ef": "permit ipv6 2001:db8:a::/48 2001:db8:f::/48",
        "nren-auth-ef-v4": "permit ip 198.51.100.0 0.0.0.255 host 203.0.113.7",
    }
    (filtered,) = (each for each in wanted.class_maps if each.name == "EF-FILTERED")
    assert filtered.mode == "match-any"


def test_the_unused_class_is_written_only_when_asked_for():
    assert "OTHER" not in {each.name for each in built().class_maps}
    asked = built(world=dataclasses.replace(PLAIN, other=True))
    assert "OTHER" in {each.name for each in asked.class_maps}


def test_the_documents_ip_dscp_is_never_invented():
    for each in built(reservation("R1", GAMMA, "2001:db8:a::/48", FAR)).class_maps:
        assert all(match.kind in ("dscp", "access-group") for match in each.matches)


GRANTS = dataclasses.replace(PLAIN, policer="grants")


def policers(wanted: RouterIntent, policy: str, name: str) -> Police | None:
    (found,) = (each for each in wanted.policy_maps if each.name == policy)
    entry = found.find(name)
    assert entry is not None
    return entry.police


def test_grants_police_to_the_sum_of_what_was_granted():
    """D4.4.2v2 section 2.5 a: "according to already granted partners requests"; two equal grants count twice. They are of
    layer 3, the policer counts four bytes of HDLC with each packet of 1500: 2005333.3 bit/s each, rounded up.
    """
    wanted = built(
        reservation("R1", ALPHA, "2001:db8:a::/48", FAR),
        reservation("R2", ALPHA, "2001:db8:a::/48", FAR),
        world=GRANTS,
    )
    policer = policers(wanted, "TRUSTED-IN", "EF")
    assert policer is not None
    assert policer.rate == Bps(2 * 2_005_334)


def test_grants_never_exceed_the_cap():
    """Neither as granted nor, where just the headers are too much, as frames are counted."""
    full = built(reservation("R1", ALPHA, "2001:db8:a::/48", FAR, bps=7_750_000), world=GRANTS)
    policer = policers(full, "TRUSTED-IN", "EF")
    assert policer is not None and policer.rate == Bps(7_750_000)
    assert any("7.75 Mbit/s granted are 7.770667 Mbit/s with their headers" in text for text in full.warnings)
    wanted = built(reservation("R1", ALPHA, "2001:db8:a::/48", FAR, bps=9_000_000), world=GRANTS)
    policer = policers(wanted, "TRUSTED-IN", "EF")
    assert policer is not None
    assert policer.rate == Bps(7_750_000)
    assert any("cap" in warning for warning in wanted.warnings)


def test_a_policer_is_wide_enough_for_the_smallest_packets_that_were_named():
    """Twenty G.711 calls of 220 bytes a packet: 224 on the wire, and the bucket grows as the rate does."""
    calls = dataclasses.replace(
        reservation("R1", ALPHA, "2001:db8:a::/48", FAR, bps=1_760_000),
        max_packet_bytes=1500,
        min_packet_bytes=220,
        bucket_bytes=4400,
    )
    policer = policers(built(calls, world=GRANTS), "TRUSTED-IN", "EF")
    assert policer is not None
    assert (policer.rate, policer.burst) == (Bps(1_792_000), BurstBytes(4480))


def test_an_interface_of_no_known_framing_is_given_room_for_the_longest():
    asked = reservation("R1", ALPHA, "2001:db8:a::/48", FAR, bps=1_500_000)
    tunnel = dataclasses.replace(
        NETWORK,
        access_links=tuple(
            dataclasses.replace(link, interface="Tunnel1") if link.id == ALPHA else link
            for link in NETWORK.access_links
        ),
    )
    wanted = intent.build(tunnel, GRANTS.scheme(), "r1", profile_of("12000"), [asked])
    policer = policers(wanted, "TRUSTED-IN", "EF")
    assert policer is not None and policer.rate == Bps(1_518_000)


def test_nothing_granted_is_remarked_never_policed_to_nothing():
    wanted = built(world=GRANTS)
    (trusted,) = (each for each in wanted.policy_maps if each.name == "TRUSTED-IN")
    entry = trusted.find("EF")
    assert entry is not None
    assert entry.actions == {SetField("dscp", 0)}


def test_an_exempted_interface_is_left_alone():
    assert "POS1/1" not in built(exempt=("POS1/1",)).managed


def test_an_unknown_router_is_refused():
    with pytest.raises(InvalidInput, match="r9"):
        intent.build(NETWORK, PLAIN.scheme(), "r9", profile_of("12000"), ())


def test_a_release_without_percentages_is_refused_by_name():
    with pytest.raises(InvalidInput, match="police cir percent") as caught:
        intent.build(NETWORK, PLAIN.scheme(), "r1", profile("cisco-12400", "12.0(27)S"), ())
    assert caught.value.field == "ios"
    assert "12.0(27)S" in str(caught.value)


def test_the_order_of_reservations_never_matters():
    first = reservation("R1", GAMMA, "2001:db8:a::/48", FAR)
    second = reservation("R2", GAMMA, "2001:db8:b::/48", FAR)
    assert built(first, second) == built(second, first)


def test_removal_keeps_the_interfaces_and_wants_nothing():
    nothing = removal(built())
    assert nothing.managed == built().managed
    assert list(nothing.objects()) == []
    assert nothing.bindings == frozenset()


def test_the_revision_changes_with_any_wanted_thing():
    wanted = built()
    other = dataclasses.replace(
        wanted, bindings=wanted.bindings | {Binding("POS9/0", None, "input", "TRUSTED-IN")}
    )
    assert wanted.revision == built().revision
    assert other.revision != wanted.revision
    assert removal(wanted).revision != wanted.revision


def test_links_are_counted_from_one():
    assert link_names(1).of("FILTERED-IN") == "FILTERED-IN"
    assert link_names(3).access_list("nren-auth-ef", 4) == "nren-auth-ef-L3-v4"
    with pytest.raises(InvalidInput):
        link_names(0)
