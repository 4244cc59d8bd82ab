"""What overlaps a window is found by an index, and is what somebody who reads the whole book would find."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from provisioning.models import LedgerEntry, PremiumRequest, Reservation
from provisioning.models.spans import LENGTHS, OPEN
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.pipeline.timeline import timelines
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.courses import courses
from provisioning.selectors.ledger import commitments
from provisioning.selectors.requests import sls_of
from provisioning.selectors.sharing import shared_buckets
from provisioning.services import decisions
from tests.services.requests.sixnet import admitted, hours, import_sixnet, submitted

pytestmark = pytest.mark.once

NOW = datetime(2027, 5, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
LINKS = ("A@x:1", "B@x:2")


@pytest.fixture
def request_row(db: None) -> PremiumRequest:
    import_sixnet()
    return submitted()


def charge(request: PremiumRequest, start: datetime, end: datetime | None, **more: object) -> LedgerEntry:
    held = Reservation.objects.filter(request=request).first()
    held = held or Reservation.objects.create(request=request, granted_bps=1, path=[])
    known = {
        "reservation": held,
        "request": request,
        "link": LINKS[0],
        "direction": "in",
        "pool": "p",
        "rate_bps": 1,
    }
    return LedgerEntry.objects.create(start=start, end=end, **{**known, **more})


def test_the_length_is_never_less_than_the_window_lasts(request_row: PremiumRequest) -> None:
    for number, longest in enumerate(LENGTHS):
        for less in (timedelta(), SECOND * 2, timedelta(microseconds=1), -timedelta(microseconds=1)):
            row = charge(request_row, NOW, NOW + longest - less)
            row.refresh_from_db()
            assert row.span == OPEN or LENGTHS[row.span] >= row.end - row.start
            assert row.span in (number, number + 1)
    assert charge(request_row, NOW, None).span == OPEN or connection.vendor == "sqlite"
    LedgerEntry.objects.filter(span=0).update(end=NOW + timedelta(days=10_000))
    assert not LedgerEntry.objects.filter(span=0).exists(), "the database works it out, whoever writes"


def test_a_window_has_what_a_reading_of_the_whole_book_finds_in_it(request_row: PremiumRequest) -> None:
    dice = random.Random(9)
    for _ in range(300):
        start = NOW + timedelta(hours=dice.uniform(-3000, 3000))
        lasts = dice.choice((None, dice.uniform(0.01, 2), dice.uniform(1, 60), dice.uniform(10, 4000)))
        end = None if lasts is None else start + timedelta(hours=lasts)
        charge(
            request_row,
            start,
            end,
            link=dice.choice(LINKS),
            rate_bps=dice.randrange(1, 10**6),
            released_at=NOW if dice.random() < 0.2 else None,
        )
    for _ in range(100):
        start = NOW + timedelta(hours=dice.uniform(-100, 3000))
        lasts = dice.choice((None, dice.uniform(0.01, 2), dice.uniform(10, 900)))
        window = TimeWindow(start, None if lasts is None else start + timedelta(hours=lasts))
        links = dice.choice((None, LINKS[:1], LINKS))
        found = commitments(now=NOW, links=links, within=window)
        since = TimeWindow(max(start, NOW), window.end) if window.end is None or window.end > NOW else None
        whole = [
            each for each in commitments(now=NOW, links=links) if since is None or each.window.overlaps(since)
        ]
        key = [(each.link_direction, each.rate_bps, each.window.start) for each in found]
        assert since is None or sorted(key) == sorted(
            (each.link_direction, each.rate_bps, each.window.start) for each in whole
        )
        # The same added up by the database: the level of every instant of the window.
        if since is not None:
            summed, reckoned = courses(now=NOW, links=links or LINKS, within=window), timelines(found)
            edges = {each.window.start for each in found} | {each.window.end for each in found} - {None}
            asked = [at for at in {window.start, *edges} if window.contains(at)]
            for key, course in reckoned.items():
                assert [summed[key].rate_at(at) for at in asked] == [course.rate_at(at) for at in asked]
            assert summed.keys() == reckoned.keys()


def test_buckets_added_up_are_those_of_every_request_once(request_row: PremiumRequest) -> None:
    """A request that is charged twice on a link has one bucket; what lies outside the window adds nothing."""
    other = submitted()
    link = request_row.source_link.name
    pks = {
        PremiumRequest.objects.filter(pk=row.pk).update(bucket_bytes=size)
        for row, size in ((request_row, 7), (other, 5))
    }
    assert pks == {1}
    for row, start, end in ((request_row, 1, 4), (request_row, 1, 4), (other, 2, 3), (other, 9, None)):
        last = None if end is None else NOW + timedelta(hours=end)
        charge(row, NOW + timedelta(hours=start), last, link=link)
    asked = replace(sls_of(submitted()), window=TimeWindow(NOW, NOW + timedelta(hours=8)))
    found = shared_buckets([asked, replace(asked, id="other")], now=NOW)

    def level(hour: float) -> int:
        at = NOW + timedelta(hours=hour)
        return sum(each.bucket_bytes for each in found if each.window.contains(at))

    assert [level(hour) for hour in (0.5, 1, 2.5, 3, 4, 7.9)] == [0, 7, 12, 7, 0, 0]
    assert shared_buckets([asked], now=NOW, except_requests=(request_row.pk, other.pk)) == ()


def test_overdue_charges_and_touching_windows(request_row: PremiumRequest) -> None:
    overdue = charge(request_row, NOW - timedelta(days=900), NOW - timedelta(days=899), rate_bps=2)
    charge(request_row, NOW + timedelta(hours=1), NOW + timedelta(hours=2), rate_bps=3)
    window = TimeWindow(NOW + timedelta(hours=2), NOW + timedelta(hours=3))
    (found,) = commitments(now=NOW, links=LINKS, within=window)
    assert (found.rate_bps, found.window) == (2, TimeWindow(overdue.start))
    before = TimeWindow(NOW + timedelta(minutes=30), NOW + timedelta(hours=1))
    assert [each.rate_bps for each in commitments(now=NOW, links=LINKS, within=before)] == [2]


def test_an_offer_looks_beyond_the_window_that_was_asked_for(db: None) -> None:
    """Blocked from hour 1 on, again and again, further than is read at first: the offer is the first real gap."""
    import_sixnet()
    for begin, end in ((1, 3), (3, 30), (31, 50), (50, 90)):
        admitted(rate=5_000_000, start=hours(begin), end=hours(end))
    asked = submitted(rate=5_000_000, start=hours(1), end=hours(3))
    verdict = decisions.evidence(request=asked)
    assert isinstance(verdict, Refused)
    (offer,) = [each for each in verdict.counter_offers if each.rate_bps == 5_000_000]
    assert abs(offer.start - hours(90)) < timedelta(minutes=1)
    fits = submitted(rate=5_000_000, start=offer.start, end=offer.end)
    assert isinstance(decisions.evidence(request=fits), Admitted)


def test_the_index_serves_it(request_row: PremiumRequest) -> None:
    """A plan that reads the whole table would name no index of the ledger."""
    rows = [
        LedgerEntry(
            reservation=charge(request_row, NOW, None).reservation,
            request=request_row,
            link=f"L{number % 200}",
            direction="in",
            pool="p",
            rate_bps=1,
            start=NOW + timedelta(hours=number),
            end=NOW + timedelta(hours=number + 5),
        )
        for number in range(4000)
    ]
    LedgerEntry.objects.bulk_create(rows)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    from provisioning.selectors import ledger

    base = LedgerEntry.objects.order_by().filter(released_at=None, link__in=["L7", "L8"])
    window = TimeWindow(NOW + timedelta(hours=1000), NOW + timedelta(hours=1002))
    plan = ledger.overlapping(base, window, NOW).explain()
    assert "charges_by_length_and_start" in plan, plan
    assert "Seq Scan" not in plan
