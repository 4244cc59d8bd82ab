"""The terminal lines of one practice router on a unix socket, for SSH servers that are nobody's of ours to stand before."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.device import Device
from lab.spec import RouterSpec
from lab.terminal import Terminal
from tests.drivers.practice import ENABLE, PASSWORD, POS

SPEC = {
    "name": "pre",
    "platform": "cisco-7200vxr",
    "ios": "12.3(14)T",
    "username": "noc",
    "password": PASSWORD,
    "enable": ENABLE,
    "interfaces": POS,
}


async def _serve(device: Device, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    terminal = Terminal(
        device.open_session("noc"), lambda text: writer.write(text.encode("latin-1", "replace"))
    )

    async def keys() -> None:
        while data := await reader.read(4096):
            terminal.feed(data.decode("latin-1"))
        terminal.hang_up()

    typing = asyncio.create_task(keys())
    try:
        await terminal.run()
    finally:
        typing.cancel()
        writer.close()


@contextmanager
def terminal_lines(path: Path) -> Iterator[Device]:
    """A practice router whose every connection to ``path`` is a vty, already past the password."""
    device = Device(RouterSpec.from_dict(SPEC))
    loop = asyncio.new_event_loop()
    listening, finished = threading.Event(), asyncio.Event()

    async def listen() -> None:
        server = await asyncio.start_unix_server(
            lambda reader, writer: _serve(device, reader, writer), str(path)
        )
        listening.set()
        await finished.wait()
        server.close()

    thread = threading.Thread(target=lambda: loop.run_until_complete(listen()), daemon=True)
    thread.start()
    if not listening.wait(30):
        raise RuntimeError("the terminal lines did not open")
    try:
        yield device
    finally:
        loop.call_soon_threadsafe(finished.set)
        thread.join(30)
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.close()
