"""The whole safe push of a baseline to practice routers behind a round trip of 30 ms, beside tools that only send the lines."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.benchmarks import push_peers
from tests.benchmarks.push_peers import Reached, Work
from tests.benchmarks.timing import Row
from tests.benchmarks.whole_baseline import KINDS, service, workers

ROUND_TRIP_SECONDS = 0.03
AT_ONCE = 16
"""Jobs that one of our processes does side by side at most."""
MEASURED_THRICE = 20
"""Up to so many routers the medians of three whole runs count; more are measured once."""

ANSIBLE_AT_MOST = 20
"""Routers: it takes two seconds of CPU for each."""

PEERS: Mapping[str, Callable[[Work], float]] = {
    "pipelined": push_peers.pipelined,
    "line by line": push_peers.line_by_line,
    "netmiko-20": lambda work: push_peers.netmiko(work, 20),
    "netmiko-50": lambda work: push_peers.netmiko(work, 50),
    "nornir-50": lambda work: push_peers.nornir(work, 50),
    "ansible-20": lambda work: push_peers.ansible(work, 20),
}
BESIDE = [name for name in os.environ.get("PEERS", ",".join(PEERS)).split(",") if name]
"""Which of them are measured in this run."""

DRIVER = os.environ.get("DRIVER", "auto")
"""What opens our sessions."""
WORK_SECONDS = float(os.environ.get("WORK_SECONDS", "0.03"))
"""Of the second measurement: how long a router works on each line, one after the other; 0 leaves it out."""

_MOVED = (
    f"from inventory.models import Router; Router.objects.update(driver={DRIVER!r}); "
    "[Router.objects.filter(name=name).update(management_port=port) for name, port in {ports}.items()]"
)
_AT_WORK = (
    "from provisioning.services import practice; folder = practice.default_state_dir(); "
    "[practice.call(state_dir=folder, op='fault', router=each.name, fault={{'kind': 'slow', 'seconds': {seconds}, "
    "'where': 'config'}}) for each in practice.listening(state_dir=folder)]"
)
_LASTED = (
    "from provisioning.models import Job; "
    "print(*[(job.finished_at - job.created_at).total_seconds() for job in Job.objects.filter(kind='push')])"
)


@dataclass(frozen=True)
class Measured:
    """Of one run: wall seconds of ours and of each peer; CPU seconds of our processes and of the practice routers; seconds from
    the job of a push to its end."""

    ours: float
    peers: Mapping[str, float]
    spent: float
    by_routers: float
    jobs: Sequence[float]


def run(routers: int) -> Iterator[Row]:
    """Wall seconds from the release of an approved baseline to the last router verified and saved, and CPU seconds of our
    processes; the peers send the same lines to the same routers, after the lines were taken off again. Then the same with routers
    that work on each line.
    """
    for work in dict.fromkeys((0.0, WORK_SECONDS)):
        for kind in KINDS if routers == 1 else ("12000",):
            yield from _rows(routers, work, kind)


def _rows(routers: int, work_seconds: float, kind: str) -> list[Row]:
    times = 3 if routers <= MEASURED_THRICE else 1
    found = [_measured(routers, work_seconds, kind) for _ in range(times)]
    working = f", {work_seconds * 1000:.0f} ms of work a line" if work_seconds else ""
    what = f"{routers} {kind}{'s' * (routers > 1)} at {ROUND_TRIP_SECONDS * 1000:.0f} ms{working}"
    names = [name for name in found[0].peers if all(name in each.peers for each in found)]
    peers = {name: statistics.median(each.peers[name] for each in found) for name in names}
    spent = statistics.median(each.spent for each in found)
    by_routers = statistics.median(each.by_routers for each in found)
    rows = [
        Row(f"safe push over {DRIVER} to {what}", "s", statistics.median(each.ours for each in found), peers),
        Row(f"CPU of ours for each of {what}", "ms", spent / routers * 1000),
        Row(f"CPU of each of {what}, ours alone", "ms", by_routers / routers * 1000),
    ]
    if routers == 1:
        lasted = statistics.median(seconds for each in found for seconds in each.jobs)
        rows.append(
            Row(f"from the job of a push to saved, {what}", "s", lasted, {"pipelined": peers["pipelined"]})
        )
    return rows


def _measured(routers: int, work_seconds: float, kind: str) -> Measured:
    with (
        tempfile.TemporaryDirectory(prefix="xp-bench-") as name,
        service(Path(name), routers, kind) as machine,
    ):
        # As the product waits, not as its tests do.
        machine.environment |= {"ROUTER_LATE_SECONDS": "1.4", "HEALTH_SETTLE_SECONDS": "10"}
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
                if work_seconds:
                    machine.manage("shell", "-c", _AT_WORK.format(seconds=work_seconds))
                practice = _practice(Path(name))
                spent, by_routers, began = _cpu(processes), _cpu(practice), time.perf_counter()
                said = json.loads(
                    machine.manage("push", change["reference"], "--as", "approver", "--wait", "--json")
                )
                ours, spent = time.perf_counter() - began, _cpu(processes) - spent
                by_routers = _cpu(practice) - by_routers
            states = {push["state"] for push in said["pushes"]}
            assert states == {"VERIFIED"}, [push["error"] for push in said["pushes"]]
            lasted = [float(each) for each in machine.manage("shell", "-v0", "-c", _LASTED).split()]
            return Measured(ours, _peers(said["pushes"], near, far), spent, by_routers, lasted)


def _practice(folder: Path) -> list[int]:
    """The process of the practice routers."""
    (found,) = folder.rglob("lab.pid")
    return [int(found.read_text())]


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
    for name in BESIDE:
        if name.startswith("ansible") and len(work) > ANSIBLE_AT_MOST:
            continue
        push_peers.line_by_line(away)
        try:
            found[name] = PEERS[name](work)
        except push_peers.PeerFailed as error:
            print(f"  {name} did not get its lines to {len(work)} routers: {error}", flush=True)
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
