"""Where policies are bound: interfaces, subinterfaces, PVCs; and where a binding is another feature's
(ios-facts N29).
"""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.mqc import Binding, Pvc, Reference

PLACES = {
    "interface": ("interface POS1/0\n service-policy input P\n", Binding("POS1/0", None, "input", "P")),
    "with a blank in its name": (
        "interface POS 1/0\n service-policy input P\n",
        Binding("POS1/0", None, "input", "P"),
    ),
    "point-to-point": (
        "interface Serial1/0.5 point-to-point\n service-policy output P\n",
        Binding("Serial1/0.5", None, "output", "P"),
    ),
    "channelised": (
        "interface Serial1/0:0\n service-policy output P\n",
        Binding("Serial1/0:0", None, "output", "P"),
    ),
    "pvc": (
        "interface ATM1/0.5\n pvc 0/32 \n  vbr-nrt 8000 6000\n  service-policy input P\n !\n ip address 1.1.1.1 255.0.0.0\n",
        Binding("ATM1/0.5", "0/32", "input", "P"),
    ),
    "named pvc": (
        "interface ATM1/0\n pvc site 2/45 qsaal\n  service-policy input P\n",
        Binding("ATM1/0", "2/45", "input", "P"),
    ),
    "pvc without a path": (
        "interface ATM1/0\n pvc 45\n  service-policy input P\n",
        Binding("ATM1/0", "0/45", "input", "P"),
    ),
    "after a pvc": (
        "interface ATM1/0\n pvc 0/32\n  ubr\n !\n service-policy input P\n",
        Binding("ATM1/0", None, "input", "P"),
    ),
    "flat, in a pvc": (
        "interface ATM1/0\npvc 0/32\nservice-policy input P\n",
        Binding("ATM1/0", "0/32", "input", "P"),
    ),
    "flat, after exit": (
        "interface ATM1/0\npvc 0/32\nexit\nservice-policy input P\n",
        Binding("ATM1/0", None, "input", "P"),
    ),
    "indented deeper than the policy-map before": (
        "policy-map P\n class A\n  set dscp 0\n   interface POS1/0\n    service-policy input P\n",
        Binding("POS1/0", None, "input", "P"),
    ),
    "replaced": (
        "interface POS1/0\n service-policy input Q\ninterface POS1/0\n service-policy input P\n",
        Binding("POS1/0", None, "input", "P"),
    ),
    "two blanks under a description": (
        "interface POS1/0\n description x\n  service-policy input P\n",
        Binding("POS1/0", None, "input", "P"),
    ),
}


@pytest.mark.parametrize(("text", "binding"), PLACES.values(), ids=PLACES.keys())
def test_one_binding(text: str, binding: Binding) -> None:
    assert ios.parse(text).bindings == {binding}


NOT_OURS = {
    "another type": ("interface POS1/0\n service-policy type inspect F\n", set()),
    "another type with a direction": (
        "interface POS1/0\n service-policy type performance-monitor input F\n",
        set(),
    ),
    "control plane": (
        "hostname r\ncontrol-plane\n service-policy input C\n",
        {Reference("policy-map", "C", "control-plane / service-policy input C")},
    ),
    "map-class": (
        "hostname r\nmap-class frame-relay M\n service-policy output C\n",
        {Reference("policy-map", "C", "map-class frame-relay M / service-policy output C")},
    ),
    "of a wireless client": (
        "hostname r\nwireless profile policy W\n service-policy client input C\n",
        {Reference("policy-map", "C", "wireless profile policy W / service-policy client input C")},
    ),
    "template": (
        "hostname r\ntemplate T\n service-policy input C\n",
        {Reference("policy-map", "C", "template T / service-policy input C")},
    ),
    "class of PVCs": (
        "hostname r\nvc-class atm V\n  service-policy output C\n",
        {Reference("policy-map", "C", "vc-class atm V / service-policy output C")},
    ),
    "a bundle of PVCs": (
        "interface ATM1/0.1\n bundle B\n  pvc-bundle gold 0/40\n   service-policy output C\n",
        {Reference("policy-map", "C", "interface ATM1/0.1 / pvc-bundle gold 0/40 / service-policy output C")},
    ),
    "transit, as old trains print it": (
        "hostname r\ncontrol-plane transit\nservice-policy input C\n",
        {Reference("policy-map", "C", "control-plane transit / service-policy input C")},
    ),
    "service instance": (
        "interface Gi0/1\n service instance 5 ethernet\n  service-policy input C\n",
        {
            Reference(
                "policy-map", "C", "interface Gi0/1 / service instance 5 ethernet / service-policy input C"
            )
        },
    ),
}


