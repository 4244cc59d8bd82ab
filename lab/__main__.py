"""``python -m lab SPEC.json --state DIR``: practice routers over SSH until SIGTERM."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import warnings
from pathlib import Path

from lab.errors import LabError
from lab.network import Network
from lab.spec import read_specs


async def serve(network: Network) -> None:
    """Run until SIGTERM or SIGINT; prints one line ``READY {json}`` when all listen."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    routers = await network.start()
    sys.stdout.write("READY " + json.dumps(routers) + "\n")
    sys.stdout.flush()
    await stop.wait()
    await network.stop()


def main(arguments: list[str] | None = None) -> int:
    """0 after a signal; 2 with a reason for a bad specification."""
    parser = argparse.ArgumentParser(prog="python -m lab", description="Practice routers over SSH")
    parser.add_argument("spec", type=Path, help="JSON with the routers")
    parser.add_argument("--state", type=Path, required=True, help="directory for keys, ports and NVRAM")
    # legacy routers speak group 1 and 14 on purpose; the library warns about every such key exchange
    warnings.filterwarnings("ignore", message=r".*Diffie-Hellman over finite fields")
    options = parser.parse_args(arguments)
    try:
        specs = read_specs(json.loads(options.spec.read_text()))
        network = Network(specs, options.state)
    except (OSError, ValueError, LabError) as error:
        sys.stderr.write(f"{options.spec}: {error}\n")
        return 2
    asyncio.run(serve(network))
    return 0


if __name__ == "__main__":
    sys.exit(main())
