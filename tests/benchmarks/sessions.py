"""A session that is opened, reads a running-config and is closed: what asyncssh and Netmiko cost, one router and many."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from provisioning.drivers import Target, connect
from tests.benchmarks.timing import Row
from tests.drivers.practice import Practice, practice_routers

SIZES = [int(each) for each in os.environ.get("ROUTERS", "1,4,8,20,50").split(",")]
ROUNDS = 3


def _speak(target: Target) -> None:
    with connect(target, timeout=60) as session:
        assert session.running_config()


def _cost(network: Practice, driver: str, size: int) -> tuple[float, float]:
    """Milliseconds of CPU per session and of time altogether, medians. The practice routers are a process of their own."""
    targets = [network.target(name, driver) for name in list(network.routers)[:size]]
    spent = []
    with ThreadPoolExecutor(size) as pool:
        for _round in range(ROUNDS + 1):
            cpu, began = time.process_time(), time.perf_counter()
            list(pool.map(_speak, targets))
            spent.append((time.process_time() - cpu, time.perf_counter() - began))
    cpus, times = zip(*spent[1:], strict=True)  # the first round loads the libraries
    return statistics.median(cpus) / size * 1000, statistics.median(times) * 1000


def run() -> list[Row]:
    rows = []
    for profile in ("legacy", "modern"):
        routers = {
            f"bench{n}": {"platform": "cisco-7200vxr", "ios": "12.4(24)T", "ssh_profile": profile}
            for n in range(max(SIZES))
        }
        with tempfile.TemporaryDirectory() as name, practice_routers(Path(name), routers) as network:
            for size in SIZES:
                cpu, whole = _cost(network, "asyncssh", size)
                other_cpu, other_whole = _cost(network, "netmiko", size)
                rows += [
                    Row(f"{size} routers, {profile}: CPU of a session", "ms", cpu, {"netmiko": other_cpu}),
                    Row(
                        f"{size} routers, {profile}: until all are done",
                        "ms",
                        whole,
                        {"netmiko": other_whole},
                    ),
                ]
    return rows
