"""The whole safe push of a baseline to practice routers behind a round trip of 30 ms, beside tools that only send the lines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.benchmarks import push_peers
from tests.benchmarks.push_peers import Reached, Work
from tests.benchmarks.timing import Row
from tests.benchmarks.whole_baseline import service, workers

ROUND_TRIP_SECONDS = 0.03
AT_ONCE = 16
"""Jobs that one of our processes does side by side at most."""

DRIVER = os.environ.get("DRIVER", "netmiko")
"""What opens our sessions."""

_MOVED = (
    f"from inventory.models import Router; Router.objects.update(driver={DRIVER!r}); "
    "[Router.objects.filter(name=name).update(management_port=port) for name, port in {ports}.items()]"
)


def run(routers: int) -> list[Row]:
    """Wall seconds from the release of an approved baseline to the last router verified and saved, and CPU seconds of our
    processes; the peers send the same lines to the same routers, after the lines were taken off again.
    """
    with tempfile.TemporaryDirectory(prefix="xp-bench-") as name, service(Path(name), routers) as machine:
        machine.environment["PUSH_ENABLED"] = "true"
        machine.manage("person", "approver", "--role", "noc")
        near = _reached(Path(name))
        with _behind_round_trip(near) as far:
            ports = {router: each.port for router, each in far.items()}
            machine.manage("shell", "-c", _MOVED.format(ports=ports))
            with workers(machine, "--workers", str(min(AT_ONCE, routers))) as processes:
                change = json.loads(
                    machine.manage("plan", "--as", "planner", "--reason", "measured", "--json")
                )
                words = ("approve", change["reference"], "--as", "approver", "--reason", "measured")
                machine.manage(*words, "--confirm-gaps")
                spent, began = _cpu(processes), time.perf_counter()
                said = json.loads(machine.manage("push", change["reference"], "--as", "approver", "--json"))
                ours, spent = time.perf_counter() - began, _cpu(processes) - spent
            states = {push["state"] for push in said["pushes"]}
            assert states == {"VERIFIED"}, [push["error"] for push in said["pushes"]]
            peers = _peers(said["pushes"], near, far)
    what = f"{routers} practice router{'s' * (routers > 1)} at {ROUND_TRIP_SECONDS * 1000:.0f} ms"
    return [
        Row(f"safe push over {DRIVER} to {what}", "s", ours, peers),
        Row(f"CPU of ours for each of {what}", "ms", spent / routers * 1000),
    ]


def _reached(folder: Path) -> dict[str, Reached]:
    """The practice routers as they listen."""
    (spec,) = folder.rglob("spec.json")
    published = json.loads((spec.parent / "routers.json").read_text())
    return {
        each["name"]: Reached(
            published[each["name"]]["host"],
            published[each["name"]]["port"],
            each["username"],
            each["password"],
            each["enable"],
        )
        for each in json.loads(spec.read_text())["routers"]
    }


@contextmanager
def _behind_round_trip(near: dict[str, Reached]) -> Iterator[dict[str, Reached]]:
    words = [f"{each.host}:{each.port}" for each in near.values()]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.delaying", str(ROUND_TRIP_SECONDS), *words],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        ports = json.loads(process.stdout.readline())
        yield {name: replace(each, port=port) for (name, each), port in zip(near.items(), ports, strict=True)}
    finally:
        process.kill()
        process.wait(10)


def _peers(
    pushes: Iterable[dict[str, Sequence[str]]], near: dict[str, Reached], far: dict[str, Reached]
) -> dict[str, float]:
    """Seconds of each; before each the lines are taken off, which is not timed."""
    sent: dict[str, list[str]] = {}
    off: dict[str, list[str]] = {}
    for push in pushes:
        router = str(push["router"])
        sent[router] = [*sent.get(router, ()), *push["commands"]]
        off[router] = [*push["rollback"], *off.get(router, ())]
    work: Work = {name: (far[name], lines) for name, lines in sent.items()}
    away: Work = {name: (near[name], lines) for name, lines in off.items()}
    found = {}
    for name, send in {
        "pipelined": push_peers.pipelined,
        "line by line": push_peers.line_by_line,
        "netmiko-20": lambda work: push_peers.netmiko(work, 20),
        "netmiko-50": lambda work: push_peers.netmiko(work, 50),
    }.items():
        push_peers.line_by_line(away)
        found[name] = send(work)
    return found


def _cpu(processes: Sequence[int]) -> float:
    """CPU seconds that these processes have spent, their ended children included."""
    ticks = 0
    for number in processes:
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(int(each) for each in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    for row in run(int(sys.argv[1]) if len(sys.argv) > 1 else 1):
        print(f"{row.name}: {row.ours:.2f} {row.unit} {row.peers}")
