"""A terminal line over a byte stream: echo, line editing, ^Z, paging, asynchronous messages (ios-facts 3.3-3.5)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from lab.errors import SessionDropped, SessionHung
from lab.session import Session

MORE = " --More-- "
_ERASE_MORE = "\b" * 9 + " " * 9 + "\b" * 9


class Terminal:
    """Feeds what is typed to a session and writes what the router answers; ``write`` takes text for the wire."""

    def __init__(self, session: Session, write: Callable[[str], None]) -> None:
        self.session = session
        self._wire = write
        self._unsent: list[str] = []
        self.keys: asyncio.Queue[str | None] = asyncio.Queue()
        self._after_return = False

    def feed(self, data: str) -> None:
        """Keys from the wire."""
        for key in data:
            self.keys.put_nowait(key)

    def hang_up(self) -> None:
        """The wire is gone."""
        self.keys.put_nowait(None)

    def write(self, text: str) -> None:
        """Put text into the output; it leaves when the terminal next waits, so that a burst of keys is one packet."""
        self._unsent.append(text)

    def flush(self) -> None:
        """Send what was written."""
        if self._unsent:
            self._wire("".join(self._unsent))
            self._unsent.clear()

    async def run(self) -> None:
        """Serve until the session ends; returns quietly when it does."""
        banner = self.session.config.banners.get("motd")
        if banner:
            self._print("\n" + banner.strip("\n") + "\n")
        self._print("\n" + self.session.prompt)
        noise = asyncio.create_task(self._noise())
        try:
            while not self.session.closed:
                line = await self._read_line()
                if line is None:
                    return
                await self._execute(line)
        except SessionDropped:
            return
        finally:
            noise.cancel()
            self.session.close()
            with contextlib.suppress(OSError):  # the wire may be gone: the vty is free all the same
                self.flush()

    async def _execute(self, line: str) -> None:
        where = "config" if self.session.stack else "exec"
        try:
            reply = self.session.execute(line)
        except SessionHung:
            self.flush()
            while await self.keys.get() is not None:
                pass
            raise SessionDropped("the other side gave up") from None
        late = self.session.device.faults.delay(self.session, line, where)
        if late:
            self.flush()
            await asyncio.sleep(late)
        if self.session.pages and self.session.length:
            await self._page(reply)
        else:
            self._print(reply)
        self._print(self.session.prompt)
        self._say()

    def _print(self, text: str) -> None:
        self.write(text.replace("\n", "\r\n"))

    def _say(self) -> None:
        for text in self.session.asynchronous():
            self._print(f"\n{text}\n{self.session.prompt}")

    async def _noise(self) -> None:
        """Messages that come while nobody types."""
        while not self.session.closed:
            await asyncio.sleep(0.05)
            self.session.device.tick()
            self._say()
            self.flush()
        self.keys.put_nowait(None)

    async def _page(self, text: str) -> None:
        lines = text.split("\n")
        room = max(2, self.session.length) - 1
        shown = 0
        for index, line in enumerate(lines):
            last = index == len(lines) - 1
            self._print(line + ("" if last else "\n"))
            shown += 1
            if shown >= room and index < len(lines) - 2:
                self.write(MORE)
                key = await self._key()
                self.write(_ERASE_MORE)
                if key == " ":
                    shown = 0
                elif key in "\r\n":
                    shown -= 1
                else:
                    return

    async def _key(self) -> str:
        if self.keys.empty():
            self.flush()
        key = await self.keys.get()
        if key is None:
            raise SessionDropped("hung up")
        if key == "\n" and self._after_return:  # the second half of CR LF is no key
            self._after_return = False
            return await self._key()
        self._after_return = key == "\r"
        return key

    async def _read_line(self) -> str | None:
        asked = self.session.dialogue
        typed = ""
        while True:
            try:
                key = await self._key()
            except SessionDropped:
                return None
            if self.session.dialogue is not asked:
                asked = self.session.dialogue
            echo = asked is None or asked.echo
            if asked is not None and asked.single_key:
                self.write("\r\n")
                return "" if key in "\r\n" else key
            if key in "\r\n":
                self.write("\r\n")
                return typed
            if key == "\x1a":
                self.write("^Z\r\n")
                return typed + "\x1a"
            if key == "\x03":
                self.write("^C\r\n" if not self.session.stack else "\r\n")
                return "" if not self.session.stack else "\x1a"
            if key in "\b\x7f":
                if typed:
                    typed = typed[:-1]
                    self.write("\b \b" if echo else "")
            elif key == "\x15":
                self.write("\b \b" * len(typed) if echo else "")
                typed = ""
            elif key == "?" and asked is None and self.session.banner is None:
                self._print(f"?\n% Unrecognized command\n{self.session.prompt}{typed}")
            elif key == "\t" or key.isprintable():
                key = " " if key == "\t" else key
                typed += key
                if echo:
                    self._echo(typed, key)

    def _echo(self, typed: str, key: str) -> None:
        """Echo a key; a line wider than the terminal scrolls sideways behind a ``$`` (ios-facts 3.4)."""
        fault = self.session.device.faults.has("truncate-echo")
        width = fault.width if fault is not None else self.session.width
        used = len(self.session.prompt) + len(typed)
        if not width or used < width:
            self.write(key)
        elif used % max(1, width // 2) == 0 or used == width:
            shown = typed[-(width // 2) :]
            self.write(f"\r{self.session.prompt}${shown}")
        else:
            self.write(key)
