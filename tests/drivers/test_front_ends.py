"""The drivers against SSH servers of other libraries than their own, with a practice router behind each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from lab.device import Device
from provisioning.drivers import Target, Timeouts, WriteUnit, connect
from provisioning.drivers.difference import unsaved_difference
from provisioning.errors import AuthenticationRefused, HostKeyChanged, SessionLost, Unreachable
from tests.drivers.front_ends import old_paramiko, openssh, why_no_sshd
from tests.drivers.lines import terminal_lines
from tests.drivers.practice import ENABLE, PASSWORD

SERVERS = ["OpenSSH", "OpenSSH, old algorithms", "paramiko, old algorithms"]
USUAL = Timeouts(settle=0.02, binding_settle=0.2, attempts=2)
POLICY = ["policy-map CONTRACT", "class class-default", "set dscp 0"]
BIND = ["interface POS2/1", "service-policy input CONTRACT"]
OTHER_KEY = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAAwEAAQ=="


class Front:
    """One server, the router behind it, and how to reach it."""

    def __init__(self, device: Device, port: int, host_key: str, *, old: bool, offered: list[str]) -> None:
        self.device, self.port, self.host_key, self.old = device, port, host_key, old
        self.offered = offered

    def target(self, driver: str, **changes: object) -> Target:
        values: dict[str, object] = {
            "name": "pre", "host": "127.0.0.1", "port": self.port, "username": "noc", "password": PASSWORD,
            "enable": ENABLE, "host_key": self.host_key, "ssh_profile": "legacy" if self.old else "modern",
            "platform": "cisco-7200vxr", "driver": driver,
        }  # fmt: skip
        return Target(**{**values, **changes})  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=SERVERS)
def front(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """A server of another library; left without faults by every test."""
    name = str(request.param)
    if name.startswith("OpenSSH") and (why := why_no_sshd()):
        pytest.skip(why)
    directory = tmp_path_factory.mktemp("front")
    lines, offered = directory / "lines", list[str]()
    with ExitStack() as stack:
        device = stack.enter_context(terminal_lines(lines))
        old = name.endswith("old algorithms")
        if name.startswith("OpenSSH"):
            port, key = stack.enter_context(openssh(directory, lines, old=old))
        else:
            port, key = stack.enter_context(old_paramiko(lines, offered))
        yield Front(device, port, key, old=old, offered=offered)


def units(*lines: str) -> list[WriteUnit]:
    return [WriteUnit((line,)) for line in lines]


def test_a_whole_session(front: Front, driver: str) -> None:
    """Read, write, swap, a refusal, save: each byte through the other library."""
    remarks = "\n".join(f"interface Loopback{n}\n description {'x' * 180}" for n in range(600))
    front.device.load(remarks)
    swap = WriteUnit(("no service-policy input CONTRACT", "service-policy input OTHER"))
    with connect(front.target(driver), timeout=USUAL) as session:
        assert session.facts().version == "12.3(14)T"
        running = session.running_config()
        assert running.count("x" * 180) == 600 and running.endswith("end")
        lines = [*POLICY, "policy-map OTHER", "class class-default", "set dscp 8", *BIND]
        replies = list(session.configure([*units(*lines), swap], lambda index: None))
        assert [reply.refused for reply in replies] == [None] * 9 and replies[-1].replies == ("", "")
        (refused,) = session.configure(units("polizy-map CONTRACT"), lambda index: None)
        assert "Invalid input detected" in str(refused.refused)
        assert " service-policy input OTHER" in front.device.running_config()
        assert "[OK]" in session.save()
        seen = session.shown()
        assert unsaved_difference(seen.running, seen.startup) == ()
        undo = units("interface POS2/1", "no service-policy input OTHER", "no policy-map OTHER")
        assert [r.refused for r in session.configure([*undo, *units("no policy-map CONTRACT")], print)] == [
            None
        ] * 4
    assert PASSWORD not in str(session.transcript) and ENABLE not in str(session.transcript)


def test_a_session_dropped_at_a_line(front: Front, driver: str) -> None:
    front.device.faults.add({"kind": "drop", "match": "^set dscp", "when": "before"})
    try:
        with (
            connect(front.target(driver), timeout=USUAL) as session,
            pytest.raises(SessionLost) as caught,
        ):
            list(session.configure(units(*POLICY), lambda index: None))
    finally:
        front.device.faults.items.clear()
    assert caught.value.certain == tuple(POLICY[:2]) and caught.value.possible == (POLICY[2],)


def test_who_is_not_let_in_is_told_why(front: Front, driver: str) -> None:
    front.offered.clear()
    with pytest.raises(AuthenticationRefused) as refused:
        connect(front.target(driver, password="wrong"), timeout=USUAL)
    assert refused.value.field == "password"
    with pytest.raises(HostKeyChanged):
        connect(front.target(driver, host_key=OTHER_KEY), timeout=USUAL)
    assert front.offered in ([], ["wrong"]), "once, and to nobody with another key"
    if front.old:
        with pytest.raises(Unreachable) as other:
            connect(front.target(driver, ssh_profile="modern"), timeout=USUAL)
        assert other.value.field == "ssh_profile"


@pytest.mark.skipif(bool(why_no_sshd()), reason=why_no_sshd() or "-")
def test_a_wrong_password_is_not_offered_again_where_the_server_hangs_up_over_it(
    tmp_path: Path, driver: str
) -> None:
    """OpenSSH ends a connection at the last try without refusing it (MaxAuthTries); IOS hangs up, too."""
    with openssh(tmp_path, tmp_path / "lines", more="MaxAuthTries 1\n") as (port, key):
        target = Target("pre", "127.0.0.1", port, "noc", "wrong", "", key, "modern", "", driver)
        with pytest.raises(AuthenticationRefused):
            connect(target, timeout=USUAL)
