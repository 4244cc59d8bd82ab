"""Whole running-configs of each era, in the shapes of ios-facts section 1 with names and numbers of our
own.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import (
    Bandwidth,
    Binding,
    Bps,
    BurstBytes,
    ChildPolicy,
    FairQueue,
    Match,
    OpaqueAction,
    Percent,
    Police,
    Priority,
    Pvc,
    QueueLimit,
    RandomDetect,
    Reference,
    RunningConfig,
    SetField,
    Shape,
    WredThreshold,
)

CONFIGS = Path(__file__).parent / "configs"


def read(name: str) -> RunningConfig:
    return ios.parse((CONFIGS / f"{name}.ios").read_text())


def actions(config: RunningConfig, policy: str, name: str) -> set[object]:
    entry = config.policy_maps[policy].find(name)
    assert entry is not None
    return set(entry.actions)


def test_a_12000_of_train_s() -> None:
    config = read("gsr-12.0S")
    assert (config.hostname, config.version, config.whole) == ("core-gsr", "12.0", True)
    assert config.class_maps["GOLD"].matches == {Match("ip dscp", frozenset({46}))}
    assert config.class_maps["SILVER"].matches == {
        Match("ip precedence", frozenset({3, 4})),
        Match("mpls experimental", frozenset({3})),
    }
    assert actions(config, "EDGE-POLICE", "GOLD") == {Police(Bps(7750000))}
    assert actions(config, "EDGE-POLICE", "SILVER") == {
        Police(Bps(64000000), exceed=("set-prec-transmit 0",), keyword="rate")
    }
    assert actions(config, "CORE-OUT", "GOLD") == {Priority(), Police(Percent(Decimal(20)))}
    assert actions(config, "CORE-OUT", "SILVER") == {
        Bandwidth("percent", Decimal(30)),
        RandomDetect("precedence", frozenset({WredThreshold(3, 776, 1292), WredThreshold(4, 800, 1292, 20)})),
    }
    assert actions(config, "CORE-OUT", "class-default") == {
        RandomDetect("dscp", frozenset({WredThreshold(0, 300, 700, 1, "cells")}))
    }
    assert config.bindings == {
        Binding("POS1/0", None, "output", "CORE-OUT"),
        Binding("GigabitEthernet3/0.100", None, "input", "EDGE-POLICE"),
    }
    assert config.interfaces["POS1/1"].shutdown
    assert config.interfaces["POS1/0"].has_address
    assert not config.interfaces["POS1/1"].has_address
    assert config.interfaces["GigabitEthernet3/0.100"].is_subinterface
    assert [entry.text for entry in config.access_lists["101"].entries] == [
        "permit ip 198.51.100.0 0.0.0.255 any",
        "deny ip any any log",
    ]
    assert config.references == {
        Reference("access-list", "101", "interface GigabitEthernet3/0.100 / ip access-group 101 in")
    }


def test_a_7200_of_train_t_with_leading_blanks_and_atm() -> None:
    config = read("c7200-12.2T")
    assert sorted(config.class_maps) == ["BY-LIST", "REAL-TIME"]
    assert actions(config, "IN-LEFT", "REAL-TIME") == {Police(Percent(Decimal(5)))}
    assert actions(config, "IN-LEFT", "BY-LIST") == {SetField("dscp", 46), Police(Bps(2000000))}
    assert actions(config, "OUT-RIGHT", "class-default") == {FairQueue(), RandomDetect("dscp")}
    assert config.bindings == {
        Binding("ATM2/0.32", "1/32", "input", "IN-LEFT"),
        Binding("ATM2/0.32", "1/32", "output", "OUT-RIGHT"),
        Binding("Serial3/0", None, "output", "OUT-RIGHT"),
    }
    assert config.interfaces["ATM2/0.32"].pvcs == (Pvc("1/32", "vbr-nrt", 8000, 6000),)
    assert config.interfaces["ATM2/0.33"].pvcs == (Pvc("1/33", "ubr", 512),)
    assert config.interfaces["Serial3/0"].bandwidth_kbit == 2048
    entries = config.access_lists["video-sources"].entries
    assert [(entry.sequence, entry.text) for entry in entries] == [
        (10, "permit udp 2001:db8:7::/48 any flow-label 1234"),
        (25, "permit ipv6 host 2001:db8:9::1 any"),
        (35, "permit ipv6 2001:db8:a::/48 any"),
    ]
    assert {use.name for use in config.references} == {"ingress-six"}


def test_12_4_with_banners_certificates_and_other_features() -> None:
    config = read("isr-12.4")
    assert sorted(config.class_maps) == ["CLASS-OF-TWO", "EMPTY", "NET-CONTROL"]
    assert sorted(config.policy_maps) == ["CHILD", "COPP", "PARENT"]
    assert config.class_maps["CLASS-OF-TWO"].matches == {
        Match("dscp", frozenset({32, 34})),
        Match("access-group", frozenset({"LEFT-SIDE"})),
    }
    assert Match("protocol", frozenset({"bgp"})) in config.class_maps["NET-CONTROL"].matches
    assert config.policy_maps["CHILD"].description == "priorities of the site"
    assert actions(config, "CHILD", "CLASS-OF-TWO") == {
        Priority("percent", Decimal(10)),
        Police(
            Percent(Decimal(10)),
            conform=("set-dscp-transmit 46",),
            exceed=("set-frde-transmit", "set-prec-transmit 0"),
        ),
    }
    assert actions(config, "CHILD", "NET-CONTROL") == {
        Bandwidth("percent", Decimal(15)),
        RandomDetect("dscp", frozenset({WredThreshold(46, 30, 50)}), 10),
        QueueLimit(128),
    }
    assert [entry.name for entry in config.policy_maps["CHILD"].classes][2] == "EMPTY"
    assert actions(config, "PARENT", "class-default") == {
        Shape("average", Bps(2000000)),
        ChildPolicy("CHILD"),
    }
    assert actions(config, "COPP", "class-default") == {
        OpaqueAction("police rate 1000 pps burst 200 packets conform-action transmit exceed-action drop")
    }
    assert config.bindings == {Binding("FastEthernet0/0", None, "output", "PARENT")}
    assert config.interfaces["FastEthernet0/0"].description == "Zürich – uplink policy-map CHILD"
    assert "FastEthernet9/9" not in config.interfaces
    assert sorted(config.access_lists) == ["2001", "LEFT-SIDE", "MANAGERS", "ZONE-LIST"]
    assert [entry.text for entry in config.access_lists["MANAGERS"].entries] == [
        "permit host 10.9.8.7",
        "permit 192.0.2.0 0.0.0.255",
    ]
    assert [(entry.sequence, entry.text) for entry in config.access_lists["LEFT-SIDE"].entries] == [
        (1, "remark the left side"),
        (10, "permit udp any any range 16384 32767"),
        (20, "permit tcp 10.1.2.0 0.0.0.255 any eq 80"),
        (30, "deny ip any any log"),
    ]
    assert {(use.kind, use.name) for use in config.references} == {
        ("access-list", "ZONE-LIST"),
        ("access-list", "2001"),
        ("access-list", "LEFT-SIDE"),
        ("access-list", "MANAGERS"),
        ("access-list", "23"),
        ("policy-map", "CHILD"),
        ("policy-map", "COPP"),
    }
    assert not any("private-string" in use.by for use in config.references)


def test_ios_xe() -> None:
    config = read("asr-xe")
    assert (config.hostname, config.version) == ("asr-one", "17.3")
    assert config.class_maps["VOICE-OR-VIDEO"].description == "what is heard and seen"
    assert config.class_maps["ODD"].matches == {
        Match("dscp", frozenset({45})),
        Match("cos", frozenset({3})),
        Match("vlan", frozenset({100})),
        Match("dscp", frozenset({21, 28, 38, 40, 43, 46}), negated=True),
    }
    assert actions(config, "CUSTOMER-IN", "ODD") == {
        Police(Bps(8000000), BurstBytes(4000), BurstBytes(1000), exceed=("transmit",), violate=("drop",))
    }
    assert actions(config, "CORE-OUT", "VOICE-OR-VIDEO") == {
        Priority("level", 1),
        Police(Percent(Decimal(20)), keyword="rate"),
    }
    assert actions(config, "CORE-OUT", "ODD") == {
        Bandwidth("remaining ratio", 10),
        QueueLimit(100, "ms"),
        RandomDetect("dscp", frozenset({WredThreshold(24, 400, 500, 1, "ms")})),
    }
    assert "AutoQos-4.0-In" in config.policy_maps
    assert "NOT-ME" not in config.policy_maps
    assert "MON" not in config.policy_maps
    assert config.bindings == {
        Binding("GigabitEthernet0/0/0", None, "input", "CUSTOMER-IN"),
        Binding("GigabitEthernet0/0/0", None, "output", "CORE-OUT"),
    }
    assert (
        Reference(
            "policy-map",
            "CUSTOMER-IN",
            "interface GigabitEthernet0/0/1 / service instance 10 ethernet / service-policy input CUSTOMER-IN",
        )
        in config.references
    )
    assert config.interfaces["Tunnel5"].has_address
    assert [(entry.sequence, entry.text) for entry in config.access_lists["SIX"].entries] == [
        (10, "permit ipv6 2001:db8:beef::/48 any dscp 46 flow-label 99"),
        (20, "remark the others"),
        (30, "deny ipv6 any any"),
    ]
    assert config.access_lists["TEN"].entries[1].remark == "twenty"


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.ios")), ids=lambda path: path.stem)
@pytest.mark.parametrize("end", ["\r\n", "\r"], ids=["CRLF", "CR"])
def test_line_ends_make_no_difference(path: Path, end: str) -> None:
    text = path.read_text()
    assert ios.parse(text.replace("\n", end)) == ios.parse(text)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.ios")), ids=lambda path: path.stem)
def test_a_shift_to_the_right_makes_no_difference(path: Path) -> None:
    text = path.read_text()
    shifted = "\n".join(f" {line}" for line in text.split("\n"))
    assert ios.parse(shifted) == ios.parse(text)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.ios")), ids=lambda path: path.stem)
def test_cut_anywhere_it_is_never_read(path: Path) -> None:
    lines = path.read_text().split("\n")
    end = lines.index("end")
    begin = next(place for place, line in enumerate(lines) if line.startswith("version "))
    for length in range(begin + 1, end):
        with pytest.raises(ParseFailure):
            ios.parse("\n".join(lines[:length]))
