"""Every page of the crawl over years of data: 1,000 routers, 100,000 requests, 5,000 links, 1,500 pushes, 200,000 events."""

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

from tests.benchmarks import nautobot
from tests.benchmarks.fresh_process import measured_by
from tests.benchmarks.timing import Row
from tests.run import install_missing, postgresql, redis

TARGET_S = 0.3
ROUNDS = 5
SIZES = {
    "routers": 1000,
    "links": 5000,
    "nrens": 60,
    "requests": 100_000,
    "pushes": 1500,
    "events": 200_000,
    "wide": 200,
}


def run() -> list[Row]:
    """Rows of median wall and CPU seconds per page, and of a list of 100 rows beside Nautobot's; the pages are printed."""
    install_missing()
    with tempfile.TemporaryDirectory(prefix="expedite-bench-") as name, postgresql(Path(name)) as url:
        found = measured_by("tests.benchmarks.console", directory=Path(name), url=url)
        show(found)
        with redis(Path(name)) as redis_url:
            peers = beside(Path(name), url, redis_url)
    rows = [Row(f"{page['name']}, wall", "s", page["wall_s"]) for page in found["pages"]]
    rows += [Row(f"{page['name']}, CPU", "s", page["cpu_s"]) for page in found["pages"]]
    for clock, seconds in (("wall", "wall_s"), ("CPU", "cpu_s")):
        theirs = {what: medians[seconds] for what, medians in peers.items()}
        rows.append(Row(f"list of {nautobot.PER_PAGE} links, {clock}", "s", found["list"][seconds], theirs))
    return [*rows, Row("peak memory", "MB", found["peak_mb"])]


def show(found: dict[str, Any]) -> None:
    """Print every page. What else the machine does is in the wall alone: over the target is what has more CPU than that, too."""
    for page in [*found["pages"], found["list"]]:
        spent = page["cpu_s"] + page["database_cpu_s"]
        over = "  over the target" if min(page["wall_s"], spent) > TARGET_S else ""
        print(
            f"  {page['name']:<36} {page['wall_s'] * 1000:7.0f} ms wall {page['cpu_s'] * 1000:6.0f} ms CPU "
            f"{page['database_cpu_s'] * 1000:6.0f} ms CPU of PostgreSQL {page['queries']:4} queries "
            f"{page['bytes']:9,} bytes{over}"
        )
    print(
        f"  peak memory of the process while it read the pages {found['peak_mb']:.0f} MB "
        f"(load of the machine {os.getloadavg()[0]:.1f}); {found['rows']}"
    )


def beside(directory: Path, database_url: str, redis_url: str) -> dict[str, dict[str, float]]:
    """Nautobot's list by what was read of it; nothing, and the end of its log printed, where it cannot be had."""
    try:
        found = nautobot.measure(directory, database_url, redis_url)
    except nautobot.Unavailable as reason:
        print(f"  {nautobot.NAME} cannot be measured here; its log ends:\n{reason}")
        return {}
    return {f"{nautobot.NAME} {what}": medians for what, medians in found.items()}


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


def measured(client: Any, name: str, address: str, said: dict[str, Any] | None = None) -> dict[str, Any]:
    """Medians of one page (``said``: of what is shown when that is sent) in seconds (the CPU is this process's, PostgreSQL's
    work is in the wall), queries and bytes.
    """
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    def answer_of() -> Any:
        return client.get(address) if said is None else client.post(address, said)

    wall, cpu, database = [], [], []
    with CaptureQueriesContext(connection) as captured:
        answer = answer_of()
    assert answer.status_code == 200, (address, answer.status_code)
    asked = list(captured)  # now: the next request empties the log of queries
    for _round in range(ROUNDS):
        gc.collect()
        served = database_seconds()
        began, worked = time.perf_counter(), time.process_time()
        answer = answer_of()
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
    """Fill the database in one process and read every page in another: what filling takes is no memory of the pages."""
    if "--fill" not in sys.argv:
        subprocess.run([sys.executable, "-m", "tests.benchmarks.console", "--fill"], check=True)
    import django

    django.setup()
    from django.core.management import call_command
    from django.test.utils import setup_test_environment

    from provisioning.web import listing
    from tests.benchmarks import previews
    from tests.web import large, large_pages

    setup_test_environment()
    if "--fill" in sys.argv:
        call_command("migrate", verbosity=0)
        large.build(large.Sizes(**SIZES))
        return
    readers = large_pages.Readers()
    pages = [measured(readers.of(name), name, address) for name, address in large_pages.addresses().items()]
    for name, (address, said) in previews.previews().items():
        pages.append(measured(readers.noc, name, address, previews.sent(readers.noc, address, said)))
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    listing.PER_PAGE = nautobot.PER_PAGE
    links = measured(readers.of("links"), f"list of {nautobot.PER_PAGE} links", "/links/")
    print(json.dumps({"pages": pages, "list": links, "peak_mb": peak_mb, "rows": SIZES}))


if __name__ == "__main__":
    main()
