"""Every fault a router can be told to have, in process; those of the wire are in test_ssh."""

from __future__ import annotations

from typing import Any

import pytest

from lab.errors import SessionDropped, SessionHung, SpecError
from lab.faults import KINDS
from tests.lab.routers import BASELINE, GSR, HQF, T3, Clock, at_config, device, typed


def with_fault(**fault: Any):
    session = at_config(T3, load=BASELINE)
    session.device.faults.add(fault)
    return session


def test_refuse_says_the_message_and_changes_nothing() -> None:
    session = with_fault(
        kind="refuse", match=r"^service-policy", message="QoS: Policy attachment failed", times=1
    )
    session.execute("interface POS1/0")
    assert session.execute("service-policy input TRUSTED") == "QoS: Policy attachment failed\n"
    assert session.config.interfaces["POS1/0"].policies == {}
    assert session.execute("service-policy input TRUSTED") == ""


def test_refuse_lets_the_first_pass_and_then_refuses_so_often() -> None:
    session = with_fault(kind="refuse", match=r"^service-policy", message="no", skip=1, times=2)
    typed(session, "interface POS1/0\nservice-policy input TRUSTED\nno service-policy input TRUSTED")
    again = [session.execute("service-policy input TRUSTED") for _ in range(3)]
    assert again == ["no\n", "no\n", ""]


def test_a_late_refusal_comes_after_the_prompt_as_a_line_cards_does() -> None:
    clock = Clock()
    router = device(T3, clock)
    router.load(BASELINE)
    router.faults.add({"kind": "refuse", "match": "^service-policy", "message": "SLOT 1: no", "late": 2})
    session = router.open_session(privilege=15)
    typed(session, "conf t\ninterface POS1/0\nservice-policy input TRUSTED")
    assert session.config.interfaces["POS1/0"].policies == {}
    assert session.asynchronous() == []
    clock.now += 2
    router.tick()
    assert session.asynchronous() == ["SLOT 1: no"]


def test_ignore_is_silent_and_changes_nothing() -> None:
    session = with_fault(kind="ignore", match="dscp 10")
    assert typed(session, "class-map X\nmatch dscp 10\nmatch dscp 12") == ["", "", ""]
    assert [match.values for match in session.config.class_maps["X"].matches] == [(12,)]


@pytest.mark.parametrize(("when", "applied"), [("before", False), ("after", True)])
@pytest.mark.parametrize("where", [{"match": "^class-map LATE"}, {"line": 2}])
def test_drop(when: str, applied: bool, where: dict[str, Any]) -> None:
    session = with_fault(kind="drop", when=when, times=1, **where)
    session.execute("class-map EARLY")
    with pytest.raises(SessionDropped):
        session.execute("class-map LATE")
    assert session.closed
    assert session.device.sessions == []
    assert ("LATE" in session.config.class_maps) is applied
    assert "EARLY" in session.config.class_maps
    with pytest.raises(SessionDropped):
        session.execute("class-map MORE")
    assert session.device.faults.items == []


def test_hang() -> None:
    session = with_fault(kind="hang", match="LATE")
    with pytest.raises(SessionHung):
        session.execute("class-map LATE")
    assert "LATE" not in session.config.class_maps


def test_vanish() -> None:
    clock = Clock()
    router = device(T3, clock)
    router.load(BASELINE)
    router.faults.add({"kind": "vanish", "interface": "POS1/0", "seconds": 5})
    session = router.open_session(privilege=15)
    typed(session, "conf t\ninterface POS1/0\nservice-policy input TRUSTED")
    assert session.config.interfaces["POS1/0"].policies == {"input": "TRUSTED"}
    clock.now += 5
    router.tick()
    assert session.config.interfaces["POS1/0"].policies == {}


def test_noise_comes_after_the_prompt() -> None:
    session = with_fault(kind="noise", match="class-map", text="%OSPF-5-ADJCHG: neighbour is down", times=1)
    assert session.execute("class-map X") == ""
    assert session.asynchronous() == ["%OSPF-5-ADJCHG: neighbour is down"]
    assert session.asynchronous() == []


def test_write_fails() -> None:
    session = with_fault(kind="write-fails", times=1)
    session.execute("class-map X")
    session.execute("end")
    assert session.execute("write memory") == "startup-config file open failed (Device or resource busy)\n"
    assert session.device.unsaved
    assert "[OK]" in session.execute("write memory")


@pytest.mark.parametrize("command", ["write memory", "copy running-config startup-config"])
def test_other_image_asks_before_it_overwrites(command: str) -> None:
    """ios-facts 3.7"""
    session = with_fault(kind="other-image")
    session.execute("end")
    for answer, saved in (("n", False), ("", True)):
        text = session.execute(command)
        if command.startswith("copy"):
            text = session.execute("")
        assert "previously written" in text
        assert session.prompt == "Overwrite the previous NVRAM configuration?[confirm]"
        assert ("[OK]" in session.execute(answer)) is saved
        assert session.device.unsaved is not saved


