"""Scripts over SSH: a shell is given one, and what it printed comes back with its exit status. No prompt, no terminal."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

import paramiko

from provisioning.drivers.base import Target, Timeouts
from provisioning.drivers.host_keys import PinnedKey
from provisioning.drivers.profiles import ssh_profile
from provisioning.drivers.ssh import PinnedClient
from provisioning.drivers.wire import WireError

MOST_BYTES: Final = 32_000_000
"""Of one answer: ten thousand rules come to a tenth of it."""


@dataclass(frozen=True, slots=True)
class Done:
    """How a script ended, and what it said."""

    status: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """Why it failed, in one line."""
        said = "; ".join(line.strip() for line in self.err.splitlines() if line.strip())
        return said or f"it ended with status {self.status} and no word"


class ShellWire:
    """An SSH connection with a router's pinned key; every script runs in a shell of its own."""

    def __init__(self, target: Target, timeouts: Timeouts) -> None:
        """Raises ``Unreachable``, ``VtyRefused``, ``HostKeyChanged``, ``AuthenticationRefused``."""
        pinned, profile = PinnedKey.parse(target.host_key), ssh_profile(target.ssh_profile)
        self._client = PinnedClient(target, pinned, profile)
        self._timeouts = timeouts
        self._client.connect(
            hostname=target.host,
            port=target.port,
            username=target.username,
            password=target.password,
            look_for_keys=False,
            allow_agent=False,
            timeout=timeouts.connect,
            banner_timeout=timeouts.connect,
            auth_timeout=timeouts.authenticate,
        )

    def run(self, script: str, seconds: float) -> Done:
        """Run a script, waiting so long altogether. Raises WireError when its end is not heard of."""
        deadline = time.monotonic() + seconds
        try:
            transport = self._client.get_transport()
            if transport is None:
                raise WireError("the session is closed")
            with transport.open_session(timeout=self._timeouts.connect) as channel:
                channel.settimeout(seconds)
                channel.exec_command("exec /bin/sh -s")
                channel.sendall(script.encode())
                channel.shutdown_write()
                out = self._all(channel, channel.recv, deadline)
                err = self._all(channel, channel.recv_stderr, deadline)
                if not channel.status_event.wait(max(deadline - time.monotonic(), 0.001)):
                    raise WireError(f"no end within {seconds:g} s")
                status = channel.recv_exit_status()
        except (OSError, EOFError, paramiko.SSHException) as error:
            said = "silent" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
            raise WireError(said) from error
        if status < 0:
            raise WireError("the router closed the session")
        return Done(status, out, err)

    def _all(self, channel: paramiko.Channel, more: object, deadline: float) -> str:
        parts: list[bytes] = []
        size = 0
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise WireError("the time is over and it still talks")
            channel.settimeout(left)
            part = more(65536)  # type: ignore[operator] # paramiko has no types
            if not part:
                return b"".join(parts).decode("utf-8", "replace")
            size += len(part)
            if size > MOST_BYTES:
                raise WireError("it says more than any router does")
            parts.append(part)

    def close(self) -> None:
        """Close the connection; closing twice is nothing."""
        self._client.close()
