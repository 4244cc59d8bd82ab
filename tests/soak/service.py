"""The whole service under load and faults: `make soak ONLY=service`.

PostgreSQL, Redis, two Celery workers and beat, gunicorn with two processes, practice routers over SSH, NRENs that ask over
HTTP, four people who decide and approve, hand edits, and faults at random. Then it comes to rest, and everything that was
told is held against the rows and against what the routers did.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import json
import os
import random
import secrets
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

OUT = Path(__file__).resolve().parents[2] / "var" / "soak"
REST_SECONDS = 360.0
ACCESS_SHARE_BPS = 7_750_000  # 5 % of what a POS interface calls its bandwidth
CORE_SHARE_BPS = 31_000_000  # 20 %


@dataclass(frozen=True)
class Size:
    """How much of everything."""

    routers: int = 40
    nrens: int = 60
    requests: int = 400
    seconds: float = 600.0
    each_fault: int = 4
    hand_edits: int = 8
    threads: int = 12
    pace: float = 1.0
    seed: int = 1


SMALL = Size(routers=6, nrens=9, requests=20, seconds=60.0, each_fault=1, hand_edits=1, threads=4, pace=0.6)


@dataclass
class Outcome:
    """What was counted, and every sentence of what does not hold."""

    counted: list[tuple[str, object]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    waits: list[str] = field(default_factory=list)

    def table(self) -> str:
        return "\n".join(f"  {name:<58}{value!s:>12}" for name, value in self.counted)


@contextlib.contextmanager
def environment(folder: Path) -> Iterator[Any]:
    """Servers of this run's own and the settings that all processes share; yields (broker, database)."""
    from tests.jobs.broker import own_broker
    from tests.run import postgresql
    from tests.soak.service_processes import PostgreSQL

    state = folder / "state"
    state.mkdir()
    with postgresql(folder) as url, own_broker() as broker:
        os.environ.update(
            DJANGO_SETTINGS_MODULE="provisioning.settings",
            EXPEDITE_ENV_FILE=os.devnull,
            PYTHONUNBUFFERED="1",
            STATE_DIR=str(state),
            DATABASE_URL=url,
            CELERY_BROKER_URL=broker.url,
            SECRET_KEY=secrets.token_urlsafe(50),
            CREDENTIAL_KEYS=base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
            TOKEN_PEPPER=secrets.token_urlsafe(32),
            PUSH_ENABLED="true",
            API_RATE_USER="100000/min",
            API_RATE_ANON="100000/min",
            # A fault lasts for seconds here, not for minutes: what waits for one to be over waits for seconds, too.
            ROUTER_TIMEOUT_SECONDS="8",
            ROUTER_LEASE_SECONDS="10",
            JOB_LEASE_SECONDS="15",
            VERIFY_SECONDS="90",
        )
        import django

        django.setup()
        yield broker, PostgreSQL(folder, url)


