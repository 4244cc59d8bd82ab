"""The driver that opens its sessions with asyncssh: many of them in one process, carried by one loop (``loop``).

Crypto profile, pinned key, password and the words for what goes wrong are those of ``ssh``; so is everything that is said
over the session. The configuration, the keys and the agent of the person who runs the worker are never used.
"""

from __future__ import annotations

import asyncio
import socket
import warnings
from collections.abc import Sequence
from typing import Any, Final

import asyncssh

from provisioning.drivers.async_wire import AsyncWire
from provisioning.drivers.base import Target, Timeouts
from provisioning.drivers.dialogue import Dialogue
from provisioning.drivers.exchange import DialogueError
from provisioning.drivers.host_keys import PinnedKey
from provisioning.drivers.loop import wait_for
from provisioning.drivers.profiles import ssh_profile
from provisioning.drivers.session import SessionDriver, enter
from provisioning.drivers.transcripts import Transcript
from provisioning.drivers.unreached import Unreached
from provisioning.drivers.way import Way
from provisioning.errors import DeviceError, HostKeyChanged

# Old routers have no other key exchange (ios-facts 3.10): a warning at every worker's first session tells nobody anything.
warnings.filterwarnings("ignore", message="Diffie-Hellman over finite fields", module=r"asyncssh\.crypto\.dh")

_NOBODY: Final[tuple[list[str], list[str], list[str]]] = ([], [], [])
"""Known hosts: none, so that every key is asked about. An empty value would mean the file of whoever runs the worker."""


class PinnedLogin(asyncssh.SSHClient):
    """What one connection may do to get in: the pinned key, then the password, offered once.

    ``limit`` is moved on with each step, so that none waits for the time of another.
    """

    def __init__(self, target: Target, timeouts: Timeouts, limit: asyncio.Timeout) -> None:
        self.target = target
        self.pinned = PinnedKey.parse(target.host_key)
        self.connected = self.known = self.offered = self.inside = False
        self.changed: HostKeyChanged | None = None
        self._timeouts = timeouts
        self._limit = limit

    def _next(self, seconds: float) -> None:
        if not self.inside and not self._limit.expired():  # keys are exchanged anew in a long session
            self._limit.reschedule(asyncio.get_running_loop().time() + seconds)

    def connection_made(self, conn: asyncssh.SSHClientConnection) -> None:  # noqa: ARG002
        self.connected = True
        self._next(self._timeouts.connect)

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:  # noqa: ARG002
        """True for the pinned key alone; asked after the key exchange and before any authentication."""
        try:
            self.pinned.demand(self.target.host, key.get_algorithm(), key.public_data)
        except HostKeyChanged as error:
            self.changed = error
            return False
        self.known = True
        self._next(self._timeouts.authenticate)
        return True

    def auth_completed(self) -> None:
        self.inside = True

    def password_auth_requested(self) -> str | None:
        """The password as a message; None when it was offered before."""
        return self._password()

    def kbdint_auth_requested(self) -> str | None:
        """Willing to be asked for it (AAA asks that way), unless it was refused already."""
        return None if self.offered else ""

    def kbdint_challenge_received(
        self,
        name: str,  # noqa: ARG002
        instructions: str,  # noqa: ARG002
        lang: str,  # noqa: ARG002
        prompts: Sequence[tuple[str, bool]],
    ) -> list[str] | None:
        """The password, where one is asked for and not shown; None, which gives up, for anything more."""
        if not prompts:
            return []
        if len(prompts) > 1 or prompts[0][1]:
            return None
        password = self._password()
        return None if password is None else [password]

    def _password(self) -> str | None:
        offered, self.offered = self.offered, True
        return None if offered else self.target.password


class AsyncConnection:
    """A privileged session over asyncssh. Making one connects; raises what ``drivers.connect`` says."""

    def __init__(self, target: Target, timeouts: Timeouts, transcript: Transcript) -> None:
        self._wire = AsyncWire(write_seconds=timeouts.reply)
        try:
            wait_for(_open(self._wire, target, timeouts))
            self._dialogue: Dialogue | None = enter(self._wire, target, timeouts, transcript)
        except BaseException:
            self._wire.close()
            raise

    def talking(self) -> Dialogue:
        """The dialogue of this connection."""
        if self._dialogue is None:
            raise DialogueError("the session was never opened", sending=False)
        return self._dialogue

    def disconnect(self) -> None:
        """Log out and close; closing twice is nothing."""
        if self._dialogue is not None:
            self._dialogue.close()


