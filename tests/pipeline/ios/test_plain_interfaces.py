"""An interface read from its whole text at once is the interface read line by line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.ios.interfaces import InterfaceSection
from provisioning.pipeline.ios.plain_interfaces import plain_interface
from provisioning.pipeline.mqc import Binding, Reference
from tests.pipeline.ios.test_two_speeds import agree
from tests.pipeline.properties import PROPERTY

PLAIN = """encapsulation dot1Q 5
mpls ip
description
description  to  the left
descriptions are no descriptions
shutdown
shutdown now
bandwidth 2048
bandwidth receive 512
bandwidth \u00b2
ip address 192.0.2.1 255.255.255.252
ip address
ip  unnumbered  Loopback0
ipv6 enable
ipv6 nd ra suppress
ip access-group 101 in
ip  access-group common C E out
ipv6 traffic-filter L in
rate-limit input access-group 101 8000 1500 2000 conform-action transmit exceed-action drop
ip policy route-map R
ip nhrp map group G service-policy output SPOKE
snmp-server community s3cret RO 23
service-policy input P
service-policy  input  P-2
service-policy output Q
service-policy-manager""".splitlines()
OTHER = """no shutdown
no service-policy input P
service-policy
service-policy input
service-policy P
service-policy input type
service-policy type inspect P
service-policy input P with more
service-policy history
service-policy input P\x01
ip rsvp policy local acl 101
pvc 1/32
ubr 512
service instance 10 ethernet
exit
class-map match-all A
banner motd #hello
interface
ip
% not so
remark ^C""".splitlines()
HEADERS = (
    *("interface POS1/0", "interface GigabitEthernet0/1.5", "interface ATM 2/0.3 point-to-point"),
    *("interface", "interface range POS1/0 - 3", "interface ?", "interface MgmtEth0/RP0/CPU0/0"),
)
BLANK = st.sampled_from([" ", " ", " ", "  ", "\t", "\u00a0", "\x0b"])


@st.composite
def sections(draw: st.DrawFn) -> str:
    """One interface, mostly of plain lines, between two lines of a router."""
    lines = draw(st.lists(st.one_of(*[st.sampled_from(PLAIN)] * 4, st.sampled_from(OTHER)), max_size=6))
    deeper = [f" {draw(st.sampled_from(['', '', ' ']))}{line.replace(' ', draw(BLANK))}" for line in lines]
    trailing = draw(st.sampled_from(["", "", "!", " ", " !"]))
    header = draw(st.sampled_from([*HEADERS[:3] * 3, *HEADERS]))
    follows = draw(st.sampled_from(["interface POS9/9", "line vty 0 4", "service-policy output R", ""]))
    return "\n".join(["hostname r", header, *deeper, trailing, follows])


@PROPERTY
@given(st.lists(sections(), min_size=1, max_size=2))
def test_at_once_is_line_by_line(texts: list[str]) -> None:
    agree("\n".join(texts))


@pytest.mark.parametrize("line", [*PLAIN, *OTHER])
def test_every_line_by_itself_and_beside_others(line: str) -> None:
    for before, after in (
        ("", ""),
        (" shutdown\n", ""),
        (" service-policy input R\n", " bandwidth 64\n"),
        ("", "  shutdown\n"),
    ):
        agree(f"hostname r\ninterface POS1/0\n{before} {line}\n{after}line vty 0 4\n")


def test_what_a_plain_interface_holds() -> None:
    found = plain_interface(
        "interface GigabitEthernet0/1.5\n description  to the left \n bandwidth 2048\n ip address 192.0.2.1 255.255.255.252"
        "\n ip access-group 101 in\n service-policy input P\n service-policy input P-2\n shutdown\n!"
    )
    assert found is not None
    state, name = found.state, "GigabitEthernet0/1.5"
    assert (state.name, state.description, state.bandwidth_kbit) == (name, "to the left", 2048)
    assert state.shutdown and state.has_address and state.is_subinterface and not state.pvcs
    assert found.bindings == {Binding(name, None, "input", "P-2")}
    assert found.references == {Reference("access-list", "101", f"interface {name} / ip access-group 101 in")}


def test_plain_interfaces_are_not_read_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_self: InterfaceSection, line: object) -> None:
        raise AssertionError(line)

    monkeypatch.setattr(InterfaceSection, "read", never)
    for line in PLAIN:
        ios.parse(f"hostname r\ninterface POS1/0\n {line}\n!\nline vty 0 4\n")


def test_a_bad_name_is_refused_with_its_line() -> None:
    with pytest.raises(ParseFailure, match="control character") as caught:
        ios.parse("hostname r\ninterface POS1/0\n shutdown\n service-policy input P\x01\nline vty 0 4\n")
    assert caught.value.line == 4
