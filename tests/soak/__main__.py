"""`make soak ONLY=...`: load and faults for minutes, against a PostgreSQL and a Redis of this run; the exit code says it all.

A name is a line of `SOAKS`: the files that pytest runs with DEEP=1, on PostgreSQL, with no bound of time of their own.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from pathlib import Path

from tests import run as servers

SOAKS = {
    "redis": ["tests/jobs/test_redis_outages.py", "-s"],
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--only", default=",".join(SOAKS), help=f"of {', '.join(SOAKS)}, separated by commas")
    chosen = parser.parse_args().only.split(",")
    if unknown := [name for name in chosen if name not in SOAKS]:
        parser.error(f"there is no {unknown[0]!r}; there are {', '.join(SOAKS)}")
    servers.install_missing()
    worst = 0
    for name in chosen:
        print(f"== {name}", flush=True)
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
