"""A vty whose every byte is ours: for the manners of echo, prompt and timing that no well-behaved server has.

Real SSH (asyncssh) on loopback, in a thread of its own. It knows next to nothing of IOS: modes follow from the first
words of a line, and a ``Manners`` says how to write. What a real router would *do* is the practice router's part
(``lab``); this one is for how it *talks*.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import asyncssh

from provisioning.drivers import Target
from tests.drivers.manners import Manners
from tests.drivers.vty import Vty


class _Server(asyncssh.SSHServer):
    def __init__(self, router: ScriptedRouter) -> None:
        self.router = router

    def begin_auth(self, username: str) -> bool:
        return True

    def password_auth_supported(self) -> bool:
        return not self.router.manners.by_keyboard

    def kbdint_auth_supported(self) -> bool:
        return self.router.manners.by_keyboard

    def get_kbdint_challenge(
        self, username: str, lang: str, submethods: str
    ) -> tuple[str, str, str, list[tuple[str, bool]]]:
        return "", "", "", [("Password: ", False)]

    def validate_kbdint_response(self, username: str, responses: Sequence[str]) -> bool:
        return self.validate_password(username, responses[0])

    def connection_requested(self, dest_host: str, dest_port: int, orig_host: str, orig_port: int) -> bool:
        return self.router.manners.forwards

    def validate_password(self, username: str, password: str) -> bool:
        self.router.passwords.append(password)
        return password == self.router.manners.password


class ScriptedRouter:
    """One listening vty; ``received`` is every line it was sent, ``passwords`` every password it was offered."""

    def __init__(self, manners: Manners) -> None:
        self.manners = manners
        self.received: list[str] = []
        self.passwords: list[str] = []
        self.logins = 0
        self.port = 0
        kind = "ssh-rsa" if "signature_algs" in manners.algorithms else "ssh-ed25519"
        self.key = asyncssh.generate_private_key(kind)

    @property
    def host_key(self) -> str:
        return " ".join(self.key.export_public_key("openssh").decode().split()[:2])

    def target(self, driver: str = "netmiko", **changes: object) -> Target:
        """How to reach it; ``changes`` make a target that is wrong somewhere."""
        values: dict[str, object] = {
            "name": self.manners.hostname,
            "host": "127.0.0.1",
            "port": self.port,
            "username": "noc",
            "password": self.manners.password,
            "enable": self.manners.enable or "",
            "host_key": self.host_key,
            "ssh_profile": "legacy" if self.manners.algorithms else "modern",
            "platform": "cisco-7200vxr",
            "driver": driver,
        }
        return Target(**{**values, **changes})  # type: ignore[arg-type]

    async def _serve(self, process: asyncssh.SSHServerProcess[str]) -> None:
        self.logins += 1
        vty = Vty(self.manners, process, self.received)
        with suppress(asyncssh.BreakReceived, asyncssh.TerminalSizeChanged, ConnectionError, EOFError):
            await vty.run()
        process.channel.abort() if vty.dropped else process.exit(0)


@contextmanager
def scripted_router(manners: Manners | None = None, **changes: object) -> Iterator[ScriptedRouter]:
    """A router that listens while the block runs."""
    router = ScriptedRouter(manners or Manners(**changes))  # type: ignore[arg-type]
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    stop: list[Callable[[], None]] = []

    async def listen() -> None:
        finished = asyncio.Event()
        stop.append(lambda: loop.call_soon_threadsafe(finished.set))
        server = await asyncssh.create_server(
            lambda: _Server(router),
            "127.0.0.1",
            0,
            server_host_keys=[router.key],
            process_factory=router._serve,
            line_editor=False,
            **router.manners.algorithms,
            **router.manners.transport,
        )
        router.port = server.get_port()
        ready.set()
        await finished.wait()
        server.close()

    thread = threading.Thread(target=lambda: loop.run_until_complete(listen()), daemon=True)
    thread.start()
    if not ready.wait(60):
        raise RuntimeError("the scripted router did not start")
    try:
        yield router
    finally:
        stop[0]()
        thread.join(60)
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.close()
