"""Workers killed in the middle of pushes: `make soak ONLY=kills`.

On PostgreSQL, Redis and Celery, and on SQLite with `runjobs`: requests begin and end on every router, edits are
repaired, lines are refused so that pushes are taken back, and a process that pushes is killed (-9) at moments of which most
are chosen. A successor has to take over in time; every end is held against the router itself (`kills_oracle`).
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.soak.kills_lane import Lane
from tests.soak.kills_moments import NAMES
from tests.soak.kills_oracle import Witness
from tests.soak.kills_stack import STACKS, Workers, servers
from tests.soak.kills_watch import OVER, Kill
from tests.soak.service_processes import Supervisor

OUT = Path(__file__).resolve().parents[2] / "var" / "soak"
CASES = (("filtered", True), ("filtered", False))
PEOPLE = ("nora", "niels", "nadia")
TAKEOVER_SECONDS = 15.0


class Soak:
    """One stack."""

    def __init__(self, options: argparse.Namespace, folder: Path, say: Callable[[str], None]) -> None:
        from tests.soak.service_network import make

        self.options, self.folder, self.say = options, folder, say
        self.made = make(
            routers=options.routers,
            nrens=2 * options.routers,
            seed=options.seed,
            cases=_cases(options.routers),
        )
        self.workers = Workers(options.stack, Supervisor(folder))
        self.lanes: list[Lane] = []
        self.faults: list[str] = []
        self.over = threading.Event()

    def run(self) -> None:
        from provisioning.models import SYSTEM
        from provisioning.services import practice

        self._prepare()
        network = practice.start(actor=SYSTEM, state_dir=self.folder / "state" / "lab")
        try:
            self.workers.start(self.folder)
            self._baseline()
            self._lanes(network.state_dir)
            self._end()
        finally:
            self.over.set()
            self.workers.supervisor.end()
            network.stop()

    def _prepare(self) -> None:
        from django.core.management import call_command

        from inventory.models import Nren
        from inventory.readers.network_yaml import read_network
        from provisioning.models import SYSTEM, Role
        from provisioning.services import people
        from provisioning.services.inventory import import_network

        call_command("migrate", verbosity=0)
        file = self.folder / "network.yaml"
        file.write_text(self.made.text)
        import_network(actor=SYSTEM, network=read_network(file))
        for name in PEOPLE:
            people.put_person(actor=SYSTEM, username=name, roles=[Role.NOC])
        for nren in Nren.objects.all():
            people.put_person(actor=SYSTEM, username=nren.name.lower(), nrens=[nren])

    def _people(self) -> tuple[Any, Any, Any]:
        from provisioning.models import Via
        from provisioning.services import people

        nora, niels, nadia = (people.actor_named(name, via=Via.WEB) for name in PEOPLE)
        return nora, niels, nadia

    def _baseline(self) -> None:
        from provisioning.models import Change
        from provisioning.selectors.changes import state_of
        from provisioning.services import changes, planning

        nora, niels, _nadia = self._people()
        change = planning.plan_domain(actor=nora, reason="the baseline")
        changes.approve(actor=niels, change=change, confirm_gaps=True, override="a soak", reason="as agreed")
        changes.release(actor=niels, change=change)
        begun = time.monotonic()
        while Change.objects.get(pk=change.pk).finished_at is None:
            if time.monotonic() - begun > 300:
                raise SystemExit(f"the baseline is not on; logs in {self.folder}")
            time.sleep(0.3)
        if (state := state_of(Change.objects.get(pk=change.pk))) != "VERIFIED":
            raise SystemExit(f"the baseline ended {state}; logs in {self.folder}")
        self.say(f"the baseline is on, {time.monotonic() - begun:.0f} s")

    def _lanes(self, state_dir: Path) -> None:
        specs = json.loads((state_dir / "spec.json").read_text())["routers"]
        witness = Witness({spec["name"]: spec for spec in specs})
        people = self._people()
        self.began = time.monotonic()
        first = ["undo", "line"] if self.options.smallest else list(NAMES)
        for number, router in enumerate(self.made.routers):
            mine = [link for link in self.made.links if link.router == router]
            others = [link for link in self.made.links if link.router != router]
            self.lanes.append(
                Lane(
                    router, mine, others, self.workers, witness, state_dir / "control.sock", people,
                    self._more, self.say, self.options.seed, moments=first[number :: len(self.made.routers)],
                )
            )  # fmt: skip
        threads = [lane.start() for lane in self.lanes]
        while any(thread.is_alive() for thread in threads):
            time.sleep(1)
        self.seconds = time.monotonic() - self.began

    def _more(self) -> bool:
        late = time.monotonic() - self.began > self.options.minutes * 60
        return len(self.workers.kills) < self.options.kills and not late

    def _end(self) -> None:
        from provisioning.models import RouterPush
        from provisioning.services import audit, verifying

        deadline = time.monotonic() + 60
        while RouterPush.objects.filter(follow_up_due=True).exists() and time.monotonic() < deadline:
            time.sleep(0.5)
        for row in RouterPush.objects.exclude(state__in=OVER):
            self.faults.append(f"push {row.pk} on {row.router.name} is {row.state} in the end: {row.error}")
        for row in RouterPush.objects.filter(follow_up_due=True):
            self.faults.append(f"nobody did what follows from the end of push {row.pk}")
        for row in verifying.verify_routers():
            if row.state != "in-sync":
                self.faults.append(f"{row.router.name} is {row.state} in the end: {row.detail!s:.300}")
        audit.seal_waiting()
        self.faults += [f"audit event {each.sequence}: {each.reason}" for each in audit.verify_chain().faults]
        for lane in self.lanes:
            self.faults += lane.faults
        self.faults += self.workers.supervisor.ended_by_themselves
        self.faults += self._late()
        if len(self.workers.kills) < self.options.kills:
            self.faults.append(
                f"only {len(self.workers.kills)} of {self.options.kills} kills in the time there is"
            )

    @property
    def kills(self) -> list[Kill]:
        return [kill for lane in self.lanes for kill in lane.kills]

    def _late(self) -> list[str]:
        from provisioning.services.patience import timeouts

        saving = timeouts().save
        return [
            f"{kill.deed}, killed {kill.moment}: taken over after {kill.takeover:.1f} s"
            for kill in self.kills
            if kill.takeover is not None and kill.takeover > (saving if kill.in_save else TAKEOVER_SECONDS)
        ]

    def table(self) -> str:
        """Per moment: processes killed there, pushes that lost their worker, how these ended, takeovers."""
        rows = []
        names = [*NAMES, "beside"]
        for name in names:
            mine = [kill for kill in self.kills if kill.moment == name]
            if mine:
                rows.append(_row(name, [kill for kill in mine if not kill.in_save]))
        rows.append(_row("of all: in a save", [kill for kill in self.kills if kill.in_save]))
        rows.append(_row("all others", [kill for kill in self.kills if not kill.in_save]))
        head = f"  {'killed':<20}{'pushes':>8}  {'takeover s: median':>18}{'max':>7}   ends"
        ends = Counter(end for lane in self.lanes for end in lane.ends)
        told = ", ".join(f"{count} {end}" for end, count in ends.most_common())
        missed = sum(lane.missed for lane in self.lanes)
        return "\n".join(
            [
                f"{self.options.stack}: {len(self.workers.kills)} kill -9 in {self.seconds:.0f} s on {len(self.lanes)} routers",
                head,
                *rows,
                f"  pushes in all: {sum(ends.values())} ({told}); moments that did not come: {missed}",
            ]
        )


def _cases(routers: int) -> list[tuple[str, bool]]:
    """Both links of every router: one whose policy stays, one that is closed while nothing is reserved."""
    return [CASES[0]] * routers + [CASES[1]] * routers


def _row(name: str, kills: list[Kill]) -> str:
    times = [kill.takeover for kill in kills if kill.takeover is not None]
    ends = ", ".join(f"{count} {end}" for end, count in Counter(kill.end for kill in kills).most_common())
    median = f"{statistics.median(times):.1f}" if times else "-"
    most = f"{max(times):.1f}" if times else "-"
    return f"  {name:<20}{len(kills):>8}  {median:>18}{most:>7}   {ends}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make soak ONLY=kills", description=__doc__)
    parser.add_argument(
        "--stack", choices=STACKS, default=None, help="both, one after the other, unless said"
    )
    parser.add_argument("--kills", type=int, default=200, help="on each stack")
    parser.add_argument("--routers", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=45, help="for each stack, at most")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--smallest", action="store_true", help="2 routers, a line and an undo, a quick tick")
    options = parser.parse_args(arguments)
    if options.smallest:
        options.kills, options.routers, options.minutes = 2, 2, 3.0
    from tests.run import install_missing

    install_missing()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(10**6)
    if options.stack is None:
        # A process for each: Django is set up for one database.
        given = ["--kills", str(options.kills), "--routers", str(options.routers)]
        given += ["--minutes", str(options.minutes), "--seed", str(options.seed)]
        codes = [
            subprocess.run(
                [sys.executable, "-m", "tests.soak.kills", "--stack", stack, *given], check=False
            ).returncode
            for stack in STACKS
        ]
        return max(codes)
    return _one(options)


def _one(options: argparse.Namespace) -> int:
    begun = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - begun:6.0f} s  {text}", flush=True)

    print(f"kills on {options.stack}: seed {options.seed}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="xp-kills-"))
    with servers(options.stack, folder, tick=0.5 if options.smallest else None):
        soak = Soak(options, folder, say)
        soak.run()
        table = soak.table()
        from django.db import connections

        connections.close_all()
    print(table)
    for each in soak.faults[:40]:
        print(f"FAULT: {each}")
    OUT.mkdir(parents=True, exist_ok=True)
    kills = [vars(kill) for kill in soak.kills]
    (OUT / f"kills-{options.stack}.json").write_text(
        json.dumps({"seed": options.seed, "kills": kills, "faults": soak.faults}, indent=1) + "\n"
    )
    if soak.faults:
        print(f"logs in {folder}")
    else:
        shutil.rmtree(folder)
        print("all of it holds")
    return 1 if soak.faults else 0


if __name__ == "__main__":
    sys.exit(main())
