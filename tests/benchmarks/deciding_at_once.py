"""Decisions per second by clients at once, each a process of its own: over the same links, or each over others."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import timedelta
from typing import Any

from tests.benchmarks.timing import Row

CLIENTS = (1, 8)
EACH = 40
"""Decisions that one client takes."""
APART = 200
"""Routers of the ring between where two clients ask, so that no link is of both."""
HOPS = 11


def measured(book: int) -> list[Row]:
    """Admissions per second of requests that were asked for before, on the database that the environment names."""
    from inventory.models import Nren, Prefix
    from provisioning.models import SYSTEM, Role
    from provisioning.services import people

    people.put_person(actor=SYSTEM, username="asks-for-others", roles=[Role.NOC])
    for client in range(max(CLIENTS)):
        for number in (client * APART, client * APART + HOPS):
            nren = Nren.objects.get(name=f"N{number}")
            if not nren.prefixes.exists():
                Prefix.objects.create(nren=nren, network=f"2001:db8:{number + 1:x}::/48")
    rows = []
    for links in ("the same links", "links of their own"):
        for clients in CLIENTS:
            if clients == 1 and links != "the same links":
                continue  # one alone meets nobody
            spent = _run(clients, apart=links != "the same links")
            what = "1 client" if clients == 1 else f"{clients} clients, {links}"
            rows.append(Row(f"decisions per second, {what}, book of {book:,}", "1/s", clients * EACH / spent))
    return rows


def _run(clients: int, *, apart: bool) -> float:
    """Seconds from when all may begin until the last has done."""
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.deciding_at_once", str(number * APART if apart else 0)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        )
        for number in range(clients)
    ]
    for each in started:
        assert each.stdout is not None and each.stdout.readline() == "ready\n"
    began = time.perf_counter()
    for each in started:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    for each in started:
        assert each.stdout is not None and each.stdout.readline() == "done\n"
    spent = time.perf_counter() - began
    for each in started:
        assert each.wait(timeout=60) == 0
    return spent


def client(first: int) -> None:
    """Ask for so many windows of a day from one router, say so, wait for the word, and admit them one after another."""
    from provisioning.models import Via
    from provisioning.pipeline.admission import Admitted
    from provisioning.services import clock, decisions, people, requests
    from provisioning.services.retrying import whole

    asking, deciding = (people.actor_named(name, via=Via.CLI) for name in ("asks-for-others", "nora"))
    begin = clock.now() + timedelta(days=100)
    rows = [
        requests.submit(actor=asking, data=_asked(first, begin + timedelta(days=number)))[0]
        for number in range(EACH)
    ]
    decisions.evidence(request=rows[0])  # network and paths are in memory, as in a process that has been up
    print("ready", flush=True)
    sys.stdin.readline()
    for row in rows:
        verdict: Any = whole(lambda row=row: decisions.admit(actor=deciding, request=row, reason="fits"))  # type: ignore[misc]
        assert isinstance(verdict, Admitted)
    print("done", flush=True)


def _asked(first: int, start: Any) -> Any:
    from dataclasses import replace

    from inventory.models import Nren
    from tests.services.requests.sixnet import ASKED

    goal = first + HOPS
    prefix = {
        number: str(Nren.objects.get(name=f"N{number}").prefixes.all()[0].network) for number in (first, goal)
    }
    return replace(
        ASKED,
        source_link=f"N{first}@r{first}:POS1/0",
        destination_link=f"N{goal}@r{goal}:POS1/0",
        rate=1000,
        source_prefixes=(prefix[first],),
        destination_prefixes=(prefix[goal],),
        start=start,
        end=start + timedelta(days=1),
    )


if __name__ == "__main__":
    import django

    django.setup()
    client(int(sys.argv[1]))
