"""A round trip between us and practice routers: a process that passes bytes on later, in order, as a long line does.

`python -m tests.benchmarks.delaying SECONDS HOST:PORT ...` prints the port it listens on for each, and stays.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress

PIECE = 65536


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, later: float) -> None:
    """Each piece goes on `later` seconds after it came, however many are on their way."""
    loop = asyncio.get_running_loop()
    waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def read() -> None:
        while True:
            try:
                piece = await reader.read(PIECE)
            except OSError:
                piece = b""
            waiting.put_nowait((loop.time() + later, piece))
            if not piece:
                return

    reading = asyncio.create_task(read())
    with suppress(OSError):
        while True:
            due, piece = await waiting.get()
            await asyncio.sleep(max(0.0, due - loop.time()))
            if not piece:
                break
            writer.write(piece)
    writer.close()
    await reading


async def _serve(later: float, targets: list[tuple[str, int]]) -> None:
    ports = []
    for host, port in targets:

        async def met(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str = host, port: int = port
        ) -> None:
            try:
                there, back = await asyncio.open_connection(host, port)
            except OSError:
                writer.close()
                return
            await asyncio.gather(_pass_on(reader, back, later), _pass_on(there, writer, later))

        server = await asyncio.start_server(met, "127.0.0.1", 0)
        ports.append(server.sockets[0].getsockname()[1])
    print(json.dumps(ports), flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    where = [(text.rpartition(":")[0], int(text.rpartition(":")[2])) for text in sys.argv[2:]]
    asyncio.run(_serve(float(sys.argv[1]) / 2, where))
