"""What a platform refuses, and when (ios-facts 1.4, 2.1-2.3, 2.8)."""

from __future__ import annotations

import pytest

from tests.lab.routers import BASELINE, GSR, HQF, OLD_GSR, T2, T3, T4, XE, at_config, typed

CORE = (
    BASELINE + "policy-map CORE\n class GOLD\n  priority\n class class-default\n  random-detect dscp-based\n"
)
LLQ = BASELINE + "policy-map CORE\n class GOLD\n  priority percent 10\n"


def attached(session, interface: str = "POS1/0") -> dict[str, str]:
    return session.config.interfaces[interface].policies


def test_second_policy_is_refused_and_the_first_stays() -> None:
    session = at_config(T3, load=BASELINE)
    replies = typed(session, "interface POS1/0\nservice-policy input TRUSTED\nservice-policy input UNTRUSTED")
    assert replies[2] == "Policy map TRUSTED is already attached\n"
    assert attached(session) == {"input": "TRUSTED"}
    replies = typed(session, "no service-policy input TRUSTED\nservice-policy input UNTRUSTED")
    assert replies == ["", ""]
    assert attached(session) == {"input": "UNTRUSTED"}


def test_no_service_policy_wants_the_name_on_classic_ios() -> None:
    for kind, reply in ((T3, "% Incomplete command.\n\n"), (XE, "")):
        session = at_config(kind, load=BASELINE)
        typed(session, "interface POS1/0\nservice-policy input TRUSTED")
        assert session.execute("no service-policy input") == reply
    assert session.execute("no service-policy input TRUSTED") == "% policy map TRUSTED is not attached\n"


def test_unknown_policy() -> None:
    session = at_config(T3)
    assert (
        typed(session, "interface POS1/0\nservice-policy input NOPE")[1]
        == "% policy map NOPE not configured\n"
    )


def test_appendix_core_policy_on_each_platform() -> None:
    for kind in (GSR, HQF, XE):
        session = at_config(kind, load=CORE)
        assert typed(session, "interface POS2/0\nservice-policy output CORE") == ["", ""]
        assert session.asynchronous() == []
        assert attached(session, "POS2/0") == {"output": "CORE"}


@pytest.mark.parametrize("kind", [T2, T3, T4])
def test_bare_priority_is_refused_on_a_7200_before_hqf(kind: tuple[str, str]) -> None:
    session = at_config(kind, load=BASELINE)
    assert typed(session, "policy-map CORE\nclass GOLD\npriority")[2] == "% Incomplete command.\n\n"
    assert "priority" not in session.config.policy_maps["CORE"].classes[0].actions


@pytest.mark.parametrize("kind", [T2, T3])
def test_wred_in_class_default_needs_fair_queue_before_hqf(kind: tuple[str, str]) -> None:
    session = at_config(kind, load=BASELINE)
    replies = typed(
        session,
        "policy-map CORE\nclass class-default\nrandom-detect dscp-based\nfair-queue\nrandom-detect dscp-based",
    )
    assert [bool(reply) for reply in replies] == [False, False, True, False, False]


def test_fair_queue_does_not_exist_on_the_12000() -> None:
    session = at_config(GSR, load=BASELINE)
    assert "% Invalid input" in typed(session, "policy-map CORE\nclass class-default\nfair-queue")[2]


def test_percent_and_plain_dscp_do_not_exist_before_12_0_28_s() -> None:
    session = at_config(OLD_GSR)
    replies = typed(session, "class-map GOLD\nmatch dscp 46\nmatch ip dscp 46\npolicy-map P\nclass GOLD")
    assert ["% Invalid" in reply for reply in replies] == [False, True, False, False, False]
    for line, known in (
        ("police cir percent 5", False), ("police percent 5", False), ("police rate 8000000", True),
        ("police 8000000 250000 250000 conform-action transmit exceed-action drop", True),
        ("priority percent 5", False), ("priority", True), ("set dscp 0", False), ("set ip dscp 0", True),
    ):  # fmt: skip
        assert ("% Invalid" not in session.execute(line)) is known, line


@pytest.mark.parametrize("engine", ["0", "1", "2", "4", "4+", "6"])
def test_line_cards_that_cannot(engine: str) -> None:
    session = at_config(GSR, load=BASELINE, engines={"1": engine, "2": "3"})
    assert typed(session, "interface POS1/0\nservice-policy input TRUSTED") == ["", ""]
    said = session.asynchronous()
    assert len(said) == 1
    assert said[0].startswith("SLOT 1:")
    assert f"not supported on Engine {engine}" in said[0]
    assert attached(session) == {}


