"""One run of the service's soak: everything is started, asked of, broken, and left to come to rest."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REST_SECONDS = 360.0


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
    tick: float = 2.0
    kinds: tuple[str, ...] = ()  # of faults; none named: every kind
    seed: int = 1


SMALL = Size(
    routers=6, nrens=9, requests=20, seconds=60.0, each_fault=1, hand_edits=1, threads=4, pace=0.6, tick=1.0
)
SMALLEST = Size(
    routers=3, nrens=5, requests=10, seconds=20.0, each_fault=1, hand_edits=0, threads=4, pace=0.3, tick=0.5,
    kinds=("worker child killed", "web child killed", "Redis flushed"),
)  # fmt: skip


@dataclass
class Outcome:
    """What was counted, and every sentence of what does not hold."""

    counted: list[tuple[str, object]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    waits: list[str] = field(default_factory=list)
    declined: list[str] = field(default_factory=list)

    def table(self) -> str:
        return "\n".join(f"  {name:<58}{value!s:>12}" for name, value in self.counted)


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
        self.password = secrets.token_urlsafe(16)

    def run(self) -> Outcome:
        from provisioning.services import practice
        from tests.soak.service_clients import Clients, Record, intentions

        tokens = self._prepare()
        network = practice.start(actor=self._system, state_dir=self.folder / "state" / "lab")
        try:
            self._start_processes()
            self._baseline()
            record = Record()
            people = self._people(record)
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
            self.over.set()
            self._account(people, record, faults, came_to_rest, network.state_dir)
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
        from inventory.readers.network_yaml import read_network
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
        people.put_person(actor=SYSTEM, username="rita", roles=[Role.NOC], password=self.password)
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
            start(name, *CELERY, "worker", "-n", f"{name}@soak", "--queues", "tick,read,push,tell", "-c", "3")
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

    def _people(self, record: Any) -> list[Any]:
        from tests.soak.service_people import NAMES, Person
        from tests.soak.service_reader import Reader

        found = [Person(name, self.size.seed, self.size.pace, self.over, self.rest) for name in NAMES]
        reader = Reader(self.url, "rita", self.password, record, self.over, self.size.seed)
        threading.Thread(target=reader.run, daemon=True).start()
        for person in found:
            threading.Thread(target=person.run, daemon=True).start()
        return found

    def _faults(self) -> tuple[Any, threading.Thread]:
        from tests.soak.service_faults import KINDS, Faults, moments

        faults = Faults(
            self.supervisor, self.broker, self.database, self.folder / "state" / "lab" / "control.sock",
            self.made, self.size.seed, self.over, self.say,
        )  # fmt: skip
        wanted = moments(
            self.size.kinds or KINDS,
            each=self.size.each_fault,
            seconds=self.size.seconds,
            seed=self.size.seed,
        )
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

    def _account(
        self, people: list[Any], record: Any, faults: Any, rest: float | None, state_dir: Path
    ) -> None:
        from provisioning.services import practice, verifying
        from tests.soak.service_account import account, count

        self.say("every router is read")
        read = verifying.verify_routers()
        self.supervisor.end()
        journals = {
            name: practice.call(state_dir=state_dir, op="state", router=name)["log"]
            for name in self.made.routers
        }
        found = account(self.made, record.answers, journals, faults.edits, self.folder)
        differ = [
            f"{row.router.name} is {row.state}: {row.detail!s:.300}" for row in read if row.state != "in-sync"
        ]
        self.outcome.faults += [*differ, *found.faults, *faults.faults, *self.supervisor.ended_by_themselves]
        for person in people:
            self.outcome.faults += person.faults
        self.outcome.waits = found.waits
        self.outcome.declined = [
            f"{each.op} {each.key}: {each.status} {each.detail}"
            for each in record.answers
            if 400 <= each.status < 500
        ]
        self.outcome.counted.append(("seconds of load", round(self.size.seconds)))
        self.outcome.counted.append(("seconds to come to rest", "never" if rest is None else round(rest)))
        self.outcome.counted += count(record.answers, people, faults.done, found)
        self.outcome.counted += [
            (f"starts of {name}", service.starts)
            for name, service in sorted(self.supervisor.services.items())
        ]
        self.outcome.counted.append(("waiting for a person with a sentence", len(found.waits)))
        self.outcome.counted.append(("FAULTS", len(self.outcome.faults)))
