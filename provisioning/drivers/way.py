"""The way a connection goes: straight, or over a jump host's; its end is told only when what came before it was dealt with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

import asyncssh

TURNS: Final = 12
"""Turns of the loop between the end of a connection and its being told."""


class LateEnd(asyncio.Protocol):
    """Stands between a transport and asyncssh's connection.

    asyncssh deals with some packets in tasks. A router that says something and hangs up (no common algorithm, a refused
    password at the last try) is at its end before such a task has run; what it said would be forgotten, the refusal told as a
    lost connection, and a wrong password offered once more.
    """

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def connection_made(self, transport: Any) -> None:
        self.connection.connection_made(transport)

    def session_started(self) -> None:
        """Over a jump host: the way is open."""

    def data_received(self, data: bytes, datatype: object = None) -> None:  # noqa: ARG002
        self.connection.data_received(data)

    def eof_received(self) -> bool:
        """True: the transport stays until the connection closes it."""
        self._later(TURNS, self.connection.eof_received)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        self._later(TURNS, lambda: self.connection.connection_lost(exc))

    def _later(self, turns: int, tell: Callable[[], object]) -> None:
        if turns:
            asyncio.get_running_loop().call_soon(self._later, turns - 1, tell)
        else:
            tell()


class Way:
    """What asyncssh takes for a tunnel: from here, or over the connection ``below``."""

    def __init__(self, below: asyncssh.SSHClientConnection | None) -> None:
        self._below = below

    async def create_connection(
        self, session_factory: Callable[[], Any], host: str, port: int
    ) -> tuple[object, Any]:
        """A connection over a new transport; raises OSError, or ChannelOpenError of the host on the way."""
        end = LateEnd(session_factory())
        if self._below is None:
            await asyncio.get_running_loop().create_connection(lambda: end, host, port)
        else:
            await self._below.create_connection(lambda: end, host, port)  # type: ignore[arg-type,return-value]
        return None, end.connection
