"""Starting and stopping the practice routers, a process of their own that nothing of ours imports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from provisioning.errors import Conflict, Unreachable

START_SECONDS = 180.0
STOP_SECONDS = 15.0


@dataclass(frozen=True)
class PracticeRouter:
    """Where one practice router listens, and its host key as ``type base64``."""

    name: str
    host: str
    port: int
    host_key: str


def launch(*, spec_file: Path, state_dir: Path) -> subprocess.Popen[bytes]:
    """Start ``python -m lab`` over `state_dir` in a session of its own and return the process once it is
    READY.

    Raises Unreachable with the end of its log when it ends, or is not ready within three minutes.
    """
    log = state_dir / "lab.log"
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own module, no shell
            [sys.executable, "-m", "lab", str(spec_file), "--state", str(state_dir)],
            cwd=settings.BASE_DIR,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    (state_dir / "lab.pid").write_text(f"{process.pid}\n")
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if any(line.startswith("READY ") for line in log.read_text(errors="replace").splitlines()):
            return process
        if process.poll() is not None:
            raise Unreachable(f"The practice routers ended with status {process.returncode}: {_tail(log)}")
        time.sleep(0.1)
    terminate(process)
    raise Unreachable(f"The practice routers were not ready within {START_SECONDS:.0f} s: {_tail(log)}")


def listening(*, state_dir: Path) -> tuple[PracticeRouter, ...]:
    """Return the practice routers as the process wrote them down.

    Raises Unreachable when it wrote nothing usable.
    """
    path = state_dir / "routers.json"
    try:
        rows = json.loads(path.read_text())
        return tuple(
            PracticeRouter(name, row["host"], int(row["port"]), row["host_key"]) for name, row in rows.items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unreachable(f"{path} does not list the practice routers: {error!r}") from error


def terminate(process: subprocess.Popen[bytes]) -> None:
    """End a process that `launch` started, politely first."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def stop_recorded(*, state_dir: Path) -> bool:
    """End the practice routers that an earlier command started over `state_dir`; return whether there were
    any.

    Raises Conflict when the process does not end; a process of another kind under the recorded number is
    left alone.
    """
    path = state_dir / "lab.pid"
    try:
        pid = int(path.read_text())
    except (OSError, ValueError):
        return False
    if not _is_ours(pid, state_dir):
        path.unlink(missing_ok=True)
        return False
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while _is_ours(pid, state_dir):
        if time.monotonic() > deadline:
            raise Conflict(f"The practice routers (process {pid}) do not end.")
        time.sleep(0.1)
    path.unlink(missing_ok=True)
    return True


def _is_ours(pid: int, state_dir: Path) -> bool:
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except FileNotFoundError:
        return False
    return "lab" in arguments and str(state_dir) in arguments


def _tail(log: Path) -> str:
    return " | ".join(log.read_text(errors="replace").splitlines()[-5:]) or "it wrote nothing"
