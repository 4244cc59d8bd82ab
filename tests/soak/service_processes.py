"""The processes of a whole installation, each started again when it ends, as the units we ship would."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.run import find, unprivileged

ROOT = Path(__file__).resolve().parents[2]
RESTART_SECONDS = 2.0  # RestartSec of the units
CELERY = ("-m", "celery", "-A", "provisioning.celery")


def children(pid: int) -> list[int]:
    """The processes that this one started and that live."""
    with suppress(OSError):
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


@dataclass
class Service:
    """One unit: what it runs, and how often it had to be started."""

    name: str
    command: tuple[str, ...]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    starts: int = 0
    struck: bool = False
    ended: list[str] = field(default_factory=list)

    def start(self) -> None:
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, *self.command],
                cwd=ROOT,
                env=dict(os.environ),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.starts += 1

    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def kill_rest(self) -> None:
        """What a main process left behind goes with it, as with a unit's control group."""
        if self.process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)


class Supervisor:
    """Starts services and starts them again; a fault strikes them through `strike` so that it is known who did it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.services: dict[str, Service] = {}
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.ended_by_themselves: list[str] = []

    def start(self, name: str, *command: str) -> Service:
        service = Service(name, command, self.folder / f"{name}.log")
        service.start()
        with self._lock:
            self.services[name] = service
        return service

    def watch(self) -> None:
        self._thread.start()

    def strike(self, name: str) -> str:
        """kill -9 to the main process."""
        service = self.services[name]
        service.struck = True
        if service.process is not None:
            with suppress(ProcessLookupError):
                os.kill(service.process.pid, signal.SIGKILL)
        return name

    def strike_child(self, name: str, dice: float) -> str:
        """kill -9 to one of the processes it started; which one says `dice`, from 0 up to 1."""
        service = self.services[name]
        found = children(service.process.pid) if service.process is not None else []
        if not found:
            return "nothing: it has no children now"
        victim = found[int(dice * len(found))]
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
        return f"{name}, child {victim}"

    def stop(self, name: str) -> None:
        """SIGTERM, and for good."""
        with self._lock:
            service = self.services.pop(name)
        self._end(service, 60)

    def end(self) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        for service in self.services.values():
            if service.alive() and service.process is not None:
                service.process.terminate()
        for service in self.services.values():
            self._end(service, 30)

    def _end(self, service: Service, seconds: float) -> None:
        process = service.process
        if process is None:
            return
        if process.poll() is None:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
        service.kill_rest()
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)

    def _watch(self) -> None:
        due: dict[str, float] = {}
        while not self._over.wait(0.2):
            with self._lock:
                services = list(self.services.values())
            for service in services:
                if service.alive():
                    continue
                if service.name not in due:
                    code = None if service.process is None else service.process.returncode
                    service.ended.append(f"{code}{' (struck)' if service.struck else ''}")
                    if not service.struck:
                        self.ended_by_themselves.append(f"{service.name} ended with {code}")
                    service.struck = False
                    service.kill_rest()
                    due[service.name] = time.monotonic() + RESTART_SECONDS
                elif time.monotonic() >= due[service.name]:
                    del due[service.name]
                    service.start()


@dataclass
class PostgreSQL:
    """The cluster of `tests.run.postgresql` in this directory, to be stopped and started again with its own options."""

    directory: Path
    url: str

    @property
    def data(self) -> Path:
        return self.directory / "postgresql" / "data"

    def stop(self, mode: str) -> None:
        self._control("-m", mode, "-w", "stop")

    def start(self) -> None:
        # The first word is the program, the rest stand in quotes of their own.
        options = (self.data / "postmaster.opts").read_text().strip().split(" ", 1)[1]
        self._control("-w", "-t", "120", "-l", str(self.data.parent / "again.log"), "-o", options, "start")

    def _control(self, *words: str) -> None:
        control = find("pg_ctl")
        assert control, "comes with initdb"
        subprocess.run(
            [*unprivileged(), control, "-D", str(self.data), *words],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
        )
