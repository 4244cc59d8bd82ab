"""The interpreter refuses what a router refuses, and finds every unsafe line it is shown."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.mqc import RunningConfig, SetField
from provisioning.pipeline.safety import LineNotAccepted, Marker, Role, check, interface_states, simulate
from provisioning.pipeline.safety.class_lines import undoes
from provisioning.pipeline.safety.packets import Packet, fates

OBJECTS = """\
ipv6 access-list nren-auth-ef
 sequence 10 permit ipv6 2001:db8:a::/48 any
 sequence 20 permit ipv6 2001:db8:b::/48 any
class-map match-all EF
 match dscp 46
class-map match-all EF-FILTERED
 match access-group name nren-auth-ef
class-map match-all LBE
 match dscp 8
policy-map NON-PARTICIPANT
 class class-default
  set dscp 0
policy-map TRUSTED-IN
 class EF
  police cir percent 5
 class LBE
  police cir percent 1 conform-action transmit exceed-action transmit
 class class-default
  set dscp 0
policy-map FILTERED-IN
 class EF-FILTERED
  set dscp 46
  police cir percent 5
 class LBE
  police cir percent 1 conform-action transmit exceed-action transmit
 class class-default
  set dscp 0
policy-map UNPOLICED
 class EF
  set dscp 46
 class class-default
  set dscp 0
policy-map my_policy
 class EF
  priority
"""
PORTS = """\
interface POS1/0
 ip address 192.0.2.1 255.255.255.252
interface POS2/0
 ip address 192.0.2.5 255.255.255.252
interface ATM5/0.1 point-to-point
 pvc 0/32
