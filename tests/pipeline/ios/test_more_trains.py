"""More whole running-configs, one per train and platform, in the shapes routers have printed (ios-facts section 1)."""

from __future__ import annotations

from decimal import Decimal

from provisioning.pipeline.mqc import (
    Bandwidth,
    Binding,
    Bps,
    BurstBits,
    BurstBytes,
    ChildPolicy,
    FairQueue,
    Match,
    OpaqueAction,
    Percent,
    Police,
    Priority,
    QueueLimit,
    RandomDetect,
    Reference,
    SetField,
    Shape,
    WredThreshold,
)
from tests.pipeline.ios.test_whole_configs import actions, read


def percent(share: int) -> Percent:
    return Percent(Decimal(share))


def test_a_7200_of_12_3() -> None:
    config = read("c7200-12.3")
    assert config.class_maps["BY-HAND"].matches == {
        Match("dscp", frozenset({8}), negated=True),
        Match("input-interface", frozenset({"FastEthernet0/1"})),
        Match("mpls experimental", frozenset({4})),
    }
    assert actions(config, "EDGE", "AUTHORISED") == {
        Police(Bps(6504000), BurstBytes(16000), BurstBytes(16000), conform=("set-dscp-transmit 46",))
    }
    assert actions(config, "EDGE", "BULK") == {Police(percent(2), exceed=("transmit",))}
    assert actions(config, "TRUNK", "class-default") == {
        FairQueue(128),
        RandomDetect("dscp", frozenset({WredThreshold(8, 20, 40), WredThreshold(0, 24, 40)}), 10),
        QueueLimit(96),
    }
    assert config.bindings == {
        Binding("POS2/0", None, "output", "TRUNK"),
        Binding("FastEthernet0/0.44", None, "input", "EDGE"),
        Binding("Serial4/0:7", None, "input", "EDGE"),
    }
    assert [(entry.sequence, entry.text) for entry in config.access_lists["lab-sources"].entries] == [
        (1, "remark the two laboratories"),
        (10, "permit udp 2001:db8:a1::/48 2001:db8:b2::/48 eq 5004"),
        (15, "permit udp host 2001:db8:a1::9 any range 16384 16390"),
        (25, "permit ipv6 any host 2001:db8:b2::1"),
    ]
    assert config.references == {
        Reference("access-list", "net-mgmt", "line vty 0 4 / access-class net-mgmt in"),
        Reference("policy-map", "TRUNK", "map-class frame-relay SLOW / service-policy output TRUNK"),
    }


def test_a_7200_with_hqf_and_its_odd_indentation() -> None:
    config = read("c7200-15.2")
    assert config.class_maps["PICTURES"].matches == {Match("dscp", frozenset({32, 34}))}
    assert config.class_maps["TRIAL"].matches == {
        Match("dscp", frozenset({45})),
        Match("ip precedence", frozenset({5, 6})),
    }
    assert actions(config, "PE-OUT", "PICTURES") == {Bandwidth("percent", Decimal(15)), RandomDetect("dscp")}
    assert actions(config, "PE-OUT", "SIGNALS") == {
        Bandwidth("percent", Decimal(3)),
        ChildPolicy("MARK-SIGNALS"),
    }
    assert actions(config, "PE-OUT", "class-default") == {
        Bandwidth("percent", Decimal(25)),
        RandomDetect(),
        FairQueue(),
    }
    assert actions(config, "TEN-MEGABIT", "class-default") == {Police(Bps(10_000_000))}
    assert actions(config, "TO-LABELS", "PICTURES") == {
        Police(
            percent(5),
            conform=("set-mpls-exp-imposition-transmit 1",),
            exceed=("set-mpls-exp-imposition-transmit 6",),
        )
    }
    assert actions(config, "SHAPED", "class-default") == {
        Shape("average", Bps(20_000_000)),
        ChildPolicy("PE-OUT"),
    }
    assert "INSIDE-THE-BANNER" not in config.class_maps
    assert len(config.bindings) == 3


