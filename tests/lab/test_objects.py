"""Objects in use, undefined references, removal, access lists (ios-facts 2.7, 2.8, 5.1)."""

from __future__ import annotations

import pytest

from tests.lab.routers import BASELINE, GSR, T3, at_config, lines_of, typed


def test_a_class_map_in_use_stays() -> None:
    session = at_config(T3, load=BASELINE)
    assert session.execute("no class-map GOLD") == "% Class-map GOLD is being used\n"
    assert typed(session, "policy-map TRUSTED\nno class GOLD\nno class-map GOLD") == ["", "", ""]
    assert "GOLD" not in session.device.body()
    assert session.execute("no class-map GOLD") == "% class-map GOLD not configured\n"


@pytest.mark.parametrize("manner", ["refused", "detached"])
def test_a_policy_map_in_use(manner: str) -> None:
    session = at_config(T3, load=BASELINE, switches={"remove_policy_in_use": manner})
    typed(session, "interface POS1/0\nservice-policy input TRUSTED")
    reply = session.execute("no policy-map TRUSTED")
    if manner == "refused":
        assert reply == "% policy-map TRUSTED is being used\n"
        assert session.config.interfaces["POS1/0"].policies == {"input": "TRUSTED"}
    else:
        assert reply == ""
        assert session.config.interfaces["POS1/0"].policies == {}
        assert "policy-map TRUSTED" not in session.device.body()


def test_a_child_policy_goes_before_its_parent_does() -> None:
    session = at_config(T3, load=BASELINE)
    typed(session, "policy-map P\nclass class-default\nshape average 64000\nservice-policy UNTRUSTED")
    assert (
        session.execute("no policy-map UNTRUSTED") == "% policy-map UNTRUSTED is being used in policy-map P\n"
    )
    typed(session, "policy-map P\nclass class-default\nno service-policy UNTRUSTED")
    assert session.execute("no policy-map UNTRUSTED") == ""


def test_policies_do_not_recur() -> None:
    session = at_config(T3, load=BASELINE)
    typed(
        session,
        "policy-map A\nclass class-default\nshape average 64000\npolicy-map B\nclass class-default\nservice-policy A",
    )
    assert (
        typed(session, "policy-map A\nclass class-default\nservice-policy B")[2]
        == "% Recursive service-policy is not supported\n"
    )


@pytest.mark.parametrize(
    ("lands", "prompt", "police"),
    [
        ("policy-map", "r1(config-pmap)#", False),
        ("config", "r1(config)#", False),
        ("class", "r1(config-pmap-c)#", True),
    ],
)
def test_an_unknown_class_drops_you_out_of_the_mode(lands: str, prompt: str, police: bool) -> None:
    session = at_config(T3, load=BASELINE, switches={"unknown_class_lands": lands})
    typed(session, "policy-map TRUSTED\nclass GOLD")
    assert session.execute("class MISSING") == "% class-map MISSING not configured\n"
    assert session.prompt == prompt
    reply = session.execute("police cir percent 50")
    assert ("% Invalid" not in reply) is police
    assert ("police cir percent 50" in session.device.body()) is police


@pytest.mark.parametrize(
    ("manner", "mode"), [("changed", "match-any"), ("ignored", "match-all"), ("refused", "match-all")]
)
def test_another_match_mode_over_an_existing_class_map(manner: str, mode: str) -> None:
    session = at_config(T3, load=BASELINE, switches={"class_map_mode_change": manner})
    reply = session.execute("class-map match-any GOLD")
    assert (reply != "") is (manner == "refused")
    assert f"class-map {mode} GOLD" in session.device.body()
    session.execute("class-map GOLD")
    assert f"class-map {mode} GOLD" in session.device.body()