@pytest.mark.parametrize(("text", "references"), NOT_OURS.values(), ids=NOT_OURS.keys())
def test_another_features_binding_is_no_binding_of_ours(text: str, references: set[Reference]) -> None:
    config = ios.parse(text)
    assert config.bindings == frozenset()
    assert config.references == references


def test_pvcs_without_a_policy_are_known() -> None:
    config = ios.parse(
        "interface ATM1/0.1\n pvc 0/32\n  abr 2000 1000\n pvc 0/33\ninterface ATM1/0.2\n shutdown\n"
    )
    assert config.interfaces["ATM1/0.1"].pvcs == (Pvc("0/32", "abr", 2000, 1000), Pvc("0/33", "ubr"))
    assert config.interfaces["ATM1/0.2"].shutdown


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("interface POS1/0\n ip access-group LIST in", "LIST"),
        ("interface POS1/0\n ipv6 traffic-filter LIST out", "LIST"),
        ("line vty 0 4\n ipv6 access-class LIST in", "LIST"),
        ("route-map M permit 10\n match ipv6 address LIST", "LIST"),
        ("crypto map C 1 ipsec-isakmp\n match address LIST", "LIST"),
        ("router rip\n distribute-list LIST in", "LIST"),
        ("ip nat inside source list LIST interface POS1/0 overload", "LIST"),
        ("ntp access-group peer 10", "10"),
        ("crypto gdoi group G\n server local\n  sa ipsec 1\n   match address ipv4 LIST", "LIST"),
        ("class-map type traffic match-any C\n match access-group input name LIST", "LIST"),
        ("class-map type traffic match-any C\n match access-group output 101", "101"),
        ("dialer-list 1 protocol ip list 101", "101"),
        ("queue-list 1 protocol ip 2 list 101", "101"),
        ("router bgp 1\n neighbor 192.0.2.1 distribute-list LIST in", "LIST"),
        ("interface POS1/0\n traffic-shape group 101 64000 8000 8000 1000", "101"),
        ("ip wccp 61 redirect-list LIST", "LIST"),
        ("ip msdp sa-filter in 192.0.2.1 list LIST", "LIST"),
        ("ip http access-class 10", "10"),
        ("snmp-server community hidden RO 10", "10"),
        ("class-map type inspect match-all C\n match access-group name LIST", "LIST"),
        ("interface POS1/0\n rate-limit input access-group 10 8000 1500 1500 conform-action transmit", "10"),
    ],
)
def test_uses_by_other_features_are_known(line: str, name: str) -> None:
    (reference,) = ios.parse(f"hostname r\n{line}\n").references
    assert (reference.kind, reference.name) == ("access-list", name)
    assert "hidden" not in reference.by


@pytest.mark.parametrize("line", ["match ip address prefix-list P", "match ipv6 address prefix-list P"])
def test_a_prefix_list_is_no_access_list(line: str) -> None:
    assert ios.parse(f"route-map M permit 10\n {line}\nhostname r\n").references == frozenset()


def test_a_binding_with_more_words_uses_the_policy_it_names() -> None:
    config = ios.parse_fragment("interface GigabitEthernet0/0/2.5\n service-policy output EDGE account\n")
    assert not config.bindings
    (reference,) = config.references
    assert (reference.kind, reference.name) == ("policy-map", "EDGE")


@pytest.mark.parametrize("word", ["ip nhrp", "nhrp"])
def test_a_policy_for_each_spoke_is_a_use_of_it(word: str) -> None:
    line = f"{word} map group SPOKES service-policy output EDGE"
    config = ios.parse(f"hostname hub\ninterface Tunnel1\n {line}\n {word} network-id 7\n")
    assert config.references == {Reference("policy-map", "EDGE", f"interface Tunnel1 / {line}")}
    assert not config.bindings
