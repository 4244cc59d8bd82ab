"""`make soak ONLY=...`: load and faults for minutes, against a PostgreSQL and a Redis of this run; the exit code says it all.

A name is a line of `SOAKS`: the files that pytest runs with DEEP=1, on PostgreSQL, with no bound of time of their own.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import tempfile
from pathlib import Path

from tests import run as servers

SOAKS = {
    "redis": ["tests/jobs/test_redis_outages.py", "-s"],
}
PROGRAMS = {
    "service": "tests.soak.service",
    "ledger": "tests.soak.ledger",
    "api": "tests.soak.api",
    "kills": "tests.soak.kills",
}
"""Those that are programs by themselves."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    names = [*SOAKS, *PROGRAMS]
    parser.add_argument(
        "--only", default="service", help=f"of {', '.join(names)}, separated by commas; service unless said"
    )
    options, rest = parser.parse_known_args()
    chosen = options.only.split(",")
    if unknown := [name for name in chosen if name not in names]:
        parser.error(f"there is no {unknown[0]!r}; there are {', '.join(names)}")
    servers.install_missing()
    worst = 0
    for name in chosen:
        print(f"== {name}", flush=True)
        if name in PROGRAMS:
            # A process of its own: it sets Django up for servers of its own.
            command = [sys.executable, "-m", PROGRAMS[name], *rest]
            worst = max(worst, subprocess.run(command, cwd=servers.ROOT, check=False).returncode)
            continue
        with tempfile.TemporaryDirectory(prefix="expedite-soak-") as folder, contextlib.ExitStack() as stack:
            directory = Path(folder)
            environment = {
                "DEEP": "1",
                "STATE_DIR": str(directory / "state"),
                "DATABASE_URL": stack.enter_context(servers.postgresql(directory)),
                "REDIS_URL": stack.enter_context(servers.redis(directory)),
            }
            worst = max(worst, servers.pytest(SOAKS[name], environment))
    return worst


if __name__ == "__main__":
    raise SystemExit(main())
