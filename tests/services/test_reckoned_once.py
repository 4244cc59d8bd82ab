"""A plan, a push or a verification of one router asks the database as often, whatever is on elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inventory.models import Domain, Router
from provisioning.models import SYSTEM, Change, PremiumRequest, Reservation, RouterSync
from provisioning.pipeline.states import PushState, RequestState
from provisioning.services import clock, intents, planning, queues, verifying
from provisioning.services.planning.due_work import decide_for
from provisioning.services.pushing import gate
from provisioning.services.reading import Reading
from tests.services.ring import all_in_sync, elsewhere, reserve, ring, settled

SIZE = 12


@pytest.fixture
def reading(db: None, monkeypatch: pytest.MonkeyPatch) -> Reading:
    """The router r0 of a ring as it is read from now on: as intended, but for one reservation that is due there."""
    ring(SIZE)
    all_in_sync()
    shown = settled("r0")
    reserve([(0, 1)], SIZE, state=RequestState.ADMITTED)

    def read(routers: Iterable[Router]) -> dict[str, Reading]:
        return {router.name: replace(shown, router=router.name, read_at=timezone.now()) for router in routers}

    monkeypatch.setattr(verifying, "read_routers", read)
    monkeypatch.setattr(gate, "read_routers", read)
    return shown


def plan() -> Change:
    return planning.plan_domain(actor=SYSTEM, routers=["r0"])


def plan_what_is_due() -> None:
    outcome = planning.plan_router(router_id=Router.objects.get(name="r0").pk)
    assert outcome.startswith("CHG-"), outcome


def queries(deed: Callable[[], object]) -> int:
    """How many statements it takes; what it wrote is undone."""
    with (
        CaptureQueriesContext(
            connection,
        ) as asked,
        transaction.atomic(),
    ):
        deed()
        transaction.set_rollback(True)
    return len(asked)


def test_a_plan_of_one_router_holds_what_is_due_there(reading: Reading) -> None:
    change = plan()
    (push,) = [push for push in change.pushes.all() if push.lines]
    assert (push.router.name, push.phase) == ("r0", "edges")
    (asked,) = PremiumRequest.objects.filter(state=RequestState.ADMITTED)
    assert list(change.requests.all()) == [asked]
    assert change.rates["convergence"] == [], "no queue of the core is touched"
    change.pushes.update(state=PushState.APPROVED)
    assert gate.check(change).startswith("edges may start")


@pytest.mark.one_transaction
@pytest.mark.parametrize("deed", ("planning", "due", "gate", "approving", "verifying", "wanted"))
def test_as_many_queries_with_ten_as_with_three_hundred_reservations_elsewhere(
    reading: Reading, deed: str
) -> None:
    change = plan()
    if deed != "due":
        change.pushes.update(state=PushState.APPROVED)
    waiting = list(change.pushes.select_related("router", "before"))
    deeds: dict[str, Callable[[], object]] = {
        "planning": plan,
        "due": plan_what_is_due,
        "gate": lambda: gate.check(Change.objects.get(pk=change.pk)),
        "approving": lambda: intents.changed_since(change),
        "verifying": lambda: verifying.verify_router(router=waiting[0].router),
        "wanted": lambda: intents.wanted(routers=["r0"]),
    }
    assert waiting
    reserve(elsewhere(10, SIZE), SIZE)
    queries(deeds[deed])  # what is kept per process is there by now
    few = queries(deeds[deed])
    reserve(elsewhere(290, SIZE), SIZE)
    assert queries(deeds[deed]) == few
    assert few < 130


def test_a_queue_is_decided_without_working_out_an_intent_unless_something_is_held_out(
    reading: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    router = Router.objects.get(name="r0")
    now = clock.now()
    few = queries(lambda: decide_for(router, now))
    assert few <= 10, "neither the network nor what the router is to hold"
    (held,) = PremiumRequest.objects.filter(state=RequestState.ADMITTED)
    queues.hold_out([held], "it does not fit", cause=queues.cause_of(router))
    assert decide_for(router, now).batch == ()
    asked = []
    monkeypatch.setattr(queues, "cause_of", lambda router: asked.append(router) or "another")
    assert [work.member.request for work in decide_for(router, now).batch] == [held.pk]
    assert asked == [router], "once, however many are held out"


def test_wanted_asks_as_often_for_one_router_as_for_all(db: None) -> None:
    ring(SIZE)
    reserve(elsewhere(20, SIZE), SIZE)
    domain = Domain.objects.get()
    one = queries(lambda: intents.wanted(domain=domain, routers=["r3"]))
    assert queries(lambda: intents.wanted(domain=domain, routers=["r3", "r4", "r5", "r6"])) == one
    assert queries(lambda: intents.wanted(domain=domain)) <= one


def shown(**keys: list[int]) -> None:
    """Every router was read after everything that is in the rows, and showed this."""
    RouterSync.objects.update(checked_at=timezone.now() + timedelta(seconds=1), detail=keys)


def waiting(count: int) -> list[int]:
    """A request from r0 to r1, and others elsewhere, all begun and not seen yet."""
    pairs = [(0, 1), *elsewhere(count, SIZE)]
    made = [each.pk for each in reserve(pairs, SIZE, state=RequestState.ADMITTED)]
    Reservation.objects.filter(request__in=made).update(put_on_at=timezone.now())
    return made


def test_a_reading_settles_what_depends_on_the_router_and_the_tick_the_rest(db: None) -> None:
    ring(SIZE)
    all_in_sync()
    first, *others = waiting(3)
    shown(requests_on=[first, *others])
    assert verifying.settle_requests(routers=["r0"]) == [f"PIP-{first} ACTIVE"]
    assert verifying.settle_requests(routers=["r0", "r1"]) == []
    assert verifying.settle_requests() == [f"PIP-{pk} ACTIVE" for pk in others]


def test_settling_after_one_router_does_not_look_at_what_waits_elsewhere(db: None) -> None:
    ring(SIZE)
    all_in_sync()
    waiting(10)
    few = queries(lambda: verifying.settle_requests(routers=["r0"]))
    waiting(290)
    assert queries(lambda: verifying.settle_requests(routers=["r0"])) == few
