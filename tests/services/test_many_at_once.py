"""The whole property of the queues: whatever begins, ends, is withdrawn, refused, edited by hand, repaired or approved late, and
whoever is killed in the middle of his work, in any order: every request ends ACTIVE, COMPLETED or NEVER_PROVIDED, or waits for
a person with a sentence that says for what.

The engine of the practice routers answers in this process (`in_process`); jobs run one by one, so that a course of
events can be drawn, stopped anywhere and repeated. A window begins or ends by moving its rows; leases and pauses end
because the clock is moved on. A process is killed after any of its commits, statements or writes to a router (`mortal`):
what it held stays held until that time has passed, and others are at work meanwhile.
"""

from __future__ import annotations

from contextlib import nullcontext, suppress
from random import Random
from typing import Any

import pytest
from django.db import transaction
from hypothesis import Phase, given, note, settings
from hypothesis import strategies as st

from lab.faults import Faults
from provisioning.errors import Conflict, StaleState
from provisioning.models import (
    Change,
    ChangeKind,
    Job,
    PremiumRequest,
    RouterPush,
    RouterSync,
    SyncState,
)
from provisioning.pipeline.states import PushState
from provisioning.selectors.waiting import wait_of
from provisioning.services import audit, changes, clock, planning, verifying
from provisioning.services import requests as asking
from tests.depth import DEEP
from tests.pipeline.properties import PROPERTY
from tests.services.house import SENDERS, House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house
from tests.services.mortal import Mortal

