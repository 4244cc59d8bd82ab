"""Specifications: what is refused, what follows from a release, and that every switch has a test."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lab.errors import SpecError
from lab.release import Release
from lab.spec import RouterSpec, read_specs
from lab.trains import SWITCHES, Train
from tests.lab.routers import BASELINE, GSR, T3, at_config, device, spec, typed


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"ios": "twelve"}, "ios"),
        ({"platform": "vax"}, "platform"),
        ({"name": ""}, "router.name"),
        ({"name": "r 1"}, "router.name"),
        ({"colour": "blue"}, "r1.colour"),
        ({"engines": {"1": "9"}}, "r1.engines"),
        ({"switches": {"dscp": "roman"}}, "switches.dscp"),
        ({"switches": {"max_reserved": True}}, "switches.max_reserved"),
        ({"switches": {"nonsense": 1}}, "switches.nonsense"),
        ({"ssh_profile": "telnet"}, "r1.ssh_profile"),
        ({"interfaces": [{"name": "Nothing1"}]}, "r1.interfaces[0].name"),
        ({"interfaces": [{"name": "POS1/0"}]}, "r1.interfaces[0].bandwidth_kbit"),
        ({"interfaces": [{"name": "POS1/0", "bandwidth_kbit": -1}]}, "r1.interfaces[0].bandwidth_kbit"),
        ({"interfaces": [{"name": "POS1/0", "bandwidth_kbit": 1, "ipv6": "x"}]}, "r1.interfaces[0].ipv6"),
        ({"interfaces": [{"name": "ATM1/0.1", "bandwidth_kbit": 1, "pvc": "x"}]}, "r1.interfaces[0].pvc"),
        ({"interfaces": [{"name": "POS1/0", "bandwidth_kbit": 1}] * 2}, "r1.interfaces"),
        ({"interfaces": ["POS1/0"]}, "r1.interfaces"),
    ],
)
def test_a_wrong_specification_names_its_field(change: dict[str, Any], field: str) -> None:
    with pytest.raises(SpecError) as caught:
        spec(GSR, **change)
    assert caught.value.field == field


def test_documents() -> None:
    one = {"name": "r1", "platform": "cisco-12400", "ios": "12.0(28)S"}
    assert [item.name for item in read_specs({"routers": [one, one | {"name": "r2"}]})] == ["r1", "r2"]
    for wrong in ([], {"routers": 1}, {"routers": [one, one]}):
        with pytest.raises(SpecError):
            read_specs(wrong)


MQC = "police_percent match_dscp priority_percent"
T15 = f"{MQC} police_mode has_do"
T4 = f"{T15} has_section has_archive"
T14 = f"{T4} has_replace"
HQF = f"{T14} hqf has_revert"


@pytest.mark.parametrize(
    ("platform", "ios", "gates"),
    [
        ("cisco-12400", "12.0(27)S", ""),
        ("cisco-12400", "12.0(28)S", MQC),
        ("cisco-12400", "12.0(32)SY6c", MQC),
        ("cisco-7200vxr", "12.2(11)T", "priority_percent police_mode has_do"),
        ("cisco-7200vxr", "12.2(15)T2", T15),
        ("cisco-7200vxr", "12.3(1)", T15),
        ("cisco-7200vxr", "12.3(4)T", T4),
        ("cisco-7200vxr", "12.3(14)T", T14),
        ("cisco-7200vxr", "12.4(15)T", T14),
        ("cisco-7200vxr", "12.2(25)S", "has_archive has_replace"),
        ("cisco-7200vxr", "12.2(33)SRC", "has_archive has_replace has_revert"),
        ("cisco-7200vxr", "12.4(24)T", HQF),
        ("cisco-7200vxr", "15.2(4)M", HQF),
        ("cisco-iosxe", "16.9.4", HQF),
    ],
)
def test_version_gates(platform: str, ios: str, gates: str) -> None:
    """ios-facts 2.1"""
    train = Train.of(platform, Release.parse(ios), {})
    assert {name for name in HQF.split() if getattr(train, name)} == set(gates.split())


def test_serial_is_given_or_stays_the_same() -> None:
    assert spec(GSR, serial="SAD1").serial == "SAD1"
    assert spec(GSR).serial == spec(T3).serial != spec(GSR, name="r2").serial


def test_a_specification_is_plain_json() -> None:
    data = {
        "name": "r1",
        "platform": "cisco-12400",
        "ios": "12.0(28)S",
        "engines": {"1": 3},
        "startup_config": None,
    }
    assert RouterSpec.from_dict(json.loads(json.dumps(data))).engines == {1: "3"}


def test_the_default_configuration_has_what_a_reader_must_cope_with() -> None:
    body = device(GSR).body()
    for line in (
        "enable secret 5 ",
        "snmp-server community ",
        "username noc password 7 ",
        "policy-map EXAMPLE",
        "router isis ",
    ):
        assert line in body


@pytest.mark.parametrize("manner", ["silent", "refused"])
def test_attaching_the_same_policy_again(manner: str) -> None:
    session = at_config(T3, load=BASELINE, switches={"reattach_same": manner})
    reply = typed(session, "interface POS1/0\nservice-policy input TRUSTED\nservice-policy input TRUSTED")[2]
    assert reply == ("" if manner == "silent" else "Policy map TRUSTED is already attached\n")


@pytest.mark.parametrize("manner", ["accepted", "incomplete", "refused"])
def test_bare_priority(manner: str) -> None:
    session = at_config(T3, load=BASELINE, switches={"bare_priority": manner})
    reply = typed(session, "policy-map Q\nclass GOLD\npriority")[2]
    assert reply.startswith({"accepted": "", "incomplete": "% Incomplete", "refused": "priority: "}[manner])
    assert ("priority" in session.config.policy_maps["Q"].classes[0].actions) is (manner == "accepted")


@pytest.mark.parametrize("manner", ["after-prompt", "monitor"])
def test_who_sees_what_a_line_card_says(manner: str) -> None:
    session = at_config(GSR, load=BASELINE, engines={"1": "0"}, switches={"slot_refusal": manner})
    typed(session, "interface POS1/0\nservice-policy input TRUSTED")
    assert len(session.asynchronous()) == (1 if manner == "after-prompt" else 0)
    session.monitor = True
    session.execute("service-policy input TRUSTED")
    assert len(session.asynchronous()) == 1
    assert session.config.interfaces["POS1/0"].policies == {}


@pytest.mark.parametrize(
    ("switch", "value", "goes_on"),
    [
        ("match_not", "accepted", True),
        ("match_not", "refused", False),
        ("engine6", "accepted", True),
        ("engine6", "refused", False),
    ],
)
def test_what_is_unknown_of_line_cards(switch: str, value: str, goes_on: bool) -> None:
    """ios-facts U3, 2.2"""
    load = "class-map N\n match not dscp 8\npolicy-map P\n class N\n  set dscp 0\n"
    engine = "6" if switch == "engine6" else "3"
    session = at_config(GSR, load=load, engines={"1": engine}, switches={switch: value})
    typed(session, "interface POS1/0\nservice-policy input P")
    assert (session.config.interfaces["POS1/0"].policies == {"input": "P"}) is goes_on


@pytest.mark.parametrize(("part", "goes_on"), [(75, False), (100, True)])
def test_the_reservable_part(part: int, goes_on: bool) -> None:
    session = at_config(
        T3,
        load=BASELINE + "policy-map Q\n class GOLD\n  priority percent 80\n",
        switches={"max_reserved": part},
    )
    assert (typed(session, "interface POS1/0\nservice-policy output Q")[1] == "") is goes_on


@pytest.mark.parametrize("era", ["s", "t", "hqf", "xe"])
def test_era_of_show(era: str) -> None:
    session = at_config(T3, load=BASELINE, switches={"show_era": era})
    typed(session, "interface POS1/0\nservice-policy input TRUSTED\nend")
    text = session.execute("show policy-map interface POS1/0")
    assert ("Service-policy input:TRUSTED" in text) is (era == "s")
    assert ("action:drop" in text) is (era == "s")
    assert ("exceeded 0 bps" in text) is (era == "xe")


@pytest.mark.parametrize(
    ("value", "text"), [("off-grid", " permit ipv6"), ("always", " sequence 10 permit ipv6")]
)
def test_sequences(value: str, text: str) -> None:
    load = "ipv6 access-list L\n permit ipv6 any any\nip access-list extended F\n permit ip any any\n"
    body = at_config(
        T3, load=load, switches={"ipv6_sequence": value, "ipv4_sequence": value == "always"}
    ).device.body()
    assert f"ipv6 access-list L\n{text}" in body
    assert ("\n 10 permit ip any any" in body) is (value == "always")


def test_every_switch_is_used_in_a_test() -> None:
    text = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    used = set(re.findall(r'"(\w+)": ', text)) | set(re.findall(r'"(\w+)", "', text))
    assert set(SWITCHES) - used == set()
