"""A terminal line of a scripted router: what it is typed, and what it writes in the manner it was told."""

from __future__ import annotations

import asyncio
import re
import threading

import asyncssh

from tests.drivers.manners import RUNNING, Manners


class Vty:
    """One login; every line it is sent is added to ``received``."""

    def __init__(
        self, manners: Manners, process: asyncssh.SSHServerProcess[str], received: list[str]
    ) -> None:
        self.manners = manners
        self.process = process
        self.received = received
        self.mode = ""
        self.privileged = self.manners.privileged
        self.length = 10 if self.manners.pager else 0
        self.dropped = False
        self._pending: list[str] = []

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
        pending = self._pending
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
        self.received.append(line)
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
        if line == "show interfaces":
            return (
                "POS1/0 is up, line protocol is up \n"
                "  Hardware is Packet over SONET\n"
                "  MTU 4470 bytes, BW 155000 Kbit, DLY 100 usec,\n"
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
        self.received.append(answer.strip())
        await self.say("\n")
        return after if answer.strip() in ("", "y", "yes") else "% Aborted\n"

    async def _paged(self, text: str) -> str:
        lines = text.split("\n")
        while self.length and len(lines) > self.length:
            await self.say("\n".join(lines[: self.length]) + "\n --More-- ")
            if (
                self._pending
            ):  # what was typed ahead is the pager's first: any key but a space ends the listing
                self._pending[0] = self._pending[0][1:]
                lines = []
                break
            await self.process.stdin.read(1)
            self.process.stdout.write("\b" * 10 + " " * 10 + "\b" * 10)
            lines = lines[self.length :]
        return "\n".join(lines)
