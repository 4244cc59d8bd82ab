"""One changed line of a hand-made router, and exactly what is said about it."""

from __future__ import annotations

import dataclasses

import pytest

from provisioning.pipeline.adoption import RouterAdoption, Verdict
from provisioning.pipeline.intent import under_adopted_names
from tests.pipeline.adoption.handmade import adopted, running_of
from tests.pipeline.worlds import World, reservation

WORLD = World(
    cases=(("ALPHA", "trusted", True), ("BETA", "filtered", True), ("GAMMA", "trusted", True)),
    reservations=(("BETA", "2001:db8:a::/48", "2001:db8:f::/48", None, 1_000_000),),
)
ALPHA, BETA, GAMMA = "ALPHA@r1:POS1/0", "BETA@r1:POS1/1", "GAMMA@r1:GigabitEthernet3/0"
KNOWN = [reservation("R0", BETA, "2001:db8:a::/48", "2001:db8:f::/48")]
HAND = """\
ipv6 access-list AUTH
 permit ipv6 2001:DB8:A::/48 2001:DB8:F::/48
class-map match-all AUTHORISED
 match access-group name AUTH
class-map match-all GOLD
 match dscp 46
class-map match-all SCAV
 match dscp 8
policy-map EDGE-TRUST
 class GOLD
  police cir percent 5 conform-action transmit exceed-action drop
 class SCAV
  police cir percent 1 conform-action transmit exceed-action transmit
 class class-default
  set dscp 0
policy-map EDGE-FILTER
 class AUTHORISED
  police cir percent 5 conform-action transmit exceed-action drop
  set dscp 46
 class SCAV
  police cir percent 1 conform-action transmit exceed-action transmit
 class class-default
  set dscp 0
policy-map CLOSED
 class class-default
  set dscp 0
policy-map WAN
 class GOLD
  priority
 class class-default
  random-detect dscp-based
interface POS1/0
 service-policy input EDGE-TRUST
interface GigabitEthernet3/0
 service-policy input EDGE-TRUST
interface POS1/1
 service-policy input EDGE-FILTER
interface POS2/1
 service-policy input CLOSED
interface POS2/0
 service-policy output WAN
"""


def hand(*changes: tuple[str, str], known=KNOWN) -> RouterAdoption:
    text = HAND
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return adopted(WORLD, "12000", running_of("12000", text), known)


def at(found: RouterAdoption, interface: str):
    return next(place for place in found.places if place.interface == interface)


def told(found: RouterAdoption, interface: str) -> list[str]:
    return [f"{each.weight.value}: {each}" for each in at(found, interface).differences]


def test_all_of_it_is_recognised_under_its_names():
    found = hand()
    assert {place.verdict for place in found.places} == {Verdict.RECOGNISED}
    assert found.proof.empty
    assert {(entry.kind, entry.base, entry.name, entry.link) for entry in found.names} == {
        ("access-list", "nren-auth-ef", "AUTH", ""),
        ("class-map", "EF", "GOLD", ""),
        ("class-map", "EF-FILTERED", "AUTHORISED", ""),
        ("class-map", "LBE", "SCAV", ""),
        ("policy-map", "FILTERED-IN", "EDGE-FILTER", ""),
        ("policy-map", "NON-PARTICIPANT", "CLOSED", ""),
        ("policy-map", "TRUSTED-IN", "EDGE-TRUST", ""),
        ("policy-map", "my_policy", "WAN", ""),
    }
    assert found.left == ()
    assert found.cases == {}


