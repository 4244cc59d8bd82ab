"""A vty whose every byte is ours: for the manners of echo, prompt and timing that no well-behaved server has.

Real SSH (asyncssh) on loopback, in a thread of its own. It knows next to nothing of IOS: modes follow from the first
words of a line, and a ``Manners`` says how to write. What a real router would *do* is the practice router's part
(``lab``); this one is for how it *talks*.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import asyncssh

from provisioning.drivers import Target

LEGACY_ALGORITHMS = {
    "kex_algs": ["diffie-hellman-group14-sha1", "diffie-hellman-group1-sha1"],
    "encryption_algs": ["aes128-cbc", "3des-cbc"],
    "mac_algs": ["hmac-sha1"],
    "signature_algs": ["ssh-rsa"],
}

RUNNING = "\n".join(
    [
        "Building configuration...",
        "",
        "Current configuration : 412 bytes",
        "!",
        "version 12.3",
        "hostname {host}",
        "enable secret 5 $1$abcd$0123456789abcdefghijkl",
        "banner motd ^C",
        "{host}#",
        "^C",
        "interface POS1/0",
        " service-policy input TRUSTED-IN",
        "!",
        "snmp-server community topsecret RO",
        "ntp clock-period 17180001",
        "end",
        "",
    ]
)


@dataclass
class Manners:
    """How the router writes. ``answers`` maps a pattern to what a line that matches it brings."""

    hostname: str = "nl6"
    password: str = "letmein"
    enable: str | None = "raise"
    privileged: bool = False
    echo: bool = True
    line_end: str = "\r\n"
    wrap_echo_at: int | None = None
    scroll_echo_at: int | None = None
    whole_echo_first: bool = False
    pager: bool = False
    knows_terminal_length: bool = True
    banner: str = ""
    prompt_delay_s: float = 0.0
    byte_pause_s: float = 0.0
    timestamps: bool = False
    noise: dict[str, str] = field(default_factory=dict)
    """Before the reply to a line that matches: text in the middle of things."""
    echo_noise: dict[str, str] = field(default_factory=dict)
    """In the middle of the echo of a line that matches; the echo goes on after it."""
    redraw_noise: dict[str, str] = field(default_factory=dict)
    """After the prompt that follows a line that matches; the prompt is drawn again."""
    answers: dict[str, str] = field(default_factory=dict)
    late: dict[str, tuple[float | threading.Event, str]] = field(default_factory=dict)
    """So many seconds after the prompt, or when the test says so: text, and no new prompt."""
    drop_at: str | None = None
    hang_at: str | None = None
    refuse_vty: bool = False
    by_keyboard: bool = False
    """The password is asked for (keyboard-interactive), as AAA does, and taken no other way."""
    cut_short: int = 0
    """So many times ``show running-config`` breaks off in the middle."""
    algorithms: dict[str, list[str]] = field(default_factory=dict)


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
        vty = _Vty(self, process)
        with suppress(asyncssh.BreakReceived, asyncssh.TerminalSizeChanged, ConnectionError, EOFError):
            await vty.run()
        process.channel.abort() if vty.dropped else process.exit(0)


class _Vty:
    def __init__(self, router: ScriptedRouter, process: asyncssh.SSHServerProcess[str]) -> None:
        self.router = router
        self.manners = router.manners
        self.process = process
        self.mode = ""
        self.privileged = self.manners.privileged
        self.length = 24 if self.manners.pager else 0
        self.dropped = False

    @property
    def prompt(self) -> str:
        end = "#" if self.privileged else ">"
        name = self.manners.hostname
        return f"{name[:20]}({self.mode})#" if self.mode else f"{name}{end}"

    async def say(self, text: str) -> None:
        text = re.sub(r"\r?\n", self.manners.line_end, text)
        if not self.manners.byte_pause_s:
            self.process.stdout.write(text)
            return
        for start in range(0, len(text), 3):
            self.process.stdout.write(text[start : start + 3])
            await asyncio.sleep(self.manners.byte_pause_s)

    async def run(self) -> None:
        if self.manners.refuse_vty:
            await self.say("% All vty lines are in use\n")
            self.dropped = True
            return
        await self.say(self.manners.banner + "\n" + self.prompt)
        pending: list[str] = []
        while True:
            text = await self._typed(pending)
            if text is None:
                return
            if not await self._line(text, pending):
                return

    async def _typed(self, pending: list[str]) -> str | None:
        if pending:
            return pending.pop(0)
        data = await self.process.stdin.read(4096)
        if not data:
            return None
        while not data.endswith("\n"):
            more = await self.process.stdin.read(4096)
            if not more:
                return None
            data += more
        lines = data.replace("\r", "").split("\n")[:-1]
        if self.manners.whole_echo_first and self.manners.echo and len(lines) > 1:
            await self.say("".join(f"{line}\n" for line in lines))
        pending += lines
        return pending.pop(0)

    async def _line(self, line: str, pending: list[str]) -> bool:
        self.router.received.append(line)
        manners = self.manners
        if manners.drop_at is not None and re.search(manners.drop_at, line):
            self.dropped = True
            return False
        batch = manners.whole_echo_first and (pending or self._second)
        self._second = bool(pending)
        if not batch:
            await self._echo(line)
        if manners.hang_at is not None and re.search(manners.hang_at, line):
            await asyncio.sleep(60)
        for pattern, text in manners.noise.items():
            if re.search(pattern, line):
                await self.say(text)
        if line.strip() == "exit" and not self.mode:
            return False
        await self.say(await self._reply(line))
        if manners.prompt_delay_s and line.strip():
            await asyncio.sleep(manners.prompt_delay_s)
        await self.say(self.prompt)
        for pattern, text in manners.redraw_noise.items():
            if re.search(pattern, line):
                await self.say(f"\n{text}\n{self.prompt}")
        for pattern, (when, text) in manners.late.items():
            if re.search(pattern, line):
                if isinstance(when, threading.Event):
                    while not when.is_set():
                        await asyncio.sleep(0.01)
                else:
                    await asyncio.sleep(when)
                await self.say(f"\n{text}\n")
        return True

    _second = False

    async def _echo(self, line: str) -> None:
        manners = self.manners
        if not manners.echo:
            if line.strip():
                await self.say("\n")
            return
        for pattern, text in manners.echo_noise.items():
            if re.search(pattern, line):
                await self.say(f"{line[:4]}\n{text}\n{line[4:]}\n")
                return
        if manners.scroll_echo_at is not None and len(line) > manners.scroll_echo_at:
            width = manners.scroll_echo_at
            await self.say(line[:width])
            tail = "$" + line[-(width - 10) :]
            self.process.stdout.write("\b" * width + tail + " " * 9 + "\b" * 9)
            await self.say("\n")
            return
        if manners.wrap_echo_at is not None:
            at = manners.wrap_echo_at
            await self.say("\n".join(line[i : i + at] for i in range(0, len(line), at)) + "\n")
            return
        await self.say(f"{line}\n")

    async def _reply(self, line: str) -> str:
        manners = self.manners
        for pattern, text in manners.answers.items():
            if re.search(pattern, line):
                return await self._asked(text)
        words = line.split()
        if not words:
            return ""
        if self.mode:
            return self._configured(words)
        if words[0] == "enable":
            return await self._enable()
        if words[:2] == ["configure", "terminal"]:
            self.mode = "config"
            return "Enter configuration commands, one per line.  End with CNTL/Z.\n"
        if words[:2] == ["terminal", "length"]:
            if not manners.knows_terminal_length:
                return "          ^\n% Invalid input detected at '^' marker.\n\n"
            self.length = int(words[2])
            return ""
        if words[0] == "terminal":
            return ""
        stamp = (
            "Load for five secs: 1%/0%; one minute: 1%; five minutes: 1%\n"
            "Time source is NTP, 10:00:00.000 UTC Sat Nov 21 2026\n\n"
            if manners.timestamps
            else ""
        )
        return stamp + await self._paged(self._shown(line))

    def _shown(self, line: str) -> str:
        if line in ("show running-config", "show startup-config"):
            text = RUNNING.replace("{host}", self.manners.hostname)
            if line == "show running-config" and self.manners.cut_short:
                self.manners.cut_short -= 1
                return text[: len(text) // 2] + "\n"
            return text
        if line == "show version":
            return (
                "IOS (tm) 7200 Software (C7200-K9P-M), Version 12.3(14)T, RELEASE SOFTWARE (fc3)\n"
                f"{self.manners.hostname} uptime is 1 week, 2 days\n"
                'System image file is "disk0:c7200-k9p-mz.123-14.T.bin"\n'
                "cisco 7206VXR (NPE-G1) processor (revision A) with 245760K/16384K bytes of memory.\n"
                "Processor board ID 23672209\n"
            )
        if line == "write memory":
            return "Building configuration...\n[OK]\n"
        return "" if line in ("show hosts", "show ip interface brief") else "% Unknown command\n"

    def _configured(self, words: list[str]) -> str:
        modes = {
            "policy-map": "config-pmap",
            "class-map": "config-cmap",
            "interface": "config-if",
            "class": "config-pmap-c",
        }
        if words[0] == "end":
            self.mode = ""
        elif words[0] in modes:
            self.mode = modes[words[0]]
        return ""

    async def _enable(self) -> str:
        if self.manners.enable is None:
            self.privileged = True
            return ""
        await self.say("Password: ")
        answer = await self._typed([])
        if answer != self.manners.enable:
            await self.say("\n")
            return "% Access denied\n"
        self.privileged = True
        return "\n"

    async def _asked(self, text: str) -> str:
        """``a|question? |b``: say a and the question, wait for a line, say b."""
        if text.count("|") != 2:
            return text
        before, question, after = text.split("|")
        await self.say(before + question)
        answer = await self.process.stdin.read(64)
        self.router.received.append(answer.strip())
        await self.say("\n")
        return after if answer.strip() in ("", "y", "yes") else "% Aborted\n"

    async def _paged(self, text: str) -> str:
        lines = text.split("\n")
        while self.length and len(lines) > self.length:
            await self.say("\n".join(lines[: self.length]) + "\n --More-- ")
            await self.process.stdin.read(1)
            self.process.stdout.write("\b" * 10 + " " * 10 + "\b" * 10)
            lines = lines[self.length :]
        return "\n".join(lines)


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