def test_a_customer_router_of_15_1_with_expanded_bursts() -> None:
    config = read("isr-15.1")
    assert actions(config, "customer_out", "mgmt_out") == {
        Police(
            Bps(64000),
            BurstBytes(8000),
            BurstBytes(8000),
            conform=("set-dscp-transmit 48",),
            exceed=("set-dscp-transmit 48",),
            violate=("drop",),
        ),
        Bandwidth("kbps", 190),
        RandomDetect(),
    }
    assert Priority("kbps", 3252, 16000) in actions(config, "customer_out", "rt_out")
    assert actions(config, "customer_out", "first_out") == {
        Bandwidth("remaining percent", Decimal(60)),
        RandomDetect("dscp", frozenset({WredThreshold(26, 400, 500, 1, "ms")})),
    }
    assert actions(config, "customer_out", "class-default") == {SetField("ip dscp", 0), RandomDetect()}
    assert [entry.text for entry in config.access_lists["141"].entries] == [
        "permit tcp any any eq 49",
        "permit udp any eq 161 any",
        "deny ip any any",
    ]


def test_policers_on_one_line() -> None:
    config = read("iou-15.4")
    assert actions(config, "PROTECT", "ROUTING") == {Police(Bps(400000), exceed=("transmit",))}
    assert actions(config, "PROTECT", "ICMP") == {Police(Bps(16000), BurstBytes(4000), BurstBytes(1000))}
    assert actions(config, "PROTECT", "class-default") == {Police(Bps(12000))}
    assert config.bindings == frozenset()
    assert config.references == {
        Reference("policy-map", "PROTECT", "control-plane / service-policy input PROTECT")
    }


def test_a_csr() -> None:
    config = read("csr-16.9")
    assert sorted(config.class_maps) == ["cm-video", "cm-voice"]
    assert sorted(config.policy_maps) == ["pm-edge", "pm-queue", "pm-shape"]
    assert config.class_maps["cm-voice"].matches == {
        Match("dscp", frozenset({46})),
        Match("dscp", frozenset({47})),
    }
    assert actions(config, "pm-queue", "cm-voice") == {Priority("level", 1), Police(percent(20))}
    assert actions(config, "pm-queue", "cm-video") == {
        Bandwidth("remaining percent", Decimal(40)),
        RandomDetect("dscp", frozenset({WredThreshold(36, 24, 40, 10, "percent")})),
        QueueLimit(100, "ms"),
    }
    assert actions(config, "pm-shape", "class-default") == {
        Shape("average", percent(50)),
        ChildPolicy("pm-queue"),
    }
    assert actions(config, "pm-edge", "cm-voice") == {Police(percent(10), keyword="rate")}
    behind = config.interfaces["GigabitEthernet2.30"]
    assert (behind.shutdown, behind.has_address, behind.is_subinterface) == (False, True, True)
    assert [(entry.sequence, entry.text) for entry in config.access_lists["mgmt"].entries] == [
        (10, "remark who may log in"),
        (10, "permit tcp 192.0.2.0 0.0.0.255 any eq 22"),
        (20, "remark everybody else"),
        (20, "remark is logged"),
        (20, "deny ip any any log"),
    ]
    assert [entry.text for entry in config.access_lists["six-lab"].entries] == [
        "permit udp 2001:db8:77::/48 any eq 123",
        "permit ipv6 any any flow-label 4660 routing",
    ]


