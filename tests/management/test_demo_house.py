"""The demo ends what it started, also when it is asked twice."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from provisioning.errors import Conflict
from provisioning.management.commands import demo
from provisioning.management.commands.demo import interrupted
from provisioning.management.demo.house import House, open_house


@pytest.fixture(autouse=True)
def _as_the_demo() -> Iterator[None]:
    before = signal.signal(signal.SIGTERM, interrupted)
    yield
    signal.signal(signal.SIGTERM, before)


class AsksAgain:
    """A process whose end takes long enough that somebody loses patience."""

    def terminate(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    def wait(self, timeout: float) -> int:
        os.kill(os.getpid(), signal.SIGINT)
        return int(timeout > 0)


def test_a_second_signal_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(House, "prepare", lambda self: None)
    stays = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(600)"]
    real = subprocess.Popen(stays, stdout=subprocess.PIPE)
    try:
        assert real.stdout is not None
        assert real.stdout.readline() == b"up\n"
        with pytest.raises(KeyboardInterrupt), open_house(tmp_path, tmp_path, 1) as house:
            processes: list[tuple[str, Any]] = [("real", real), ("slow", AsksAgain())]
            house._processes.extend(processes)
            os.kill(os.getpid(), signal.SIGTERM)
        assert real.returncode == -signal.SIGTERM
    finally:
        real.kill()
        real.communicate()
    assert signal.getsignal(signal.SIGTERM) is interrupted


def test_a_story_told_once_takes_another_port_where_its_own_is_taken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ports: list[int] = []

    @contextmanager
    def house(_root: Path, _directory: Path, port: int) -> Iterator[None]:
        ports.append(port)
        raise Conflict("told enough")
        yield

    monkeypatch.setattr(demo, "open_house", house)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for words in (["--once"], []):
            with pytest.raises(CommandError, match="told enough"):
                call_command("demo", *words, "--port", str(port))
    assert ports[0] not in (0, port)
    assert f"Port {port} is in use; the site of this story is on port {ports[0]}." in capsys.readouterr().out
    assert ports[1] == port  # who wants to sign in is told that it is taken, by the house
