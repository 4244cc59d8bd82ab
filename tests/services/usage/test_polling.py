"""Counters read from practice routers: what was sent between two looks is what the router counted, whatever happened."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inventory.models import AccessLink, Router
from lab import policies
from provisioning.models import (
    CounterLook,
    Job,
    JobKind,
    JobState,
    Notification,
    PremiumRequest,
    RouterLease,
    Span,
    Topic,
    UsagePeriod,
    UsageSeries,
)
from provisioning.selectors import topology
from provisioning.services import clock, jobs, usage
from provisioning.services.leases import Held
from tests.services.house import House

JANET = "POS1/0"
HEADER = 4


@pytest.fixture
def sending(house: House) -> PremiumRequest:
    """JANET's reservation of 100 kbit/s is on."""
    request = house.ask(1, "JANET", 0)
    house.begin(request)
    house.work()
    for change in request.changes.all():
        house.approve(house.noc[1], change)
    house.work()
    request.refresh_from_db()
    assert request.state == "ACTIVE"
    return request


def send(house: House, *, rate_bps: int = 80_000, seconds: float = 300, size: int = 500) -> None:
    """Premium traffic of JANET, so much of layer 3; the time passes as well."""
    flow = {"src": "2001:630:1::7", "dst": "2001:648:ffff::1", "bytes": size, "rate_bps": rate_bps, "dscp": 0}
    policies.traffic(house.routers.devices["uk6"], (JANET, None, "input"), [flow], seconds)
    house.wait(int(seconds))
    house.routers.devices["uk6"].booted -= int(seconds)  # it is up for longer by that, too


def count(router: str = "uk6") -> str:
    return usage.count_router(router_id=Router.objects.get(name=router).pk)


def series() -> UsageSeries:
    return UsageSeries.objects.get(
        router__name="uk6", interface=JANET, direction="input", classes="EF-FILTERED"
    )


def test_what_is_sent_is_kept_beside_what_is_reserved(house: House, sending: PremiumRequest) -> None:
    send(house)
    assert count().startswith("counted for the first time")
    assert not UsagePeriod.objects.exists()
    send(house, rate_bps=80_000)
    assert " over 3" in count()
    row = series()
    assert (row.requests, row.reserved_bps, row.services, row.link) == (
        [sending.pk],
        100_000,
        ["ip-premium"],
        sending.source_link.name,
    )
    (poll,) = row.periods.filter(span=Span.POLL)
    packets = 80_000 * 300 // 8 // 500
    assert (poll.packets, poll.bytes) == (packets, packets * (500 + HEADER))
    assert (poll.passed_packets, poll.dropped_packets, poll.is_at_least) == (packets, 0, False)
    assert 300 <= poll.seconds < 400  # the time that was said to pass, and that of the test


def test_polls_add_up_to_their_hour_and_day(house: House, sending: PremiumRequest) -> None:
    count()
    for rate in (40_000, 60_000, 80_000):
        send(house, rate_bps=rate)
        count()
    for span in (Span.HOUR, Span.DAY):
        rows = series().periods.filter(span=span)
        assert sum(row.bytes for row in rows) == 180_000 * 300 // 8 // 500 * (500 + HEADER)
        assert sum(row.seconds for row in rows) == pytest.approx(950, abs=55)
    assert series().periods.filter(span=Span.POLL).count() == 3


def test_a_router_that_was_reloaded_says_at_least(house: House, sending: PremiumRequest) -> None:
    send(house)
    count()
    device = house.routers.devices["uk6"]
    device.counters.clear()
    send(house, rate_bps=40_000, seconds=100)
    count()
    (poll,) = series().periods.filter(span=Span.POLL)
    assert (poll.packets, poll.is_at_least) == (1000, True)


def test_two_looks_at_once_count_once(house: House, sending: PremiumRequest) -> None:
    count()
    send(house)
    count()
    said = count()
    assert "a moment ago" in said
    assert series().periods.filter(span=Span.POLL).count() == 1


def test_a_router_that_cannot_be_read_says_why_and_loses_nothing(
    house: House, sending: PremiumRequest, settings: Any
) -> None:
    settings.USAGE_SECONDS = 300
    count()
    send(house)
    house.routers.away.add("uk6")
    assert "does not answer" in count()
    row = CounterLook.objects.get(router__name="uk6")
    assert "does not answer" in row.error
    assert row.due_at > clock.now()
    house.routers.away.clear()
    send(house)
    count()
    row.refresh_from_db()
    assert row.error == ""
    (poll,) = series().periods.filter(span=Span.POLL)
    assert poll.packets == 2 * 80_000 * 300 // 8 // 500
    assert 600 <= poll.seconds < 700


def test_what_was_sent_stays_of_its_link_when_another_is_given_the_interface(
    house: House, sending: PremiumRequest
) -> None:
    for _ in range(3):
        send(house)
        count()
    first, was = series(), sending.source_link.name
    sent = UsagePeriod.objects.get(series=first, span=Span.DAY).bytes
    AccessLink.objects.filter(pk=sending.source_link_id).update(name="of another")
    topology.forget()
    send(house)
    count()
    first.refresh_from_db()
    assert (first.link, first.requests, first.reserved_bps) == (was, [], 0)
    assert UsagePeriod.objects.get(series=first, span=Span.DAY).bytes == sent
    assert UsageSeries.objects.filter(interface=JANET, link="of another", classes="EF-FILTERED").exists()


