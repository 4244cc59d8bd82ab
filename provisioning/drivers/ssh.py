"""Opening a session: the pinned key, the crypto profile, a password, and errors that say what went wrong.

Netmiko opens and closes; paramiko (4, for the SHA-1 that routers of that age need) speaks SSH below it.
Three things of Netmiko's are replaced: its host key policy (it accepts any key), its error classes (a
changed host key and a closed port are both a "timeout" there), and its prompt handling (``dialogue``). Keys
and agents of the person who runs the worker are never used.
"""

from __future__ import annotations

import logging
import socket
import time
from typing import Any

import paramiko
from netmiko.cisco import CiscoIosSSH
from paramiko.ssh_exception import IncompatiblePeer, NoValidConnectionsError

from provisioning.drivers.base import Target, Timeouts
from provisioning.drivers.channel import ChannelWire
from provisioning.drivers.dialogue import Dialogue
from provisioning.drivers.exchange import DialogueError
from provisioning.drivers.host_keys import PinnedKey
from provisioning.drivers.profiles import SshProfile, ssh_profile
from provisioning.drivers.session import ask, enter
from provisioning.drivers.transcripts import Transcript
from provisioning.drivers.unreached import Unreached
from provisioning.errors import DeviceError, Unreachable

# Without a handler of its own paramiko would print the traceback of every refused connection on stderr.
logging.getLogger("paramiko").addHandler(logging.NullHandler())


class OnlyPinnedKey(paramiko.MissingHostKeyPolicy):  # type: ignore[misc] # paramiko has no types
    """Accepts exactly one key. Paramiko asks it after the key exchange and before any authentication."""

    def __init__(self, pinned: PinnedKey) -> None:
        self.pinned = pinned

    def missing_host_key(self, client: object, hostname: str, key: paramiko.PKey) -> None:  # noqa: ARG002
        """See ``PinnedKey.demand``."""
        self.pinned.demand(hostname, key.get_name(), key.asbytes())


class HeardTransport(paramiko.Transport):  # type: ignore[misc] # paramiko has no types
    """Keeps the reason a server gives for hanging up: paramiko logs it and tells every end alike."""

    farewell = ""

    def _parse_disconnect(self, m: paramiko.Message) -> None:
        m.get_int()
        self.farewell = m.get_text()


class PinnedClient(paramiko.SSHClient):  # type: ignore[misc] # paramiko has no types
    """An SSH client for one router: its pinned key, its crypto profile, errors of ours."""

    def __init__(self, target: Target, pinned: PinnedKey, profile: SshProfile) -> None:
        super().__init__()
        self._target = target
        self._pinned = pinned
        self._profile = profile
        self._asked_by_keyboard = False
        self._heard: HeardTransport | None = None
        self.set_missing_host_key_policy(OnlyPinnedKey(pinned))

    def connect(self, *args: Any, **kwargs: Any) -> None:
        """Connect, check the key, authenticate. Raises ``Unreachable``, ``VtyRefused``, ``HostKeyChanged`` or
        ``AuthenticationRefused``; the socket is closed then."""
        began = time.monotonic()
        try:
            try:
                super().connect(*args, **kwargs, transport_factory=self._transport_with_profile)
            except paramiko.BadAuthenticationType as error:
                if self._asked_by_keyboard or "keyboard-interactive" not in error.allowed_types:
                    raise
                self.close()  # not every server lets a second method begin anew, so it gets a connection
                self._asked_by_keyboard = True
                super().connect(*args, **kwargs, transport_factory=self._transport_with_profile)
        except Exception as error:
            self.close()
            if isinstance(error, DeviceError):
                raise
            told = self._told(error, quick=time.monotonic() - began < 0.9 * float(kwargs["banner_timeout"]))
            if told is None:
                raise
            raise told from error

    def _auth(self, username: str, password: str, *args: Any) -> None:
        """The password as a message, or as the answer to the router's own question (AAA asks that way)."""
        if not self._asked_by_keyboard:
            super()._auth(username, password, *args)
            return

        def answer(_title: str, _instructions: str, questions: list[tuple[str, bool]]) -> list[str]:
            if len(questions) > 1 or any(shown for _question, shown in questions):
                raise paramiko.AuthenticationException("the router asks for more than a password")
            return [password for _question in questions]

        self.get_transport().auth_interactive(username, answer)

    def _transport_with_profile(self, sock: socket.socket, **kwargs: Any) -> paramiko.Transport:
        self._heard = transport = HeardTransport(sock, **kwargs)
        options = transport.get_security_options()
        options.kex = tuple(name for name in self._profile.key_exchange if name in options.kex)
        options.ciphers = tuple(name for name in self._profile.ciphers if name in options.ciphers)
        options.digests = tuple(name for name in self._profile.digests if name in options.digests)
        options.key_types = self._pinned.algorithms(self._profile.host_keys)
        return transport

    def _told(self, error: Exception, *, quick: bool) -> DeviceError | None:
        """What an exception of the connection means, in our words; None for one that is not about the
        connection."""
        unreached = Unreached(self._target)
        text = str(error) or type(error).__name__
        if isinstance(error, paramiko.AuthenticationException):
            if "timeout" in text.lower():
                return unreached.slow_password()
            # At the last try OpenSSH hangs up instead of refusing, and says so: offered again it could lock an account.
            hung_up = "transport shut down" in text
            if hung_up and not (self._heard is not None and "authentication" in self._heard.farewell):
                return unreached.closed_at_login()
            return unreached.refused_password()
        if isinstance(error, IncompatiblePeer):
            return unreached.no_algorithm(text)
        if isinstance(error, socket.gaierror):
            return unreached.unresolved()
        if isinstance(error, NoValidConnectionsError):
            return unreached.no_route()
        if isinstance(error, TimeoutError):
            return unreached.silent()
        if isinstance(error, EOFError | ConnectionResetError) or "protocol banner" in text:
            return unreached.hung_up() if quick else unreached.mute()
        if isinstance(error, OSError | paramiko.SSHException):
            return unreached.otherwise(text)
        return None


