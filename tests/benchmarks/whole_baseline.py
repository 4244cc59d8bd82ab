"""The baseline of a whole domain of practice routers, planned through the doors of a machine: `plan` and two `runjobs`."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.benchmarks.timing import Row

ROUTERS = 200
WORKERS = 2
LONGEST_SECONDS = 1800
MANAGE = Path(__file__).resolve().parents[2] / "manage.py"

KINDS = {
    "12000": 'platform: cisco-12400, ios: "12.0(28)S", engines: {1: 3, 2: 3}',
    "7200": 'platform: cisco-7200vxr, ios: "12.4(24)T"',
}
"""What a router can be: of the first, line cards may refuse a binding after its prompt; of the second, nothing does."""

_HEAD = """domain:
  name: BENCH
  asn: 64512
  prefix: 2001:db8::/32
  scheme: 6net
  classes:
    - {name: IP Premium, abbreviation: IPP, phb: EF, dscp: 46}
    - {name: Best Effort, abbreviation: BE, phb: default, dscp: 0}
    - {name: Less than Best Effort, abbreviation: LBE, phb: LBE, dscp: 8}
  caps: {ipp_percent_of_access_link: 5, lbe_percent_of_access_link: 1, ef_percent_of_core_link: 20}
  policer: cap
"""


def run(routers: int = ROUTERS) -> list[Row]:
    """Wall seconds from `plan` to a plan of every router, and the CPU seconds of all processes but the routers'."""
    with tempfile.TemporaryDirectory(prefix="xp-bench-") as name, service(Path(name), routers) as machine:
        before = time.perf_counter()
        with workers(machine):
            text = machine.manage("plan", "--as", "planner", "--reason", "measured", "--json")
            wall = time.perf_counter() - before
        change = json.loads(text)
        planned = {push["router"] for push in change["pushes"]}
        assert len(planned) == routers, f"{len(planned)} of {routers} routers were planned"
        what = f"baseline of {routers} practice routers, {WORKERS} workers"
        return [Row(f"{what}, wall", "s", wall), Row(f"{what}, CPU", "s", machine.spent())]


class Machine:
    """One installation in a directory of its own; every call is a process."""

    def __init__(self, folder: Path) -> None:
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "STATE_DIR": str(folder),
            "DATABASE_URL": os.environ.get("DATABASE_URL", f"sqlite:///{folder / 'bench.sqlite3'}"),
        }
        self._begun = 0.0

    def manage(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, str(MANAGE), *words],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
        )
        # 1: planned, with something that is in the way of an approval; the caller looks at what was planned.
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    def begin(self) -> None:
        self._begun = _children()

    def spent(self) -> float:
        """CPU seconds of the processes that ended since `begin`."""
        return _children() - self._begun


@contextmanager
def service(folder: Path, routers: int, kind: str = "12000") -> Iterator[Machine]:
    machine = Machine(folder)
    file = folder / "network.yaml"
    file.write_text(_network(routers, kind))
    machine.manage("migrate", "--verbosity", "0")
    machine.manage("import_inventory", str(file))
    machine.manage("person", "planner", "--role", "noc")
    machine.manage("lab", "start", "--background")
    machine.begin()
    try:
        yield machine
    finally:
        machine.manage("lab", "stop")


@contextmanager
def workers(machine: Machine, *words: str) -> Iterator[list[int]]:
    """Processes that do jobs meanwhile; their numbers."""
    command = [sys.executable, str(MANAGE), "runjobs", *(words or ("--workers", "1"))]
    started = [
        subprocess.Popen(command, env=machine.environment, stdout=subprocess.DEVNULL) for _ in range(WORKERS)
    ]
    try:
        yield [process.pid for process in started]
    finally:
        for process in started:
            process.terminate()
        for process in started:
            with suppress(subprocess.TimeoutExpired):
                process.wait(60)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _network(routers: int, kind: str) -> str:
    """A ring of one kind: every router with two core links and a trusted access link; fewer than three are no ring."""
    names = [f"r{number}" for number in range(routers)]
    lines = [_HEAD.rstrip(), "routers:"]
    lines += [
        f"  - {{name: {name}, pop: Anywhere, country: eu, {KINDS[kind]}, "
        "roles: [core, access], provenance: representative}"
        for name in names
    ]
    lines.append("core_links:" if routers > 2 else "core_links: []")
    lines += [
        f"  - {{a: [{name}, POS2/0], z: [{names[(number + 1) % routers]}, POS2/1], capacity_bps: 155520000, "
        "provenance: representative}"
        for number, name in enumerate(names if routers > 2 else ())
    ]
    lines.append("nrens:")
    lines += [
        f'  - {{name: N{number}, country: eu, prefixes: ["2001:db8:{number + 1:x}::/48"], provenance: representative}}'
        for number in range(routers)
    ]
    lines.append("access_links:")
    lines += [
        f"  - {{nren: N{number}, router: {name}, interface: POS1/0, capacity_bps: 155520000, case: trusted, "
        "standing: true, provenance: representative}"
        for number, name in enumerate(names)
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for row in run(int(sys.argv[1]) if len(sys.argv) > 1 else ROUTERS):
        print(f"{row.name}: {row.ours:.1f} {row.unit}")