class Soak:
    """One run on servers that are there."""

    def __init__(
        self, size: Size, folder: Path, broker: Any, database: Any, say: Callable[[str], None]
    ) -> None:
        from tests.soak.service_network import make
        from tests.soak.service_processes import Supervisor

        self.size, self.folder, self.broker, self.database, self.say = size, folder, broker, database, say
        self.made = make(routers=size.routers, nrens=size.nrens, seed=size.seed)
        self.supervisor = Supervisor(folder)
        self.over, self.rest = threading.Event(), threading.Event()
        self.outcome = Outcome()

    def run(self) -> Outcome:
        from provisioning.services import practice
        from tests.soak.service_clients import Clients, Record, intentions

        tokens = self._prepare()
        network = practice.start(actor=self._system, state_dir=self.folder / "state" / "lab")
        try:
            self._start_processes()
            self._baseline()
            people = self._people()
            record = Record()
            clients = Clients(self.url, tokens, record, self.over, self.size.seconds)
            wanted = intentions(
                self.made, count=self.size.requests, seconds=self.size.seconds, seed=self.size.seed
            )
            self.begun = time.monotonic()
            self.say(f"the clock starts: {len(wanted)} requests in {self.size.seconds:.0f} s")
            asking = clients.run(wanted, self.size.threads)
            faults, breaking = self._faults()
            while time.monotonic() - self.begun < self.size.seconds:
                time.sleep(min(10.0, max(0.1, self.size.seconds - (time.monotonic() - self.begun))))
                self._progress(clients.done, faults)
            for thread in [*asking, breaking, *faults.endings]:
                thread.join(120)
            self.rest.set()
            came_to_rest = self._come_to_rest(clients, faults)
            self._account(people, record, faults, came_to_rest, network)
        finally:
            self.over.set()
            self.supervisor.end()
            network.stop()
        return self.outcome

    # -- before the clock -------------------------------------------------------------------------------------------

    @property
    def _system(self) -> Any:
        from provisioning.models import SYSTEM

        return SYSTEM

    def _prepare(self) -> dict[str, str]:
        """The schema, the network, people and the NRENs' tokens."""
        from django.core.management import call_command

        from inventory.models import Nren
        from inventory.readers import read_network
        from provisioning.models import SYSTEM, Role
        from provisioning.services import people, tokens
        from provisioning.services.inventory import import_network
        from tests.soak.service_people import NAMES

        call_command("migrate", verbosity=0)
        file = self.folder / "network.yaml"
        file.write_text(self.made.text)
        import_network(actor=SYSTEM, network=read_network(file))
        for name in NAMES:
            people.put_person(actor=SYSTEM, username=name, roles=[Role.NOC])
        found = {}
        for nren in Nren.objects.all():
            user = people.put_person(actor=SYSTEM, username=nren.name.lower(), nrens=[nren])
            found[nren.name] = tokens.issue(actor=SYSTEM, user=user, nren=nren, name="soak")[1]
        self.say(f"{self.size.routers} routers and {len(found)} NRENs, seed {self.size.seed}")
        return found

    def _start_processes(self) -> None:
        import requests

        from tests.run import free_port
        from tests.soak.service_processes import CELERY

        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        start = self.supervisor.start
        for name in ("worker-1", "worker-2"):
            start(name, *CELERY, "worker", "-n", f"{name}@soak", "--queues", "tick,read,push", "-c", "3")
        start("beat", *CELERY, "--quiet", "beat", "--schedule", str(self.folder / "beat"))
        start(
            "web", "-m", "gunicorn", "-c", "python:provisioning.gunicorn", "provisioning.wsgi",
            "--bind", f"127.0.0.1:{port}", "--workers", "2",
        )  # fmt: skip
        self.supervisor.watch()
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            with contextlib.suppress(requests.RequestException):
                if requests.get(f"{self.url}/livez", timeout=5).ok:
                    return
            time.sleep(0.3)
        raise SystemExit(f"the site did not start: see {self.folder}/web.log")

    def _baseline(self) -> None:
        """Planned by one person, approved by another, pushed by the workers, before anybody asks for anything."""
        from provisioning.models import Change, Via
        from provisioning.selectors.changes import state_of
        from provisioning.services import changes, people, planning

        nora, niels = (people.actor_named(name, via=Via.WEB) for name in ("nora", "niels"))
        begun = time.monotonic()
        change = planning.ask_for_plan(actor=nora, reason="the baseline")
        self._until(
            lambda: Change.objects.get(pk=change.pk).planned_at is not None, 400, "the baseline is planned"
        )
        change.refresh_from_db()
        changes.approve(actor=niels, change=change, confirm_gaps=True, override="a soak", reason="as agreed")
        changes.release(actor=niels, change=change)
        self._until(
            lambda: Change.objects.get(pk=change.pk).finished_at is not None, 600, "the baseline is on"
        )
        state = state_of(Change.objects.get(pk=change.pk))
        if state != "VERIFIED":
            errors = [push.error for push in change.pushes.all() if push.error]
            raise SystemExit(f"the baseline ended {state}: {errors[:3]}")
        self.outcome.counted.append(("baseline before the clock, s", round(time.monotonic() - begun)))

    def _until(self, true: Callable[[], bool], seconds: float, what: str) -> None:
        begun = time.monotonic()
        while not true():
            if time.monotonic() - begun > seconds:
                raise SystemExit(f"not within {seconds:.0f} s: {what}; logs in {self.folder}")
            time.sleep(0.5)
        self.say(f"{what}, {time.monotonic() - begun:.0f} s")

    # -- while it runs ----------------------------------------------------------------------------------------------

    def _people(self) -> list[Any]:
        from tests.soak.service_people import NAMES, Person

        found = [Person(name, self.size.seed, self.size.pace, self.over, self.rest) for name in NAMES]
        for person in found:
            threading.Thread(target=person.run, daemon=True).start()
        return found

    def _faults(self) -> tuple[Any, threading.Thread]:
        from tests.soak.service_faults import KINDS, Faults, moments

        faults = Faults(
            self.supervisor, self.broker, self.database, self.folder / "state" / "lab" / "control.sock",
            self.made, self.size.seed, self.over, self.say,
        )  # fmt: skip
        wanted = moments(KINDS, each=self.size.each_fault, seconds=self.size.seconds, seed=self.size.seed)
        edits = ("hand edit, harmless", "hand edit in ours")
        wanted += moments(edits, each=self.size.hand_edits, seconds=self.size.seconds, seed=self.size.seed)
        return faults, faults.run(sorted(wanted))

    def _progress(self, done: int, faults: Any) -> None:
        from django.db import DatabaseError, InterfaceError, connections

        try:
            from provisioning.models import Change, PremiumRequest

            states = Counter(PremiumRequest.objects.values_list("state", flat=True))
            waiting = Change.objects.filter(finished_at__isnull=True).count()
        except (DatabaseError, InterfaceError):
            connections.close_all()
            self.say("the database does not answer")
            return
        said = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
        self.say(
            f"asked {done} of {self.size.requests}; {said}; {waiting} changes open; {sum(faults.done.values())} faults"
        )

    def _come_to_rest(self, clients: Any, faults: Any) -> float | None:
        """Seconds until nothing was under way any more; None when it did not come to rest in time."""
        from django.db import DatabaseError, InterfaceError, connections

        from tests.soak.service_rows import unrest

        begun = time.monotonic()
        self.say("coming to rest")
        last = begun
        found = ["not looked"]
        while time.monotonic() - begun < REST_SECONDS:
            try:
                found = unrest()
            except (DatabaseError, InterfaceError):
                connections.close_all()
            if not found:
                return time.monotonic() - begun
            if time.monotonic() - last > 10:
                last = time.monotonic()
                self._progress(clients.done, faults)
                self.say(f"{len(found)} under way: {'; '.join(found[:4])}")
            time.sleep(1)
        self.outcome.faults += [f"not at rest: {each}" for each in found[:20]]
        return None

    # -- at the end -------------------------------------------------------------------------------------------------

    def _account(self, people: list[Any], record: Any, faults: Any, rest: float | None, network: Any) -> None:
        from provisioning.services import audit, practice, verifying
        from tests.soak import service_oracles as oracles
        from tests.soak import service_rows as rows
        from tests.soak.service_journal import spans
        from tests.soak.service_logs import said_in_logs

        found = self.outcome.faults
        self.over.set()
        self.say("every router is read")
        synced = verifying.verify_routers()
        found += [
            f"{row.router.name} {row.state}: {json.dumps(row.detail)[:300]}"
            for row in synced
            if row.state != "in-sync"
        ]
        self.supervisor.end()
        now = time.time()
        told, charges = rows.told(self.made), rows.charges()
        cases = {(link.router, link.name.split(":")[1]): link for link in self.made.links}
        for row in told.values():
            link = cases[row.router, row.flow[0]] if row.flow else None
            if link is not None and link.case == "trusted" and link.standing:
                row.flow = None  # its lines are there with and without a reservation
        seen = {
            name: spans(practice.call(state_dir=network.state_dir, op="state", router=name)["log"])
            for name in self.made.routers
        }
        found += oracles.answered(record.answers, told)
        found += oracles.over_a_share(charges, _share)
        found += [
            f"on the routers: {each}"
            for each in oracles.over_a_share(oracles.carried(told.values(), seen, charges), _share)
        ]
        found += oracles.claims_kept(told.values(), seen, now)
        found += oracles.accounted_for(told.values())
        waits, silent = rows.unsaid()
        self.outcome.waits = waits
        found += [f"unfinished and silent: {each}" for each in silent]
        plans, events = rows.plans_and_events(faults.edits)
        found += oracles.plans_bounded(plans, events)
        audit.seal_waiting()
        check = audit.verify_chain()
        found += [f"audit event {fault.sequence}: {fault.reason}" for fault in check.faults]
        found += faults.faults
        found += self.supervisor.ended_by_themselves
        for person in people:
            found += person.faults
        found += said_in_logs(self.folder)
        self._count(people, record, faults, rest, told, plans, check.length, seen)

    def _count(
        self, people: list[Any], record: Any, faults: Any, rest: float | None, told: Any, plans: Any, events: int,
        seen: Any,
    ) -> None:  # fmt: skip
        counted = self.outcome.counted
        answers = Counter(f"{each.op} {each.status or 'no answer'}" for each in record.answers)
        counted.append(("seconds of load", round(self.size.seconds)))
        counted.append(("seconds to come to rest", "never" if rest is None else round(rest)))
        counted += [(f"answers: {name}", count) for name, count in sorted(answers.items())]
        states = Counter(row.state for row in told.values())
        counted += [(f"requests {name}", count) for name, count in sorted(states.items())]
        ever = Counter(claim.state for row in told.values() for claim in row.claims)
        counted.append(("requests that were ever ACTIVE", ever["ACTIVE"]))
        let_in = sum(len(each) for flows in seen.values() for flow, each in flows.items() if flow[1])
        counted.append(("stretches of time a flow was let in, told by the routers", let_in))
        deeds: Counter[str] = Counter()
        for person in people:
            deeds.update(person.done)
        counted += [(f"people: {name}", count) for name, count in sorted(deeds.items())]
        counted += [(f"fault: {name}", count) for name, count in sorted(faults.done.items())]
        counted += [
            (f"starts of {name}", service.starts)
            for name, service in sorted(self.supervisor.services.items())
        ]
        counted.append(("plans stored after the baseline", sum(plans.values())))
        counted.append(("audit events", events))
        counted.append(("waiting for a person with a sentence", len(self.outcome.waits)))
        counted.append(("FAULTS", len(self.outcome.faults)))