@pytest.mark.parametrize("engine", ["3", "5", "5+"])
def test_line_cards_that_can(engine: str) -> None:
    session = at_config(GSR, load=BASELINE, engines={"1": engine})
    typed(session, "interface POS1/0\nservice-policy input TRUSTED")
    assert session.asynchronous() == []
    assert attached(session) == {"input": "TRUSTED"}


def test_engine3_priority_takes_no_argument() -> None:
    session = at_config(GSR, load=LLQ)
    typed(session, "interface POS2/0\nservice-policy output CORE")
    assert "takes no argument" in session.asynchronous()[0]
    assert attached(session, "POS2/0") == {}


@pytest.mark.parametrize(
    ("kind", "actions", "text"),
    [
        (T3, "priority percent 5", "CBWFQ : Can be enabled as an output feature only\n"),
        (XE, "shape average 64000", "GTS : Can be enabled as an output feature only\n"),
    ],
)
def test_queueing_is_output_only(kind: tuple[str, str], actions: str, text: str) -> None:
    session = at_config(kind, load=BASELINE + f"policy-map Q\n class GOLD\n  {actions}\n")
    assert typed(session, "interface POS1/0\nservice-policy input Q")[1] == text


def test_queueing_on_input_of_a_12000_is_refused_by_the_card() -> None:
    session = at_config(GSR, load=CORE)
    typed(session, "interface POS1/0\nservice-policy input CORE")
    assert "not supported in input direction" in session.asynchronous()[0]


def test_seventy_five_percent_before_hqf() -> None:
    load = (
        BASELINE
        + "policy-map Q\n class GOLD\n  priority percent 70\n class SCAVENGER\n  bandwidth percent 10\n"
    )
    session = at_config(T3, load=load)
    assert typed(session, "interface POS1/0\nservice-policy output Q")[1] == (
        "I/f POS1/0 class SCAVENGER requested bandwidth 10%, available only 5%\n"
    )
    assert typed(session, "max-reserved-bandwidth 90\nservice-policy output Q") == ["", ""]
    assert typed(at_config(HQF, load=load), "interface POS1/0\nservice-policy output Q") == ["", ""]


def test_kbps_are_counted_too() -> None:
    load = BASELINE + "policy-map Q\n class GOLD\n  priority 1600\n"
    session = at_config(T3, load=load)
    reply = typed(session, "interface Serial4/0\nservice-policy output Q")[1]
    assert reply == "I/f Serial4/0 class GOLD requested bandwidth 1600 (kbps), available only 1536 (kbps)\n"


def test_queueing_on_a_subinterface() -> None:
    load = LLQ + (
        "policy-map SHAPED\n class class-default\n  shape average 2000000\n"
        "  service-policy CORE\npolicy-map FLAT\n class class-default\n  service-policy CORE\n"
    )
    session = at_config(T3, load=load)
    replies = typed(
        session,
        (
            "interface GigabitEthernet3/0.7\nservice-policy output CORE\n"
            "service-policy output SHAPED\ninterface POS1/0\nservice-policy output FLAT"
        ),
    )
    assert replies[1] == "CBWFQ : Not supported on subinterfaces\n"
    assert replies[2] == ""
    assert replies[4] == "CBWFQ : Hierarchy supported only if shaping is configured in this class\n"


def test_percent_below_8000_bps() -> None:
    """ios-facts 1.4: 1 % of an E1 is 20480, of 512 k it is 5120"""
    session = at_config(T3, load=BASELINE)
    assert typed(session, "interface Serial4/0\nservice-policy input TRUSTED") == ["", ""]
    reply = session.execute("bandwidth 512")
    assert "5120 bps" in reply
    assert attached(session, "Serial4/0") == {}
    assert "5120 bps" in session.execute("service-policy input TRUSTED")


