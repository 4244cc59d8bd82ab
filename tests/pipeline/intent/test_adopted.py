"""An intent under the names a router already had: by router, by link, and in its own words while those hold."""

from __future__ import annotations

import dataclasses

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline import intent
from provisioning.pipeline.intent import AdoptedObject, RouterIntent
from provisioning.pipeline.mqc import Bps, Police, PolicyMap, digest
from tests.pipeline.practice import profile_of
from tests.pipeline.worlds import World, reservation

WORLD = World(
    cases=(("ALPHA", "trusted", True), ("BETA", "trusted", True), ("GAMMA", "filtered", True)),
)
ALPHA, BETA, GAMMA = "ALPHA@r1:POS1/0", "BETA@r1:POS1/1", "GAMMA@r1:GigabitEthernet3/0"


def built(*adopted: AdoptedObject, reservations=(), bw_bps: int | None = None) -> RouterIntent:
    network = WORLD.network("12000")
    if bw_bps is not None:
        links = tuple(dataclasses.replace(link, bw_bps=bw_bps) for link in network.access_links)
        network = dataclasses.replace(network, access_links=links)
    return intent.build(network, WORLD.scheme(), "r1", profile_of("12000"), reservations, adopted=adopted)


def policy(wanted: RouterIntent, name: str) -> PolicyMap:
    return next(entry for entry in wanted.policy_maps if entry.name == name)


def bound(wanted: RouterIntent) -> dict[str, str]:
    return {each.interface: each.policy for each in wanted.bindings}


def test_a_name_for_the_router_holds_wherever_the_object_is_used():
    wanted = built(
        AdoptedObject("class-map", "EF", "GOLD"), AdoptedObject("policy-map", "my_policy", "WAN-OUT")
    )
    assert [entry.name for entry in policy(wanted, "TRUSTED-IN").classes] == ["GOLD", "LBE", "class-default"]
    assert [entry.name for entry in policy(wanted, "WAN-OUT").classes] == ["GOLD", "class-default"]
    assert "EF" not in {entry.name for entry in wanted.class_maps}
    assert bound(wanted)["POS2/0"] == "WAN-OUT"


def test_two_links_can_have_names_of_their_own_for_one_object():
    wanted = built(
        AdoptedObject("policy-map", "TRUSTED-IN", "CUST-A", ALPHA),
        AdoptedObject("class-map", "EF", "A-EF", ALPHA),
        AdoptedObject("policy-map", "TRUSTED-IN", "CUST-B", BETA),
    )
    assert bound(wanted)["POS1/0"] == "CUST-A"
    assert bound(wanted)["POS1/1"] == "CUST-B"
    assert policy(wanted, "CUST-A").classes[0].name == "A-EF"
    assert policy(wanted, "CUST-B").classes[0].name == "EF"


def test_a_name_taken_for_something_else_is_not_used_twice():
    wanted = built(AdoptedObject("policy-map", "FILTERED-IN", "TRUSTED-IN"))
    assert bound(wanted) == {
        "POS1/0": "xp-TRUSTED-IN",
        "POS1/1": "xp-TRUSTED-IN",
        "GigabitEthernet3/0": "TRUSTED-IN",
        "POS2/0": "my_policy",
        "POS2/1": "NON-PARTICIPANT",
    }


def test_one_name_for_two_contents_is_refused():
    with pytest.raises(InvalidInput, match="two different things"):
        built(
            AdoptedObject("policy-map", "TRUSTED-IN", "ONE"),
            AdoptedObject("policy-map", "FILTERED-IN", "ONE"),
        )


def test_a_request_changes_only_what_it_is_about_under_the_adopted_names():
    names = (
        AdoptedObject("access-list", "nren-auth-ef", "AUTH", GAMMA),
        AdoptedObject("class-map", "EF-FILTERED", "AUTHORISED", GAMMA),
        AdoptedObject("policy-map", "FILTERED-IN", "EDGE-FILTER", GAMMA),
    )
    before = built(*names)
    after = built(*names, reservations=[reservation("R1", GAMMA, "2001:db8:a::/48", "2001:db8:f::/48")])
    assert {entry.name for entry in before.access_lists} == {"AUTH"}
    assert after.access_lists[0].entries[0].text == "permit ipv6 2001:db8:a::/48 2001:db8:f::/48"
    assert (before.class_maps, before.policy_maps) == (after.class_maps, after.policy_maps)


def in_bps_form(bps: int) -> AdoptedObject:
    """TRUSTED-IN as somebody wrote it: in bit/s, with a description."""
    plain = policy(built(AdoptedObject("policy-map", "TRUSTED-IN", "GOLD-IN")), "GOLD-IN")
    first = dataclasses.replace(plain.classes[0], actions=frozenset({Police(Bps(bps))}))
    form = dataclasses.replace(plain, classes=(first, *plain.classes[1:]), description="ticket 4711")
    return AdoptedObject("policy-map", "TRUSTED-IN", "GOLD-IN", "", digest(plain), form)


def test_the_routers_own_words_are_kept_while_they_say_the_same():
    held = policy(built(in_bps_form(7_750_000)), "GOLD-IN")
    assert held.classes[0].police == Police(Bps(7_750_000))
    assert held.description == "ticket 4711"


@pytest.mark.parametrize("bw_bps", [154_000_000, 622_000_000])
def test_a_rate_that_is_the_share_no_longer_is_not_kept(bw_bps: int):
    held = policy(built(in_bps_form(7_750_000), bw_bps=bw_bps), "GOLD-IN")
    assert not isinstance(held.classes[0].police.rate, Bps)
    assert held.description == "ticket 4711"