def test_rename() -> None:
    session = at_config(T3, load=BASELINE)
    typed(
        session,
        "interface POS1/0\nservice-policy input TRUSTED\nclass-map GOLD\nrename PLATINUM\npolicy-map TRUSTED\nrename TRUSTED-2",
    )
    assert session.config.interfaces["POS1/0"].policies == {"input": "TRUSTED-2"}
    assert lines_of(session, "policy-map TRUSTED-2")[1] == " class PLATINUM"
    assert session.execute("rename UNTRUSTED") == "% policy-map UNTRUSTED already exists\n"


def test_no_of_every_class_action() -> None:
    load = BASELINE + "policy-map Q\n class GOLD\n class class-default\n"
    session = at_config(T3, load=load)
    typed(session, "policy-map Q\nclass class-default")
    before = session.device.body()
    for line in (
        "police cir percent 5", "shape average 64000", "bandwidth percent 10", "set dscp 0", "set precedence 3",
        "queue-limit 100", "fair-queue", "service-policy UNTRUSTED", "set mpls experimental 3",
    ):  # fmt: skip
        typed(session, f"policy-map Q\nclass class-default\n{line}")
        assert session.device.body() != before, line
        typed(session, f"policy-map Q\nclass class-default\nno {line}")
        assert session.device.body() == before, line
    typed(session, "bandwidth percent 10\nrandom-detect dscp-based\nrandom-detect dscp 46 10 20 5")
    assert "random-detect dscp ef   10   20   5 " in session.device.body()
    session.execute("no random-detect dscp 46")
    assert "random-detect dscp ef" not in session.device.body()
    typed(session, "no random-detect\nno bandwidth")
    assert session.device.body() == before
    typed(session, "class GOLD\npriority percent 5\nno priority")
    assert session.device.body() == before


def test_no_match_and_no_description() -> None:
    session = at_config(T3, load=BASELINE)
    typed(session, "class-map GOLD\nmatch dscp 10\ndescription the good\nno match dscp 46\nno description")
    assert lines_of(session, "class-map match-all GOLD") == ["class-map match-all GOLD", " match dscp af11 "]


def test_police_lines_of_the_police_mode() -> None:
    session = at_config(T3, load=BASELINE)
    typed(
        session,
        (
            "policy-map Q\nclass GOLD\npolice cir percent 5\n"
            "exceed-action set-dscp-transmit 0\nconform-action transmit\nviolate-action drop"
        ),
    )
    assert [line.strip() for line in lines_of(session, "policy-map Q")[3:]] == [
        "conform-action transmit", "exceed-action set-dscp-transmit default", "violate-action drop",
    ]  # fmt: skip
    typed(session, "exceed-action set-mpls-exp-imposition-transmit 1")
    assert (
        sum("exceed-action" in line for line in lines_of(session, "policy-map Q")) == 2
    )  # 2.1: multiple actions
    typed(session, "no exceed-action set-mpls-exp-imposition-transmit 1\nno violate-action drop")
    assert [line.strip() for line in lines_of(session, "policy-map Q")[3:]] == [
        "conform-action transmit",
        "exceed-action drop",
    ]


def test_access_lists_of_two_families_share_no_name() -> None:
    session = at_config(T3, load="ipv6 access-list L\n permit ipv6 any any\n")
    assert (
        session.execute("ip access-list extended L")
        == "% Access list L is already configured as another type\n"
    )
    assert session.prompt == "r1(config)#"


@pytest.mark.parametrize("manner", ["allowed", "refused"])
def test_removing_an_access_list_in_use(manner: str) -> None:
    load = "ipv6 access-list L\n permit ipv6 any any\nclass-map M\n match access-group name L\n"
    session = at_config(T3, load=load, switches={"remove_acl_in_use": manner})
    reply = session.execute("no ipv6 access-list L")
    assert ("L" in session.config.access_lists) is (manner == "refused")
    assert (reply == "") is (manner == "allowed")


