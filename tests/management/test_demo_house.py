"""The demo ends what it started, also when it is asked twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

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
