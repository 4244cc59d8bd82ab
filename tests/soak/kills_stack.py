"""The two ways to run the workers of a soak that kills them: Celery with PostgreSQL and Redis, or `runjobs` with SQLite."""

from __future__ import annotations

import base64
import contextlib
import os
import secrets
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from tests.soak.service_processes import CELERY, Supervisor, children

STACKS = ("celery", "sqlite")
LEFT = 3
"""So many workers are left by every kill."""


@dataclass
class Workers:
    """The processes that do the jobs; each kill is noted with the process and the instant."""

    stack: str
    supervisor: Supervisor
    kills: list[tuple[int, float]] = field(default_factory=list)
    spacing: float = 4.0
    _next: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def turn(self) -> None:
        """Wait for the next moment at which one more may be killed: who replaces the one before has to come up meanwhile."""
        with self._lock:
            at = self._next = max(self._next + self.spacing, time.monotonic())
        time.sleep(max(0.0, at - time.monotonic()))

    def start(self, folder: Path) -> None:
        """Celery: two workers of five processes each, and beat. SQLite: seven processes that push and tick, two that read."""
        start = self.supervisor.start
        if self.stack == "celery":
            for name in ("worker-1", "worker-2"):
                start(
                    name,
                    *CELERY,
                    "worker",
                    "-n",
                    f"{name}@soak",
                    "--queues",
                    "tick,read,push,tell",
                    "-c",
                    "5",
                )
            start("beat", *CELERY, "--quiet", "beat", "--schedule", str(folder / "beat"))
        else:
            for number in range(7):
                start(f"push-{number}", "manage.py", "runjobs", "--queues", "tick,push", "--workers", "3")
            for number in range(2):
                start(f"read-{number}", "manage.py", "runjobs", "--queues", "read,tell", "--workers", "4")
        self.supervisor.watch()

    def kill(self, pid: int) -> float | None:
        """kill -9 to one of these processes; the instant, or None where it is none of them any more."""
        with self._lock:
            service = self._whose(pid)
            if service is None or self._ready(pid) < LEFT:
                return None
            if self.stack == "sqlite":
                self.supervisor.services[service].struck = True
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                return None
            at = time.time()
            self.kills.append((pid, at))
            return at

    def killed(self, pid: int, since: float) -> float | None:
        """When this process was killed, provided that it was after an instant."""
        return next((at for each, at in self.kills if each == pid and at >= since), None)

    def _ready(self, pid: int) -> int:
        """How many others that push are up: where nobody is left nobody can take over."""
        if self.stack == "celery":
            return (
                sum(
                    len(children(each.process.pid))
                    for each in self.supervisor.services.values()
                    if each.process
                )
                - 1
            )
        from provisioning.models import Heartbeat

        up = {
            int(name.rsplit(":", 1)[1])
            for name in Heartbeat.objects.filter(name__startswith="runjobs@").values_list("name", flat=True)
        }
        running = [
            each.process.pid
            for name, each in self.supervisor.services.items()
            if name.startswith("push") and each.process is not None and each.alive()
        ]
        return sum(each in up and each != pid for each in running)

    def _whose(self, pid: int) -> str | None:
        for name, service in self.supervisor.services.items():
            if service.process is None:
                continue
            mine = children(service.process.pid) if self.stack == "celery" else [service.process.pid]
            if pid in mine:
                return name
        return None


@contextlib.contextmanager
def servers(stack: str, folder: Path, *, tick: float | None = None) -> Iterator[None]:
    """The database (and the broker) of one stack, and Django set up for it. Leases and waits are those of the product, and so is
    the time between two ticks unless `tick` says another, in seconds.
    """
    from tests.jobs.broker import own_broker
    from tests.run import postgresql

    state = folder / "state"
    state.mkdir()
    with contextlib.ExitStack() as opened:
        if stack == "celery":
            url = opened.enter_context(postgresql(folder))
            os.environ["CELERY_BROKER_URL"] = opened.enter_context(own_broker()).url
        else:
            url = f"sqlite:///{folder / 'expedite.sqlite3'}"
        os.environ.update(
            DJANGO_SETTINGS_MODULE="provisioning.settings",
            EXPEDITE_ENV_FILE=os.devnull,
            PYTHONUNBUFFERED="1",
            STATE_DIR=str(state),
            DATABASE_URL=url,
            SECRET_KEY=secrets.token_urlsafe(50),
            CREDENTIAL_KEYS=base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
            TOKEN_PEPPER=secrets.token_urlsafe(32),
            PUSH_ENABLED="true",
            LEAD_TIME_SECONDS="0",
        )
        if tick is not None:
            os.environ["TICK_SECONDS"] = str(tick)
        import django

        django.setup()
        yield
