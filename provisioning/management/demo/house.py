"""The demo's own house: a fresh database, secrets, practice routers, the job loop and the site, as processes."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import requests

from provisioning.errors import Conflict, ExpediteError


class DoorFailed(ExpediteError):
    """A command of the story ended otherwise than the story needs."""

    code = "demo-failed"


class House:
    """Everything the story talks to, in a directory of its own that each run makes anew."""

    def __init__(self, root: Path, directory: Path, port: int) -> None:
        self.root, self.directory, self.port = root, directory, port
        self.url = f"http://127.0.0.1:{port}"
        self._processes: list[tuple[str, subprocess.Popen[bytes]]] = []
        self._environment: dict[str, str] = {}
        self._typist: subprocess.Popen[str] | None = None

    @property
    def env_file(self) -> Path:
        """Its settings, relative to the project: other terminals name it in EXPEDITE_ENV_FILE."""
        return (self.directory / "env").relative_to(self.root)

    def prepare(self) -> None:
        """Empty directory, fresh secrets, migrated database. Raises Conflict when the port is taken."""
        if not is_free(self.port):
            raise Conflict(f"port {self.port} is in use: `make demo PORT=...`", field="port")
        if self.directory.exists():
            shutil.rmtree(self.directory)
        self.directory.mkdir(parents=True)
        settings = {
            "SECRET_KEY": secrets.token_urlsafe(50),
            "CREDENTIAL_KEYS": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
            "TOKEN_PEPPER": secrets.token_urlsafe(32),
            "PUSH_ENABLED": "true",
            "STATE_DIR": str(self.directory),
            "TICK_SECONDS": "0.5",
        }
        file = self.directory / "env"
        file.touch(mode=0o600)
        file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        # The story's processes take their settings from that file alone, whatever this shell has exported.
        inherited = {key: value for key, value in os.environ.items() if key not in settings}
        inherited.pop("DATABASE_URL", None)
        inherited.pop("CELERY_BROKER_URL", None)
        self._environment = {**inherited, "EXPEDITE_ENV_FILE": str(file), "PYTHONUNBUFFERED": "1"}
        self._open_typist()
        self.manage("migrate", "--noinput", "--verbosity", "0")

    def manage(self, *words: str, expect: tuple[int, ...] = (0,), stdin: str = "") -> str:
        """What a command printed. Raises DoorFailed when it ended with a status not in ``expect``."""
        if self._typist is None or self._typist.stdin is None or self._typist.stdout is None:
            raise DoorFailed("the house is not prepared")
        self._typist.stdin.write(json.dumps({"words": words, "stdin": stdin}) + "\n")
        self._typist.stdin.flush()
        answer = self._typist.stdout.readline()
        if not answer:
            raise DoorFailed(
                f"`manage.py {' '.join(words)}` was never answered; see {self.directory}/typist.log"
            )
        done = json.loads(answer)
        if done["status"] not in expect:
            said = (done["stdout"] + done["stderr"]).strip()
            raise DoorFailed(f"`manage.py {' '.join(words)}` ended with {done['status']}:\n{said}")
        return str(done["stdout"] + (done["stderr"] if done["status"] else "")).rstrip()

    def _open_typist(self) -> None:
        """The process that types the commands (`typist.py`)."""
        with (self.directory / "typist.log").open("wb") as log:
            self._typist = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-m", f"{__package__}.typist"],
                cwd=self.root,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )

    def start(self, name: str, *command: str) -> None:
        """A process that stays; its output goes to a log of its own."""
        with (self.directory / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(  # noqa: S603 - our own programs
                [sys.executable, *command],
                cwd=self.root,
                env=self._environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._processes.append((name, process))

    def start_routers(self) -> str:
        """Practice routers for the whole inventory; returns what they said once all listen."""
        self.start("routers", "manage.py", "lab")
        return self._wait("routers", lambda said: "practice routers listen" in said, seconds=120)

    def start_site(self) -> None:
        """The job loop, and the site answering on its port."""
        self.start("jobs", "manage.py", "runjobs")
        self.start(
            "site", "-m", "gunicorn", "provisioning.wsgi", "--bind", f"127.0.0.1:{self.port}",
            "--worker-class", "gthread", "--threads", "8", "--log-level", "warning",
        )  # fmt: skip
        self._wait("site", lambda _said: self._answers(), seconds=60)

    def end(self) -> None:
        """Stop what was started, last first."""
        if self._typist is not None:
            self._typist.terminate()
            self._typist.communicate()
            self._typist = None
        for _name, process in reversed(self._processes):
            process.terminate()
        for _name, process in reversed(self._processes):
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
        self._processes.clear()

    def watch(self) -> None:
        """Stay until interrupted. Raises DoorFailed when one of the processes ends by itself."""
        while True:
            for name, process in self._processes:
                if process.poll() is not None:
                    raise DoorFailed(
                        f"{name} ended with {process.returncode}; see {self.directory / name}.log"
                    )
            time.sleep(1)

    def _answers(self) -> bool:
        try:
            return requests.get(f"{self.url}/livez", timeout=2).ok
        except requests.RequestException:
            return False

    def _wait(self, name: str, ready: object, *, seconds: int) -> str:
        log, process = self.directory / f"{name}.log", self._processes[-1][1]
        for _moment in range(seconds * 5):
            said = log.read_text(errors="replace")
            if callable(ready) and ready(said):
                return said.rstrip()
            if process.poll() is not None:
                break
            time.sleep(0.2)
        raise DoorFailed(f"{name} did not start:\n{log.read_text(errors='replace')[-2000:]}")


def is_free(port: int) -> bool:
    """Whether a site could listen on that port of loopback at this moment."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def another_port() -> int:
    """A port of loopback that is free at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def open_house(root: Path, directory: Path, port: int) -> Iterator[House]:
    """A prepared house whose processes end with the block, however often somebody asks meanwhile."""
    house = House(root, directory, port)
    try:
        house.prepare()
        yield house
    finally:
        with undisturbed():
            house.end()


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """No Ctrl-C and no SIGTERM inside the block: a second one would leave processes behind that nobody ends."""
    before = {each: signal.signal(each, signal.SIG_IGN) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