class PinnedIosConnection(CiscoIosSSH):
    """Netmiko's connection to IOS with a pinned key; its session is a privileged ``Dialogue`` once it
    exists."""

    def __init__(self, target: Target, timeouts: Timeouts, transcript: Transcript) -> None:
        self.target = target
        self.timeouts = timeouts
        self.transcript = transcript
        self.pinned = PinnedKey.parse(target.host_key)
        self.profile = ssh_profile(target.ssh_profile)
        self.dialogue: Dialogue | None = None
        super().__init__(
            host=target.host,
            port=target.port,
            username=target.username,
            password=target.password,
            secret=target.enable,
            device_type="cisco_ios",
            use_keys=False,
            allow_agent=False,
            system_host_keys=False,
            ssh_strict=True,
            conn_timeout=timeouts.connect,
            banner_timeout=timeouts.connect,
            auth_timeout=timeouts.authenticate,
            read_timeout_override=timeouts.read,
        )

    def _build_ssh_client(self) -> paramiko.SSHClient:
        return PinnedClient(self.target, self.pinned, self.profile)

    def establish_connection(self, width: int = 512, height: int = 1000) -> None:
        """TCP, SSH, shell; a router that gives a session but no shell is a refused vty."""
        try:
            super().establish_connection(width=width, height=height)
        except (paramiko.SSHException, EOFError) as error:
            self.paramiko_cleanup()
            raise Unreached(self.target).no_shell(str(error)) from error

    def _try_session_preparation(self, force_data: bool = True) -> None:  # noqa: ARG002
        try:
            self.session_preparation()
        except BaseException:
            self.disconnect()
            raise

    def session_preparation(self) -> None:
        """Find the prompt, become privileged, switch the pager off."""
        channel = self.remote_conn
        if not isinstance(channel, paramiko.Channel):
            raise Unreachable(f"{self.target.name} gave no channel", field="host")
        wire = ChannelWire(channel, write_seconds=self.timeouts.reply)
        self.dialogue = enter(wire, self.target, self.timeouts, self.transcript)

    def talking(self) -> Dialogue:
        """The dialogue of this connection; ``DialogueError`` when there is none any more."""
        if self.dialogue is None:
            raise DialogueError("the session was never opened", sending=False)
        return self.dialogue

    def send_command(self, command_string: str, *_: Any, **__: Any) -> str:
        """One exec command through our own dialogue; NAPALM's getters come this way too."""
        return ask(self.talking(), command_string.strip())

    def cleanup(self, command: str = "exit") -> None:  # noqa: ARG002
        """Log out; Netmiko closes the transport afterwards."""
        if self.dialogue is not None:
            self.dialogue.close()