@pytest.mark.parametrize("manner", ["refused", "replaced"])
def test_an_entry_over_another(manner: str) -> None:
    session = at_config(
        T3, load="ipv6 access-list L\n permit ipv6 any any\n", switches={"ipv6_acl_same_sequence": manner}
    )
    session.execute("ipv6 access-list L")
    reply = session.execute("sequence 10 deny ipv6 any any")
    assert reply == ("% Duplicate sequence number\n" if manner == "refused" else "")
    assert lines_of(session, "ipv6 access-list L")[1:] == [
        " permit ipv6 any any" if manner == "refused" else " deny ipv6 any any"
    ]


def test_entries_come_and_go_one_by_one() -> None:
    session = at_config(T3)
    replies = typed(
        session,
        "ipv6 access-list L\npermit ipv6 2001:db8:1::/48 2001:db8:2::/48\npermit ipv6 2001:db8:3::/48 any\nno sequence 10\n"
        "sequence 35 permit ipv6 host 2001:db8::9 any\nno permit ipv6 2001:DB8:3::/48 any\nno sequence 99",
    )
    assert replies[-1] == "% Sequence number 99 not found\n"
    assert set(replies[:-1]) == {""}
    assert lines_of(session, "ipv6 access-list L")[1:] == [" sequence 35 permit ipv6 host 2001:DB8::9 any"]


@pytest.mark.parametrize(
    "line",
    ["permit ipv6 2001:db8::/129 any", "permit ipv6 any", "permit ipv7 any any", "permit ipv6 any any dscp 64",
     "permit ipv6 any any flow-label 1048576", "permit ipv6 2001:db8:: any", "permit udp any eq 70000 any"],
)  # fmt: skip
def test_bad_entries(line: str) -> None:
    session = at_config(T3)
    session.execute("ipv6 access-list L")
    assert session.execute(line).splitlines()[-2 if "^" in session.execute(line) else 0].startswith("% In")
    assert session.config.access_lists["L"].entries == {}


def test_ports_that_are_not_there() -> None:
    session = at_config(GSR)
    for name in ("POS9/0", "GigabitEthernet7/1.3", "FastEthernet0/0"):
        assert "% Invalid input" in session.execute(f"interface {name}")
    assert session.execute("no interface POS1/0") == "% Removal of physical interfaces is not permitted\n"
    assert session.execute("interface ATM5/0.9") == "% Incomplete command.\n\n"
    assert typed(
        session, "interface ATM5/0.9 point-to-point\ninterface Loopback7\nno interface Loopback7"
    ) == ["", "", ""]


def test_lines_of_others_are_kept_as_they_are() -> None:
    session = at_config(T3)
    typed(
        session,
        (
            "interface POS1/0\nmtu 4470\nmtu 9180\nisis metric 10\n"
            "ip rsvp bandwidth 1000 1000\nrouter bgp 65000\nneighbor 2001:db8::1 remote-as 65001"
        ),
    )
    lines = lines_of(session, "interface POS1/0")
    assert " mtu 9180" in lines
    assert " mtu 4470" not in lines
    assert " ip rsvp bandwidth 1000 1000" in lines
    assert lines_of(session, "router bgp 65000")[1:] == [" neighbor 2001:db8::1 remote-as 65001"]
    assert (
        typed(
            session, "no router bgp 65000\nsnmp-server community other RO\nno snmp-server community other RO"
        )
        == [""] * 3
    )
    assert "bgp" not in session.device.body()
    assert "% Invalid" in session.execute("frobnicate the network")


def test_standard_access_lists() -> None:
    session = at_config(T3)
    assert (
        typed(
            session, "ip access-list standard S\npermit 192.0.2.9 0.0.0.255\npermit host 192.0.2.1\ndeny any"
        )
        == [""] * 4
    )
    assert session.prompt == "r1(config-std-nacl)#"
    assert lines_of(session, "ip access-list standard S")[1:] == [
        " permit 192.0.2.0 0.0.0.255",
        " permit 192.0.2.1",
        " deny   any",
    ]
    assert "% Invalid" in session.execute("permit ip any any")
