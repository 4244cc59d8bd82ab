"""``python -m lab SPEC.json --state DIR``: practice routers over SSH until SIGTERM; ``--lent``: for the process at stdin."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lab.errors import LabError
from lab.knowing import known
from lab.network import Network
from lab.spec import RouterSpec, read_specs


async def serve(
    network: Network, ready: Callable[[dict[str, Any]], object], leave: threading.Event | None = None
) -> None:
    """Run until SIGTERM or SIGINT, or until ``leave``; prints one line ``READY {json}`` when all listen."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    routers = await network.start()
    sys.stdout.write("READY " + json.dumps(ready(routers)) + "\n")
    sys.stdout.flush()
    if leave is not None:
        threading.Thread(
            target=lambda: (leave.wait(), loop.call_soon_threadsafe(stop.set)), daemon=True
        ).start()
    await stop.wait()
    await network.stop()


def main(arguments: list[str] | None = None) -> int:
    """0 after a signal, or when whoever borrowed them is gone; 2 with a reason for a bad specification."""
    parser = argparse.ArgumentParser(prog="python -m lab", description="Practice routers over SSH")
    parser.add_argument("spec", type=Path, nargs="?", help="JSON with the routers")
    parser.add_argument("--state", type=Path, help="directory for keys, ports and NVRAM")
    parser.add_argument(
        "--lent",
        type=int,
        metavar="SECONDS",
        help="read the JSON from the first line of stdin and leave when stdin ends, at the latest after so many seconds",
    )
    # legacy routers speak group 1 and 14 on purpose; the library warns about every such key exchange
    warnings.filterwarnings("ignore", message=r".*Diffie-Hellman over finite fields")
    options = parser.parse_args(arguments)
    if options.lent is not None:
        return lend(options.lent)
    if options.spec is None or options.state is None:
        parser.error("SPEC and --state are needed")
    try:
        specs = read_specs(json.loads(options.spec.read_text()))
        network = Network(specs, options.state)
    except (OSError, ValueError, LabError) as error:
        sys.stderr.write(f"{options.spec}: {error}\n")
        return 2
    asyncio.run(serve(network, lambda routers: routers))
    return 0


def lend(seconds: int) -> int:
    """Be routers for the process at the other end of stdin, and leave no file behind.

    READY carries ``routers`` (where each listens), ``unknown`` (of each, the lines of its running-config that were not taken:
    number, line, reply) and ``refused`` (why one cannot be had here; the others are). Questions may follow on stdin (`_answer`).
    They end when stdin does, which is when
    that process ends, however it does.
    """
    signal.alarm(seconds)  # whatever else hangs
    try:
        document = json.loads(sys.stdin.buffer.readline())
        routers = document["routers"]
    except (ValueError, KeyError, TypeError) as error:
        sys.stderr.write(f"stdin: not a specification: {error!r}\n")
        return 2
    leave = threading.Event()
    specs, refused = _possible(routers)
    threading.Thread(target=_answer, args=({spec.name: spec for spec in specs}, leave), daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="lent-") as directory:
        network = Network(specs, Path(directory))

        def ready(published: dict[str, Any]) -> dict[str, Any]:
            unknown = {
                name: [[each.number, each.line, each.reply] for each in device.unknown]
                for name, device in network.devices.items()
            }
            return {"routers": published, "unknown": unknown, "refused": refused}

        signal.signal(signal.SIGALRM, lambda *_: leave.set())
        asyncio.run(serve(network, ready, leave))
    return 0


def _answer(specs: Mapping[str, RouterSpec], leave: threading.Event) -> None:
    """Answer the questions that come on stdin, one JSON object per line, until it ends: ``{"router", "lines"}`` is answered with
    whether any practice router knows the last of these lines (`lab.knowing`).
    """
    for line in sys.stdin.buffer:
        try:
            asked = json.loads(line)
            answer: dict[str, object] = {"known": known(specs[asked["router"]], asked["lines"])}
        except (LabError, ValueError, KeyError, TypeError) as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    leave.set()


def _possible(routers: list[dict[str, Any]]) -> tuple[list[RouterSpec], dict[str, str]]:
    """The routers that can be had here, and why the others cannot, by name."""
    specs, refused = [], {}
    for each in routers:
        try:
            specs += read_specs({"routers": [each]})
        except LabError as error:
            refused[str(each.get("name"))] = str(error)
    return specs, refused


if __name__ == "__main__":
    sys.exit(main())