def test_every_router_has_its_moment_and_a_push_goes_first(
    house: House, sending: PremiumRequest, settings: Any
) -> None:
    settings.USAGE_SECONDS = 300
    jobs.tick()
    moments = dict(CounterLook.objects.values_list("router__name", "due_at"))
    assert len(set(moments.values())) == Router.objects.count() == 3
    house.wait(300)
    RouterLease.objects.filter(router__name="uk6").update(
        owner="a push", until=clock.now() + timedelta(seconds=30)
    )
    made = {job.subject_id for job in jobs.tick() if job.kind == JobKind.COUNT}
    assert made == set(Router.objects.exclude(name="uk6").values_list("pk", flat=True))
    RouterLease.objects.filter(router__name="uk6").update(owner="", until=None)
    house.work()
    assert set(Job.objects.filter(kind=JobKind.COUNT).values_list("state", flat=True)) == {JobState.DONE}
    assert not CounterLook.objects.filter(read_at=None).exists()
    assert not [job for job in jobs.tick() if job.kind == JobKind.COUNT]


def test_what_is_dropped_twice_is_told_the_noc_and_its_sender_until_it_is_over(
    house: House, sending: PremiumRequest
) -> None:
    count()
    for _ in range(3):
        send(house, rate_bps=12_000_000, seconds=60, size=1000)
        count()
    (told,) = Notification.objects.filter(topic=Topic.DROPPED)
    assert told.nren == sending.nren
    assert told.path == f"/requests/{sending.pk}/usage/"
    assert "JANET loses 3" in told.title
    assert told.over_at is None
    row = series()
    assert row.lost == pytest.approx(0.35, abs=0.03)
    assert 6_000_000 < row.sent_bps <= 12_000_000
    assert row.dropping_since is not None
    assert clock.now() - row.dropping_since > timedelta(seconds=170)
    assert "JANET sends " in told.text
    assert " of 100 kbit/s; 3" in told.text
    assert f"/requests/{sending.pk}/pack/" in told.text
    # Over after three looks without a drop; one in between begins the three anew, and is not told again.
    for rate in (80_000, 80_000, 12_000_000, 80_000, 80_000):
        send(house, rate_bps=rate, seconds=60, size=1000)
        count()
    assert not Notification.objects.filter(topic=Topic.DROPPED).exclude(pk=told.pk).exists()
    told.refresh_from_db()
    assert (told.over_at, series().quiet_looks) == (None, 2)
    send(house, rate_bps=80_000)
    count()
    told.refresh_from_db()
    assert told.over_at is not None
    assert (series().dropping_since, series().quiet_looks) == (None, 0)


def test_one_burst_is_told_nobody(house: House, sending: PremiumRequest) -> None:
    count()
    for rate in (12_000_000, 80_000, 12_000_000):
        send(house, rate_bps=rate, seconds=60, size=1000)
        count()
    assert not Notification.objects.filter(topic=Topic.DROPPED).exists()


def test_the_counters_of_another_chassis_are_no_continuation(house: House, sending: PremiumRequest) -> None:
    count()
    send(house)
    count()
    Router.objects.filter(name="uk6").update(serial="")
    house.routers.devices["uk6"].faults.add({"kind": "replaced", "message": "TBA00000001"})
    send(house)
    assert count().startswith("counted for the first time")
    assert series().periods.filter(span=Span.POLL).count() == 1
    send(house)
    count()
    assert series().periods.filter(span=Span.POLL).count() == 2


def test_a_router_that_somebody_writes_to_is_left_to_him(house: House, sending: PremiumRequest) -> None:
    RouterLease.objects.filter(router__name="uk6").update(
        owner="a push", until=clock.now() + timedelta(seconds=30)
    )
    with pytest.raises(Held):
        count()
    assert not CounterLook.objects.filter(router__name="uk6").exists()


def test_a_place_that_is_missing_from_one_look_begins_nothing_anew(
    house: House, sending: PremiumRequest
) -> None:
    send(house)
    count()
    device = house.routers.devices["uk6"]
    counted = device.counters.pop((JANET, None, "input"))
    policy = device.config.interfaces[JANET].policies.pop("input")
    house.wait(5)
    count()
    device.counters[JANET, None, "input"] = counted
    device.config.interfaces[JANET].policies["input"] = policy
    for _ in range(2):
        send(house)
        count()
    polls = [(row.packets, row.is_at_least) for row in series().periods.filter(span=Span.POLL).order_by("at")]
    assert polls == [(0, True), (80_000 * 300 // 8 // 500, False)]


def test_what_is_told_ends_when_nobody_counts_any_more(
    house: House, sending: PremiumRequest, settings: Any
) -> None:
    settings.USAGE_SECONDS = 300
    count()
    for _ in range(3):
        send(house, rate_bps=12_000_000, seconds=60, size=1000)
        count()
    told = Notification.objects.get(topic=Topic.DROPPED, over_at=None)
    usage.end_unseen(clock.now())
    told.refresh_from_db()
    assert told.over_at is None
    house.wait(1000)
    usage.end_unseen(clock.now())
    told.refresh_from_db()
    assert told.over_at is not None


def test_a_beat_that_was_set_too_late_is_mended(house: House, sending: PremiumRequest, settings: Any) -> None:
    settings.USAGE_SECONDS = 300
    usage.begin_counting(clock.now())
    CounterLook.objects.update(due_at=clock.now() + timedelta(days=300))
    assert usage.due(clock.now()).count() == 3
    count()
    assert CounterLook.objects.get(router__name="uk6").due_at <= clock.now() + timedelta(seconds=300)
