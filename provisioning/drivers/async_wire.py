"""The wire of an asyncssh session: its bytes come and go on the loop's thread, whoever talks waits on a condition."""

from __future__ import annotations

import asyncio
import codecs
import os
import threading
from typing import Final

import asyncssh

from provisioning.drivers.loop import session_loop, wait_for
from provisioning.drivers.wire import WireError

ENOUGH: Final = 1 << 20
"""Bytes that may lie unread; beyond them the router is held back by SSH's window until somebody reads."""
CLOSING_S: Final = 2.0
"""How long a connection may take to close before it is cut."""


class AsyncWire(asyncssh.SSHClientSession[bytes]):
    """A session on one channel. asyncssh calls it on the loop's thread, ``Dialogue`` on its own.

    ``connections``: what it runs over, the nearest first; ``close`` ends them all, also where no session came of it.
    """

    def __init__(self, *, write_seconds: float) -> None:
        self.connections: list[asyncssh.SSHClientConnection] = []
        self._loop, self._process = session_loop(), os.getpid()
        self._write_seconds = write_seconds
        self._channel: asyncssh.SSHClientChannel[bytes] | None = None
        self._changed = threading.Condition()
        self._unread: list[bytes] = []
        self._unread_bytes = 0
        self._unsent = False
        self._held_back = False
        self._ended: str | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    # -- on the loop's thread

    def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
        """The channel is there. With no room in its buffer, what the router's window does not take is seen as unsent."""
        self._channel = chan
        chan.set_write_buffer_limits(0)

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:  # noqa: ARG002
        """Keep it for the reader; hold the router back when too much lies there."""
        with self._changed:
            self._unread.append(data)
            self._unread_bytes += len(data)
            if self._unread_bytes >= ENOUGH and not self._held_back and self._channel is not None:
                self._held_back = True
                self._channel.pause_reading()
            self._changed.notify_all()

    def eof_received(self) -> bool:
        """Nothing more comes: the same as closed."""
        self._end("the router closed the session")
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """The channel or the connection below it is gone."""
        self._end(f"reading failed: {exc}" if exc is not None else "the router closed the session")

    def pause_writing(self) -> None:
        """The router's window is full."""
        with self._changed:
            self._unsent = True

    def resume_writing(self) -> None:
        """Everything was taken."""
        with self._changed:
            self._unsent = False
            self._changed.notify_all()

    def _end(self, reason: str) -> None:
        with self._changed:
            self._ended = self._ended or reason
            self._changed.notify_all()

    def _put(self, data: bytes, done: threading.Event) -> None:
        try:
            if self._channel is None:
                raise BrokenPipeError("no channel")
            self._channel.write(data)
        except (OSError, asyncssh.Error) as error:
            self._end(f"writing failed: {error}")
        finally:
            with self._changed:
                done.set()
                self._changed.notify_all()

    def _let_come(self) -> None:
        if self._channel is not None:
            self._channel.resume_reading()

    def _cut(self) -> None:
        for connection in reversed(self.connections):
            connection.abort()

    async def _shut(self) -> None:
        try:
            async with asyncio.timeout(CLOSING_S):
                for connection in reversed(self.connections):
                    connection.close()
                    await connection.wait_closed()
        except TimeoutError:
            self._cut()

    # -- on the thread of whoever talks

    @property
    def waiting(self) -> bool:
        """True when something has come that nobody has read."""
        return bool(self._unread)

    def write(self, text: str) -> None:
        """Send all of it; a peer that stops reading is a closed wire after ``write_seconds``."""
        self._own()
        done = threading.Event()
        with self._changed:
            if self._ended is not None:
                raise WireError(self._ended)
            self._loop.call_soon_threadsafe(self._put, text.encode("utf-8"), done)
            taken = self._changed.wait_for(
                lambda: self._ended is not None or (done.is_set() and not self._unsent), self._write_seconds
            )
            if self._ended is not None:
                raise WireError(self._ended)
        if not taken:
            self._end("writing failed: the router takes nothing any more")
            self._loop.call_soon_threadsafe(self._cut)
            raise WireError("writing failed: the router takes nothing any more")

    def read(self, seconds: float) -> str:
        """What has come since the last read; what came before the end is read before the end is told."""
        self._own()
        with self._changed:
            self._changed.wait_for(lambda: bool(self._unread) or self._ended is not None, max(seconds, 0.001))
            if not self._unread:
                if self._ended is not None:
                    raise WireError(self._ended)
                return ""
            data = b"".join(self._unread)
            self._unread.clear()
            self._unread_bytes = 0
            if self._held_back:
                self._held_back = False
                self._loop.call_soon_threadsafe(self._let_come)
        return self._decoder.decode(data)

    def close(self) -> None:
        """Close the connection, cut it when that takes too long; closing twice is nothing, and so is closing what a
        process inherited: that session is its parent's."""
        standing = any(not connection.is_closed() for connection in self.connections)
        if standing and self._process == os.getpid():
            wait_for(self._shut())

    def _own(self) -> None:
        if self._process != os.getpid():
            raise WireError("the session is that of the process this one was forked from")