"""
ROLES = {"POS1/0": Role.ACCESS, "POS2/0": Role.CORE, "ATM5/0.1 pvc 0/32": Role.ACCESS}


def router(policy: str | None = None) -> RunningConfig:
    bound = "" if policy is None else f"interface POS1/0\n service-policy input {policy}\n"
    return ios.parse(f"hostname r1\n{OBJECTS}{PORTS}{bound}")


@pytest.mark.parametrize(
    ("policy", "marker", "rate", "remarks"),
    [
        (None, Marker.NOBODY, "unlimited", False),
        ("NON-PARTICIPANT", Marker.ROUTER, "none", True),
        ("TRUSTED-IN", Marker.NREN, "percent 5", True),
        ("FILTERED-IN", Marker.ACL, "percent 5", True),
        ("UNPOLICED", Marker.NREN, "unlimited", True),
    ],
)
def test_who_marks_and_who_polices(policy, marker, rate, remarks):
    state = interface_states(router(policy), ROLES)["POS1/0"]
    assert (state.marker, state.ef_rate, state.remarks_rest) == (marker, rate, remarks)


def test_what_a_filtered_edge_authorises():
    state = interface_states(router("FILTERED-IN"), ROLES)["POS1/0"]
    assert state.authorised == ("permit ipv6 2001:db8:a::/48 any", "permit ipv6 2001:db8:b::/48 any")


@pytest.mark.parametrize(
    "definition",
    [
        "match ip dscp 46",  # IPv4 only: IPv6 EF goes to class-default of this policy
        "match not dscp 8",
        "match protocol rtp",  # cannot be decided: assumed to take anything
    ],
)
def test_a_class_is_what_it_matches_not_what_it_is_called(definition):
    text = OBJECTS.replace("class-map match-all EF\n match dscp 46", f"class-map match-all EF\n {definition}")
    bound = "interface POS1/0\n service-policy input UNPOLICED\n"
    state = interface_states(ios.parse(f"hostname r1\n{text}{PORTS}{bound}"), ROLES)["POS1/0"]
    assert state.ef_rate == "unlimited"
    assert state.marker is Marker.NREN


def test_a_missing_access_list_may_match_everything():
    text = OBJECTS[OBJECTS.index("class-map match-all EF\n") :]
    bound = "interface POS1/0\n service-policy input FILTERED-IN\n"
    state = interface_states(ios.parse(f"hostname r1\n{text}{PORTS}{bound}"), ROLES)["POS1/0"]
    assert state.marker is Marker.NREN


def test_a_list_that_only_denies_lets_nobody_in():
    text = OBJECTS.replace("sequence 10 permit ipv6 2001:db8:a::/48", "sequence 10 deny ipv6 any")
    text = text.replace(" sequence 20 permit ipv6 2001:db8:b::/48 any\n", "")
    bound = "interface POS1/0\n service-policy input FILTERED-IN\n"
    state = interface_states(ios.parse(f"hostname r1\n{text}{PORTS}{bound}"), ROLES)["POS1/0"]
    assert (state.marker, state.ef_rate, state.authorised) == (Marker.ROUTER, "none", ())


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("no class-map EF", "is being used"),
        ("no policy-map TRUSTED-IN", "is bound"),
        ("no ipv6 access-list nren-auth-ef", "is used by a class-map"),
        ("no policy-map NOWHERE", "there is no policy-map"),
        ("interface POS9/9", "no interface"),
        ("class-map match-any EF", "exists as match-all"),
        ("reload", "not understood"),
        ("ip access-list extended nren-auth-ef", "another kind"),
    ],
)
def test_a_line_a_router_refuses_is_refused(line, reason):
    with pytest.raises(LineNotAccepted, match=reason):
        simulate(router("TRUSTED-IN"), [line])


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["interface POS1/0", "service-policy input FILTERED-IN"], "already attached"),
        (["interface POS1/0", "no service-policy input FILTERED-IN"], "not attached"),
        (["interface POS2/0", "service-policy output NOWHERE"], "not configured"),
        (["policy-map TRUSTED-IN", "class NOWHERE"], "not configured"),
        (["ipv6 access-list nren-auth-ef", "sequence 10 permit ipv6 any any"], "uses sequence 10"),
        (["ipv6 access-list nren-auth-ef", "no sequence 30"], "no such entry"),
        (["ipv6 access-list nren-auth-ef", "permit ipv6 2001:db8:a::/48 any"], "holds this entry"),
        (["interface ATM5/0.1", "pvc 0/33"], "no pvc"),
    ],
)
def test_a_line_that_does_not_fit_its_mode_is_refused(lines, reason):
    with pytest.raises(LineNotAccepted, match=reason):
        simulate(router("TRUSTED-IN"), lines)


def test_lines_climb_by_themselves():
    lines = [
        "policy-map P",
        "class EF",
        "police cir percent 3",
        "class LBE",
        "set dscp 0",
        "interface POS1/0",
    ]
    config = simulate(router(), [*lines, "service-policy input P"])[-1]
    assert config.bound("POS1/0", "input") == "P"
    assert [entry.name for entry in config.policy_maps["P"].classes] == ["EF", "LBE"]


SWAP = ["interface POS1/0", "no service-policy input TRUSTED-IN", "service-policy input FILTERED-IN"]


def said(start: str | None, lines: list[str], gap_lines: set[int] | None = None) -> list[str]:
    states = check(
        router(start), lines, ROLES, gap_lines=gap_lines or set(), bandwidths={"POS1/0": 155_000_000}
    )
    return [text for state in states for text in state.violations]


def test_an_unnamed_gap_is_a_violation_and_a_named_one_is_not():
    assert any("keeps its marking" in text for text in said("TRUSTED-IN", SWAP))
    assert any("unpoliced" in text for text in said("TRUSTED-IN", SWAP))
    assert said("TRUSTED-IN", SWAP, {1}) == []


def test_a_gap_excuses_one_line_only():
    lines = [SWAP[0], SWAP[1], "policy-map NON-PARTICIPANT", SWAP[0], SWAP[2]]
    assert said("TRUSTED-IN", lines, {1}) != []


def test_a_policer_taken_away_and_put_back_is_seen():
    lines = ["policy-map TRUSTED-IN", "class EF", "no police", "police cir percent 4"]
    assert any("unpoliced" in text for text in said("TRUSTED-IN", lines))


def test_a_rate_beyond_both_ends_is_seen():
    head = ["policy-map TRUSTED-IN", "class EF"]
    assert any(
        "more than" in text
        for text in said("TRUSTED-IN", [*head, "police cir percent 9", "police cir percent 4"])
    )
    assert any(
        "only" in text for text in said("TRUSTED-IN", [*head, "police cir percent 1", "police cir percent 4"])
    )
    assert said("TRUSTED-IN", [*head, "police cir percent 4"]) == []
    assert any(
        "more than" in text for text in said("TRUSTED-IN", [*head, "police 9000000", "police cir percent 4"])
    )


def test_a_source_cut_off_in_between_is_seen():
    head = "ipv6 access-list nren-auth-ef"
    away = [head, "no sequence 10", "sequence 30 permit ipv6 2001:db8:a::/48 any"]
    assert any("cut off: permit ipv6 2001:db8:a::/48 any" in text for text in said("FILTERED-IN", away))


def test_a_source_let_in_in_between_is_seen():
    head = "ipv6 access-list nren-auth-ef"
    wide = [head, "sequence 5 permit ipv6 any any", "no sequence 5"]
    assert any("never authorised: permit ipv6 any any" in text for text in said("FILTERED-IN", wide))


def test_a_class_order_that_lets_markings_through_is_seen():
    lines = ["policy-map NON-PARTICIPANT", "class EF", "police cir percent 5", "no class EF"]
    assert any("marking is believed" in text for text in said("NON-PARTICIPANT", lines))


def test_a_core_queue_lost_in_between_is_seen():
    start = router()
    bound = simulate(start, ["interface POS2/0", "service-policy output my_policy"])[-1]
    lines = ["policy-map my_policy", "class EF", "no priority", "priority"]
    states = check(bound, lines, ROLES)
    assert [state.violations for state in states if state.violations] == [("POS2/0: EF is not queued first",)]


def test_a_refused_line_ends_the_proof():
    states = check(router("TRUSTED-IN"), ["no class-map EF", "interface POS1/0"], ROLES)
    assert len(states) == 2
    assert "a router would refuse this line" in states[-1].violations[0]


def test_taking_away_the_mark_of_a_tunnel_leaves_the_mark_of_the_packet() -> None:
    held = (SetField("dscp", 0), SetField("cos", 1))
    assert not any(
        undoes(words, mark) for words in ("set dscp tunnel 46", "set cos inner 4") for mark in held
    )
    assert undoes("set dscp tunnel 46", SetField("dscp tunnel", 46))
    assert undoes("set dscp 0", held[0])
    assert undoes("set dscp", held[0])


@pytest.mark.parametrize(("mode", "marked"), [("match-any", {46}), ("match-none", {0, 8})])
def test_who_a_class_of_none_takes(mode: str, marked: set[int]) -> None:
    text = f"class-map {mode} C\n match dscp ef\npolicy-map P\n class C\n  set dscp af11\n"
    held = ios.parse(text)
    policy = held.policy_maps["P"]
    taken = {dscp for dscp in (0, 8, 46) for fate in fates(held, policy, Packet(6, dscp)) if fate.dscp == 10}
    assert taken == marked
