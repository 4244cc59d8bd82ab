"""A change that the router takes back by itself unless it is confirmed in time (ios-facts 3.8)."""

from __future__ import annotations

import pytest

from lab.device import Device
from lab.errors import SessionDropped
from lab.session import Session
from tests.lab.routers import GSR, HQF, T3, Clock, device

ARCHIVE = ("configure terminal", "archive", "path disk0:keep", "end")
NEW = ("policy-map NEW", "class class-default", "set dscp 0", "end")


def ready(*, path: bool = True) -> tuple[Device, Session, Clock]:
    clock = Clock()
    router = device(HQF, clock)
    session = router.open_session(privilege=15)
    if path:
        typed(session, *ARCHIVE)
    return router, session, clock


def typed(session: Session, *lines: str) -> str:
    return "".join(session.execute(line) for line in lines)


def test_without_a_path_nothing_is_begun() -> None:
    router, session, _clock = ready(path=False)
    assert session.execute("configure terminal revert timer 5") == "%Please turn config archive on\n"
    assert session.prompt.endswith("#") and "(config" not in session.prompt
    assert router.pending is None
    assert session.execute("show archive") == " Archive feature not enabled\n"


def test_unconfirmed_it_is_gone_when_the_time_is_over_and_other_peoples_lines_with_it() -> None:
    router, session, clock = ready()
    before = router.body()
    said = session.execute("configure terminal revert timer 5")
    assert said.startswith("Rollback Confirmed Change: Backing up current running config to disk0:keep")
    assert said.endswith("Enter configuration commands, one per line.  End with CNTL/Z.\n")
    typed(session, *NEW)
    shown = session.execute("show archive config rollback timer")
    assert "Timer type: absolute timer\nTimer value: 5 min\nUser: noc\n" in shown
    typed(router.open_session("mary", privilege=15), "configure terminal", "hostname MARYS", "end")
    clock.now += 299
    router.tick()
    assert "policy-map NEW" in router.body()
    clock.now += 1
    router.tick()
    assert router.body().split("ntp clock")[0] == before.split("ntp clock")[0]
    assert any("ROLLBK_CNFMD_CHG_ROLLBACK_START" in line for line in router.syslog)
    assert session.execute("configure confirm") == "%No Rollback Confirmed Change pending\n"


def test_it_is_taken_back_although_every_session_is_gone() -> None:
    router, session, clock = ready()
    router.faults.add({"kind": "cut-off", "interface": "POS1/0"})
    lines = (
        "policy-map NEW",
        "class class-default",
        "set dscp 0",
        "interface POS1/0",
        "service-policy input NEW",
    )
    typed(session, "configure terminal revert timer 1", *lines)
    router.tick()
    assert router.sessions == []
    with pytest.raises(SessionDropped):
        session.execute("configure confirm")
    assert router.cut_off
    clock.now += 60
    router.tick()
    assert not router.cut_off
    assert list(router.config.attachments()) == []


def test_confirmed_in_time_it_stays() -> None:
    router, session, clock = ready()
    typed(session, "configure terminal revert timer 1", *NEW)
    assert session.execute("configure confirm") == ""
    assert "%No Rollback" in session.execute("show archive config rollback timer")
    clock.now += 3600
    router.tick()
    assert "policy-map NEW" in router.body()


def test_it_is_taken_back_at_once_when_asked() -> None:
    router, session, _clock = ready()
    assert session.execute("configure revert now") == "%No Rollback Confirmed Change pending\n"
    typed(session, "configure terminal revert timer 1", *NEW)
    said = session.execute("configure revert now")
    assert "Rollback Confirmed Change: Rolling to:disk0:keep" in said
    assert said.rstrip().endswith("Rollback Done")
    assert "policy-map NEW" not in router.body()
    assert router.pending is None


def test_one_change_waits_at_a_time_and_its_time_can_begin_anew() -> None:
    router, session, clock = ready()
    typed(session, "configure terminal revert timer 1", *NEW)
    assert session.execute("configure terminal revert timer 2").startswith("%")
    assert "(config" not in session.prompt
    clock.now += 30
    assert session.execute("configure revert timer 1") == ""
    clock.now += 59
    router.tick()
    assert "policy-map NEW" in router.body()
    clock.now += 1
    router.tick()
    assert "policy-map NEW" not in router.body()


def test_a_reload_forgets_what_waits_and_what_was_not_saved() -> None:
    router, session, _clock = ready()
    typed(session, "write memory", "configure terminal revert timer 1", *NEW)
    router.reload()
    assert router.pending is None
    assert "policy-map NEW" not in router.body()


@pytest.mark.parametrize(
    ("kind", "replace", "revert"), [(GSR, False, False), (T3, True, False), (HQF, True, True)]
)
def test_each_train_knows_what_its_release_brought(
    kind: tuple[str, str], replace: bool, revert: bool
) -> None:
    session = device(kind).open_session(privilege=15)
    for command, known in (
        ("configure replace", replace),
        ("configure terminal revert", revert),
        ("configure revert", revert),
    ):
        reply = session.execute(command)
        assert ("% Incomplete" in reply) is known, command
        assert ("% Invalid" in reply) is not known, command