def test_an_isr_4000() -> None:
    config = read("isr4451-17.6")
    assert config.class_maps["TELEPHONY"].matches == {
        Match("protocol", frozenset({"attribute traffic-class voip-telephony"})),
        Match("access-group", frozenset({"LOUD"}), negated=True),
    }
    assert config.class_maps["TELEPHONY"].description == "phones of both floors"
    assert config.class_maps["LABELLED"].matches == {
        Match("mpls experimental topmost", frozenset({5})),
        Match("qos-group", frozenset({9})),
        Match("cos", frozenset({5})),
        Match("vlan", frozenset({120})),
        Match("vlan inner", frozenset({12})),
    }
    assert actions(config, "SITE-CHILD", "TELEPHONY") == {
        Priority("percent", Decimal(20), level=1),
        SetField("dscp tunnel", 46),
    }
    assert actions(config, "SITE-CHILD", "LABELLED") == {Priority("kbps", 2048, level=2), SetField("cos", 5)}
    assert actions(config, "SITE-CHILD", "QUIET") == {
        Bandwidth("remaining percent", Decimal(1)),
        OpaqueAction("queue-limit dscp cs1 64 packets"),
        QueueLimit(128),
        RandomDetect("dscp", frozenset({WredThreshold(8, 20, 40, 5)})),
    }
    assert actions(config, "SITE-PARENT", "class-default") == {
        Shape("average", Bps(50_000_000), BurstBits(200_000), BurstBits(0)),
        ChildPolicy("SITE-CHILD"),
    }
    assert actions(config, "REMARK", "LABELLED") == {
        SetField("qos-group", 5),
        Police(
            Bps(2_000_000),
            None,
            None,
            Bps(4_000_000),
            conform=("set-mpls-exp-topmost-transmit 5", "set-qos-transmit 5"),
            exceed=("set-mpls-exp-topmost-transmit 3",),
        ),
    }
    assert OpaqueAction("fragment REST") in actions(config, "REMARK", "class-default")
    assert config.bindings == {Binding("GigabitEthernet0/0/0", None, "output", "SITE-PARENT")}
    assert "GigabitEthernet0/0/9" not in config.interfaces
    where = "interface Port-channel1 / service instance 12 ethernet / service-policy input REMARK"
    assert Reference("policy-map", "REMARK", where) in config.references


def test_a_catalyst_with_auto_qos() -> None:
    config = read("cat9300-17.3")
    assert actions(
        config, "AutoQos-4.0-CiscoPhone-Input-Policy", "AutoQos-4.0-Voip-Data-CiscoPhone-Class"
    ) == {
        SetField("dscp", 46),
        Police(Bps(128000), BurstBytes(8000), exceed=("set-dscp-transmit dscp table lower-dscp",)),
    }
    assert actions(config, "AutoQos-4.0-Output-Policy", "AutoQos-4.0-Default-Class") == {
        Bandwidth("remaining percent", Decimal(10)),
        OpaqueAction("queue-limit dscp cs3 percent 80"),
        OpaqueAction("queue-buffers ratio 10"),
    }
    assert config.policy_maps["system-cpp-policy"].classes == ()
    assert "NOT-A-POLICY" not in config.policy_maps
    assert config.access_lists["PRE-AUTH"].entries[1].text == "permit udp host fe80::1 any eq 547"


def test_an_asr_920() -> None:
    config = read("asr920-16.8")
    assert actions(config, "Mark-In", "Radio-In") == {
        SetField("qos-group", 7),
        SetField("dscp", 45),
        Police(Bps(20_000_000)),
    }
    assert actions(config, "Queue-Out", "Control-Out") == {Priority(), Police(Bps(2_000_000))}
    assert config.interfaces["BDI60"].shutdown


def test_switches_of_12_2() -> None:
    """A 6500, a 4500 and a 3750 in one text: their own policers and queues are kept whole, or passed over."""
    config = read("cat6500-12.2")
    assert actions(config, "P6500", "A") == {OpaqueAction("police aggregate AGG"), OpaqueAction("trust dscp")}
    assert actions(config, "P6500", "B") == {
        Police(
            Bps(64000),
            BurstBytes(8000),
            BurstBytes(8000),
            conform=("set-prec-transmit 0",),
            exceed=("policed-dscp-transmit",),
            violate=("drop",),
        )
    }
    assert actions(config, "CAT4500", "A") == {
        OpaqueAction("police 1 mbps 1 mbyte conform-action transmit exceed-action drop"),
        OpaqueAction("bandwidth 32 kbps"),
        OpaqueAction("shape 10 mbps"),
        OpaqueAction("dbl"),
    }
    port = config.interfaces["FastEthernet0/1"]
    assert (port.shutdown, port.bandwidth_kbit) == (False, None)
    assert sorted(config.access_lists) == ["L"]
    where = "vlan configuration 20 / service-policy input P6500"
    assert Reference("policy-map", "P6500", where) in config.references
