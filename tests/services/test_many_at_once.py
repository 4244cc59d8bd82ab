"""The whole property of the queues: whatever begins, ends, is withdrawn, refused, edited by hand or approved late, in any
order, every request ends ACTIVE, COMPLETED or NEVER_PROVIDED, or waits for a person with a sentence that says for what.

The engine of the practice routers answers in this process (`in_process`); jobs run one by one, so that a course of
events can be drawn, stopped anywhere and repeated. Time is the database's: a window begins or ends by moving its rows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from inventory.models import AccessLink, Domain, Nren, Router
from inventory.readers import read_network
from lab.faults import Faults
from provisioning import drivers
from provisioning.errors import Conflict, NotPermitted, StaleState
from provisioning.models import (
    SYSTEM,
    Actor,
    Change,
    Job,
    LedgerEntry,
    PremiumRequest,
    Reservation,
    Role,
    RouterPush,
    RouterQueue,
    RouterSync,
    SyncState,
    Via,
)
from provisioning.pipeline.change import PushState
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
    verifying,
)
from provisioning.services import requests as asking
from provisioning.services.inventory import import_network
from tests.pipeline.properties import PROPERTY
from tests.services.in_process import Routers, secrets_for

NETWORK = Path(__file__).with_name("many.yaml")
SENDERS = ("JANET", "HEAnet", "SURFnet", "BELNET")
NOC = ("anna", "boris", "clara", "dora")
MOST_JOBS = 3000

DEEP = os.environ.get("PROPERTIES") == "deep"
QUICK = os.environ.get("PROPERTIES", "quick") == "quick"
EXAMPLES, LARGEST = (300, 40) if DEEP else (4, 8) if QUICK else (40, 8)
if not DEEP and connection.vendor == "postgresql":
    EXAMPLES = 4  # the course is the same on either database; here the order of its locks is watched
# Without shrinking: a course takes a second, and the events of a failing one are few enough to read.
PARTS = 2 if DEEP else 1  # in DEEP each of its two workers has one
COURSES = settings(PROPERTY, max_examples=EXAMPLES // PARTS, phases=(Phase.explicit, Phase.generate))

Event = tuple[str, int, int]


@dataclass
class House:
    """The routers and the people; the baseline is on."""

    routers: Routers
    noc: list[Actor]
    nrens: dict[str, Actor]
    edits: dict[str, int] = field(default_factory=dict)
    happened: int = 0

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

    def work(self, most: int = MOST_JOBS) -> int:
        """Tick and do what is due, one job at a time, until nothing is or `most` are done; how many were done."""
        done = 0
        while done < most:
            jobs.tick()
            RouterQueue.objects.filter(tries__gt=0, look_at__isnull=False).update(look_at=clock.now())
            job = jobs.claim(worker="w")
            if job is None:
                return done
            jobs.execute(job=job, worker="w")
            done += 1
            assert done < MOST_JOBS, "the jobs never end"
        return done

    def begin(self, request: PremiumRequest) -> None:
        """Its window opens now, unless it has."""
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
        PremiumRequest.objects.filter(pk=request.pk).update(**fields)
        LedgerEntry.objects.filter(reservation__request=request).update(**fields)
        queues.mark([request.source_link.interface.router_id])
        request.refresh_from_db()
        # Time passes by a hand in the table, which the trail would tell if nothing else happened to the request.
        audit.record(actor=SYSTEM, action="request.moved-in-time", obj=request)

    def approve(self, person: Actor, change: Change) -> None:
        # Somebody else was faster, or it is not theirs to approve.
        with suppress(Conflict, NotPermitted, StaleState):
            changes.approve(actor=person, change=change, confirm_gaps=True, reason="read")

    def edit(self, name: str, on: bool) -> None:
        """By hand: the closed policy of a router says something else, or what it said again."""
        if on is bool(self.edits.get(name)):
            return
        self.edits[name] = int(on)
        self.routers.type(
            name, "policy-map NON-PARTICIPANT", "class class-default", f"set dscp {8 if on else 0}"
        )
        self.happened += 1


@pytest.fixture
def house(db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
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
    made = House(
        routers,
        [people.actor_named(name, via=Via.WEB) for name in NOC],
        {nren.name: people.actor_named(nren.name.lower(), via=Via.API) for nren in Nren.objects.all()},
    )
    baseline = planning.plan_domain(actor=made.noc[0])
    changes.approve(actor=made.noc[1], change=baseline)
    changes.release(actor=made.noc[1], change=baseline)
    made.work()
    assert set(baseline.pushes.values_list("state", flat=True)) == {"VERIFIED"}
    routers.note()
    return made


class _Undo(Exception):
    """Ends an example: everything it wrote is rolled back."""


wishes = st.lists(st.tuples(st.sampled_from(SENDERS), st.integers(0, 5)), min_size=2, max_size=LARGEST)
events = st.lists(
    st.tuples(
        st.sampled_from(
            ["begin", "begin", "end", "withdraw", "work", "work", "some work", "look", "approve", "approve",
             "edit", "mend", "away", "back", "refuse", "cancel"]
        ),
        st.integers(0, 60),
        st.integers(0, 9),
    ),
    max_size=5 * LARGEST,
)  # fmt: skip


@pytest.mark.one_transaction
@pytest.mark.parametrize("part", range(1, PARTS + 1))
def test_every_request_ends_or_waits_for_a_person_and_says_for_what(house: House, part: int) -> None:
    @COURSES
    @given(wishes=wishes, events=events, mended=st.booleans())
    def course(wishes: list[tuple[str, int]], events: list[Event], mended: bool) -> None:
        house.edits, house.happened = {}, 0
        try:
            with transaction.atomic():
                house.routers.restore()
                _run(house, wishes, events, mended)
                raise _Undo
        except _Undo:
            pass

    course()


def _run(house: House, wishes: list[tuple[str, int]], events: list[Event], mended: bool) -> None:
    asked = [house.ask(number, sender, by) for number, (sender, by) in enumerate(wishes, 1)]
    for what, which, much in events:
        _happen(house, asked, what, which, much)
    _come_to_rest(house, mended)
    _check(house, asked)


def _happen(house: House, asked: list[PremiumRequest], what: str, which: int, much: int) -> None:
    request = asked[which % len(asked)]
    name = ("uk6", "nl6")[which % 2]
    if what == "begin":
        house.begin(request)
    elif what == "end":
        house.end(request)
    elif what == "withdraw":
        with suppress(StaleState):
            asking.withdraw(actor=house.nrens[request.nren.name], request=request, reason="over")
            house.happened += 1
    elif what == "work":
        house.work()
    elif what == "some work":
        house.work(most=much)
    elif what in ("look", "approve", "cancel"):
        open_now = list(Change.objects.filter(finished_at=None, approved_at=None).exclude(kind="baseline"))
        if open_now:
            change, person = open_now[which % len(open_now)], house.noc[much % len(house.noc)]
            if what == "look":
                changes.look(actor=person, change=change)
            elif what == "approve":
                house.approve(person, change)
            elif much == 0:
                changes.cancel(actor=person, change=change, reason="not tonight")
                house.happened += 1
    elif what in ("edit", "mend"):
        house.edit(name, what == "edit")
    elif what == "away":
        house.routers.away.add(name)
    elif what == "back":
        house.routers.away.clear()
    elif what == "refuse" and much < 3:
        fault = {
            "kind": "refuse", "match": f":{1 + which % len(asked):x}::/48", "times": 1,
            "message": "% Invalid input detected",
        }  # fmt: skip
        house.routers.devices[name].faults.add(fault)
        house.happened += 2


def _come_to_rest(house: House, mended: bool) -> None:
    """Nothing happens any more but that people approve what there is, in any order."""
    house.routers.away.clear()
    for device in house.routers.devices.values():
        device.faults = Faults()
    if mended:
        for name in list(house.edits):
            house.edit(name, False)
    verifying.verify_routers()
    for _ in range(200):
        Change.objects.filter(finished_at=None).update(
            looked_at=None, opened_at=None
        )  # nobody reads any more
        done = house.work()
        waiting = Change.objects.filter(finished_at=None, approved_at=None).exclude(kind="baseline")
        for change in waiting:
            for person in house.noc:
                house.approve(person, change)
        if not done and not waiting.exists():
            break
    else:
        raise AssertionError("it never comes to rest")


def _check(house: House, asked: list[PremiumRequest]) -> None:
    by_router: dict[int, list[str]] = {}
    for request in asked:
        request.refresh_from_db()
        waits = Reservation.objects.get(request=request).waits_for
        router = request.source_link.interface.router
        queue = RouterQueue.objects.filter(router=router).first()
        by_router.setdefault(router.pk, []).append(f"{request} {request.state}")
        at_rest = request.state in ("ACTIVE", "COMPLETED", "NEVER_PROVIDED") or (
            request.state == "ADMITTED" and request.start > clock.now()
        )
        edited = [name for name, on in house.edits.items() if on]
        if not at_rest:
            said = waits or (queue.waits_for if queue is not None else "")
            # On a path that crosses a router somebody edited by hand it is on, and cannot be said to be.
            assert said or edited, f"{request} is {request.state} and nothing says for what it waits"
        shown = (
            f":{asked.index(request) + 1:x}::/48"
            in house.routers.devices[router.name].running_config().lower()
        )
        filtered = request.source_link.case == "filtered"
        if request.state == "ACTIVE" and filtered:
            assert shown, f"{request} is ACTIVE and {router} does not hold it"
        if request.state in ("COMPLETED", "NEVER_PROVIDED"):
            assert not shown, f"{request} is {request.state} and {router} holds it"
    assert not RouterPush.objects.filter(state__in=(PushState.PUSHING, PushState.PUSHED)).exists()
    for router_id, states in by_router.items():
        follow = Change.objects.exclude(kind="baseline").filter(pushes__router=router_id).distinct()
        assert follow.filter(finished_at=None).count() <= 2, states
        # Each request begins, ends and may be withdrawn; what failed is tried by itself once more.
        assert follow.count() <= 2 * (2 * len(states) + house.happened), states
    assert not Job.objects.filter(state__in=("queued", "leased")).exists()
    if not any(house.edits.values()):
        verifying.verify_routers()
        standing = dict(RouterSync.objects.values_list("router__name", "state"))
        assert set(standing.values()) == {SyncState.IN_SYNC}, standing
    assert audit.verify_chain().intact
