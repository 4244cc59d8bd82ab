"""What is no configuration of IOS is refused with its line and a reason, never half read."""

from __future__ import annotations

from pathlib import Path

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.ios import lines

WHOLE = "version 12.4\nhostname nl6\n!\npolicy-map P\n class class-default\n  set dscp default\n!\nend\n"

BAD = {
    "empty": ("", "empty", 0),
    "blank": (" \n\r\n\t\n", "empty", 0),
    "binary": ("version 12.4\n\x00\x01\x02", "binary", 2),
    "prose": ("Dear colleagues,\nthe interface is down.\n", "no IOS configuration", 0),
    "cut off": (WHOLE.replace("end\n", ""), "`end` is missing", 8),
    "cut off in the middle of a line": (WHOLE[: WHOLE.index("default") + 4], "`end` is missing", 5),
    "beginning missing": ("   set dscp 0\n class LBE\nversion 12.4\nend\n", "beginning is missing", 1),
    "continues after end": (WHOLE + WHOLE, "continues after `end`", 9),
    "IOS-XR by its comment": ("!! IOS XR Configuration 7.10.1\nhostname P1\n", "IOS-XR", 1),
    "IOS-XR by end-class-map": ("class-map match-any X\n match dscp ef\n end-class-map\n!\n", "IOS-XR", 3),
    "IOS-XR by end-policy-map": ("policy-map X\n class class-default\n !\n end-policy-map\n!\n", "IOS-XR", 4),
    "IOS-XR by its interfaces": ("hostname P1\ninterface MgmtEth0/RP0/CPU0/0\n", "IOS-XR", 2),
    "IOS-XR by its addresses": (
        "interface TenGigE0/0/0/0\n ipv4 address 192.0.2.1 255.255.255.0\n",
        "IOS-XR",
        2,
    ),
    "IOS-XR by a set": ("hostname P1\nextcommunity-set rt RED\n  65000:1\nend-set\n", "IOS-XR", 2),
    "IOS-XR by its prompt": ("RP/0/RP0/CPU0:P1#show running-config\nhostname P1\n", "IOS-XR", 1),
    "a firewall": ("ASA Version 9.1(2)\nhostname fw\nclass-map inspection_default\n", "firewall", 1),
    "NX-OS by its types": ("hostname n\nclass-map type qos match-all A\n match dscp 46\n", "NX-OS", 2),
    "NX-OS": ("!Command: show running-config\nversion 9.3(3)\n", "NX-OS", 1),
    "NX-OS by a routing instance": (
        "hostname n\nvrf context management\n ip route 0.0.0.0/0 192.0.2.1\n",
        "NX-OS",
        2,
    ),
    "NX-OS by a feature": ("hostname n\nfeature interface-vlan\ninterface Ethernet1/1\n", "NX-OS", 2),
    "Junos": ("## Last changed: 2015-01-01\nversion 10.4R9.2;\nsystem {\n    host-name m;\n}\n", "Junos", 2),
    "a firewall by its zones": ("hostname f\ninterface GigabitEthernet0/0\n nameif outside\n", "firewall", 3),
    "a firewall by its lists": ("hostname f\naccess-list OUT extended permit ip any any\n", "firewall", 2),
    "a router's refusal": (
        "show run | section policy\n   ^\n% Invalid input detected at '^' marker.\n",
        "refused",
        3,
    ),
    "banner without end": ("version 12.4\nbanner motd ^C\nhello\nend\n", "never closed", 2),
    "certificate without quit": (
        "version 12.4\ncrypto pki certificate chain X\n certificate ca 01\n  3082AAAA 00112233\nend\n",
        "quit",
        3,
    ),
    "match without criterion": ("class-map match-all X\n match\n", "criterion", 2),
    "class-map without name": ("hostname a\nclass-map match-all\n", "one name", 2),
    "policy-map without name": ("hostname a\npolicy-map\n", "policy-map", 2),
    "police without rate": ("policy-map P\n class A\n  police\n", "without a rate", 3),
    "exceed-action without action": (
        "policy-map P\n class A\n  police cir percent 5 conform-action transmit exceed-action\n   transmit\n",
        "exceed-action without an action",
        3,
    ),
    "action without police": ("policy-map P\n class A\n  exceed-action drop\n", "without police", 3),
    "interface range": ("interface range POS1/0 - 3\n", "names no interface", 1),
    "binding without policy": ("interface POS1/0\n service-policy input\n", "binds no policy", 2),
}