class AsyncsshDriver(SessionDriver[AsyncConnection]):
    """A session over ``asyncssh``."""

    def _open(self) -> AsyncConnection:
        return AsyncConnection(self._target, self._timeouts, self._transcript)


async def _open(wire: AsyncWire, target: Target, timeouts: Timeouts) -> None:
    """A terminal on ``target`` with ``wire`` at its end; every connection on the way is the wire's from the moment it
    stands."""
    way: list[Target] = [target]
    while (jump := way[-1].jump) is not None:
        way.append(jump)
    for each in reversed(way):
        below = wire.connections[-1] if wire.connections else None
        wire.connections.append(await _connect(each, below, timeouts))
    try:
        async with asyncio.timeout(timeouts.connect):
            await wire.connections[-1].create_session(
                lambda: wire, request_pty="force", term_type="vt100", term_size=(512, 1000), encoding=None
            )
    except (OSError, asyncssh.Error) as error:
        raise Unreached(target).no_shell(str(error) or type(error).__name__) from error


async def _connect(
    target: Target, below: asyncssh.SSHClientConnection | None, timeouts: Timeouts
) -> asyncssh.SSHClientConnection:
    """A connection that is let in, from here or over the connection ``below``."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    limit = asyncio.timeout(timeouts.connect)
    login = PinnedLogin(target, timeouts, limit)
    options = _options(target, login.pinned)
    try:
        async with limit:
            return await asyncssh.connect(
                target.host, target.port, tunnel=Way(below), client_factory=lambda: login, **options
            )
    except (OSError, asyncssh.Error, ValueError) as error:
        quick = loop.time() - began < 0.9 * timeouts.connect
        raise _told(error, login, quick=quick) from error


def _options(target: Target, pinned: PinnedKey) -> dict[str, Any]:
    """The target's profile, a password and nothing of the person who runs the worker."""
    profile = ssh_profile(target.ssh_profile)
    return {
        "config": None,
        "username": target.username,
        "known_hosts": _NOBODY,
        "x509_trusted_certs": None,
        "server_host_key_algs": list(pinned.algorithms(profile.host_keys)),
        "kex_algs": list(profile.key_exchange),
        "encryption_algs": list(profile.ciphers),
        "mac_algs": list(profile.digests),
        "compression_algs": ["none"],
        "preferred_auth": ["password", "keyboard-interactive"],
        "client_keys": None,
        "agent_path": None,
        "public_key_auth": False,
        "host_based_auth": False,
        "gss_host": None,
        "login_timeout": 0,
    }


def _told(error: Exception, login: PinnedLogin, *, quick: bool) -> DeviceError:
    """What an exception of the connection means, in our words."""
    unreached = Unreached(login.target)
    text = str(error) or type(error).__name__
    if login.changed is not None:
        return login.changed
    match error:
        case TimeoutError():
            if login.known:
                return unreached.slow_password()
            return unreached.mute() if login.connected else unreached.silent()
        case socket.gaierror() | UnicodeError():
            return unreached.unresolved()
        case asyncssh.ChannelOpenError():
            return unreached.otherwise(f"the jump host does not get there: {text}")
        case asyncssh.HostKeyNotVerifiable():  # a certificate, or what is no key at all
            return HostKeyChanged(
                f"{unreached.where} presented no host key that can be compared: {text}", field="host_key"
            )
        case asyncssh.PermissionDenied():
            return unreached.refused_password()
        case asyncssh.KeyExchangeFailed() if text.startswith("No matching"):
            return unreached.no_algorithm(text)
        case asyncssh.ConnectionLost() | ConnectionResetError() | BrokenPipeError():
            if login.known:
                return unreached.closed_at_login()
            return unreached.hung_up() if quick else unreached.mute()
        case asyncssh.DisconnectError() if login.offered:
            return unreached.refused_password() if "authentication" in text else unreached.closed_at_login()
        case ConnectionRefusedError():
            return unreached.no_route()
        case OSError() if not login.connected:
            return unreached.no_route()
    return unreached.otherwise(text)
