"""Every form of `match`: those with a name of their own, and those kept as their words (ios-facts N2-N10)."""

from __future__ import annotations

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import Match
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment


def of(kind: str, *values: int | str, negated: bool = False) -> Match:
    return Match(kind, frozenset(values), negated)


FORMS: dict[str, Match] = {
    "any": Match("any"),
    "dscp ef": of("dscp", 46),
    " dscp af21  af22  af23 ": of("dscp", 18, 20, 22),
    "not  dscp cs1": of("dscp", 8, negated=True),
    "ip dscp 45 ef default": of("ip dscp", 45, 46, 0),
    "precedence 2  3  4  5": of("precedence", 2, 3, 4, 5),
    "ip precedence critical": of("ip precedence", 5),
    "cos  2 3": of("cos", 2, 3),
    "cos inner  3": of("cos inner", 3),
    "vlan  100": of("vlan", 100),
    "vlan inner  20": of("vlan inner", 20),
    "vlan  10-20": of("opaque", "vlan 10-20"),
    "vlan range 10 20": of("opaque", "vlan range 10 20"),
    "qos-group 3": of("qos-group", 3),
    "discard-class 2": of("discard-class", 2),
    "mpls experimental 4": of("mpls experimental", 4),
    "mpls experimental topmost 4": of("mpls experimental topmost", 4),
    "fr-dlci 100": of("fr-dlci", 100),
    "fr-de": of("opaque", "fr-de"),
    "atm-clp": of("opaque", "atm-clp"),
    "atm clp": of("opaque", "atm clp"),
    "access-group 101": of("access-group", 101),
    "access-group name FROM-LAB": of("access-group", "FROM-LAB"),
    "not access-group name FROM-LAB": of("access-group", "FROM-LAB", negated=True),
    "class-map INNER": of("class-map", "INNER"),
    "not class-map INNER": of("class-map", "INNER", negated=True),
    "input-interface POS1/0": of("input-interface", "POS1/0"),
    "input-interface POS 1/0": of("input-interface", "POS1/0"),
    "protocol rtp audio": of("protocol", "rtp audio"),
    'protocol http url "*.mpg|a  b"': of("protocol", 'http url "*.mpg|a  b"'),
    "protocol attribute category voice-and-video": of("protocol", "attribute category voice-and-video"),
    "not protocol bittorrent": of("protocol", "bittorrent", negated=True),
    "packet length min 100 max 300": of("opaque", "packet length min 100 max 300"),
    "source-address mac 0010.2233.4455": of("opaque", "source-address mac 0010.2233.4455"),
    "destination-address mac 0010.2233.4455": of("opaque", "destination-address mac 0010.2233.4455"),
    "ip rtp 16384 16383": of("opaque", "ip rtp 16384 16383"),
    "application telepresence-media": of("opaque", "application telepresence-media"),
    "traffic-class 3": of("opaque", "traffic-class 3"),
    "flow pdp": of("opaque", "flow pdp"),
    "start l3-start offset 9 size 1 eq 0x6": of("opaque", "start l3-start offset 9 size 1 eq 0x6"),
    "ethertype ipv6": of("opaque", "ethertype ipv6"),
    "dscp 64": of("opaque", "dscp 64"),
    "something nobody knows 7": of("opaque", "something nobody knows 7"),
}


@pytest.mark.parametrize(("words", "match"), FORMS.items(), ids=FORMS.keys())
def test_one_match(words: str, match: Match) -> None:
    config = ios.parse(f"class-map match-any A\n match {words}\n")
    assert config.class_maps["A"].matches == {match}


def test_what_is_not_ours_is_passed_over_whole() -> None:
    kinds = ["access-control", "appnav", "control", "inspect", "logging", "multicast-flows", "network-qos"]
    kinds += ["port-filter", "queue-threshold", "stack", "traffic", "waas"]
    text = "".join(
        f"class-map type {kind} match-any T-{kind}\n match protocol http\n match dscp ef\n" for kind in kinds
    )
    text += "".join(
        f"policy-map type {kind} P-{kind}\n class type {kind} T-{kind}\n  police 8000\n  drop\n"
        for kind in (*kinds, "service", "performance-monitor", "packet-service")
    )
    config = ios.parse(f"hostname r\n{text}class-map match-all OURS\n match dscp ef\n")
    assert list(config.class_maps) == ["OURS"]
    assert config.policy_maps == {}


def test_the_queues_that_subinterfaces_share() -> None:
    """ASR1000: `class-default fragment` of each subinterface's policy, `service-fragment` of the port's."""
    config = ios.parse(
        "policy-map VLAN\n class VOICE\n  priority\n class class-default fragment REST\n"
        "  bandwidth remaining ratio 5\npolicy-map PORT\n class service-fragment REST\n  shape average 1000000\n"
        " class service-fragment MORE\n  shape average 2000000\n"
    )
    assert [entry.name for entry in config.policy_maps["PORT"].classes] == [
        "service-fragment REST",
        "service-fragment MORE",
    ]
    assert [entry.name for entry in config.policy_maps["VLAN"].classes] == ["VOICE", "class-default"]
    other = ios.parse(
        "policy-map VLAN\n class VOICE\n  priority\n class class-default\n  bandwidth remaining ratio 5\n"
    )
    assert config.policy_maps["VLAN"] != other.policy_maps["VLAN"]


def test_a_class_inserted_before_another_stands_there() -> None:
    text = "policy-map P\n class A\n  set dscp 0\n class B\n  set dscp 0\n class C insert-before B\n  set dscp 8\n"
    for read in (ios.parse, ios.parse_fragment):
        assert [entry.name for entry in read(text).policy_maps["P"].classes] == ["A", "C", "B"]


def test_a_line_that_looks_like_ios_xr_is_none_in_a_text_of_ios() -> None:
    text = "version 15.2\nhostname r\nroute-policy X\n ipv4 address 192.0.2.1\npolicy-map P\n class A\n  set dscp 0\nend\n"
    assert list(ios.parse(text).policy_maps) == ["P"]
    with pytest.raises(ParseFailure, match="IOS-XR"):
        ios.parse(text.replace("version 15.2\n", ""))


def test_a_class_of_what_matches_none_of_its_lines() -> None:
    text = "class-map match-none REST\n match dscp ef\n match dscp cs1\n"
    (held,) = ios.parse(text).class_maps.values()
    assert (held.name, held.mode) == ("REST", "match-none")
    assert held.matches == {of("dscp", 46), of("dscp", 8)}
    assert Renderer(ios_environment()).document([held]).splitlines()[0] == "class-map match-none REST"
    for other in ("match-any", "match-all"):
        assert ios.parse(text.replace("match-none", other)).class_maps["REST"] != held
