"""What carries a session: many over one loop, a process that was forked, a peer that takes or says nothing, a way over a host."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from provisioning.drivers import Target, Timeouts, WriteUnit, connect
from provisioning.drivers.async_wire import ENOUGH, AsyncWire
from provisioning.drivers.wire import WireError
from provisioning.errors import AuthenticationRefused, HostKeyChanged, SessionLost, Unreachable
from tests.drivers.scripted import ScriptedRouter, scripted_router

QUICK = Timeouts(connect=30, settle=0.02, binding_settle=0.1, attempts=1)


def test_many_sessions_are_one_thread() -> None:
    with scripted_router() as router, ThreadPoolExecutor(12) as pool:
        target = router.target("asyncssh")
        sessions = list(pool.map(lambda _: connect(target, timeout=QUICK), range(12)))
        names = [thread.name for thread in threading.enumerate()]
        assert names.count("router-sessions") == 1
        assert not [name for name in names if "paramiko" in name.lower()]
        said = list(pool.map(lambda session: session.facts().serial, sessions))
        for session in sessions:
            session.close()
    assert len(set(said)) == 1 and router.logins == 12


def test_the_libraries_are_loaded_when_they_are_used() -> None:
    program = (
        "import sys, provisioning.drivers\n"
        "heavy = {'netmiko', 'napalm', 'paramiko', 'asyncssh'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "import provisioning.drivers.asyncssh\n"
        "assert heavy & set(sys.modules) == {'asyncssh'}, heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[2])


def test_a_forked_process_has_sessions_of_its_own_and_leaves_those_of_its_parent_alone() -> None:
    """What a Celery worker is: a child of a process that may have spoken to routers already."""
    with (
        scripted_router() as router,
        connect(router.target("asyncssh"), timeout=QUICK) as session,
    ):
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            try:
                with pytest.raises(SessionLost, match="forked"):
                    session.facts()
                session.close()
                with connect(router.target("asyncssh"), timeout=QUICK) as own:
                    os._exit(0 if own.facts().serial else 3)
            finally:
                os._exit(4)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert session.facts().serial and router.logins == 2


def test_a_router_that_takes_nothing_any_more_is_a_closed_wire_in_time(driver: str) -> None:
    narrow = {"window": 4096}
    with (
        scripted_router(hang_at="^class", transport=narrow) as router,
        connect(router.target(driver), timeout=replace(QUICK, reply=1)) as session,
    ):
        wire = session._talking()._wire  # type: ignore[attr-defined]
        wire.write("class EF\n")
        with pytest.raises(WireError, match="writing failed"):
            wire.write("policy-map TRUSTED-IN\n" * 10_000)


def test_keys_are_exchanged_anew_in_the_middle(driver: str) -> None:
    with (
        scripted_router(transport={"rekey_bytes": 2_000}) as router,
        connect(router.target(driver), timeout=QUICK) as session,
    ):
        for _again in range(8):
            assert session.running_config().endswith("end")
        replies = session.configure([WriteUnit(("policy-map TRUSTED-IN",))], lambda index: None)
        assert [reply.refused for reply in replies] == [None]


def test_a_router_that_talks_unasked_is_held_back_until_somebody_reads() -> None:
    said: list[str] = []
    resumed = threading.Event()

    class Channel:
        def set_write_buffer_limits(self, high: int) -> None: ...

        def pause_reading(self) -> None:
            said.append("pause")

        def resume_reading(self) -> None:
            said.append("resume")
            resumed.set()

    wire = AsyncWire(write_seconds=1)
    wire.connection_made(Channel())  # type: ignore[arg-type]
    for _piece in range(3):
        wire.data_received(b"x" * (ENOUGH // 2), None)
    assert said == ["pause"]
    wire.eof_received()
    assert len(wire.read(0.01)) == 3 * (ENOUGH // 2), (
        "what came before the end is read before the end is told"
    )
    assert resumed.wait(10) and said == ["pause", "resume"]
    with pytest.raises(WireError, match="closed the session"):
        wire.read(0.01)


def test_what_interrupts_the_wait_closes_what_was_begun() -> None:
    """A worker that is told to stop while a router does not answer."""

    class Stopped(Exception):
        pass

    def stop(*_: object) -> None:
        raise Stopped

    before = signal.signal(signal.SIGALRM, stop)
    silent = socket.create_server(("127.0.0.1", 0))
    try:
        with scripted_router() as router:
            target = router.target("asyncssh", port=silent.getsockname()[1])
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            with pytest.raises(Stopped):
                connect(target, timeout=QUICK)
        accepted, _ = silent.accept()
        accepted.settimeout(10)
        while accepted.recv(4096):
            pass
    finally:
        signal.signal(signal.SIGALRM, before)
        silent.close()


def test_nothing_of_the_person_who_runs_the_worker_is_used(
    driver: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / ".ssh"
    home.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "agent"))
    with scripted_router() as router, scripted_router() as other:
        (home / "config").write_text("Host *\n  User nobody\n  Port 1\n  Ciphers none\n")
        (home / "known_hosts").write_text(f"[127.0.0.1]:{router.port} {router.host_key}\n")
        with connect(router.target(driver), timeout=QUICK) as session:
            assert session.facts().serial
        with pytest.raises(HostKeyChanged):
            connect(router.target(driver, host_key=other.host_key), timeout=QUICK)


# -- over a host on the way ----------------------------------------------------------------------------------------


@contextmanager
def behind(**manners: object) -> Iterator[tuple[ScriptedRouter, ScriptedRouter, Target]]:
    """A jump host, a router, and the router's target by way of the host."""
    with (
        scripted_router(forwards=True, hostname="bastion", password="other") as host,
        scripted_router(**manners) as router,
    ):
        yield host, router, router.target("asyncssh", jump=host.target())


def test_a_router_behind_a_jump_host() -> None:
    with behind() as (host, router, target):
        with connect(target, timeout=QUICK) as session:
            assert session.facts().serial and session.running_config().endswith("end")
        assert (host.passwords, router.passwords, host.logins) == (["other"], ["letmein"], 0)
        assert "other" not in repr(target)


def test_each_on_the_way_is_let_in_by_its_own_key_and_password() -> None:
    with behind() as (host, router, target):
        assert target.jump is not None
        wrong = {
            HostKeyChanged: replace(target, jump=replace(target.jump, host_key=router.host_key)),
            AuthenticationRefused: replace(target, jump=replace(target.jump, password="wrong")),
        }
        for kind, way in wrong.items():
            with pytest.raises(kind, match=r"bastion|127"):
                connect(way, timeout=QUICK)
        assert router.passwords == [] and host.passwords == ["wrong"]
        with pytest.raises(HostKeyChanged):
            connect(replace(target, host_key=target.jump.host_key), timeout=QUICK)
        assert router.passwords == []


def test_a_jump_host_that_does_not_get_there_is_named_as_such() -> None:
    with behind() as (host, _router, target):
        host.manners.forwards = False
        with pytest.raises(Unreachable, match="the jump host does not get there"):
            connect(target, timeout=QUICK)