def test_a_fault_of_exec_mode_leaves_configuration_alone() -> None:
    session = with_fault(kind="refuse", match="show", message="Command authorization failed.", where="exec")
    assert session.execute("do show clock") != "Command authorization failed.\n"
    session.execute("end")
    assert session.execute("show clock") == "Command authorization failed.\n"


def test_enable_refused() -> None:
    router = device(GSR)
    router.faults.add({"kind": "enable-refused"})
    session = router.open_session()
    for line in ("enable", "secret", "secret", "secret"):
        session.execute(line)
    assert session.prompt == "r1>"


def test_faults_of_the_specification_are_there_from_the_start() -> None:
    assert device(faults=[{"kind": "slow", "seconds": 1}]).faults.has("slow") is not None


def test_slow_holds_back_the_reply_to_one_line_of_a_login() -> None:
    router = device(GSR, faults=[{"kind": "slow", "seconds": 7, "line": 2}])
    session = router.open_session()
    for line in ("enable", "secret", "configure terminal"):
        session.execute(line)
    late = []
    for line in ("policy-map A", "class class-default", "exit"):
        session.execute(line)
        late.append(router.faults.delay(session, line, "config"))
    assert late == [0.0, 7.0, 0.0]


def test_a_replaced_chassis_says_its_own_serial_until_the_old_one_is_back() -> None:
    router = device()
    before = router.open_session(privilege=15).execute("show version")
    router.faults.add({"kind": "replaced", "message": "TBM9"})
    session = router.open_session(privilege=15)
    assert "Processor board ID TBM9\n" in session.execute("show version")
    assert "SN: TBM9\n" in session.execute("show inventory")
    router.faults.items.clear()
    assert f"Processor board ID {router.spec.serial}\n" in before
    assert f"Processor board ID {router.spec.serial}\n" in session.execute("show version")


@pytest.mark.parametrize(
    ("fault", "field"),
    [
        ({"kind": "no-such"}, "fault.kind"),
        ({"kind": "refuse", "match": "x"}, "fault.message"),
        ({"kind": "refuse", "match": "(", "message": "x"}, "fault.match"),
        ({"kind": "slow", "match": "x"}, "fault.seconds"),
        ({"kind": "drop"}, "fault.match"),
        ({"kind": "drop", "match": "x", "when": "soon"}, "fault.when"),
        ({"kind": "drop", "match": "x", "where": "there"}, "fault.where"),
        ({"kind": "slow", "seconds": "long"}, "fault"),
    ],
)
def test_a_wrong_fault_is_refused(fault: dict[str, Any], field: str) -> None:
    with pytest.raises(SpecError) as caught:
        device().faults.add(fault)
    assert caught.value.field == field


def test_a_neighbour_is_lost_and_the_processor_busy_while_a_policy_is_bound() -> None:
    session = with_fault(kind="neighbour-lost", neighbour="10.0.0.2", match="TRUSTED")
    session.device.faults.add({"kind": "busy", "percent": 97, "match": "TRUSTED"})

    def shown() -> tuple[str, str]:
        rows = session.execute("do show ip bgp summary").split()
        return rows[-1], session.execute("do show processes cpu | include CPU").split(": ")[1][:3]

    typed(session, "router bgp 65000\nneighbor 10.0.0.2 remote-as 65001\ninterface POS1/0")
    assert shown() == ("3142", "3%/")
    session.execute("service-policy input TRUSTED")
    assert shown() == ("Active", "97%")
    session.execute("no service-policy input TRUSTED")
    assert shown() == ("3142", "3%/")


def test_minutes_of_a_revert_timer_can_be_short() -> None:
    clock = Clock()
    router = device(HQF, clock)
    router.faults.add({"kind": "short-minutes", "seconds": 2})
    session = router.open_session(privilege=15)
    for line in (
        "configure terminal",
        "archive",
        "path disk0:keep",
        "end",
        "configure terminal revert timer 3",
    ):
        session.execute(line)
    session.execute("hostname other")
    clock.now += 5.9
    router.tick()
    assert router.config.hostname == "other"
    clock.now += 0.1
    router.tick()
    assert router.config.hostname == "r1"


def test_a_policy_on_the_way_in_cuts_everybody_off_but_the_console() -> None:
    router = device()
    router.faults.add({"kind": "cut-off", "interface": "POS1/0"})
    session, console = router.open_session(privilege=15), router.open_session(privilege=15, console=True)
    router.load("policy-map P\nclass class-default\nset dscp 0\ninterface POS2/0\nservice-policy input P")
    router.tick()
    assert not session.closed
    router.load("interface POS1/0\nservice-policy input P")
    router.tick()
    assert session.closed and not console.closed
    assert router.cut_off


def test_every_kind_of_fault_is_tested() -> None:
    from pathlib import Path

    here = Path(__file__).parent
    text = "".join(
        (here / name).read_text() for name in ("test_faults.py", "test_ssh.py", "test_ssh_faults.py")
    )
    missing = [kind for kind in KINDS if f'"{kind}"' not in text]
    assert missing == []