@pytest.mark.parametrize(("text", "reason", "line"), BAD.values(), ids=BAD.keys())
def test_refused_with_line_and_reason(text: str, reason: str, line: int) -> None:
    with pytest.raises(ParseFailure) as caught:
        ios.parse(text)
    assert reason in caught.value.reason
    assert caught.value.line == line


def test_a_class_of_another_name_after_each_cut_is_never_read_as_no_policy() -> None:
    for length in range(len("version 12.4\n"), len(WHOLE) - len("end\n")):
        with pytest.raises(ParseFailure):
            ios.parse(WHOLE[:length])


INTENDED_BAD = {
    "typing error in the object": ("polcy-map P\n class A\n", "no MQC object", 1),
    "a command that is no object": (
        "policy-map P\n class A\n  set dscp 0\nrouter bgp 1\n",
        "no MQC object",
        4,
    ),
    "a removal": ("policy-map P\n no class A\n", "removes", 2),
    "a DSCP that is none": ("class-map match-all A\n match dscp 64\n", "0..63", 2),
    "a DSCP left out": ("class-map match-all A\n match dscp\n", "match: `match dscp` needs a value", 2),
    "a precedence left out": ("class-map match-all A\n match not ip precedence\n", "needs a value", 2),
    "a name that is none": ("class-map match-all A\n match dscp eff\n", "neither a number", 2),
    "a mark that is none": ("policy-map P\n class A\n  set dscp 64\n", "0..63", 3),
    "no percentage": ("policy-map P\n class A\n  police cir percent 0\n", "percent", 3),
    "no entry": ("ipv6 access-list A\n premit ipv6 any any\n", "no entry", 2),
    "a sequence number twice": (
        "ipv6 access-list A\n sequence 10 permit ipv6 any any\n sequence 10 deny ipv6 any any\n",
        "twice",
        3,
    ),
}


@pytest.mark.parametrize(("text", "reason", "line"), INTENDED_BAD.values(), ids=INTENDED_BAD.keys())
def test_what_is_intended_is_read_strictly(text: str, reason: str, line: int) -> None:
    with pytest.raises(ParseFailure) as caught:
        ios.parse_fragment(text)
    assert reason in caught.value.reason
    assert caught.value.line == line


def test_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_CHARACTERS", 1000)
    with pytest.raises(ParseFailure, match="longer than 1000 characters"):
        ios.parse("interface POS1/0\n" * 100)
    monkeypatch.undo()
    monkeypatch.setattr(lines, "MAX_LINES", 50)
    with pytest.raises(ParseFailure, match="more than 50 lines"):
        ios.parse("!\n" * 60)


def test_this_very_file_is_no_configuration() -> None:
    with pytest.raises(ParseFailure):
        ios.parse(Path(__file__).read_text())


def test_the_output_of_a_part_is_read_and_is_not_the_whole() -> None:
    """`show running-config policy-map X` begins and ends as the whole does, and has no `version`."""
    part = "Building configuration...\n\nCurrent configuration : 379 bytes\n!\n{}!\nend\n"
    found = ios.parse(part.format("policy-map P\n class class-default\n  set dscp default\n"))
    assert (list(found.policy_maps), found.whole) == (["P"], False)
    other = ios.parse(part.format("policy-map type queueing P\n class tc7\n  shape average 2000000000\n"))
    assert (dict(other.policy_maps), other.whole) == ({}, False)
    assert ios.parse(WHOLE).whole
    with pytest.raises(ParseFailure, match="`end` is missing"):
        ios.parse(part.format("policy-map P\n").removesuffix("end\n"))