EXAMPLES, LARGEST = (300, 40) if DEEP else (4, 8)
# Without shrinking: a course takes a second, and the events of a failing one are few enough to read.
MOST_EVENTS = 5 * LARGEST if DEEP else 2 * LARGEST
PARTS = 2 if DEEP else 1  # in DEEP each of its two workers has one
COURSES = settings(PROPERTY, max_examples=EXAMPLES // PARTS, phases=(Phase.explicit, Phase.generate))

Event = tuple[str, int, int]
WAITS = (5, 70, 100, 200, 400)
"""Seconds: a job that is held is tried again; a router's lease has run out; a job's; every pause but the longest; that, too."""


class _Undo(Exception):
    """Ends an example: everything it wrote is rolled back."""


Wish = tuple[str, int]
LIKELY = {
    "begin": 8, "end": 3, "withdraw": 2, "work": 4, "some work": 3, "look": 1, "approve": 12, "cancel": 1, "edit": 1, "mend": 1,
    "away": 1, "back": 2, "refuse": 1, "repair": 1, "break": 2, "die": 14, "die in a deed": 2, "wait": 5,
}  # fmt: skip
"""What happens next, and how often: a course in which nothing is approved shows nothing."""


def _drawn(chance: Random) -> tuple[list[Wish], list[Event], bool]:
    """A course: who asks (and who of the NOC asks for it, or nobody), what happens, whether edits are taken back in the end.

    Drawn evenly: a list that is made to be shrunk is short more often than not, and a short course ends before anything is on.
    """
    wishes = [(chance.choice(SENDERS), chance.randint(0, 5)) for _ in range(chance.randint(2, LARGEST))]
    kinds = chance.choices(list(LIKELY), list(LIKELY.values()), k=chance.randint(LARGEST // 2, MOST_EVENTS))
    events = [(kind, chance.randint(0, 119), chance.randint(0, 9)) for kind in kinds]
    return wishes, events, chance.random() < 0.7


@pytest.mark.one_transaction
@pytest.mark.parametrize("part", range(1, PARTS + 1))
def test_every_request_ends_or_waits_for_a_person_and_says_for_what(house: House, part: int) -> None:
    @COURSES
    @given(seed=st.integers(0, 2**62))
    def course(seed: int) -> None:
        wishes, events, mended = _drawn(Random(seed))
        note(f"{wishes=}, {events=}, {mended=}")
        house.happened, house.clock.ahead = 0, 0
        try:
            with transaction.atomic():
                house.routers.restore()
                _run(house, wishes, events, mended)
                raise _Undo
        except _Undo:
            pass

    course()


def _run(house: House, wishes: list[tuple[str, int]], events: list[Event], mended: bool) -> None:
    house.hurries = False
    asked = [house.ask(number, sender, by) for number, (sender, by) in enumerate(wishes, 1)]
    mortal: Mortal | None = None
    for what, which, much in events:
        if what == "die in a deed":
            mortal = Mortal(1 + which % 12)
            continue
        with house.outliving(), mortal.at_work() if mortal is not None else nullcontext():
            _happen(house, asked, what, which, much)
        mortal = None
        _check_what_is_said(house, asked)
    _come_to_rest(house, mended)
    _check_what_is_said(house, asked)
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
            house.happened += 1
            asking.withdraw(actor=house.nrens[request.nren.name], request=request, reason="over")
    elif what == "work":
        house.work()
    elif what == "some work":
        house.work(most=much)
    elif what == "die":
        _die(house, request, which, much)
    elif what == "wait":
        house.wait(WAITS[which % len(WAITS)])
    elif what in ("look", "approve", "cancel"):
        _decide(house, what, which, much)
    elif what == "repair":
        # Another is at work on the router, or nobody is to plan it now.
        with suppress(Conflict):
            house.happened += 1
            planning.ask_for_plan(
                actor=house.noc[much % len(house.noc)], kind=ChangeKind.REPAIR, routers=[name]
            )
    elif what in ("edit", "mend"):
        house.edit(name, what == "edit")
    elif what == "away":
        house.routers.away.add(name)
    elif what == "back":
        house.routers.away.clear()
    elif what == "break":
        house.routers.breaks[name] = 1 + which % 20
        house.happened += 1
    elif what == "refuse" and much < 3:
        fault = {
            "kind": "refuse", "match": f":{1 + which % len(asked):x}::/48", "times": 1,
            "message": "% Invalid input detected",
        }  # fmt: skip
        house.routers.devices[name].faults.add(fault)
        house.happened += 2


def _die(house: House, request: PremiumRequest, which: int, much: int) -> None:
    """A process is killed after so many deeds, in whatever is due, or in the jobs that put the request on, or take it off."""
    mortal = Mortal(1 + which * which // 120)
    if much < 2:
        with house.outliving(), mortal.at_work():
            house.work()
        return
    house.begin(request) if much < 7 else house.end(request)
    house.work()
    _decide(house, "approve", -1, much)
    with house.outliving():
        house.work(mortal=mortal)


def _decide(house: House, what: str, which: int, much: int) -> None:
    """Somebody of the NOC reads, approves or cancels one of the plans that wait."""
    open_now = list(_waiting())
    if not open_now:
        return
    change, person = open_now[which % len(open_now)], house.noc[much % len(house.noc)]
    if what == "look":
        changes.look(actor=person, change=change)
    elif what == "approve":
        house.approve(person, change)
    elif much == 0:
        house.happened += 1
        changes.cancel(actor=person, change=change, reason="not tonight")


def _waiting() -> Any:
    """The plans that wait for people."""
    waiting = Change.objects.filter(finished_at=None, planned_at__isnull=False)
    return waiting.filter(approved_at=None).exclude(kind="baseline").order_by("pk")


def _come_to_rest(house: House, mended: bool) -> None:
    """Nothing happens any more but that people approve what there is, in any order, and that time passes."""
    house.routers.away.clear()
    house.routers.breaks.clear()
    for device in house.routers.devices.values():
        device.faults = Faults()
    if mended:
        for name in house.edited():
            house.edit(name, False)
    verifying.verify_routers()
    quiet = 0
    for _ in range(200):
        Change.objects.filter(finished_at=None).update(
            looked_at=None, opened_at=None
        )  # nobody reads any more
        done = house.work()
        waiting = _waiting()
        for change in waiting:
            for person in house.noc:
                house.approve(person, change)
            _ask_again(house, change)
        quiet = 0 if done or waiting.exists() else quiet + 1
        if quiet == len(WAITS):
            break
        house.wait(WAITS[quiet])  # a little first: not all that waits is to meet at one moment
    else:
        raise AssertionError("it never comes to rest")


def _ask_again(house: House, change: Change) -> None:
    """Its router did not answer when it was planned: nobody can approve that, and it says to plan it again."""
    unread = change.pushes.filter(state=PushState.UNKNOWN, plan_digest="")
    names = list(unread.values_list("router__name", flat=True))
    if names:
        house.happened += 1
        with suppress(Conflict):  # another is at work there
            planning.ask_for_plan(actor=house.noc[0], kind=change.kind, routers=names)


def _check_what_is_said(house: House, asked: list[PremiumRequest]) -> None:
    """Whoever is dead, away or half way: what is said of a request is so on its router."""
    shown = {name: device.running_config().lower() for name, device in house.routers.devices.items()}
    rows = PremiumRequest.objects.filter(source_link__case="filtered").in_bulk([row.pk for row in asked])
    for number, request in enumerate(asked, 1):
        state, router = (
            rows[request.pk].state if request.pk in rows else "",
            request.source_link.interface.router,
        )
        held = f":{number:x}::/48" in shown[router.name]
        if state == "ACTIVE":
            assert held, f"{request} is ACTIVE and {router} does not hold it"
        elif state in ("COMPLETED", "NEVER_PROVIDED"):
            assert not held, f"{request} is {state} and {router} holds it"


def _check(house: House, asked: list[PremiumRequest]) -> None:
    by_router: dict[int, list[str]] = {}
    seen_to: set[str] = set()
    for request in asked:
        request.refresh_from_db()
        router = request.source_link.interface.router
        by_router.setdefault(router.pk, []).append(f"{request} {request.state}")
        at_rest = request.state in ("ACTIVE", "COMPLETED", "NEVER_PROVIDED") or (
            request.state == "ADMITTED" and request.start > clock.now()
        )
        if not at_rest:
            # As its page says it: where a router that it crosses does not hold what is intended, that is what it says.
            said = wait_of(request, clock.now())
            assert said is not None, f"{request} is {request.state} and nothing says for what it waits"
            assert said.person, f"{request} is {request.state} and waits for nobody: {said.text}"
            seen_to.add(router.name)
    assert not RouterPush.objects.filter(state__in=(PushState.PUSHING, PushState.PUSHED)).exists()
    for router_id, states in by_router.items():
        follow = Change.objects.exclude(kind="baseline").filter(pushes__router=router_id).distinct()
        assert follow.filter(finished_at=None).count() <= 2, states
        # Each request begins, ends and may be withdrawn; what failed is tried by itself once more.
        assert follow.count() <= 2 * (2 * len(states) + house.happened), states
    assert not Job.objects.filter(state__in=("queued", "leased")).exists()
    if not house.edited():
        verifying.verify_routers()
        standing = dict(RouterSync.objects.values_list("router__name", "state"))
        # What was interrupted beside an edit is left as it stands until the person who is waited for has it planned again.
        assert {standing[name] for name in standing.keys() - seen_to} <= {SyncState.IN_SYNC}, standing
    assert audit.verify_chain().intact