def _share(link: str) -> int:
    return CORE_SHARE_BPS if "--" in link else ACCESS_SHARE_BPS


def soak(size: Size, folder: Path, say: Callable[[str], None]) -> Outcome:
    """One whole run in this folder."""
    with environment(folder) as (broker, database):
        outcome = Soak(size, folder, broker, database, say).run()
        from django.db import connections

        connections.close_all()
        return outcome


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make soak ONLY=service", description=__doc__)
    parser.add_argument("--minutes", type=float, default=None, help="of load; 10 unless --small")
    parser.add_argument("--seed", type=int, default=None, help="the same network, requests and moments again")
    parser.add_argument(
        "--small", action="store_true", help="6 routers, 20 requests, one minute, one of each fault"
    )
    options = parser.parse_args(arguments)
    from tests.run import install_missing

    install_missing()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    size = SMALL if options.small else Size()
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    values: dict[str, Any] = {**size.__dict__, "seed": seed}
    if options.minutes is not None:
        values["seconds"] = options.minutes * 60
    OUT.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - begun:6.0f} s  {text}", flush=True)

    print(f"service: seed {seed}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="expedite-soak-"))
    outcome = soak(Size(**values), folder, say)
    print(outcome.table())
    for each in outcome.waits[:10]:
        print(f"WAITS: {each}")
    for each in outcome.faults[:40]:
        print(f"FAULT: {each}")
    (OUT / "service.json").write_text(
        json.dumps({"seed": seed, "counted": outcome.counted, "faults": outcome.faults}, indent=1) + "\n"
    )
    if outcome.faults:
        print(f"logs in {folder}")
    else:
        shutil.rmtree(folder)
        print("all of it holds")
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
