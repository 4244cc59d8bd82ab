"""Every page of the crawl over years of data: 100,000 requests, 5,000 links, 1,500 pushes with plans, 200,000 events."""

from __future__ import annotations

import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.benchmarks.timing import Row
from tests.run import install_missing, postgresql

TARGET_S = 0.3
ROUNDS = 5
SIZES = {
    "routers": 200,
    "links": 5000,
    "nrens": 60,
    "requests": 100_000,
    "pushes": 1500,
    "events": 200_000,
    "wide": 200,
}


def run() -> list[Row]:
    """Rows of median wall and CPU seconds per page; every page with its queries and bytes goes to var/bench too."""
    install_missing()
    with tempfile.TemporaryDirectory(prefix="expedite-bench-") as name, postgresql(Path(name)) as url:
        environment = {
            **os.environ,
            "DATABASE_URL": url,
            "STATE_DIR": str(Path(name) / "state"),
            "DJANGO_SETTINGS_MODULE": "tests.settings",
        }
        answer = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.console"],
            env=environment,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
    found = json.loads(answer.stdout.splitlines()[-1])
    for page in found["pages"]:
        over = "" if page["wall_s"] <= TARGET_S else "  over the target"
        print(
            f"  {page['name']:<36} {page['wall_s'] * 1000:7.0f} ms wall {page['cpu_s'] * 1000:7.0f} ms CPU "
            f"{page['queries']:4} queries {page['bytes']:9,} bytes{over}"
        )
    print(f"  peak memory of the process {found['peak_mb']:.0f} MB; {found['rows']}")
    rows = [Row(f"{page['name']}, wall", "s", page["wall_s"]) for page in found["pages"]]
    rows += [Row(f"{page['name']}, CPU", "s", page["cpu_s"]) for page in found["pages"]]
    return [*rows, Row("peak memory", "MB", found["peak_mb"])]


def database_seconds() -> float:
    """CPU seconds that the private PostgreSQL has used so far, all of its processes, those that ended included."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        postmaster = int(stat_of(cursor.fetchone()[0])[1])
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
    own, reaped = stat_of(postmaster)[11:13], stat_of(postmaster)[13:15]
    ticks = sum(map(int, [*own, *reaped]))
    for child in children:
        with suppress(OSError):  # it ended meanwhile: the next reading has it among the reaped
            ticks += sum(map(int, stat_of(child)[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def stat_of(pid: int | str) -> list[str]:
    """The fields of /proc/PID/stat after the program's name: state, parent, ..., the times from the twelfth on (proc(5))."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def measured(client: Any, name: str, address: str) -> dict[str, Any]:
    """Medians of one page in seconds (the CPU is this process's, PostgreSQL's work is in the wall), queries and bytes."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    wall, cpu, database = [], [], []
    with CaptureQueriesContext(connection) as captured:
        answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    asked = list(captured)  # now: the next request empties the log of queries
    for _round in range(ROUNDS):
        gc.collect()
        served = database_seconds()
        began, worked = time.perf_counter(), time.process_time()
        answer = client.get(address)
        wall.append(time.perf_counter() - began)
        cpu.append(time.process_time() - worked)
        database.append(database_seconds() - served)
    return {
        "name": name,
        "wall_s": statistics.median(wall),
        "cpu_s": statistics.median(cpu),
        "database_cpu_s": statistics.mean(database),  # the kernel counts it in hundredths of a second
        "queries": len(asked),
        "slowest": max(
            ({"s": float(q["time"]), "sql": q["sql"][:300]} for q in asked),
            key=lambda q: q["s"],
            default=None,
        ),
        "bytes": len(answer.content),
    }


def main() -> None:
    """The process that is measured: fill the database, then read every page."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.test.utils import setup_test_environment

    from tests.web import large, large_pages

    setup_test_environment()
    call_command("migrate", verbosity=0)
    large.build(large.Sizes(**SIZES))
    readers = large_pages.Readers()
    pages = [measured(readers.of(name), name, address) for name, address in large_pages.addresses().items()]
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"pages": pages, "peak_mb": peak_mb, "rows": SIZES}))


if __name__ == "__main__":
    main()
