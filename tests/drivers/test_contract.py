"""One contract for every driver, against practice routers over real SSH."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from provisioning.drivers import RouterDriver, Timeouts, UnitReply, VtyRefused, WriteUnit, connect
from provisioning.drivers.difference import unsaved_difference
from provisioning.drivers.napalm import NapalmDriver
from provisioning.drivers.netmiko import NetmikoDriver
from provisioning.errors import (
    AuthenticationRefused,
    DeviceError,
    HostKeyChanged,
    InvalidInput,
    LeaseLost,
    LineRefused,
    SaveRefused,
    SessionLost,
    Unreachable,
)
from tests.drivers.practice import ENABLE, PASSWORD, Practice

EVERY = pytest.mark.parametrize("driver", ["netmiko", "napalm", "asyncssh"])
"""Where NAPALM reads in its own way; elsewhere it is the Netmiko driver (`test_napalm_only_reads`)."""

POLICY = ["policy-map CONTRACT", "class class-default", "set dscp 0"]
BIND = ["interface POS2/1", "service-policy input CONTRACT"]
UNBIND = ["interface POS2/1", "no service-policy input CONTRACT", "no policy-map CONTRACT"]


USUAL = Timeouts(settle=0.02, binding_settle=0.3)


def units(*lines: str) -> list[WriteUnit]:
    return [WriteUnit((line,)) for line in lines]


def unguarded(index: int, *, closing: bool = False) -> None:
    """A lease that always holds."""


def push(session: object, *lines: str) -> list[UnitReply]:
    return list(session.configure(units(*lines), unguarded))  # type: ignore[attr-defined]


# -- reading -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "version", "chassis"),
    [
        ("gsr", "12.0(28)S", "12"),
        ("old", "12.2(15)T", "7206VXR"),
        ("pre", "12.3(14)T", "7206VXR"),
        ("isr", "17.06.01", "ISR4331"),
    ],
)
@EVERY
def test_facts_name_router_release_and_serial(
    practice: Practice, driver: str, name: str, version: str, chassis: str
) -> None:
    with connect(practice.target(name, driver), timeout=USUAL) as session:
        facts = session.facts()
    assert facts.hostname == name
    assert facts.version == version
    assert facts.platform_text.startswith(chassis)
    assert facts.serial and facts.serial in str(
        practice.control.call("execute", router=name, line="show version")
    )
    assert facts.image.endswith(".bin")


@EVERY
def test_interfaces_carry_the_percent_base(practice: Practice, driver: str) -> None:
    with connect(practice.target("pre", driver), timeout=USUAL) as session:
        found = {fact.name: fact for fact in session.interfaces()}
    assert found["POS1/0"].bw_bps == 155_000_000
    assert found["POS1/0"].admin_up
    assert not found["POS2/1"].admin_up
    assert not found["POS2/1"].line_up


@pytest.mark.parametrize("name", ["gsr", "a-router-with-a-name-of-its-own"])
@EVERY
def test_a_configuration_is_read_whole_and_kept_out_of_the_transcript(
    practice: Practice, driver: str, name: str
) -> None:
    with connect(practice.target(name, driver), timeout=USUAL) as session:
        running = session.running_config()
        startup = session.startup_config()
    held = str(practice.state(name)["running"])
    assert [line.strip() for line in running.splitlines() if line.strip()][-1] == "end"
    for line in ("interface POS1/0", f"hostname {name}"):
        assert line in running and line in startup and line in held
    said = "\n".join(line.text for line in session.transcript)
    assert "interface POS1/0" not in said
    assert PASSWORD not in said and ENABLE not in said
    assert all(line.at_offset_s >= 0 for line in session.transcript)


@EVERY
def test_a_command_the_router_does_not_know_is_not_an_empty_answer(practice: Practice, driver: str) -> None:
    with connect(practice.target("gsr", driver), timeout=USUAL) as session:
        with pytest.raises(LineRefused) as caught:
            session.policy_counters("POS9/9")
        with pytest.raises(InvalidInput):
            session.policy_counters("POS1/0\nreload")
    assert caught.value.sent == "show policy-map interface POS9/9"


@EVERY
def test_reading_while_the_router_logs(practice: Practice, driver: str) -> None:
    practice.control.fault("pre", {"kind": "noise", "match": "^show"})
    with connect(practice.target("pre", driver), timeout=USUAL) as session:
        running = session.running_config()
        assert session.facts().version == "12.3(14)T"
    assert "LINEPROTO" not in running


def test_napalm_only_reads() -> None:
    own = {name for name in vars(NapalmDriver) if not name.startswith(("__", "_abc"))}
    assert issubclass(NapalmDriver, NetmikoDriver)
    assert own == {"facts", "interfaces", "running_config", "startup_config", "shown", "_config"}


# -- writing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gsr", "old", "a-router-with-a-name-of-its-own"])
def test_lines_are_sent_judged_and_in_force(practice: Practice, driver: str, name: str) -> None:
    guarded: list[int] = []
    with connect(practice.target(name, driver), timeout=USUAL) as session:
        replies = list(session.configure(units(*POLICY, *BIND), guarded.append))
        assert ("POS2/1", "input", "CONTRACT") in practice.attached(name)
        counters = session.policy_counters("POS2/1")
        assert "CONTRACT" in counters and "class-default" in counters
        undone = push(session, *UNBIND)
    assert [reply.refused for reply in replies + undone] == [None] * 8
    assert [reply.sent for reply in replies] == [(line,) for line in POLICY + BIND]
    assert guarded == [0, 1, 2, 3, 4]
    assert ("POS2/1", "input", "CONTRACT") not in practice.attached(name)


def test_a_swap_goes_out_in_one_write_and_both_replies_are_judged(practice: Practice, driver: str) -> None:
    with connect(practice.target("pre", driver), timeout=USUAL) as session:
        push(session, *POLICY, "policy-map OTHER", "class class-default", "set dscp 8", *BIND)
        swap = WriteUnit(("no service-policy input CONTRACT", "service-policy input OTHER"))
        broken = WriteUnit(("no service-policy input OTHER", "service-policy input MISSING"))
        swapped = list(session.configure([WriteUnit(("interface POS2/1",)), swap], unguarded))
        assert ("POS2/1", "input", "OTHER") in practice.attached("pre")
        refused = list(session.configure([WriteUnit(("interface POS2/1",)), broken], unguarded))
        push(session, "no policy-map OTHER", "no policy-map CONTRACT")
    assert swapped[1].replies == ("", "") and swapped[1].refused is None
    assert refused[1].replies[0] == "" and refused[1].replies[1] != ""
    assert refused[1].refused is not None and "service-policy input MISSING" in refused[1].refused


def swapped_with(
    practice: Practice, driver: str, timeout: Timeouts
) -> tuple[UnitReply, list[tuple[int, bool]]]:
    """A swap that carries its old policy, its own line and another policy to be sent instead; the reply to it."""
    guarded: list[tuple[int, bool]] = []

    def guard(index: int, *, closing: bool = False) -> None:
        guarded.append((index, closing))

    with connect(practice.target("pre", driver), timeout=timeout) as session:
        push(session, *POLICY, "policy-map OTHER", "class class-default", "set dscp 8", *BIND)
        swap = WriteUnit(
            ("no service-policy input CONTRACT", "service-policy input OTHER"),
            ("service-policy input CONTRACT", "service-policy input OTHER"),
        )
        after = WriteUnit(("description still here",))
        replies = list(session.configure([WriteUnit(("interface POS2/1",)), swap, after], guard))
        assert session.running_config()
    return replies[1], guarded


@pytest.fixture
def tidy(practice: Practice) -> Iterator[None]:
    yield
    practice.control.call("clear")
    lines = ["interface POS2/1", "no service-policy input CONTRACT", "no service-policy input OTHER"]
    practice.control.call(
        "configure",
        router="pre",
        lines=[*lines, "no description", "no policy-map OTHER", "no policy-map CONTRACT"],
    )


@pytest.mark.usefixtures("tidy")
def test_the_old_policy_goes_back_at_once_where_the_new_one_is_refused(
    practice: Practice, driver: str
) -> None:
    practice.control.fault("pre", {"kind": "refuse", "match": "^service-policy input OTHER", "message": "No"})
    reply, guarded = swapped_with(practice, driver, replace(USUAL, binding_settle=2.0))
    assert reply.closing is not None and reply.closing.taken == "service-policy input CONTRACT"
    assert reply.closing.seconds < 1.5, "no quiet time is waited out while the interface is bare"
    assert "No" in str(reply.refused) and "was taken instead" in str(reply.refused)
    assert guarded == [(0, False), (1, False), (1, True)], (
        "the line that closes is said to be one; nothing after it was sent"
    )
    assert ("POS2/1", "input", "CONTRACT") in practice.attached("pre")


@pytest.mark.usefixtures("tidy")
def test_the_alternatives_are_tried_in_turn_and_the_line_itself_makes_it_good(
    practice: Practice, driver: str
) -> None:
    for policy, times in (("OTHER", 1), ("CONTRACT", 1)):
        match = f"^service-policy input {policy}"
        practice.control.fault(
            "pre",
            {
                "kind": "refuse",
                "match": match,
                "message": "No",
                "times": times,
                "skip": int(policy == "CONTRACT"),
            },
        )
    reply, guarded = swapped_with(practice, driver, USUAL)
    assert reply.refused is None
    assert reply.closing is not None and [line for line, _said in reply.closing.tried] == [
        "service-policy input CONTRACT",
        "service-policy input OTHER",
    ]
    assert guarded == [(0, False), (1, False), (1, True), (1, True), (2, False)]
    assert ("POS2/1", "input", "OTHER") in practice.attached("pre")


@pytest.mark.usefixtures("tidy")
def test_an_interface_that_takes_nothing_is_given_up_in_time(practice: Practice, driver: str) -> None:
    practice.control.fault(
        "pre", {"kind": "refuse", "match": "^service-policy input", "message": "No", "skip": 1}
    )
    reply, _guarded = swapped_with(practice, driver, replace(USUAL, closing=1.5))
    assert reply.closing is not None and reply.closing.taken == "" and len(reply.closing.tried) >= 4
    assert 1.5 <= reply.closing.seconds < 10
    assert "nothing was taken instead" in str(reply.refused)
    assert ("POS2/1", "input", "CONTRACT") not in practice.attached("pre")


@pytest.mark.parametrize("late", [0.0, 0.3])
@pytest.mark.usefixtures("tidy")
def test_what_a_line_card_takes_off_after_the_prompt_is_closed_before_anything_is_read(
    practice: Practice, driver: str, late: float
) -> None:
    """Said before the next line, or only in the listening after the last one: with and without configuration mode."""
    said = "SLOT 2:00:01:02: %QM-4-POLICY_REJECTED: policy-map OTHER on POS2/1 input: not enough TCAM"
    match = "^service-policy input OTHER"
    practice.control.fault("pre", {"kind": "refuse", "match": match, "message": said, "late": late})
    with connect(practice.target("pre", driver), timeout=replace(USUAL, binding_settle=1.5)) as session:
        push(session, *POLICY, "policy-map OTHER", "class class-default", "set dscp 8", *BIND)
        swap = WriteUnit(
            ("no service-policy input CONTRACT", "service-policy input OTHER"),
            ("service-policy input CONTRACT", "service-policy input OTHER"),
        )
        begun = len(session.transcript)
        replies = list(session.configure([WriteUnit(("interface POS2/1",)), swap], unguarded))
        typed = [line.text for line in session.transcript[begun:] if line.direction == ">"]
    assert "POLICY_REJECTED" in str(replies[-1].refused)
    assert "'service-policy input CONTRACT' was taken instead" in str(replies[-1].refused)
    assert ("POS2/1", "input", "CONTRACT") in practice.attached("pre")
    assert [line for line in typed if line.startswith("show")] == []
    assert typed[-2:] == ["service-policy input CONTRACT", "end"]


@pytest.mark.usefixtures("tidy")
def test_what_the_router_says_is_bound_is_left_alone(practice: Practice, driver: str) -> None:
    """Where the first line of a swap was the one refused, the interface was never bare."""
    practice.control.fault(
        "pre", {"kind": "refuse", "match": "^no service-policy input CONTRACT", "message": "No"}
    )
    reply, guarded = swapped_with(practice, driver, USUAL)
    assert reply.closing is None and guarded == [(0, False), (1, False)]
    assert reply.refused is not None
    assert ("POS2/1", "input", "CONTRACT") in practice.attached("pre")


def test_a_refused_line_stops_the_push_and_configuration_mode_is_left(
    practice: Practice, driver: str
) -> None:
    practice.control.fault(
        "pre", {"kind": "refuse", "match": "^set dscp", "message": "CBWFQ : Not today on this interface"}
    )
    with connect(practice.target("pre", driver), timeout=USUAL) as session:
        replies = push(session, *POLICY, *BIND)
        assert [reply.refused is None for reply in replies] == [True, True, False]
        assert "CBWFQ : Not today" in str(replies[-1].refused)
        sessions = practice.state("pre")["sessions"]
        assert isinstance(sessions, list) and sessions
        assert not [item["prompt"] for item in sessions if "(config" in item["prompt"]]
        assert push(session, "no policy-map CONTRACT")[0].refused is None
    assert ("POS2/1", "input", "CONTRACT") not in practice.attached("pre")


def test_a_syntax_error_is_a_refusal(practice: Practice, driver: str) -> None:
    with connect(practice.target("gsr", driver), timeout=USUAL) as session:
        (reply,) = push(session, "polizy-map CONTRACT")
    assert "Invalid input detected" in str(reply.refused)


def test_what_a_line_card_says_after_the_prompt_is_a_refusal(practice: Practice, driver: str) -> None:
    late = "SLOT 2:Nov 21 10:00:00: %QOS-3-ATTACH: service-policy CONTRACT not attached to POS2/1"
    practice.control.fault("gsr", {"kind": "noise", "match": "^service-policy", "text": late})
    with connect(practice.target("gsr", driver), timeout=USUAL) as session:
        replies = push(session, *POLICY, *BIND, "description after the binding")
        practice.control.call("clear")
        assert len(replies) == 5 and late in str(replies[-1].refused)
        push(session, *UNBIND)


def test_log_lines_in_the_middle_of_a_push_are_no_refusal(practice: Practice, driver: str) -> None:
    practice.control.fault("gsr", {"kind": "noise", "match": "policy|class"})
    with connect(practice.target("gsr", driver), timeout=USUAL) as session:
        replies = push(session, *POLICY, *BIND) + push(session, *UNBIND)
    assert [reply.refused for reply in replies] == [None] * 8


def test_what_before_unit_raises_stops_everything(practice: Practice, driver: str) -> None:
    def taken_over(index: int) -> None:
        if index == 2:
            raise LeaseLost("another worker has this router")

    with connect(practice.target("pre", driver), timeout=USUAL) as session:
        sent: list[UnitReply] = []
        with pytest.raises(LeaseLost):
            sent.extend(session.configure(units(*POLICY), taken_over))
        running = session.running_config()
        assert "policy-map CONTRACT" in running and "set dscp" not in running
        push(session, "no policy-map CONTRACT")


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_session_dropped_at_a_line_says_what_is_certain(
    practice: Practice, driver: str, when: str, quick: Timeouts
) -> None:
    practice.control.fault("pre", {"kind": "drop", "match": "^set dscp", "when": when})
    seen: list[UnitReply] = []
    with connect(practice.target("pre", driver), timeout=quick) as session:
        with pytest.raises(SessionLost) as caught:
            seen.extend(session.configure(units(*POLICY, *BIND), unguarded))
        assert caught.value.certain == tuple(POLICY[:2])
        assert caught.value.possible == (POLICY[2],)
        assert caught.value.details["unsent"] == tuple(BIND)
        with pytest.raises(SessionLost):
            session.running_config()
    practice.control.call("clear")
    with connect(practice.target("pre", driver), timeout=USUAL) as session:
        assert ("set dscp" in session.running_config()) is (when == "after")
        push(session, "no policy-map CONTRACT")


def test_a_router_that_hangs_is_given_up_in_time(practice: Practice, driver: str, quick: Timeouts) -> None:
    practice.control.fault("hqf", {"kind": "hang", "match": "^class class-default"})
    with (
        connect(practice.target("hqf", driver), timeout=quick) as session,
        pytest.raises(SessionLost) as caught,
    ):
        push(session, *POLICY)
    assert caught.value.possible == (POLICY[1],)
    assert "no prompt within 4 s" in caught.value.reason
    practice.control.call("clear")
    practice.control.call("configure", router="hqf", lines=["no policy-map CONTRACT"])


def test_a_swap_without_an_answer_is_given_up_sooner(practice: Practice, driver: str) -> None:
    """Its interface may be bare, and only another session can see whether it is. Nothing more is typed into the silence."""
    practice.control.call("configure", router="hqf", lines=[*POLICY, *BIND, "policy-map SECOND"])
    practice.control.fault("hqf", {"kind": "hang", "match": "^service-policy input SECOND"})
    swap = WriteUnit(
        ("no service-policy input CONTRACT", "service-policy input SECOND"),
        ("service-policy input CONTRACT",),
    )
    impatient = replace(USUAL, swap=1.0)
    with (
        connect(practice.target("hqf", driver), timeout=impatient) as session,
        pytest.raises(SessionLost) as caught,
    ):
        list(session.configure([WriteUnit((BIND[0],)), swap], unguarded))
    assert "no prompt within 1 s" in caught.value.reason
    assert caught.value.possible == (swap.lines[1],)
    assert practice.attached("hqf") == set()
    practice.control.call("clear")
    practice.control.call("configure", router="hqf", lines=["no policy-map CONTRACT", "no policy-map SECOND"])


def test_a_slow_router_is_waited_for(practice: Practice, driver: str) -> None:
    practice.control.fault("old", {"kind": "slow", "seconds": 0.1})
    with connect(practice.target("old", driver), timeout=USUAL) as session:
        assert [reply.refused for reply in push(session, "policy-map CONTRACT")] == [None]
        assert [reply.refused for reply in push(session, "no policy-map CONTRACT")] == [None]


def test_an_echo_cut_with_a_dollar_is_still_an_echo(practice: Practice, driver: str) -> None:
    practice.control.fault("pre", {"kind": "truncate-echo", "width": 30})
    lines = ["policy-map CONTRACT", "class class-default"]
    lines.append("police cir percent 5 conform-action transmit exceed-action drop")
    with connect(practice.target("pre", driver), timeout=USUAL) as session:
        replies = push(session, *lines, "no policy-map CONTRACT")
    assert [reply.refused for reply in replies] == [None] * 4


def both(session: RouterDriver) -> tuple[str, str]:
    """Running-config and startup-config as they are together."""
    seen = session.shown()
    return seen.running, seen.startup


# -- saving --------------------------------------------------------------------------------------------------------


@EVERY
def test_unsaved_lines_are_shown_then_saved(practice: Practice, driver: str) -> None:
    with connect(practice.target("old", driver), timeout=USUAL) as session:
        session.save()
        assert unsaved_difference(*both(session)) == ()
        push(session, "interface POS2/1", "description somebody was here", "snmp-server community hidden RO")
        assert unsaved_difference(*both(session)) == (
            "- interface POS2/1 / description spare",
            "+ interface POS2/1 / description somebody was here",
            "+ snmp-server community <removed> RO",
        )
        push(session, "interface POS2/1", "description spare", "no snmp-server community hidden")
        assert "[OK]" in session.save()
        assert unsaved_difference(*both(session)) == ()
    assert practice.state("old")["unsaved"] is False


def test_a_busy_nvram_is_not_a_saved_configuration(practice: Practice, driver: str) -> None:
    practice.control.fault("pre", {"kind": "write-fails"})
    with (
        connect(practice.target("pre", driver), timeout=USUAL) as session,
        pytest.raises(SaveRefused) as caught,
    ):
        session.save()
    assert "busy" in caught.value.reason


# -- getting in ----------------------------------------------------------------------------------------------------


def test_a_closed_port_is_unreachable(practice: Practice, driver: str, quick: Timeouts) -> None:
    practice.control.fault("old", {"kind": "unreachable"})
    with pytest.raises(Unreachable) as caught:
        connect(practice.target("old", driver), timeout=quick)
    assert not isinstance(caught.value, VtyRefused)


def test_a_wrong_password_is_refused_once_and_not_tried_again(practice: Practice, driver: str) -> None:
    with pytest.raises(AuthenticationRefused) as caught:
        connect(practice.target("pre", driver, password="not-this"), timeout=USUAL)
    assert caught.value.field == "password"
    assert "not-this" not in str(caught.value)


def test_a_wrong_enable_secret_is_another_error(practice: Practice, driver: str) -> None:
    with pytest.raises(AuthenticationRefused) as caught:
        connect(practice.target("gsr", driver, enable="not-this"), timeout=USUAL)
    assert caught.value.field == "enable"
    with pytest.raises(AuthenticationRefused) as missing:
        connect(practice.target("gsr", driver, enable=""), timeout=USUAL)
    assert missing.value.field == "enable"


def test_a_changed_host_key_is_never_talked_to(practice: Practice, driver: str) -> None:
    before = practice.target("hqf", driver)
    practice.control.call("hostkey", router="hqf")
    with pytest.raises(HostKeyChanged) as caught:
        connect(before)
    assert caught.value.field == "host_key"
    assert caught.value.details["pinned"] != caught.value.details["presented"]
    with connect(practice.target("hqf", driver), timeout=USUAL) as session:
        assert session.facts().hostname == "hqf"


@pytest.mark.parametrize("fault", ["vty-refused", "vty-closed"])
def test_a_refused_vty_is_not_a_wrong_password(
    practice: Practice, driver: str, fault: str, quick: Timeouts
) -> None:
    practice.control.fault("pre", {"kind": fault})
    with pytest.raises(VtyRefused):
        connect(practice.target("pre", driver), timeout=quick)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"host_key": ""}, "host_key"),
        ({"host_key": "ssh-rsa not-base64!"}, "host_key"),
        ({"host_key": "ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAA"}, "host_key"),
        ({"ssh_profile": "ancient"}, "ssh_profile"),
    ],
)
def test_a_target_that_cannot_be_meant_is_refused_before_connecting(
    practice: Practice, driver: str, changes: dict[str, str], field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        connect(practice.target("pre", driver, **changes), timeout=USUAL)
    assert caught.value.field == field


def test_a_modern_profile_does_not_fall_back(practice: Practice, driver: str, quick: Timeouts) -> None:
    with pytest.raises(DeviceError) as caught:
        connect(practice.target("gsr", driver, ssh_profile="modern"), timeout=quick)
    assert isinstance(caught.value, Unreachable)
    assert caught.value.field == "ssh_profile"
