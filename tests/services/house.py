"""Three practice routers in this process, the people around them, and what may happen to both (`test_many_at_once`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from inventory.models import AccessLink, Domain, Nren, Router
from inventory.readers.network_yaml import read_network
from provisioning import drivers
from provisioning.errors import Conflict, NotPermitted, StaleState
from provisioning.models import (
    SYSTEM,
    Actor,
    Change,
    ChangeKind,
    Job,
    JobKind,
    LedgerEntry,
    PremiumRequest,
    Role,
    RouterQueue,
    Via,
)
from provisioning.services import (
    audit,
    changes,
    clock,
    credentials,
    decisions,
    jobs,
    people,
    planning,
    pushing,
    queues,
)
from provisioning.services import requests as asking
from provisioning.services.inventory import import_network
from tests.services.in_process import Routers, secrets_for
from tests.services.mortal import Killed, Mortal, MovedClock

NETWORK = Path(__file__).with_name("many.yaml")
SENDERS = ("JANET", "HEAnet", "SURFnet", "BELNET")
NOC = ("anna", "boris", "clara", "dora")
CLOSED = re.compile(r"^policy-map (NON-PARTICIPANT\S*)\n class class-default\n  set dscp (\S+)", re.MULTILINE)
MOST_JOBS = 3000
WRITING = (JobKind.PREFLIGHT, JobKind.PUSH, JobKind.RECOVER)
"""The jobs that write to routers."""


@dataclass
class House:
    """The routers and the people; the baseline is on."""

    routers: Routers
    noc: list[Actor]
    nrens: dict[str, Actor]
    clock: MovedClock
    happened: int = 0
    hurries: bool = True
    """What is tried again later is tried again at once; else when `wait` says that it is later."""

    def ask(
        self, number: int, sender: str, by: int, *, rate: str = "100k", start: datetime | None = None
    ) -> PremiumRequest:
        """A request that begins in a day unless `start` says otherwise, admitted by somebody of the NOC."""
        links = {link.nren.name: link.name for link in AccessLink.objects.select_related("nren")}
        network = str(Nren.objects.get(name=sender).prefixes.get().network)
        begins = start or clock.now() + timedelta(days=1)
        row = asking.submit(
            actor=self.noc[by] if by < len(self.noc) else self.nrens[sender],
            data=asking.SubmitRequest(
                source_link=links[sender],
                destination_link=links["GRNET"],
                rate=rate,
                bucket_bytes=3000,
                max_packet_bytes=1500,
                source_prefixes=(network.replace("::/32", f":{number:x}::/48"),),
                destination_prefixes=("2001:648:ffff::/48",),
                contact="noc@example.org",
                start=begins,
                end=begins + timedelta(days=1),
            ),
        )[0]
        asking.consent(actor=self.nrens["GRNET"], request=row, agree=True, reason="agreed")
        decider = next(each for each in self.noc if each.user_id != row.submitted_by_id)
        decisions.admit(actor=decider, request=row, reason="fits")
        row.refresh_from_db()
        return row

    def work(
        self,
        most: int = MOST_JOBS,
        *,
        mortal: Mortal | None = None,
        kinds: Collection[str] = WRITING,
        besides: Collection[str] = (),
        whole: bool = True,
    ) -> int:
        """Do what is due, one job at a time, until nothing is or `most` are done; how many were done. As a worker does, it looks
        first for what jobs and people have just made due, and only where that is nothing for all that is.

        A `mortal` does the jobs of these kinds until it is killed: nothing is done after that, and its leases go on for a while.
        Jobs `besides` are left where they are; unless `whole`, what time makes due is left, too.
        """
        done = 0
        mine = [kind for kind in JobKind.values if kind not in besides] if besides else None
        while done < most:
            job = jobs.claim(worker="w", kinds=mine) or self._ticked(mine, whole)
            if job is None:
                return done
            by = mortal.at_work() if mortal is not None and job.kind in kinds else nullcontext()
            with by:
                jobs.execute(job=job, worker="w")
            done += 1
            assert done < MOST_JOBS, "the jobs never end"
        return done

    def _ticked(self, kinds: list[str] | None, whole: bool) -> Job | None:
        jobs.tick_after_jobs()
        if (job := jobs.claim(worker="w", kinds=kinds)) is not None or not whole:
            return job
        jobs.tick()
        if self.hurries:
            RouterQueue.objects.filter(tries__gt=0, look_at__isnull=False).update(look_at=clock.now())
        return jobs.claim(worker="w", kinds=kinds)

    @contextmanager
    def outliving(self) -> Iterator[None]:
        """Goes on after whoever was at work in the body was killed."""
        try:
            yield
        except Killed:
            self.happened += 1

    def wait(self, seconds: int) -> None:
        """So much time passes and nobody is at work: leases run out, pauses end."""
        self.clock.ahead += seconds

    def begin(self, request: PremiumRequest) -> None:
        """Its window opens now, unless it has: as its row says, for whoever moved it last may have been killed right after."""
        request.refresh_from_db()
        now = clock.now() - timedelta(seconds=1)
        if request.start <= now:
            return
        self._move(request, start=now)
        self.happened += 1

    def end(self, request: PremiumRequest) -> None:
        """Its window closes now, whether or not it had opened."""
        request.refresh_from_db()
        now = clock.now()
        if request.end is None or request.end <= now:
            return
        self._move(
            request, start=min(request.start, now - timedelta(seconds=2)), end=now - timedelta(seconds=1)
        )
        self.happened += 1

    def _move(self, request: PremiumRequest, **fields: datetime) -> None:
        with transaction.atomic():
            PremiumRequest.objects.filter(pk=request.pk).update(**fields)
            LedgerEntry.objects.filter(reservation__request=request).update(**fields)
            queues.mark([request.source_link.interface.router_id])
            # Time passes by a hand in the table, which the trail would tell if nothing else happened to the request.
            audit.record(actor=SYSTEM, action="request.moved-in-time", obj=request)
        request.refresh_from_db()

    def approve(self, person: Actor, change: Change) -> None:
        # Somebody else was faster, or it is not theirs to approve.
        with suppress(Conflict, NotPermitted, StaleState):
            approved = changes.approve(actor=person, change=change, confirm_gaps=True, reason="read")
            if approved.kind == ChangeKind.REPAIR and approved.approved_at is not None:
                changes.release(actor=person, change=approved)

    def edit(self, name: str, on: bool) -> None:
        """By hand: the closed policy of a router, as it is called by now, says something else, or what it said again.

        Nothing is typed where a repair was faster. Else that would make a policy anew that nobody knows: an edit.
        """
        for policy, edited in self._closed(name).items():
            if edited is on:
                continue
            self.routers.type(
                name, f"policy-map {policy}", "class class-default", f"set dscp {8 if on else 0}"
            )
            self.happened += 1

    def edited(self) -> list[str]:
        """The routers that show an edit."""
        return [name for name in self.routers.devices if any(self._closed(name).values())]

    def _closed(self, name: str) -> dict[str, bool]:
        """Each closed policy of a router, and whether it was edited: two while a repair is half way."""
        return {
            policy: said == "cs1"
            for policy, said in CLOSED.findall(self.routers.devices[name].running_config())
        }


@contextmanager
def undone(house: House) -> Iterator[None]:
    """What is done in the body is undone: rows by the database, routers by what was noted of them, the clock too."""
    ahead = house.clock.ahead
    try:
        whole = transaction.atomic()
        whole._from_testcase = True  # no transaction of the product's
        with whole:
            yield
            transaction.set_rollback(True)
    finally:
        house.routers.restore()
        house.clock.ahead = ahead


@pytest.fixture
def bare_house(db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> House:
    """The routers as they came, and nothing of ours on them."""
    return house_of(settings, monkeypatch)


def house_of(settings: Any, monkeypatch: pytest.MonkeyPatch) -> House:
    """Import the network, give everybody an account, and make the routers."""
    settings.PUSH_ENABLED = True
    settings.LEAD_TIME_SECONDS = 0
    settings.VERIFY_SECONDS = 0
    monkeypatch.setattr(pushing, "PAUSE_SECONDS", 0)
    import_network(actor=SYSTEM, network=read_network(NETWORK), dry_run=False)
    for name in NOC:
        people.put_person(actor=SYSTEM, username=name, roles=[Role.NOC])
    for nren in Nren.objects.all():
        people.put_person(actor=SYSTEM, username=nren.name.lower(), nrens=[nren])
    names = list(Router.objects.values_list("name", flat=True))
    secrets = secrets_for(names)
    for router in Router.objects.all():
        Router.objects.filter(pk=router.pk).update(management_host="127.0.0.1", host_key="ssh-rsa AAAA")
        credentials.store(actor=SYSTEM, router=router, **secrets[router.name])
    routers = Routers(Domain.objects.get(), secrets)
    monkeypatch.setattr(drivers, "connect", routers.connect)
    return House(
        routers,
        [people.actor_named(name, via=Via.WEB) for name in NOC],
        {nren.name: people.actor_named(nren.name.lower(), via=Via.API) for nren in Nren.objects.all()},
        MovedClock(monkeypatch),
    )


@pytest.fixture
def house(bare_house: House) -> House:
    return with_baseline(bare_house)


def with_baseline(made: House) -> House:
    """The same routers, the baseline on all of them, and noted so."""
    baseline = planning.plan_domain(actor=made.noc[0])
    changes.approve(actor=made.noc[1], change=baseline)
    changes.release(actor=made.noc[1], change=baseline)
    made.work()
    assert set(baseline.pushes.values_list("state", flat=True)) == {"VERIFIED"}
    made.routers.note()
    return made
