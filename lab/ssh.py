"""A practice router behind SSH, with the algorithms of its age (ios-facts 3.10)."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import asyncssh

from lab.device import Device
from lab.terminal import Terminal

_LEGACY = {
    "kex_algs": ["diffie-hellman-group14-sha1", "diffie-hellman-group1-sha1"],
    "encryption_algs": ["aes128-cbc", "3des-cbc"],
    "mac_algs": ["hmac-sha1"],
    "compression_algs": ["none"],
}


class _Login(asyncssh.SSHServer):
    """Password authentication of one router; one user."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        if self.device.faults.has("vty-closed") or self.device.cut_off or self.device.vty_full:
            conn.abort()

    def begin_auth(self, username: str) -> bool:  # noqa: ARG002 - the signature is asyncssh's
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        if self.device.faults.has("wrong-password"):
            return False
        spec = self.device.spec
        return (username, password) == (spec.username, spec.password)


class Port:
    """One router listening; ``start`` listens, ``stop`` closes it with its connections and keeps the port for later.

    A port that is bound and not listened on refuses connections, and nobody else is given it meanwhile.
    """

    def __init__(self, device: Device, keys: Path, port: int) -> None:
        self.device = device
        self.keys = keys
        self.port = port
        self.host_key = ""
        self._server: asyncssh.SSHAcceptor | None = None
        self._kept: socket.socket | None = None
        self._connections: set[asyncssh.SSHServerConnection] = set()

    @property
    def listening(self) -> bool:
        """True while connections are accepted."""
        return self._server is not None

    def _key(self) -> asyncssh.SSHKey:
        path = self.keys / self.device.spec.name
        if path.exists():
            return asyncssh.read_private_key(str(path))
        legacy = self.device.spec.ssh_profile == "legacy"
        key = (
            asyncssh.generate_private_key("ssh-rsa", key_size=1024)
            if legacy
            else asyncssh.generate_private_key("ssh-ed25519")
        )
        path.touch(mode=0o600)
        key.write_private_key(str(path))
        return key

    async def start(self) -> None:
        """Listen on 127.0.0.1; with port 0 any free one, which is kept from then on."""
        key = self._key()
        self.host_key = " ".join(key.export_public_key("openssh").decode().split()[:2])
        options: dict[str, object] = {}
        host_key: object = key
        if self.device.spec.ssh_profile == "legacy":
            options = dict(_LEGACY)
            pair = asyncssh.load_keypairs([key])[0]
            # routers of that age sign with SHA-1 and offer nothing else
            pair.host_key_algorithms = pair.sig_algorithms = (b"ssh-rsa",)
            host_key = pair
        bound, self._kept = self._kept or _bound(self.port), None
        self._server = await asyncssh.listen(
            sock=bound,
            server_factory=lambda: _Login(self.device),
            server_host_keys=[host_key],
            process_factory=self._serve,
            line_editor=False,
            encoding="latin-1",
            allow_scp=False,
            login_timeout=30,
            **options,  # type: ignore[arg-type]
        )
        self.port = self._server.get_port()

    async def stop(self) -> None:
        """Stop listening and cut every connection."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
            self._kept = _bound(self.port)
            for connection in list(self._connections):
                connection.abort()
            await server.wait_closed()

    async def new_host_key(self) -> None:
        """Forget the host key and listen again on the same port with another."""
        (self.keys / self.device.spec.name).unlink(missing_ok=True)
        await self.stop()
        await self.start()

    async def _serve(self, process: asyncssh.SSHServerProcess[str]) -> None:
        connection = process.channel.get_connection()
        self._connections.add(connection)
        try:
            await self._terminal(process)
        finally:
            self._connections.discard(connection)
            # let the loop notice that the other side is gone before anything is sent to it
            await asyncio.sleep(0)
            if not connection.is_closed():
                process.exit(0)
            await asyncio.sleep(0)
            if not connection.is_closed():
                connection.close()

    async def _terminal(self, process: asyncssh.SSHServerProcess[str]) -> None:
        refused = self.device.faults.has("vty-refused")
        if refused is not None:
            process.stdout.write((refused.message or "% Connection refused by remote host") + "\r\n")
            return
        session = self.device.open_session(process.get_extra_info("username"))
        if process.command is not None:  # ssh host "show version": one command, no terminal
            session.length = 0
            process.stdout.write(session.execute(process.command).replace("\n", "\r\n"))
            session.close()
            return
        terminal = Terminal(session, process.stdout.write)
        reader = asyncio.create_task(self._read(process, terminal))
        try:
            await terminal.run()
        finally:
            reader.cancel()

    async def _read(self, process: asyncssh.SSHServerProcess[str], terminal: Terminal) -> None:
        try:
            while True:
                try:
                    data = await process.stdin.read(4096)
                except (asyncssh.TerminalSizeChanged, asyncssh.BreakReceived):
                    continue
                if not data:
                    return
                terminal.feed(data)
        except (asyncssh.SignalReceived, asyncssh.ConnectionLost, ConnectionError):
            return  # the other side is gone; the terminal is told below
        finally:
            terminal.hang_up()


def _bound(port: int) -> socket.socket:
    """A socket on 127.0.0.1 that does not listen yet; with port 0 on any free one. Raises OSError when it is taken."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind(("127.0.0.1", port))
    except OSError:
        made.close()
        raise
    return made
