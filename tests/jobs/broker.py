"""A Redis of a test's own, to be killed, kept away, flushed and started again."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.jobs.workers import until


@dataclass
class Broker:
    """`url` stays the same over every restart; nothing is kept on disk, so a restart also forgets every message."""

    folder: Path
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def path(self) -> Path:
        return self.folder / "redis.sock"

    @property
    def url(self) -> str:
        return f"redis+socket://{self.path}"

    def start(self) -> None:
        server = shutil.which("redis-server")
        assert server
        self._process = subprocess.Popen(
            [server, "--port", "0", "--unixsocket", str(self.path), "--save", "", "--appendonly", "no",
             "--dir", str(self.folder)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        until(self._listens, 60, "redis answers")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=60)
            self._process = None

    def flush(self) -> None:
        import redis

        with redis.Redis(unix_socket_path=str(self.path)) as client:
            client.flushall()

    def _listens(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.path)) == 0


@contextmanager
def own_broker() -> Iterator[Broker]:
    # A unix socket's path is short, pytest's own directories are not; and a path, unlike a port, is nobody else's.
    with tempfile.TemporaryDirectory(prefix="xp-") as folder:
        made = Broker(Path(folder))
        made.start()
        try:
            yield made
        finally:
            made.kill()
