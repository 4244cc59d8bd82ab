"""The ledger under load: processes that ask, decide, hold and end over 50 links, killed at random; then all is counted.

At the end: no instant over a share (a sweep of its own over the rows, also while it runs), every deed that was told as
done is in the audit trail and none that was declined is, the trail is whole, no deadlock reached a caller, the trigger
never fired.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path

LONGEST_SECONDS = 45 * 60


@dataclass
class Outcome:
    """What was counted; `faults` is empty when all of it holds."""

    deeds: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    kills: int = 0
    cut_off: int = 0
    seconds: float = 0.0
    deadlocks_in_postgresql: int = 0
    events: int = 0
    fullest_percent: int = 0
    sweeps: int = 0
    faults: list[str] = field(default_factory=list)

    def table(self) -> str:
        rows = [(kind, count) for kind, count in sorted(self.deeds.items())]
        rows += [(f"  of all: {name}", count) for name, count in sorted(self.outcomes.items())]
        rows += [
            ("kill -9", self.kills),
            ("deeds cut off by one", self.cut_off),
            ("deadlocks in PostgreSQL, retried", self.deadlocks_in_postgresql),
            ("deadlocks seen by a caller", self.outcomes["DEADLOCK"]),
            ("the trigger fired", self.outcomes["TRIGGER"]),
            ("audit events", self.events),
            ("fullest key, all its windows, % of share", self.fullest_percent),
            ("sweeps over the rows", self.sweeps),
            ("seconds", round(self.seconds)),
            ("faults", len(self.faults)),
        ]
        return "\n".join(f"  {name:<42}{value:>10}" for name, value in rows)


def run(
    *, operations: int, processes: int, kills: int, seconds: float, seed: int = 1, say: bool = True
) -> Outcome:
    """Do at least so many operations on the database that Django is set up for (empty, migrated), and count."""
    from django.db import connections

    from tests.soak.ledger_sweep import fullest_percent, over_a_share

    outcome, dice = Outcome(), random.Random(seed)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="soak-ledger-") as name:
        directory = Path(name)
        files = _people_and_network(directory)
        connections.close_all()
        started = 0
        living: list[BaseProcess] = []
        try:
            while True:
                while len(living) < processes:
                    started += 1
                    living.append(_start(started, directory, files))
                time.sleep(0.5)
                finished = _finished(directory)
                if time.monotonic() - begun > seconds:
                    outcome.faults.append(
                        f"only {finished} of {operations} operations in {seconds:.0f} seconds"
                    )
                    break
                if finished >= operations and outcome.kills >= kills:
                    break
                due = kills if finished >= operations else kills * finished // operations
                while outcome.kills < due and living:
                    victim = living.pop(dice.randrange(len(living)))
                    assert victim.pid is not None
                    os.kill(victim.pid, signal.SIGKILL)
                    victim.join()
                    outcome.kills += 1
                for process in [each for each in living if not each.is_alive()]:
                    outcome.faults.append(f"a process ended by itself with {process.exitcode}")
                    living.remove(process)
                outcome.sweeps += 1
                outcome.faults += over_a_share()
                if say and outcome.sweeps % 40 == 0:
                    print(
                        f"  {finished} operations, {outcome.kills} kills, {time.monotonic() - begun:.0f} s",
                        flush=True,
                    )
        finally:
            for process in living:
                process.terminate()
            for process in living:
                process.join(120)
        outcome.seconds = time.monotonic() - begun
        outcome.faults += over_a_share()
        outcome.fullest_percent = fullest_percent()
        _account(outcome, directory)
    return outcome


def _start(number: int, directory: Path, files: list[Path]) -> BaseProcess:
    from django.db import connections

    from tests.soak.ledger_work import Worker

    connections.close_all()  # a child that closes what it inherited would close it for its parent
    worker = Worker(number, number, directory / f"{number}.log", files)
    process = multiprocessing.get_context("fork").Process(target=worker.work, daemon=True)
    process.start()
    os.close(worker.log)
    return process


def _people_and_network(directory: Path) -> list[Path]:
    from inventory.models import Nren
    from inventory.readers.network_yaml import read_network
    from provisioning.models import SYSTEM, Role
    from provisioning.services import people
    from provisioning.services.inventory import import_network
    from tests.soak import ledger_network

    files = []
    for metric in (10, 11):
        files.append(directory / f"network-{metric}.yaml")
        files[-1].write_text(ledger_network.text(metric=metric))
    import_network(actor=SYSTEM, network=read_network(files[0]))
    for name in ("nora", "niels"):
        people.put_person(actor=SYSTEM, username=name, roles=[Role.NOC])
    for nren in Nren.objects.all():
        people.put_person(actor=SYSTEM, username=nren.name.lower(), nrens=[nren])
    return files


def _lines(directory: Path) -> dict[str, tuple[str, str]]:
    """Of each deed its kind and the last that was said of it."""
    found: dict[str, tuple[str, str]] = {}
    for log in directory.glob("*.log"):
        for line in log.read_text().splitlines():
            deed, kind, said = line.split(" ", 2)
            found[deed] = (kind, said)
    return found


def _finished(directory: Path) -> int:
    return sum(1 for _, said in _lines(directory).values() if said != "begun")


def _account(outcome: Outcome, directory: Path) -> None:
    """Hold what every deed was told against what the trail says of it."""
    from django.db import connection

    from provisioning.models import AuditEvent, PremiumRequest
    from provisioning.services import audit

    audit.seal_waiting()
    recorded = Counter(
        AuditEvent.objects.filter(reason__startswith="op-").values_list("reason", flat=True).iterator()
    )
    stored = Counter(PremiumRequest.objects.values_list("reason", flat=True).iterator())
    for deed, (kind, said) in _lines(directory).items():
        outcome.deeds[kind] += 1
        word = said.split(" ", 1)[0]
        outcome.outcomes[word] += 1
        seen = recorded.pop(deed, 0)
        if word == "begun":
            outcome.cut_off += 1  # killed on the way: done wholly or not at all
        elif word in ("FAULT", "DEADLOCK", "TRIGGER"):
            outcome.faults.append(f"{deed} {kind}: {said[:300]}")
        elif (kind, word, seen) == ("consent", "done", 0):
            pass  # another gave the same answer a moment before: that is its event
        elif (word == "done") != (seen > 0):
            outcome.faults.append(f"{deed} {kind} was told {said!r}, and the trail has {seen} events of it")
        if kind == "submit" and stored[deed] != seen:
            outcome.faults.append(f"{deed}: {stored[deed]} requests and {seen} events")
    outcome.faults += [f"the trail has {deed}, which nobody did" for deed in recorded]
    outcome.faults += _half_done()
    check = audit.verify_chain()
    outcome.events = check.length
    outcome.faults += [f"audit event {fault.sequence}: {fault.reason}" for fault in check.faults]
    with connection.cursor() as cursor:
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        (outcome.deadlocks_in_postgresql,) = cursor.fetchone()


def _half_done() -> list[str]:
    """Rows that contradict each other: asked of the tables themselves."""
    from django.db import connection

    questions = {
        "an admitted request without its reservation": "SELECT count(*) FROM provisioning_premiumrequest r LEFT JOIN "
        "provisioning_reservation v ON v.request_id = r.id WHERE r.state = 'ADMITTED' AND v.id IS NULL",
        "a reservation without charges": "SELECT count(*) FROM provisioning_reservation v WHERE released_at IS NULL "
        "AND NOT EXISTS (SELECT 1 FROM provisioning_ledgerentry l WHERE l.reservation_id = v.id AND l.released_at IS NULL)",
        "a charge of a released reservation": "SELECT count(*) FROM provisioning_ledgerentry l JOIN provisioning_reservation v "
        "ON v.id = l.reservation_id WHERE l.released_at IS NULL AND v.released_at IS NOT NULL",
        "a charge of a hold that is none": "SELECT count(*) FROM provisioning_ledgerentry l JOIN provisioning_premiumrequest r "
        "ON r.id = l.hold_id WHERE l.released_at IS NULL AND r.state <> 'HELD'",
        "two ways of one wish that differ": "SELECT count(*) FROM provisioning_premiumrequest r "
        "JOIN provisioning_premiumrequest t ON t.id = r.twin_id WHERE r.state IN ('ADMITTED', 'REFUSED', 'HELD') "
        "AND t.state = 'SUBMITTED'",
    }
    found = []
    with connection.cursor() as cursor:
        for words, question in questions.items():
            cursor.execute(question)
            (count,) = cursor.fetchone()
            if count:
                found.append(f"{count} times {words}")
    return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make soak ONLY=ledger", description=__doc__)
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument("--processes", type=int, default=32)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=LONGEST_SECONDS)
    options = parser.parse_args(arguments)
    from tests.run import install_missing, postgresql

    install_missing()
    with tempfile.TemporaryDirectory(prefix="expedite-soak-") as name:
        os.environ.update(STATE_DIR=f"{name}/state", DJANGO_SETTINGS_MODULE="tests.settings")
        with postgresql(Path(name)) as url:
            os.environ["DATABASE_URL"] = url
            import django

            django.setup()
            from django.core.management import call_command
            from django.db import connections

            call_command("migrate", verbosity=0)
            print(
                f"ledger: {options.operations} operations in {options.processes} processes over 50 links",
                flush=True,
            )
            outcome = run(
                operations=options.operations,
                processes=options.processes,
                kills=options.kills,
                seconds=options.seconds,
            )
            connections.close_all()
    print(outcome.table())
    for fault in outcome.faults[:30]:
        print(f"FAULT: {fault}")
    out = Path(__file__).resolve().parent.parent.parent / "var" / "soak"
    out.mkdir(parents=True, exist_ok=True)
    (out / "ledger.json").write_text(
        json.dumps({"outcomes": outcome.outcomes, "faults": outcome.faults}, indent=1) + "\n"
    )
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
