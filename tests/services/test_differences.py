"""Drift: each difference since when, ignored until a day with a reason, and never an open edge; routers read again, spread."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inventory.models import Router
from provisioning.errors import Conflict, InvalidInput, NotPermitted, StaleState
from provisioning.models import (
    AuditEvent,
    Notification,
    RouterDifference,
    RouterSync,
    SyncState,
    Topic,
    TopologyVersion,
)
from provisioning.selectors import differences as selecting
from provisioning.selectors.invariant import invariant_of
from provisioning.services import clock, differences, intents, rereading, verifying
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house

NAME = "uk6"


def read(name: str = NAME) -> RouterSync:
    return verifying.verify_router(router=Router.objects.get(name=name))


def standing() -> list[RouterDifference]:
    return list(RouterDifference.objects.filter(gone_at=None))


def edit(house: House, on: bool = True) -> None:
    """By hand: classes carry a mark that is not intended; nobody is let in by it."""
    house.routers.type(
        NAME, "policy-map NON-PARTICIPANT", "class class-default", f"set dscp {8 if on else 0}"
    )


def told() -> list[Notification]:
    return list(Notification.objects.filter(topic=Topic.DIFFERS, over_at=None))


def ignored(house: House, days: float = 7) -> RouterDifference:
    (row,) = standing()
    return differences.ignore(
        actor=house.noc[0],
        difference=row.pk,
        until=clock.now() + timedelta(days=days),
        reason="the old class goes with the card, on Friday",
    )


def test_a_difference_stands_from_the_first_reading_that_shows_it_until_one_that_does_not(
    house: House,
) -> None:
    assert read().state == SyncState.IN_SYNC and not standing()
    edit(house)
    first = read()
    (row,) = standing()
    assert (row.router.name, row.first_seen_at, row.last_seen_at) == (
        NAME,
        first.checked_at,
        first.checked_at,
    )
    assert row.object.startswith("policy-map ") and "set dscp 8" in row.found and row.expected != row.found
    second = read()
    (row,) = standing()
    assert (row.first_seen_at, row.last_seen_at) == (first.checked_at, second.checked_at)
    edit(house, on=False)
    third = read()
    assert third.state == SyncState.IN_SYNC and not standing()
    (row,) = RouterDifference.objects.all()
    assert row.gone_at == third.checked_at


def test_a_router_that_cannot_be_read_says_nothing_of_what_stood(house: House) -> None:
    edit(house)
    read()
    house.routers.away.add(NAME)
    assert read().state == SyncState.UNKNOWN
    (row,) = standing()
    with pytest.raises(Conflict, match="could not be read since"):
        ignored(house)
    assert row.gone_at is None and row.last_seen_at == row.first_seen_at


def test_what_is_ignored_differs_all_the_same_and_ends_its_alarm_until_its_day(house: House) -> None:
    edit(house)
    read()
    assert len(told()) == 1
    row = ignored(house)
    assert not told(), "the alarm ends with the word"
    assert selecting.all_ignored(clock.now()) == {row.router_id}
    assert read().state == SyncState.DIFFERS, "never in sync by that"
    assert not told()
    event = AuditEvent.objects.get(action="router.difference-ignored")
    assert event.reason and event.after["object"] == row.object and event.after["ignored_until"]
    RouterDifference.objects.update(ignored_until=clock.now())
    assert selecting.all_ignored(clock.now()) == set()
    read()
    assert len(told()) == 1, "its day is over"


def test_another_edit_of_the_same_object_is_another_difference(house: House) -> None:
    edit(house)
    read()
    row = ignored(house)
    house.routers.type(NAME, "policy-map NON-PARTICIPANT", "class class-default", "set dscp 16")
    read()
    (other,) = standing()
    assert other.object == row.object and other.digest != row.digest and other.ignored_until is None
    assert len(told()) == 1
    row.refresh_from_db()
    assert row.gone_at is not None
    with pytest.raises(StaleState, match="not seen any more"):
        differences.ignore(
            actor=house.noc[0], difference=row.pk, until=clock.now() + timedelta(days=1), reason="late"
        )


def test_who_takes_the_word_back_is_told_again(house: House) -> None:
    edit(house)
    read()
    row = ignored(house)
    differences.heed(actor=house.noc[1], difference=row.pk, reason="Friday is cancelled")
    read()
    assert len(told()) == 1
    row.refresh_from_db()
    assert (row.ignored_until, row.ignored_by, row.ignored_reason) == (None, None, "")
    before = AuditEvent.objects.count()
    differences.heed(actor=house.noc[1], difference=row.pk, reason="twice")
    assert AuditEvent.objects.count() == before, "nothing to do, nothing to record"


def test_an_open_edge_is_never_ignored(house: House) -> None:
    house.routers.type(NAME, "interface POS1/0", "no service-policy input NON-PARTICIPANT")
    assert read().open_edges
    for row in standing():
        with pytest.raises(Conflict, match=r"open edge \(POS1/0\)"):
            differences.ignore(
                actor=house.noc[0], difference=row.pk, until=clock.now() + timedelta(days=1), reason="why not"
            )
    assert standing()


def test_what_may_not_be_ignored_is_refused_by_name(house: House) -> None:
    edit(house)
    read()
    (row,) = standing()
    now = clock.now()

    def ask(**other: object) -> None:
        given = {"actor": house.noc[0], "difference": row.pk, "until": now + timedelta(days=1), "reason": "x"}
        differences.ignore(**{**given, **other})  # type: ignore[arg-type]

    for field, other in (
        ("until", {"until": now - timedelta(seconds=1)}),
        ("until", {"until": now + timedelta(days=91)}),
        ("difference", {"difference": 0}),
        ("reason", {"reason": " "}),
    ):
        with pytest.raises(InvalidInput) as refused:
            ask(**other)
        assert refused.value.field == field
    with pytest.raises(NotPermitted):
        ask(actor=house.nrens["JANET"])
    row.refresh_from_db()
    assert row.ignored_until is None


def test_a_router_as_intended_costs_one_statement_and_a_thousand_differences_no_more(house: House) -> None:
    router = Router.objects.get(name=NAME)
    now = clock.now()
    with CaptureQueriesContext(connection) as asked:
        assert differences.note_seen(router, [], now, checked=True) is False
    assert len(asked) == 1, [each["sql"][:90] for each in asked]
    many = [{"object": f"class-map C{n}", "expected": "", "found": f"match dscp {n}"} for n in range(1000)]
    differences.note_seen(router, many, now, checked=True)
    with CaptureQueriesContext(connection) as asked:
        assert differences.note_seen(router, many[1:], now, checked=True) is True
    assert len(asked) <= 3
    assert RouterDifference.objects.filter(gone_at=None).count() == 999


def test_routers_read_together_come_apart_and_quiet_ones_are_read_seldom(
    house: House, settings: object
) -> None:
    settings.VERIFY_SECONDS, settings.VERIFY_STEADY_FACTOR = 800, 4
    now = clock.now()

    def due_after(seconds: float) -> int:
        RouterSync.objects.update(checked_at=now - timedelta(seconds=seconds))
        return rereading.due(now).count()

    everybody = RouterSync.objects.count()
    assert due_after(639) == 0 and due_after(801) == everybody
    early = [due_after(seconds) for seconds in range(640, 801, 2)]
    assert sorted(early) == early and len(set(early)) == everybody + 1, (
        "one after the other, never all at once"
    )
    TopologyVersion.objects.update(created_at=now - timedelta(days=30))
    RouterSync.objects.update(same_since=now - timedelta(days=2))
    assert due_after(1270) == 0 and due_after(1601) == everybody
    RouterSync.objects.update(same_since=now - timedelta(days=8))
    assert due_after(2500) == 0 and due_after(3201) == everybody
    TopologyVersion.objects.update(created_at=now - timedelta(seconds=1))
    assert due_after(801) == everybody, "the network became another one since"
    TopologyVersion.objects.update(created_at=now - timedelta(days=30))
    assert due_after(2500) == 0
    settings.VERIFY_STEADY_FACTOR = 1
    assert due_after(801) == everybody
    settings.VERIFY_STEADY_FACTOR = 4
    RouterSync.objects.update(state=SyncState.DIFFERS)
    assert due_after(801) == everybody, "one that differs is never left for longer"


def test_the_same_is_counted_from_the_reading_that_showed_something_else(house: House) -> None:
    since = read().same_since
    assert since is not None and read().same_since == since
    edit(house)
    edited = read()
    assert edited.same_since == edited.checked_at != since


def test_what_a_plan_reads_beside_something_ignored_is_not_ignored_with_it(house: House) -> None:
    edit(house)
    read()
    row = ignored(house)
    house.routers.type(NAME, "class-map match-all LBE", "match dscp 16")
    router = Router.objects.get(name=NAME)
    wanted = intents.wanted(routers=[NAME])
    readings = verifying.read_routers([router])
    verifying.record(router=router, reading=readings[NAME], wanted=wanted)
    assert selecting.all_ignored(clock.now()) == set()
    assert len(standing()) > 1 and row.pk in {each.pk for each in standing()}


def test_an_edge_that_was_open_is_not_closed_by_a_router_that_does_not_answer(house: House) -> None:
    house.routers.type(NAME, "interface POS1/0", "no service-policy input NON-PARTICIPANT")
    read()
    assert invariant_of(clock.now()).verdict == "broken"
    house.routers.away.add(NAME)
    assert read().state == SyncState.UNKNOWN
    found = invariant_of(clock.now())
    assert found.verdict == "broken" and "POS1/0" in {spot.interface for spot in found.open}
    assert NAME in {spot.router for spot in found.unknown}
    house.routers.away.clear()
    house.routers.type(NAME, "interface POS1/0", "service-policy input NON-PARTICIPANT")
    read()
    assert not invariant_of(clock.now()).open
