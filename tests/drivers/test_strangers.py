"""Manners met on a server nobody here wrote: odd names, odd questions, noise and words that come late."""

from __future__ import annotations

import pytest

from provisioning.drivers import Timeouts, WriteUnit, connect
from provisioning.drivers.dialogue import LATE_FLOOD_S, Dialogue
from provisioning.drivers.judging import judge
from provisioning.drivers.reading import interfaces
from provisioning.drivers.transcripts import Transcript
from provisioning.errors import AuthenticationRefused, SaveRefused, SessionLost
from tests.drivers.scripted import scripted_router
from tests.drivers.vty import Vty

QUICK = Timeouts(connect=30, settle=0.02, binding_settle=0.24, attempts=1)
TWICE = Timeouts(connect=30, settle=0.02, attempts=2)


@pytest.mark.parametrize("hostname", ["nl6.*[a-z]+", "R1|^$", "core/1", "r~1"])
def test_a_host_name_is_never_a_pattern(hostname: str, driver: str) -> None:
    with (
        scripted_router(hostname=hostname) as router,
        connect(router.target(driver), timeout=QUICK) as session,
    ):
        (reply,) = session.configure([WriteUnit(("policy-map TRUSTED-IN",))], lambda index: None)
        assert session.running_config().endswith("end")
    assert reply.refused is None and reply.replies == ("",)


def test_a_router_that_asks_for_the_password_is_answered_once(driver: str) -> None:
    with scripted_router(by_keyboard=True) as router:
        with connect(router.target(driver), timeout=QUICK) as session:
            assert session.facts().serial
        with pytest.raises(AuthenticationRefused) as caught:
            connect(router.target(driver, password="wrong"), timeout=TWICE)
        assert caught.value.field == "password" and router.passwords == ["letmein", "wrong"]


def test_a_configuration_that_breaks_off_is_read_once_more(driver: str) -> None:
    with scripted_router(cut_short=1) as router, connect(router.target(driver), timeout=TWICE) as session:
        assert session.running_config().endswith("end")
        assert router.logins == 1
        router.manners.cut_short = 2
        with pytest.raises(SessionLost, match="broke off"):
            session.running_config()


def test_a_configuration_with_a_line_cut_in_two_by_the_log_is_read_once_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A vty that shows the log shows it in the middle of a line, and half of it reads as another line."""
    shown, cut = Vty._shown, ["interface POS1/0\n service-policy input TRUSTED-IN"]

    def answer(vty: Vty, line: str) -> str:
        text = shown(vty, line)
        if line == "show running-config" and cut:
            whole = cut.pop()
            assert whole in text
            log = "*Nov 22 10:00:00.1: %LINK-3-UPDOWN: Interface POS9/1, changed state to down"
            text = text.replace(whole, f"{whole[:-6]}\n{log}\n{whole[-6:]}")
        return text

    monkeypatch.setattr(Vty, "_shown", answer)
    with scripted_router() as router, connect(router.target(), timeout=TWICE) as session:
        assert " service-policy input TRUSTED-IN\n" in session.running_config()
        assert [line for line in router.received if line == "show running-config"] == [
            "show running-config"
        ] * 2
        assert session.running_config() and router.received.count("show running-config") == 3


LOGGED = (
    "Building configuration...\n"
    "%LINEPROTO-5-UPDOWN: Line protocol on Interface POS2/1, changed state to down\n"
    "*Nov 21 10:00:00.123: %BGP-3-NOTIFICATION: sent to neighbor 192.0.2.7 4/0 (hold time expired) error 0\n"
)


def test_what_the_router_logs_while_it_saves_is_no_refusal() -> None:
    answers = {"^write memory": LOGGED + "[OK]\n"}
    with scripted_router(answers=answers) as router, connect(router.target(), timeout=QUICK) as session:
        assert "[OK]" in session.save()


@pytest.mark.parametrize(
    "said",
    [
        LOGGED,
        "*Nov 21 10:00:00.1: %SYS-5-CONFIG_I: said [OK] by noc\n",
        "Building configuration...\n%SYS-4-NV_BLOCK_INITFAIL: NV Block of type 2 failed to initialize\n[OK]\n",
        "Building configuration...\n%NVRAM-3-WRITE: private-config\n[OK]\n",
    ],
)
def test_a_log_line_is_no_ok_and_one_about_nvram_is_heard(said: str) -> None:
    with (
        scripted_router(answers={"^write memory": said}) as router,
        connect(router.target(), timeout=QUICK) as session,
        pytest.raises(SaveRefused),
    ):
        session.save()


def test_a_refusal_long_after_the_last_binding_is_heard_before_the_push_is_believed() -> None:
    usual = Timeouts(connect=30)
    said = "QoS: Policy attachment failed for policymap NEW"
    lines = ("interface POS1/0", "service-policy input NEW")
    with (
        scripted_router(late={"^service-policy": (1.7, said)}) as router,
        connect(router.target(), timeout=usual) as session,
    ):
        replies = list(session.configure([WriteUnit((line,)) for line in lines], lambda index: None))
    assert said in str(replies[-1].refused)


@pytest.mark.parametrize(
    "line",
    [
        "Nov 21 10:00:00.123 GMT+1: %SYS-5-CONFIG_I: Configured from console by noc on vty0 (192.0.2.9)",
        "nl6: 000123: 2d03h: %BGP-5-ADJCHANGE: neighbor 2001:DB8::9 Down",
        "000123: *Nov 21 10:00:00.123 MEZ-1: %LINK-3-UPDOWN: Interface POS2/0, changed state to up",
    ],
)
def test_log_lines_of_any_clock(line: str) -> None:
    assert judge(line) is None


def test_a_description_that_speaks_of_bandwidth_is_not_the_percent_base() -> None:
    text = (
        "POS1/0 is up, line protocol is up\n"
        "  Description: to JANET, BW 5 Kbit guaranteed\n"
        "  MTU 4470 bytes, BW 155000 Kbit/sec, DLY 100 usec\n"
    )
    assert [fact.bw_bps for fact in interfaces(text)] == [155_000_000]


class _Babbling:
    """A wire on which something always comes, on a clock of its own."""

    now = 0.0

    def clock(self) -> float:
        return self.now

    def write(self, text: str) -> None: ...

    def read(self, seconds: float) -> str:
        self.now += 0.05
        return "\n*Nov 21 10:00:00: %SEC-6-IPACCESSLOGP: list 101 denied udp\nnl6#"

    def close(self) -> None: ...


def test_a_router_that_logs_without_end_does_not_hold_a_push_for_ever() -> None:
    wire = _Babbling()
    said = Dialogue(wire, Transcript((), wire.clock), Timeouts(), wire.clock).late()
    assert LATE_FLOOD_S < wire.now < LATE_FLOOD_S + 0.1
    assert "IPACCESSLOGP" in said and judge(said.replace("nl6#", "")) is None