def test_ubr_has_no_base_for_percent() -> None:
    session = at_config(T3, load=BASELINE)
    replies = typed(
        session, "interface ATM5/0.2\npvc 0/33\nservice-policy input TRUSTED\nservice-policy input UNTRUSTED"
    )
    assert "UBR" in replies[2]
    assert replies[3] == ""
    assert typed(session, "interface ATM5/0.1\npvc 0/32\nservice-policy input TRUSTED") == ["", "", ""]
    assert "UBR" in session.execute("no vbr-nrt")
    assert session.config.interfaces["ATM5/0.1"].pvcs["0/32"].policies == {}


def test_an_edit_of_a_shared_policy_strips_it_everywhere() -> None:
    """ios-facts 2.8: the danger"""
    load = LLQ
    session = at_config(T3, load=load)
    typed(
        session,
        "interface POS1/0\nservice-policy output CORE\ninterface Serial4/0\nservice-policy output CORE",
    )
    reply = typed(session, "policy-map CORE\nclass GOLD\npriority 100000")[2]
    assert reply.startswith("I/f Serial4/0 class GOLD requested bandwidth 100000 (kbps)")
    assert attached(session) == {}
    assert attached(session, "Serial4/0") == {}
    assert session.device.body().count("priority 100000") == 1


def test_an_edit_of_a_shared_policy_may_be_refused_instead() -> None:
    session = at_config(T3, load=LLQ, switches={"shared_edit": "refuse"})
    typed(
        session,
        "interface POS1/0\nservice-policy output CORE\ninterface Serial4/0\nservice-policy output CORE",
    )
    typed(session, "policy-map CORE\nclass GOLD\npriority 100000")
    assert attached(session) == attached(session, "Serial4/0") == {"output": "CORE"}
    assert "priority percent 10" in session.device.body()


def test_a_policy_in_force_is_edited_in_place() -> None:
    session = at_config(T3, load=BASELINE)
    typed(
        session,
        "interface POS1/0\nservice-policy input TRUSTED\npolicy-map TRUSTED\nclass GOLD\npolice cir percent 2",
    )
    assert attached(session) == {"input": "TRUSTED"}
    assert session.device.body().count("police cir percent 2") == 1
    assert "police cir percent 5" not in session.device.body()


def test_contradictions_within_a_policy() -> None:
    session = at_config(T3, load=BASELINE)
    typed(session, "policy-map Q\nclass GOLD\npriority percent 5")
    assert "priority" in session.execute("bandwidth percent 5")
    typed(session, "class SCAVENGER\nbandwidth percent 5\nclass class-default")
    assert session.execute("bandwidth 1000") == "All classes with bandwidth should have consistent units\n"
    session = at_config(GSR, load=BASELINE)
    typed(session, "policy-map Q\nclass class-default\nrandom-detect dscp 46 10 20")
    assert "Must remove dscp-based random-detect first" in session.execute("random-detect precedence 1 10 20")


def test_a_small_burst_is_raised_with_a_notice() -> None:
    session = at_config(T3, load=BASELINE)
    reply = typed(session, "policy-map Q\nclass GOLD\npolice cir 10000000 bc 1000")[2]
    assert reply == "Conform burst size increased to 2500\n"
    assert "police cir 10000000 bc 2500" in session.device.body()


def test_a_log_entry_is_refused_on_xe() -> None:
    load = "ipv6 access-list L\n permit ipv6 any any log\n"
    line = "match access-group name L"
    assert (
        typed(at_config(XE, load=load), f"class-map M\n{line}")[1]
        == "% access-lists with 'log' keyword are not supported\n"
    )
    assert typed(at_config(T3, load=load), f"class-map M\n{line}")[1] == ""


def test_the_router_remembers_every_policy_that_came_on_or_went_off() -> None:
    session = at_config(T3, load=BASELINE)
    typed(session, "interface POS1/0\nservice-policy input TRUSTED")
    typed(session, "no service-policy input TRUSTED\nservice-policy input UNTRUSTED")
    typed(session, "no service-policy input TRUSTED")
    journal = session.device.journal
    assert [(item["interface"], item["direction"], item["policy"]) for item in journal] == [
        ("POS1/0", "input", "TRUSTED"),
        ("POS1/0", "input", None),
        ("POS1/0", "input", "UNTRUSTED"),
    ]
    lines = [session.device.history[item["line"]]["line"] for item in journal]
    assert lines[0] == lines[2].replace("UNTRUSTED", "TRUSTED") == "service-policy input TRUSTED"
    assert journal[2]["line"] == journal[1]["line"] + 1, "off and on again were two lines in a row"