RED = " class class-default\n  random-detect"
ON_GAMMA = "interface GigabitEthernet3/0\n service-policy input "
CHANGES = {
    "rate": (
        ("POS1/0", ("police cir percent 5", "police cir percent 4")),
        "differs: class GOLD: has `police cir percent 4 conform-action transmit exceed-action drop`, TRUSTED-IN has "
        "`police cir percent 5 conform-action transmit exceed-action drop`: 6200000 bit/s, not 7750000 bit/s",
    ),
    "dscp": (
        ("POS2/0", ("match dscp 46", "match dscp 45")),
        "differs: class-map GOLD: has `match dscp 45`, EF has not",
    ),
    "ipv4-only": (
        ("POS1/0", ("match dscp 46", "match ip dscp 46")),
        "differs: class-map GOLD: has `match ip dscp 46`, EF has not",
    ),
    "order": (
        (
            "POS1/0",
            (
                " class GOLD\n  police cir percent 5 conform-action transmit exceed-action drop\n class SCAV\n"
                "  police cir percent 1 conform-action transmit exceed-action transmit\n",
                " class SCAV\n  police cir percent 1 conform-action transmit exceed-action transmit\n class GOLD\n"
                "  police cir percent 5 conform-action transmit exceed-action drop\n",
            ),
        ),
        "differs: policy-map EDGE-TRUST: tries class SCAV before class GOLD; TRUSTED-IN tries EF before LBE, and the "
        "first match wins",
    ),
    "rest unmarked": (
        ("POS1/0", (" class class-default\n  set dscp 0\n", "")),
        "differs: policy-map EDGE-TRUST: has no class for class-default of TRUSTED-IN (everything else)",
    ),
    "entry broadened": (
        ("POS1/1", ("2001:DB8:A::/48 2001:DB8:F::/48", "2001:DB8::/32 any")),
        "differs: access list AUTH: lacks `permit ipv6 2001:db8:a::/48 2001:db8:f::/48`",
    ),
    "an entry for everybody": (
        ("POS1/1", (" permit ipv6 2001:DB8:A", " permit ipv6 any 2001:DB8:F::/48\n permit ipv6 2001:DB8:A")),
        "differs: access list AUTH: has `permit ipv6 any 2001:db8:f::/48`, which nothing accounts for",
    ),
    "a port": (
        ("POS1/1", (" permit ipv6 2001:DB8:A", " permit udp 2001:DB8:A::/48 any eq 5004\n permit ipv6 2001:DB8:A")),
        "differs: access list AUTH: has `permit udp 2001:db8:a::/48 any eq 5004`, which nothing accounts for",
    ),
    "no such list": (
        ("POS1/1", ("match access-group name AUTH\n", "match access-group name AUHT\n")),
        "differs: class-map AUTHORISED: refers to access list AUHT, which does not exist",
    ),
    "one class more": (
        ("POS2/0", (RED, f" class SCAV\n  bandwidth percent 1\n{RED}")),
        "differs: class SCAV: my_policy has no such class",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_meaning_is_told_exactly_and_the_place_is_left(name: str):
    (interface, change), said = CHANGES[name]
    found = hand(change)
    assert at(found, interface).verdict is Verdict.DIFFERENT
    assert said in told(found, interface)
    assert not found.proof.empty
    policy = at(found, interface).policy
    assert policy not in {entry.name for entry in found.names}
    assert any(f"policy-map {policy}: used by" in text for text in found.left)


OTHER_WORDS = {
    "description": (("class-map match-all GOLD\n", "class-map match-all GOLD\n description ticket 4711\n"), "POS1/0",
        "same: class-map GOLD: carries the description 'ticket 4711'"),
    "match-any": (("class-map match-all GOLD", "class-map match-any GOLD"), "POS2/0",
        "same: class-map GOLD: is match-any, EF is match-all"),
    "remark": ((" permit ipv6 2001:DB8:A", " remark the university\n permit ipv6 2001:DB8:A"), "POS1/1",
        "same: access list AUTH: also has `remark the university`, which changes nothing"),
    "closing deny": (("2001:DB8:F::/48\n", "2001:DB8:F::/48\n deny ipv6 any any\n"), "POS1/1",
        "same: access list AUTH: also has `deny ipv6 any any`, which changes nothing"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER_WORDS)
def test_other_words_for_the_same_are_named_and_kept(name: str):
    change, interface, said = OTHER_WORDS[name]
    found = hand(change)
    assert at(found, interface).verdict is Verdict.RECOGNISED
    assert told(found, interface) == [said]
    assert found.proof.empty


def test_a_rate_that_is_the_share_of_one_link_and_not_of_another_is_not_recognised_there():
    found = hand(("police cir percent 5", "police cir 7750000"))
    assert at(found, "POS1/0").verdict is Verdict.RECOGNISED
    assert at(found, "GigabitEthernet3/0").verdict is Verdict.DIFFERENT
    assert told(found, "POS1/0")[0].startswith("today: class GOLD: has `police cir 7750000")
    assert "7750000 bit/s, not 50000000 bit/s" in told(found, "GigabitEthernet3/0")[0]
    assert not found.proof.empty


def test_two_policies_that_mean_the_same_each_keep_their_name():
    twin = HAND.split("policy-map EDGE-TRUST\n")[1].split("policy-map")[0]
    found = hand(
        ("policy-map CLOSED\n", f"policy-map GAMMA-TRUST\n{twin}policy-map CLOSED\n"),
        (f"{ON_GAMMA}EDGE-TRUST", f"{ON_GAMMA}GAMMA-TRUST"),
    )
    assert {(entry.name, entry.link) for entry in found.names if entry.base == "TRUSTED-IN"} == {
        ("EDGE-TRUST", ALPHA),
        ("GAMMA-TRUST", GAMMA),
    }
    assert found.proof.empty


def test_a_filter_that_two_links_share_is_ambiguous():
    world = dataclasses.replace(WORLD, cases=(("BETA", "filtered", True), ("GAMMA", "filtered", True)))
    text = HAND.replace(f"{ON_GAMMA}EDGE-TRUST", f"{ON_GAMMA}EDGE-FILTER")
    found = adopted(world, "12000", running_of("12000", text))
    assert {at(found, each).verdict for each in ("POS1/1", "GigabitEthernet3/0")} == {Verdict.AMBIGUOUS}
    assert "policy-map EDGE-FILTER: is shared by links" in told(found, "POS1/1")[-1]
    assert not found.proof.empty


def test_a_trusted_policy_on_a_peering_is_misplaced():
    found = hand(("service-policy input CLOSED", "service-policy input EDGE-TRUST"))
    assert at(found, "POS2/1").verdict is Verdict.MISPLACED
    assert "is a peering interface, where trusted is wrong" in told(found, "POS2/1")[-1]


def test_an_edge_without_a_policy_is_said_and_not_proven():
    found = hand(("interface POS1/0\n service-policy input EDGE-TRUST\n", ""))
    assert at(found, "POS1/0").verdict is Verdict.ABSENT
    assert found.proof.commands


def test_the_case_on_the_router_goes_before_the_case_in_the_inventory():
    found = hand(
        (
            "interface POS1/0\n service-policy input EDGE-TRUST",
            "interface POS1/0\n service-policy input CLOSED",
        )
    )
    assert found.cases == {ALPHA: "non-participant"}
    assert found.proof.empty


def test_what_nobody_asked_for_is_a_grant_with_source_destination_and_reason_why_not():
    found = hand(
        (
            " permit ipv6 2001:DB8:A",
            " permit ipv6 host 2001:DB8:B::7 any flow-label 77\n permit ipv6 2001:DB8:A",
        )
    )
    (grant,) = at(found, "POS1/1").grants
    assert (grant.source, grant.destination, grant.why_not) == ("2001:db8:b::7/128", "any", "")
    assert grant.sls is not None
    assert grant.sls.flow_label == 77
    assert found.proof.empty
    (other,) = at(
        hand((" permit ipv6 2001:DB8:A", " permit tcp any any\n permit ipv6 2001:DB8:A")), "POS1/1"
    ).grants
    assert other.sls is None
    assert "more than a source and a destination" in other.why_not


def test_the_digest_moves_with_every_edit_that_matters_and_with_no_other():
    assert hand().digest == hand().digest
    assert hand().digest != hand(("police cir percent 5", "police cir percent 4")).digest


def test_the_names_found_hold_for_a_later_intent():
    found = hand()
    wanted = under_adopted_names(WORLD.intent("12000"), found.names, {})
    assert {entry.name for entry in wanted.policy_maps} == {"CLOSED", "EDGE-FILTER", "EDGE-TRUST", "WAN"}
