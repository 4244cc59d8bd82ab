"""Reservations that touch in time: no link is given more than its share, and none waits for another for ever."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inventory.models import Router
from provisioning.models import Change, ChangeKind, PremiumRequest, Reservation
from provisioning.pipeline.queue import Member, Work
from provisioning.selectors.waiting import wait_of
from provisioning.services import changes, clock, guarding, planning
from provisioning.services.planning import due_work
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house
from tests.soak.service_journal import Replay

pytestmark = pytest.mark.once  # over practice routers, the same on either database

MUCH = "5M"  # of a share of 7.75 Mbit/s
PORT = "POS1/0"


def one_after_the_other(house: House, *, stays: bool) -> tuple[PremiumRequest, PremiumRequest]:
    """One that is on and over, and one that begins then; another goes on meanwhile where it `stays`."""
    tomorrow = clock.now() + timedelta(days=1)
    first = house.ask(1, "JANET", 9, rate=MUCH, start=tomorrow)
    house.begin(first)
    then = house.ask(2, "JANET", 9, rate=MUCH, start=first.end)
    if stays:
        house.begin(house.ask(3, "JANET", 9, rate="100k", start=tomorrow))
    house.work()
    approve_all(house)
    first.refresh_from_db()
    assert first.state == "ACTIVE"
    house.end(first)
    house.begin(then)
    return first, then


def approve_all(house: House) -> None:
    for change in Change.objects.filter(finished_at=None, approved_at=None, planned_at__isnull=False):
        for person in house.noc[:2]:
            house.approve(person, change)
    house.work()


def let_in_together(house: House) -> int:
    """How many flows of the link its router let in at once at most, by the lines it took."""
    replay, most = Replay(), 0
    for entry in house.routers.devices["uk6"].history:
        if not str(entry["reply"]).lstrip().startswith(("%", "^")):
            replay.take("noc", str(entry["line"]))
            most = max(most, sum(port == PORT and bool(source) for port, source, _ in replay.let_in()))
    return most


@pytest.mark.one_transaction
@pytest.mark.parametrize("stays", [False, True])
def test_what_follows_at_once_is_one_plan_and_never_on_beside_what_goes(house: House, stays: bool) -> None:
    first, then = one_after_the_other(house, stays=stays)
    house.work()
    (change,) = Change.objects.filter(finished_at=None)
    assert set(change.requests.all()) == {first, then}
    approve_all(house)
    for request, state in ((first, "COMPLETED"), (then, "ACTIVE")):
        request.refresh_from_db()
        assert request.state == state
    assert let_in_together(house) == 1 + stays


@pytest.mark.one_transaction
def test_plans_of_two_routers_do_not_wait_for_each_other(house: House) -> None:
    """All cross one core link and fill its share; at one instant one goes and one comes on each of two routers."""
    tomorrow = clock.now() + timedelta(days=1)
    goes = [
        house.ask(1, "JANET", 9, rate="7M", start=tomorrow),
        house.ask(2, "SURFnet", 9, rate="24M", start=tomorrow),
    ]
    for request in goes:
        house.begin(request)
    comes = [
        house.ask(3, "JANET", 9, rate="7M", start=goes[0].end),
        house.ask(4, "SURFnet", 9, rate="24M", start=goes[1].end),
    ]
    house.work()
    approve_all(house)
    states(goes, "ACTIVE")
    for request in goes:
        house.end(request)
    for request in comes:
        house.begin(request)
    house.work()
    assert [change.kind for change in Change.objects.filter(finished_at=None)] == ["removal", "removal"]
    said = wait_of(comes[0])
    assert (
        said is not None
        and said.person
        and re.fullmatch(r"it is planned after CHG-\d+ on uk6: CHG-\d+ waits for approval: .*", said.text)
    )
    assert "CHG" not in said.general and "uk6" not in said.general
    approve_all(house)
    states(goes, "COMPLETED")
    approve_all(house)
    states(comes, "ACTIVE")


def states(requests: list[PremiumRequest], expected: str) -> None:
    for request in requests:
        request.refresh_from_db()
        assert request.state == expected


def moment_of(house: House, goes: list[PremiumRequest], comes: list[PremiumRequest]) -> None:
    """The instant at which some end and others begin; a quiet while later no event has left a mark."""
    for request in goes:
        house.end(request)
    for request in comes:
        house.begin(request)
    house.work()
    quiet(house)


def quiet(house: House) -> None:
    for _ in range(5):
        house.wait(20)
        house.work()


def approve_on(house: House, router: str) -> None:
    mine = Change.objects.filter(finished_at=None, approved_at=None, pushes__router__name=router)
    for change in mine.distinct():
        for person in house.noc[:2]:
            house.approve(person, change)
    quiet(house)


@pytest.mark.one_transaction
def test_what_was_left_out_is_planned_soon_after_what_it_follows_is_gone_elsewhere(house: House) -> None:
    """Nothing happens on its own router meanwhile: nobody has approved what goes there."""
    tomorrow = clock.now() + timedelta(days=1)
    small = house.ask(1, "JANET", 9, rate="100k", start=tomorrow)
    large = house.ask(2, "SURFnet", 9, rate="24M", start=tomorrow)
    for request in (small, large):
        house.begin(request)
    then = house.ask(3, "JANET", 9, rate="7M", start=small.end)
    large_again = house.ask(4, "SURFnet", 9, rate="24M", start=large.end)
    house.work()
    approve_all(house)
    moment_of(house, [small, large], [then, large_again])
    assert [set(change.requests.all()) for change in waiting_on("uk6")] == [{small}]
    approve_on(house, "nl6")
    states([large], "COMPLETED")
    assert [set(change.requests.all()) for change in waiting_on("uk6")] == [{small, then}]


@pytest.mark.one_transaction
def test_what_is_kept_back_has_the_rest_planned_beside_it_soon(house: House) -> None:
    """What goes failed with others before and comes last; what follows it was approved meanwhile."""
    tomorrow = clock.now() + timedelta(days=1)
    first = house.ask(1, "JANET", 9, rate=MUCH, start=tomorrow)
    house.begin(first)
    then = house.ask(2, "JANET", 9, rate=MUCH, start=first.end)
    house.work()
    approve_all(house)
    Reservation.objects.filter(request=first).update(alone=True)
    moment_of(house, [first], [then])
    assert [set(change.requests.all()) for change in waiting_on("uk6")] == [{then}]
    approve_on(house, "uk6")
    approve_on(house, "uk6")
    states([first], "COMPLETED")
    approve_on(house, "uk6")
    states([then], "ACTIVE")
    assert let_in_together(house) == 1


@pytest.mark.one_transaction
def test_what_needs_no_lines_is_not_on_beside_what_it_follows(house: House) -> None:
    """There is no push of it that could be kept back."""
    tomorrow = clock.now() + timedelta(days=1)
    first = house.ask(1, "SURFnet", 9, rate="28M", start=tomorrow)
    house.begin(first)
    then = house.ask(2, "HEAnet", 9, rate="7M", start=first.end)
    house.work()
    approve_all(house)
    moment_of(house, [first], [then])
    states([then], "ADMITTED")
    approve_on(house, "nl6")
    states([first], "COMPLETED")
    states([then], "ACTIVE")


@pytest.mark.one_transaction
@pytest.mark.parametrize(
    ("kind", "names"), [(ChangeKind.BASELINE, ["uk6"]), (ChangeKind.REPAIR, ["uk6", "nl6"])]
)
def test_a_plan_that_a_person_asks_for_leaves_what_must_wait_to_its_queue(
    house: House, kind: ChangeKind, names: list[str]
) -> None:
    tomorrow = clock.now() + timedelta(days=1)
    first = house.ask(1, "SURFnet", 9, rate="28M", start=tomorrow)
    house.begin(first)
    then = house.ask(2, "JANET", 9, rate="7M", start=first.end)
    house.work()
    approve_all(house)
    moment_of(house, [first], [then])
    asked = planning.plan_domain(actor=house.noc[0], kind=kind, routers=names)
    assert then not in asked.requests.all()
    approve_all(house)
    approve_all(house)
    for change in Change.objects.filter(finished_at=None, released_at=None, approved_at__isnull=False):
        changes.release(actor=house.noc[1], change=change)
    quiet(house)
    approve_all(house)
    states([first], "COMPLETED")
    states([then], "ACTIVE")


@pytest.mark.one_transaction
def test_what_follows_what_is_held_out_is_not_planned_ahead_with_what_goes(
    house: House, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LEAD_TIME_SECONDS = 900
    tomorrow = clock.now() + timedelta(days=1)
    first = house.ask(1, "JANET", 9, rate=MUCH, start=tomorrow)
    small = house.ask(2, "JANET", 9, rate="100k", start=tomorrow)
    for request in (first, small):
        house.begin(request)
    then = house.ask(3, "JANET", 9, rate=MUCH, start=first.end)
    house.work()
    approve_all(house)
    states([first, small], "ACTIVE")
    planned = due_work._try

    def edited(router: Router, reading: Any, batch: Sequence[Work]) -> Any:
        plans, why, wanted = planned(router, reading, batch)
        return plans, why or "edited by hand" * any(work.member.request == first.pk for work in batch), wanted

    monkeypatch.setattr(due_work, "_try", edited)
    assert first.end is not None
    house.wait(int((first.end - clock.now()).total_seconds()) - 600)
    quiet(house)
    assert [set(change.requests.all()) for change in waiting_on("uk6")] == [{small}]
    assert then.state == "ADMITTED"


def waiting_on(router: str) -> list[Change]:
    return list(Change.objects.filter(finished_at=None, pushes__router__name=router).distinct())


@pytest.mark.one_transaction
def test_who_must_wait_among_many_is_who_would_have_to_wait_alone(house: House) -> None:
    """All are judged together first, and by halves where that does not fit."""
    tomorrow = clock.now() + timedelta(days=1)
    first = house.ask(1, "JANET", 9, rate="6M", start=tomorrow)
    large = house.ask(2, "SURFnet", 9, rate="20M", start=tomorrow)
    house.begin(first)
    house.begin(large)
    comes = [house.ask(3 + n, "JANET", 9, rate="150k", start=first.end) for n in range(9)]
    comes += [house.ask(20 + n, "SURFnet", 9, rate="4M", start=large.end) for n in range(5)]
    house.work()
    approve_all(house)
    for request in (first, large):
        house.end(request)
    moment = first.end
    assert moment is not None
    for off, expected in (([], 5), ([first], 5), ([large], 0), ([first, large], 0)):
        going = [Work(Member(request.pk, False), moment) for request in off]
        coming = [Work(Member(request.pk, True), moment) for request in comes]
        alone = [each.member for each in coming if guarding.must_wait([*going, each], clock.now())]
        with CaptureQueriesContext(connection) as asked:
            together = guarding.must_wait([*going, *coming], clock.now())
        assert together == set(alone)
        assert len(together) >= expected
        if not together:
            assert len(asked) < 25, "one judgement for all"
