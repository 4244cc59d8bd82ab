"""A checkout as `git clone` and `make setup` leave it, to follow documents in: nothing outside it is touched."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.docs.blocks import ROOT
from tests.run import find, free_port

_LEFT_OUT: Final = (
    ".git",
    ".venv",
    "var",
    "tests",
    "_build",
    ".hypothesis",
    ".*_cache",
    "__pycache__",
    ".env",
)
PASSWORD: Final = "tells nobody anything"  # what is typed where a command asks for one
# The practice routers answer at once, as for every other test (tests/settings.py), and jobs are looked for more often.
_QUICKLY: Final = {
    "ROUTER_QUIET_SECONDS": "0.01",
    "ROUTER_LATE_SECONDS": "0.3",
    "HEALTH_SETTLE_SECONDS": "0.2",
    "TICK_SECONDS": "0.5",
    "FAILURES_SECONDS": "0",
}


class Checkout:
    """A copy of the project in a folder of its own, with a home, a free port for the site and the state of one document."""

    def __init__(self, base: Path, *, forked: bool = True) -> None:
        """``forked``: commands are typed in forks of a process that has them imported; else each is a process of its own."""
        self.base, self.folder, self.port = base, base / "expedite", free_port()
        self._forks = Path(tempfile.mkdtemp(prefix="forks-")) if forked else None
        shutil.copytree(ROOT, self.folder, ignore=shutil.ignore_patterns(*_LEFT_OUT), symlinks=True)
        (base / "home").mkdir()
        self._environment()
        self._programs()
        subprocess.run(["make", "--silent", ".env", f"PYTHON={sys.executable}"], cwd=self.folder, check=True)
        self._secrets = (self.folder / ".env").read_text()
        self._fresh = {path.name for path in self.folder.iterdir()}

    def begin(self, state: str = "nothing") -> None:
        """As after `make setup`, or with what was kept under that name."""
        for path in self._made():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        (self.folder / ".env").write_text(self._secrets)
        if state != "nothing":
            shutil.copytree(self.base / "states" / state, self.folder, dirs_exist_ok=True)

    def keep(self, state: str) -> None:
        """Keep what was made since `begin` under a name; what serves has ended."""
        kept = self.base / "states" / state
        kept.mkdir(parents=True)
        for path in self._made():
            if path.is_dir():
                shutil.copytree(path, kept / path.name, ignore=shutil.ignore_patterns("*.sock", "*.pid"))
            else:
                shutil.copy2(path, kept)

    def keeps(self, state: str) -> bool:
        return (self.base / "states" / state).exists()

    def end_routers(self) -> None:
        """End practice routers that were left running in the background."""
        for file in self.folder.glob("var/**/lab.pid"):
            with contextlib.suppress(ProcessLookupError, ValueError):
                os.kill(int(file.read_text()), signal.SIGTERM)
            file.unlink(missing_ok=True)

    def _made(self) -> list[Path]:
        return [path for path in self.folder.iterdir() if path.name not in self._fresh]

    def end(self) -> None:
        """End the processes that fork; the folder is the caller's."""
        if self._forks is None:
            return
        servers = self._forks / "servers"
        for number in servers.read_text().split() if servers.exists() else ():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(int(number), signal.SIGKILL)
        shutil.rmtree(self._forks)

    def _environment(self) -> None:
        paths = [str(Path(found).parent) for name in ("createdb", "redis-server") if (found := find(name))]
        self.environment = {
            "PATH": os.pathsep.join(
                [
                    str(self.base / "programs"),
                    *paths,
                    "/usr/local/bin",
                    "/usr/bin",
                    "/bin",
                    "/usr/sbin",
                    "/sbin",
                ]
            ),
            "HOME": str(self.base / "home"),
            "LANG": "C.UTF-8",
            "USER": os.environ.get("USER", "expedite"),
            "PYTHONUNBUFFERED": "1",
            "PYTHONPYCACHEPREFIX": os.environ.get("PYTHONPYCACHEPREFIX") or str(self.base / "bytecode"),
            "GUNICORN_CMD_ARGS": f"--bind 127.0.0.1:{self.port} --workers 1",
            **_QUICKLY,
        }

    def _programs(self) -> None:
        programs = self.folder / ".venv" / "bin"
        programs.mkdir(parents=True)
        for name in ("gunicorn", "celery"):
            (programs / name).symlink_to(Path(sys.executable).parent / name)
        # The documents become PostgreSQL's administrator by `sudo -u postgres`; here that is who runs the test.
        sudo = self.base / "programs" / "sudo"
        sudo.parent.mkdir()
        sudo.write_text('#!/bin/sh\n[ "$1 $2" = "-u postgres" ] || exit 1\nshift 2\nexec "$@"\n')
        sudo.chmod(0o755)
        python = programs / "python"
        asking = ""
        if self._forks is not None:
            read = re.findall(
                r'env(?:\.\w+)?\(\s*"([A-Z_]+)"', (ROOT / "provisioning/settings.py").read_text()
            )
            (self._forks / "names").write_text(" ".join(["EXPEDITE_ENV_FILE", *sorted(set(read))]))
            client = Path(__file__).with_name("asking.py")
            # What stays is a process of its own, as it would be.
            asking = (
                f'case "$*" in "manage.py lab"|"manage.py runjobs"*|"manage.py demo"*) ;; manage.py\\ *) '
                f'exec {sys.executable} -S -E {client} {sys.executable} {self._forks} "$@";; esac\n'
            )
        python.write_text(f'#!/bin/sh\n{asking}exec {sys.executable} "$@"\n')
        python.chmod(0o755)
