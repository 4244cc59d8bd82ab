"""Runs under Nautobot's own Python: fills it with circuits and times the list of them; the last line printed is JSON.

It is read the way ours is: Django's test client, garbage collected first, the median of five rounds.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable

import nautobot  # type: ignore[import-not-found]

ROUNDS = 5
NRENS = 60


def fill(rows: int) -> None:
    """Circuits of 60 providers: what stands for a link of an NREN there."""
    from nautobot.circuits.models import Circuit, CircuitType, Provider  # type: ignore[import-not-found]
    from nautobot.extras.models import Status  # type: ignore[import-not-found]

    active = Status.objects.get(name="Active")
    kind = CircuitType.objects.create(name="Access")
    providers = [Provider.objects.create(name=f"NREN-{number:04}") for number in range(NRENS)]
    Circuit.objects.bulk_create(
        Circuit(
            cid=f"circuit-{number:05}",
            provider=providers[number % NRENS],
            circuit_type=kind,
            status=active,
            commit_rate=155_000,
        )
        for number in range(rows)
    )


def medians(read: Callable[[], bytes], per_page: int) -> dict[str, float]:
    """Wall and CPU seconds; the answer is looked at, so that nothing is timed that shows no rows."""
    wall, cpu = [], []
    shown = read()
    assert shown.count(b"circuit-") >= per_page, f"{shown.count(b'circuit-')} mentions of rows"
    for _round in range(ROUNDS):
        gc.collect()
        began, worked = time.perf_counter(), time.process_time()
        read()
        wall.append(time.perf_counter() - began)
        cpu.append(time.process_time() - worked)
    return {"wall_s": statistics.median(wall), "cpu_s": statistics.median(cpu)}


def main(rows: int, per_page: int) -> None:
    nautobot.setup()
    from django.contrib.auth import get_user_model
    from django.test import Client

    fill(rows)
    client = Client()
    client.force_login(
        get_user_model().objects.create_superuser("reader", "reader@example.org", "a-long-practice-password")
    )
    address = f"/circuits/circuits/?per_page={per_page}"

    def rows_alone() -> bytes:
        return client.get(address, headers={"hx-request": "true"}).content

    def page() -> bytes:
        return client.get(address).content + rows_alone()

    print(json.dumps({"page": medians(page, per_page), "rows alone": medians(rows_alone, per_page)}))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
