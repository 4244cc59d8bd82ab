"""A bash that somebody sits at: one command after another in one session; what serves runs beside it and is ended."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

# What stays until it is ended, and what it says once others may count on it ("" nothing: whoever needs it waits).
SERVES: Final = {
    r"manage\.py lab\s*(#.*)?$": "practice routers listen",
    r"manage\.py runjobs\b(?!.*--once)": "",
    r"bin/gunicorn\b": "port",
    r"bin/celery\b": "",
}
COMMAND_SECONDS: Final = 240.0


class Shell:
    """One session in a folder. Its commands end with it, whatever becomes of them."""

    def __init__(self, folder: Path, environment: Mapping[str, str], notes: Path, port: int) -> None:
        self.notes, self.port = notes, port
        self._read, write = os.pipe()
        self._serving: list[tuple[int, Path, str]] = []
        self._count = 0
        self._bash = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            text=True,
            pass_fds=[write],
            start_new_session=True,
        )
        self._said = write

    def type(self, text: str) -> tuple[int, str]:
        """Exit status and what was printed; what serves is 0 once it listens. Raises AssertionError when it takes too long."""
        serves = next((ready for pattern, ready in SERVES.items() if re.search(pattern, text)), None)
        self._count += 1
        file, out = self.notes / f"{self._count}.sh", self.notes / f"{self._count}.out"
        file.write_text(text + "\n")
        out.touch()
        if serves is not None:
            self._send(f"set -m; . {file} >{out} 2>&1 </dev/null & echo $! >&{self._said}; set +m")
            self._serving.append((int(self._answer(text)), out, text))
            self._wait_for(serves, *self._serving[-1])
            return 0, out.read_text()
        self._send(f". {file} >{out} 2>&1 <{self.notes}/stdin; echo $? >&{self._said}")
        return int(self._answer(text)), out.read_text(errors="replace")

    def end(self) -> list[str]:
        """End the session and what serves, the last first; what had ended by itself, with what it said."""
        gone = [f"{text}: {out.read_text()[-2000:]}" for pid, out, text in self._serving if not runs(pid)]
        for pid, _out, _text in reversed(self._serving):
            _signal(pid, signal.SIGTERM)
        deadline = time.monotonic() + 20
        while any(runs(pid) for pid, _out, _text in self._serving) and time.monotonic() < deadline:
            time.sleep(0.05)
        for pid in [*(pid for pid, _out, _text in self._serving), self._bash.pid]:
            _signal(pid, signal.SIGKILL)
        self._bash.communicate()
        os.close(self._read)
        os.close(self._said)
        return gone

    def _send(self, line: str) -> None:
        assert self._bash.stdin is not None
        self._bash.stdin.write(line + "\n")
        self._bash.stdin.flush()

    def _answer(self, text: str) -> str:
        ready, _, _ = select.select([self._read], [], [], COMMAND_SECONDS)
        said = (self.notes / f"{self._count}.out").read_text(errors="replace")[-2000:]
        assert ready, f"{text!r} did not end within {COMMAND_SECONDS:g} s: {said}"
        return os.read(self._read, 64).decode()

    def _wait_for(self, ready: str, pid: int, out: Path, text: str) -> None:
        deadline = time.monotonic() + COMMAND_SECONDS
        while ready not in out.read_text() if ready != "port" else not _listens(self.port):
            assert runs(pid) and time.monotonic() < deadline, f"{text}: {out.read_text()[-2000:]}"
            time.sleep(0.05)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def runs(pid: int) -> bool:
    """Whether a process is at work; one that ended and that nobody has taken note of is not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def _signal(pid: int, number: signal.Signals) -> None:
    """To the whole group of a process that we started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, number)
