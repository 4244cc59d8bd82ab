"""`python -m lab` without its start: a process forked from one that has imported it, half a second of work sooner.

Otherwise it is the same: a session of its own, its words in a file, ended by SIGTERM. This module is imported by that
process and imports nothing of ours.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

START_SECONDS = 180.0

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.forked", "lab.__main__"])


class Forked:
    """A forked process, as `subprocess.Popen` would have it."""

    def __init__(self, process: multiprocessing.process.BaseProcess) -> None:
        self._process = process
        self.pid = process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("lab", timeout or 0)
        return self._process.exitcode

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


def launch(*, spec_file: Path, state_dir: Path) -> Forked:
    """What `provisioning.services.practice.process.launch` does; an AssertionError says why it did not come up."""
    log = state_dir / "lab.log"
    log.touch()
    process = _CONTEXT.Process(target=_run, args=(str(spec_file), str(state_dir), str(log)), daemon=True)
    process.start()
    (state_dir / "lab.pid").write_text(f"{process.pid}\n")
    deadline = time.monotonic() + START_SECONDS
    while "READY " not in log.read_text():
        assert process.exitcode is None and time.monotonic() < deadline, log.read_text()
        time.sleep(0.01)
    return Forked(process)


def _run(spec_file: str, state_dir: str, log: str) -> None:
    os.setsid()
    written = os.open(log, os.O_WRONLY | os.O_TRUNC)
    os.dup2(written, 1)
    os.dup2(written, 2)
    from lab.__main__ import main

    sys.exit(main([spec_file, "--state", state_dir]))
