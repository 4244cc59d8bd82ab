"""The counters of a whole domain of practice routers, read again and again by two `runjobs`: time, CPU, memory, storage."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.push_domain import _cpu, _practice
from tests.benchmarks.timing import Row
from tests.benchmarks.whole_baseline import Machine, service, workers

ROUTERS = int(os.environ.get("ROUTERS", "1000"))
LONGEST_SECONDS = 900

_READY = """
from django.utils import timezone
from inventory.models import Router
from provisioning.models import CounterLook, RouterSync
from provisioning.services import practice
from provisioning.services.practice import control
from provisioning.services.practice.starting import default_state_dir
lines = [
    "class-map match-all EF", "match dscp 46", "class-map match-all LBE", "match dscp 8",
    "policy-map TRUSTED-IN", "class EF", "police cir percent 5 conform-action transmit exceed-action drop",
    "class LBE", "police cir percent 1 conform-action transmit exceed-action transmit",
    "class class-default", "set dscp 0",
    "policy-map my_policy", "class EF", "priority percent 20", "class class-default", "random-detect dscp-based",
    "interface POS1/0", "service-policy input TRUSTED-IN",
    "interface POS2/0", "service-policy output my_policy", "interface POS2/1", "service-policy output my_policy",
]
now = timezone.now()
for router in Router.objects.all():
    control.call(state_dir=default_state_dir(), op="configure", router=router.name, lines=lines)
    RouterSync.objects.create(router=router, state="in-sync", checked_at=now)
    CounterLook.objects.create(router=router, due_at=now)
"""
_AGAIN = """
from django.db.models.functions import Now
from provisioning.models import CounterLook
CounterLook.objects.update(due_at=Now())
"""
_LEFT = """
from django.db.models.functions import Now
from provisioning.models import CounterLook
print(CounterLook.objects.filter(due_at__lte=Now()).count(), CounterLook.objects.exclude(error="").count())
"""
_ROWS = """
from provisioning.models import UsagePeriod
for span in ("poll", "hour", "day"):
    print(UsagePeriod.objects.filter(span=span).count())
"""


def run(routers: int = ROUTERS) -> list[Row]:
    """Every router is read once, which is the first look; what is measured is the second round."""
    with tempfile.TemporaryDirectory(prefix="xp-b-") as name, service(Path(name), routers, "7200") as machine:
        machine.environment |= {"USAGE_SECONDS": "3600", "VERIFY_SECONDS": "0"}
        machine.manage("shell", "-v0", "-c", _READY)
        with workers(machine, "--workers", "16") as processes:
            _round(machine)
            theirs = _practice(Path(name))
            ours_before, theirs_before, began = _cpu(processes), _cpu(theirs), time.perf_counter()
            machine.manage("shell", "-v0", "-c", _AGAIN)
            _round(machine)
            wall = time.perf_counter() - began
            ours, lab = _cpu(processes) - ours_before, _cpu(theirs) - theirs_before
            memory = max(_resident(process) for process in processes)
        rows = [int(each) for each in machine.manage("shell", "-v0", "-c", _ROWS).split()]
    what = f"{routers} routers counted by two processes"
    interfaces = 3 * routers
    kept = (rows[0] * 288 * 7 + rows[1] * 24 * 30 + rows[2] * 30) / interfaces
    return [
        Row(f"{what}: all of them, wall", "s", wall),
        Row(f"{what}: CPU of ours, each", "ms", ours / routers * 1000),
        Row(f"{what}: CPU of the practice routers, each", "ms", lab / routers * 1000),
        Row(f"{what}: memory of a process", "MB", memory / 1e6),
        Row("rows kept of a month, each interface (polls a week)", "rows", kept),
    ]


def _round(machine: Machine) -> None:
    end = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < end:
        left, failed = map(int, machine.manage("shell", "-v0", "-c", _LEFT).split())
        assert not failed, f"{failed} routers could not be counted"
        if not left:
            return
        time.sleep(2)
    raise AssertionError(f"{left} routers were not counted in {LONGEST_SECONDS} s")


def _resident(process: int) -> int:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    chosen: Sequence[str] = sys.argv[1:]
    for row in run(int(chosen[0]) if chosen else ROUTERS):
        print(f"{row.name}: {row.ours:.4g} {row.unit}")
