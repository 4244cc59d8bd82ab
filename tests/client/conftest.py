"""The command line against the running server, over real HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from typer.testing import CliRunner

from expedite_client import Client
from expedite_client.cli.main import built
from tests.api.conftest import issue_tokens
from tests.kept import kept
from tests.services.conftest import _patient, backbone, live  # noqa: F401 - fixtures

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "client" / "src"


def _hear_of_interrupts() -> None:
    """A shell has what it starts in the background ignore Ctrl-C, and all that is started by that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on standard output."""
        return json.loads(self.out)


@dataclass
class Terminal:
    """Somebody at a terminal: where the server is, with which token, and a home of their own."""

    url: str
    token: str
    home: Path
    more: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "EXPEDITE_URL": self.url,
            "EXPEDITE_TOKEN": self.token,
            **self.more,
        }

    def __call__(self, *arguments: object, code: int = 0, stdin: str = "") -> Done:
        """Run a command in this process; it has to end with `code`."""
        words = [str(each) for each in arguments]
        unset = {"EXPEDITE_PROFILE": None, "EXPEDITE_CA_BUNDLE": None}
        told = CliRunner().invoke(built(), words, input=stdin, env={**unset, **self.environment()})
        if told.exception is not None and not isinstance(told.exception, SystemExit):
            raise told.exception
        done = Done(told.exit_code, told.stdout, told.stderr)
        assert done.code == code, (words, done)
        return done

    def start(self, *arguments: object, **more: Any) -> subprocess.Popen[str]:
        """Start a command as a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "expedite_client", *map(str, arguments)],
            env={**self.environment(), "PYTHONPATH": str(SOURCES)},
            cwd=self.home,
            text=True,
            preexec_fn=_hear_of_interrupts,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **more},
        )

    def alone(self, *arguments: object, code: int = 0, stdin: str = "") -> Done:
        """Run a command as a process of its own; it has to end with `code`."""
        running = self.start(*arguments, stdin=subprocess.PIPE)
        out, err = running.communicate(stdin, timeout=120)
        done = Done(running.returncode, out, err)
        assert done.code == code, (arguments, done)
        return done


@pytest.fixture
def tokens_by_role(transactional_db: None) -> dict[str, str | None]:
    """6NET, and a token for everybody of `tests.api.conftest.ROLES`."""
    cache.clear()
    return kept("client-speakers", issue_tokens)


@pytest.fixture
def terminals(live_server: Any, tokens_by_role: dict[str, str | None], tmp_path: Path) -> dict[str, Terminal]:
    """A terminal for everybody who has a token."""
    found = {}
    for name, text in tokens_by_role.items():
        if text is not None:
            home = tmp_path / name
            home.mkdir()
            found[name] = Terminal(live_server.url, text, home)
    return found


@pytest.fixture
def janet(terminals: dict[str, Terminal]) -> Terminal:
    return terminals["JANET"]


@pytest.fixture
def grnet(terminals: dict[str, Terminal]) -> Terminal:
    return terminals["GRNET"]


@pytest.fixture
def noc(terminals: dict[str, Terminal]) -> Terminal:
    return terminals["noc"]


@pytest.fixture
def python(live_server: Any, tokens_by_role: dict[str, str | None]) -> Iterator[Client]:
    """The Python client of JANET."""
    with Client(live_server.url, tokens_by_role["JANET"] or "", sleep=lambda _seconds: None) as client:
        yield client


ASKED = (
    "--from", "JANET@uk6:POS1/0", "--to", "GRNET@gr6:POS2/0", "--rate", "2M", "--bucket", "6000",
    "--source", "2001:630:1::/48", "--destination", "2001:648:2::/48",
)  # fmt: skip
