"""How routers talk: echo, wrapping, redraws, pagers, banners, noise and lateness, byte by byte over real SSH."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import replace
from typing import Any

import pytest

from provisioning.drivers import RouterDriver, Timeouts, UnitReply, VtyRefused, WriteUnit, connect
from provisioning.errors import (
    AuthenticationRefused,
    ConfigurationLocked,
    HostKeyChanged,
    LineRefused,
    SaveRefused,
    SessionLost,
    Unreachable,
)
from tests.drivers.manners import LEGACY_ALGORITHMS, Manners
from tests.drivers.scripted import scripted_router

QUICK = Timeouts(connect=30, settle=0.02, binding_settle=0.24, attempts=1)
LISTENING = replace(QUICK, binding_settle=1)
LONG = "police cir percent 5 bc 300 ms conform-action transmit exceed-action drop violate-action drop"
LINES = ("policy-map TRUSTED-IN", "class EF", LONG)
SWAP = WriteUnit(("no service-policy input OLD", "service-policy input NEW"))

QUIRKS = {
    "CR CR LF": Manners(line_end="\r\r\n"),
    "LF CR": Manners(line_end="\n\r"),
    "no echo": Manners(echo=False),
    "wrapped echo": Manners(wrap_echo_at=20),
    "scrolled echo": Manners(scroll_echo_at=40),
    "both lines echoed at once": Manners(whole_echo_first=True),
    "late prompts": Manners(prompt_delay_s=0.15),
    "three characters at a time": Manners(byte_pause_s=0.002),
    "time stamps": Manners(timestamps=True),
    "log line in the echo": Manners(
        echo_noise={"class EF|service-policy": "*Nov 21 10:00:00.123: %LINK-3-UPDOWN: Interface POS2/0, up"}
    ),
    "log line before the reply": Manners(
        noise={"class EF": "000123: Nov 21 10:00:00 UTC: %BGP-5-ADJCHANGE: neighbor 10.0.0.1 Up\n"}
    ),
    "log line after the prompt": Manners(
        redraw_noise={"policy-map|service-policy": "%SYS-5-CONFIG_I: Configured from console by vty0"}
    ),
    "banner with prompts in it": Manners(
        banner="*** nl6# ***\n\nnl6>\npolicy-map EXAMPLE\nmaintenance>\nrouter#\n"
    ),
    "a long name": Manners(hostname="a-very-long-name-of-a-router-in-amsterdam"),
    "privileged at once": Manners(privileged=True, enable=None),
    "enable without a password": Manners(enable=None),
    "old algorithms": Manners(algorithms=LEGACY_ALGORITHMS),
    "a pager that cannot be switched off": Manners(pager=True, knows_terminal_length=False),
    "burst adjusted": Manners(answers={"^police": "Conform burst size increased to 46875\n"}),
}


def push(session: RouterDriver, *units: WriteUnit | str) -> list[UnitReply]:
    whole = [unit if isinstance(unit, WriteUnit) else WriteUnit((unit,)) for unit in units]
    return list(session.configure(whole, lambda index: None))


@pytest.mark.parametrize("manners", QUIRKS.values(), ids=QUIRKS.keys())
def test_whatever_the_manner_lines_arrive_once_and_in_order(manners: Manners, driver: str) -> None:
    with scripted_router(manners) as router:
        with connect(router.target(driver), timeout=QUICK) as session:
            replies = push(session, *LINES, "interface POS1/0", SWAP)
            running = session.running_config()
            seen = session.shown()
        sent = [line for line in router.received if line]
    assert [reply.refused for reply in replies] == [None] * 5
    begin = sent.index("configure terminal")
    assert tuple(sent[begin + 1 : begin + 8]) == (*LINES, "interface POS1/0", *SWAP.lines, "end")
    assert running.splitlines()[-1] == "end" and " service-policy input TRUSTED-IN" in running
    assert (seen.running, seen.startup, len(seen.interfaces)) == (running, running, 1)


REFUSALS = {
    "in the first of two": ({"^no service": "% Policy map OLD is not attached\n"}, 0),
    "in the second of two": ({"^service-policy": "Policy map OLD is already attached\n"}, 1),
}


@pytest.mark.parametrize(("answers", "place"), REFUSALS.values(), ids=REFUSALS.keys())
@pytest.mark.parametrize("at_once", [False, True], ids=["echo by line", "echo at once"])
def test_the_refusal_is_told_of_the_line_it_belongs_to(
    answers: dict[str, str], place: int, at_once: bool, driver: str
) -> None:
    with (
        scripted_router(answers=answers, whole_echo_first=at_once) as router,
        connect(router.target(driver), timeout=QUICK) as session,
    ):
        replies = push(session, "interface POS1/0", SWAP, "description never sent")
    refused = replies[-1]
    assert len(replies) == 2 and refused.refused is not None
    assert refused.refused.startswith(repr(SWAP.lines[place]))
    assert [bool(text) for text in refused.replies] == [place == 0, place == 1]
    assert "description never sent" not in router.received and "end" in router.received


SAID_LATE = "*Nov 21 09:12:59.897: Empty class unsupported"


def test_a_refusal_within_the_binding_s_quiet_time_is_heard(driver: str) -> None:
    with (
        scripted_router(late={"^service-policy": (0.1, SAID_LATE)}) as router,
        connect(router.target(driver), timeout=LISTENING) as session,
    ):
        replies = push(session, "interface POS1/0", "service-policy input NEW")
    assert "Empty class unsupported" in str(replies[-1].refused)


@pytest.mark.parametrize(
    "said",
    [
        SAID_LATE,
        "QoS: Policy attachment failed for policymap NEW",
        "SLOT 1:00:01:02: %QM-4-POLICY_REJECTED: policy-map NEW on POS1/0 input: not enough TCAM",
    ],
)
@pytest.mark.parametrize("when", ["waiting", "between", "within"])
def test_a_late_refusal_is_heard_after_what_was_read_meanwhile(driver: str, said: str, when: str) -> None:
    """The time of a line card is used for reading: what it says before that, or in the middle of it, counts as well."""
    over = threading.Event()
    manners: dict[str, Any] = {
        "waiting": {"late": {"^end": (0.1, said)}},
        "between": {"late": {"^end": (over, said)}},
        "within": {"noise": {"^show clock": f"{said}\r\n"}},
    }[when]
    with (
        scripted_router(answers={"^show clock": "noon\r\n"}, **manners) as router,
        connect(router.target(driver), timeout=replace(LISTENING, read=5)) as session,
    ):
        units = [WriteUnit((line,)) for line in ("interface POS1/0", "service-policy input NEW")]
        replies = list(session.configure(units, lambda index: None, listen=False))
        assert [reply.refused for reply in replies] == [None, None]
        if when == "between":
            over.set()
            _arrived(session)
        if when != "waiting":
            assert len(session.ask(["show clock", "show version"])) == 2
        assert said.rpartition(": ")[2] in str(session.heard_late())
        assert session.heard_late() is None


def test_where_no_line_card_speaks_nothing_is_heard_and_the_time_is_waited_for(driver: str) -> None:
    with scripted_router() as router, connect(router.target(driver), timeout=LISTENING) as session:
        assert session.heard_late() is None, "nothing was bound"
        units = [WriteUnit((line,)) for line in ("interface POS1/0", "service-policy input NEW")]
        assert all(
            reply.refused is None for reply in session.configure(units, lambda index: None, listen=False)
        )
        began = time.monotonic()
        assert session.heard_late() is None
        assert time.monotonic() - began > LISTENING.binding_settle / 2


def test_interfaces_and_both_configurations_are_read_in_one_write(driver: str) -> None:
    with scripted_router() as router, connect(router.target(driver), timeout=QUICK) as session:
        seen = session.shown()
        assert seen.running == session.running_config() and seen.startup == session.startup_config()
        assert seen.interfaces == session.interfaces()
        asked = [line.text for line in session.transcript if line.direction == ">"]
    assert asked[-6:-3] == ["show interfaces", "show running-config", "show startup-config"]


def test_a_configuration_that_breaks_off_in_the_middle_of_two_is_read_alone(driver: str) -> None:
    with scripted_router(cut_short=1) as router, connect(router.target(driver), timeout=QUICK) as session:
        seen = session.shown()
        assert seen.running.rstrip().endswith("end") and seen.running == session.running_config()
        assert seen.interfaces == session.interfaces()


def test_a_refusal_after_the_prompt_is_found_before_the_next_line(driver: str) -> None:
    over, paused = threading.Event(), []
    with (
        scripted_router(late={"^class EF": (over, SAID_LATE)}) as router,
        connect(router.target(driver), timeout=QUICK) as session,
    ):
        first, last = (WriteUnit((line,)) for line in ("class EF", "set dscp 46"))
        answering = session.configure([first, last], paused.append)
        assert next(answering).refused is None
        over.set()
        _arrived(session)
        (reply,) = answering
    assert "Empty class unsupported" in str(reply.refused)
    assert reply.sent == () and paused == [0], (
        "nothing of the second was sent, nobody asked for the lease again"
    )
    assert "set dscp 46" not in router.received


def _arrived(session: RouterDriver) -> None:
    """Wait until something the router said by itself lies unread on the wire."""
    wire = session._talking()._wire  # type: ignore[attr-defined]
    while not wire.waiting:
        threading.Event().wait(0.02)  # the test's own time limit ends it when nothing comes


UNOPENED = {
    "from the top": ("^policy-map", LINES, 1),
    "from a class": ("^policy-map", ("class EF", *LINES), 2),
    "from a policy-map": ("^interface", ("policy-map TRUSTED-IN", "interface POS1/0", SWAP), 2),
    "from an interface": ("^class-map", ("interface POS1/0", "class-map match-all EF", "match dscp 46"), 2),
}


@pytest.mark.parametrize(("ignored", "lines", "answered"), UNOPENED.values(), ids=UNOPENED.keys())
def test_a_line_that_silently_does_not_open_its_mode_stops_the_push(
    ignored: str, lines: tuple[str | WriteUnit, ...], answered: int, driver: str
) -> None:
    with (
        scripted_router(answers={ignored: ""}) as router,
        connect(router.target(driver), timeout=QUICK) as session,
    ):
        replies = push(session, *lines)
    assert len(replies) == answered and "did not enter the mode" in str(replies[-1].refused)


def test_the_next_of_a_kind_is_entered_though_the_prompt_stays_the_same(driver: str) -> None:
    lines = ("class-map EF", "class-map LBE", "policy-map A", "policy-map B", "class EF", "class LBE")
    with scripted_router() as router, connect(router.target(driver), timeout=QUICK) as session:
        replies = push(session, *lines, "interface POS1/0", "interface POS1/1", SWAP)
    assert [reply.refused for reply in replies] == [None] * 9


def test_a_question_in_configuration_mode_is_answered_no_and_refused(driver: str) -> None:
    answers = {"^no policy-map": "|Policy is in use. Remove it? [yes/no]: |removed\n"}
    with scripted_router(answers=answers) as router, connect(router.target(driver), timeout=QUICK) as session:
        (reply,) = push(session, "no policy-map TRUSTED-IN")
    assert "asks" in str(reply.refused)
    assert router.received[router.received.index("no policy-map TRUSTED-IN") + 1] == "no"


LOCKED = (
    "Configuration mode locked exclusively by user 'someone' process '3' from terminal '2'. Please try later.",
    "Configuration mode is locked by process '108' user 'NOC' from terminal '2'. Please try later.",
)


@pytest.mark.parametrize(
    ("said", "kind"),
    [*((text, ConfigurationLocked) for text in LOCKED), ("Command authorization failed.", LineRefused)],
)
def test_configuration_mode_that_is_refused_sends_nothing(
    said: str, kind: type[LineRefused], driver: str
) -> None:
    answers = {"^configure": f"{said}\n"}
    with (
        scripted_router(answers=answers) as router,
        connect(router.target(driver), timeout=QUICK) as session,
        pytest.raises(LineRefused) as caught,
    ):
        push(session, *LINES)
    assert type(caught.value) is kind
    assert caught.value.sent == "configure terminal" and said in caught.value.reply
    assert LINES[0] not in router.received


def test_a_session_that_dies_between_the_two_lines_of_a_write(driver: str) -> None:
    with (
        scripted_router(drop_at="^service-policy") as router,
        connect(router.target(driver), timeout=QUICK) as session,
        pytest.raises(SessionLost) as caught,
    ):
        push(session, "interface POS1/0", SWAP, "description never sent")
    # A reply that came in the same moment as the end may go with it: then its line counts as possible, never as certain.
    assert (*caught.value.certain, *caught.value.possible) == ("interface POS1/0", *SWAP.lines)
    assert SWAP.lines[1] in caught.value.possible
    assert "interface POS1/0" in caught.value.certain
    assert caught.value.details["unsent"] == ("description never sent",)


def test_a_session_that_dies_at_the_end_had_every_line(driver: str) -> None:
    with scripted_router(drop_at="^end$") as router:
        replies = []
        with connect(router.target(driver), timeout=QUICK) as session, pytest.raises(SessionLost) as caught:
            replies += session.configure([WriteUnit((line,)) for line in LINES], lambda index: None)
    assert caught.value.certain == LINES and caught.value.possible == ()
    assert caught.value.details["unsent"] == ()


def test_turning_away_in_the_middle_leaves_configuration_mode(driver: str) -> None:
    with scripted_router() as router, connect(router.target(driver), timeout=QUICK) as session:
        for reply in session.configure([WriteUnit((line,)) for line in LINES], lambda index: None):
            assert reply.unit_index == 0
            break
        assert session.running_config()
    assert [line for line in router.received if line][3:6] == ["configure terminal", LINES[0], "end"]


def test_reading_is_tried_again_on_a_new_session_and_writing_never_is(driver: str) -> None:
    patient = Timeouts(connect=30, attempts=2)
    with (
        scripted_router(drop_at="^show version") as router,
        connect(router.target(driver), timeout=patient) as session,
    ):
        with pytest.raises(SessionLost):
            session.facts()
        assert router.logins == 2
        router.manners.drop_at = "^class"
        with pytest.raises(SessionLost):
            push(session, *LINES)
        logins = router.logins
        with pytest.raises(SessionLost):
            session.running_config()
        assert router.logins == logins


# -- saving --------------------------------------------------------------------------------------------------------


def test_the_warning_about_another_image_is_confirmed_and_the_name_of_startup_config(driver: str) -> None:
    overwrite = (
        "Warning: Attempting to overwrite an NVRAM configuration previously written\n"
        "by a different version of the system image.\n"
        "|Overwrite the previous NVRAM configuration?[confirm]|Building configuration...\n[OK]\n"
    )
    with (
        scripted_router(answers={"^write memory": overwrite}) as router,
        connect(router.target(driver), timeout=QUICK) as session,
    ):
        assert "[OK]" in session.save() and "different version" in session.save()
    named = "|Destination filename [startup-config]? |Building configuration...\n[OK]\n"
    with (
        scripted_router(answers={"^write memory": named}) as router,
        connect(router.target(driver), timeout=QUICK) as session,
    ):
        assert "[OK]" in session.save()


@pytest.mark.parametrize(
    "answer",
    [
        "startup-config file open failed (Device or resource busy)\n",
        "Building configuration...\n",
        "Building configuration...\n% NVRAM is full\n[OK]\n",
        "|Erase flash: before saving? [confirm]|[OK]\n",
        "|Destination filename [disk0:backup]? |[OK]\n",
    ],
)
def test_a_save_without_a_clean_ok_is_refused(answer: str, driver: str) -> None:
    with (
        scripted_router(answers={"^write memory": answer}) as router,
        connect(router.target(driver), timeout=QUICK) as session,
    ):
        with pytest.raises(SaveRefused):
            session.save()
        assert session.running_config().endswith("end")


def test_a_session_lost_while_saving_is_not_a_refusal(driver: str) -> None:
    with (
        scripted_router(drop_at="^write") as router,
        connect(router.target(driver), timeout=QUICK) as session,
        pytest.raises(SessionLost) as caught,
    ):
        session.save()
    assert caught.value.possible == ("write memory",)


# -- getting in ----------------------------------------------------------------------------------------------------


def test_no_password_is_offered_to_a_router_with_another_key(driver: str) -> None:
    with scripted_router() as router, scripted_router() as other:
        with pytest.raises(HostKeyChanged):
            connect(router.target(driver, host_key=other.host_key), timeout=QUICK)
        assert router.passwords == [] and router.logins == 0
        with pytest.raises(AuthenticationRefused):
            connect(router.target(driver, password="wrong"), timeout=Timeouts(attempts=3))
        assert router.passwords == ["wrong"]


def test_a_vty_that_closes_with_a_word_is_told_with_it(driver: str) -> None:
    with scripted_router(refuse_vty=True) as router, pytest.raises(VtyRefused) as caught:
        connect(router.target(driver), timeout=QUICK)
    assert "All vty lines are in use" in caught.value.reason


def test_a_port_that_accepts_and_says_nothing_is_unreachable(driver: str) -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    try:
        with scripted_router() as router:
            target = router.target(driver, port=silent.getsockname()[1])
            with pytest.raises(Unreachable) as caught:
                connect(target, timeout=Timeouts(connect=1, attempts=1))
        assert not isinstance(caught.value, VtyRefused)
    finally:
        silent.close()


def test_an_unreachable_router_is_tried_as_often_as_told(driver: str) -> None:
    tries: list[socket.socket] = []
    closing = socket.create_server(("127.0.0.1", 0))

    def hang_up() -> None:
        while True:
            try:
                connection, _ = closing.accept()
            except OSError:
                return
            tries.append(connection)
            connection.close()

    thread = threading.Thread(target=hang_up, daemon=True)
    thread.start()
    with scripted_router() as router, pytest.raises(VtyRefused):
        connect(
            router.target(driver, port=closing.getsockname()[1]), timeout=Timeouts(connect=30, attempts=2)
        )
    closing.close()
    assert len(tries) == 2


def test_a_name_that_does_not_resolve_is_unreachable(driver: str) -> None:
    with scripted_router() as router, pytest.raises(Unreachable) as caught:
        connect(router.target(driver, host="no-such-router.invalid"), timeout=QUICK)
    assert caught.value.field == "host"


def test_the_transcript_holds_the_session_and_none_of_its_secrets(driver: str) -> None:
    answers = {"^show policy-map interface": "snmp-server community hidden RO\nuser raise said letmein\n"}
    with scripted_router(answers=answers) as router, connect(router.target(driver), timeout=QUICK) as session:
        session.policy_counters()
        push(session, "policy-map TRUSTED-IN")
        lines = session.transcript
    said = "\n".join(f"{line.direction} {line.text}" for line in lines)
    for secret in ("letmein", "raise", "hidden", "topsecret", "$1$"):
        assert secret not in said
    for kept in ("> enable", "> <removed>", "> policy-map TRUSTED-IN", "< nl6(config-pmap)#", "> end"):
        assert kept in said
    assert [line.at_offset_s for line in lines] == sorted(line.at_offset_s for line in lines)
