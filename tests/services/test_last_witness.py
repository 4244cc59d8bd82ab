"""The database itself refuses what exceeds a share, whoever writes it: a wrong service, or a hand in the table."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Case, F, When
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from provisioning.models import LedgerEntry, LinkShare, PremiumRequest, Reservation
from provisioning.services import decisions, requests
from tests.services.requests.sixnet import (
    ASKED,
    JANET,
    admitted,
    agreed,
    grnet,
    hours,
    import_again,
    import_sixnet,
    janet,
    noc,
    submitted,
)

LINK, POOL, SHARE = "A@x:1", "premium", 10


@pytest.fixture
def book(db: None) -> Reservation:
    """A reservation to charge to, and a share of 10 bit/s."""
    import_sixnet()
    LinkShare.objects.create(link=LINK, pool=POOL, share_bps=SHARE, valid_from=timezone.now())
    (row,) = requests.submit(actor=janet(), data=ASKED)
    return Reservation.objects.create(request=row, granted_bps=1, path=[])


def charge(book: Reservation, rate: int, start: float, end: float | None, **more: object) -> LedgerEntry:
    """By hand, hours from now."""
    return LedgerEntry.objects.create(
        reservation=book, request=book.request, link=LINK, direction="in", pool=POOL, rate_bps=rate, start=hours(start),
        end=None if end is None else hours(end), **more,
    )  # fmt: skip


def refused(book: Reservation, rate: int, start: float, end: float | None, **more: object) -> bool:
    try:
        with transaction.atomic():
            charge(book, rate, start, end, **more)
    except IntegrityError as error:
        assert "a_link_is_charged_within_its_share" in str(error) or "the share is" in str(error)
        return True
    return False


def test_what_fits_is_taken_and_the_last_bit_too_much_is_refused(book: Reservation) -> None:
    charge(book, 6, 1, 3)
    assert refused(book, 5, 2, 4)
    assert refused(book, 5, 0, None)
    assert not refused(book, 4, 2, 4)
    assert refused(book, 1, 2, 3)
    assert not refused(book, 6, 3, 4), "windows are half open"
    assert not refused(book, 10, -1, 0.9), "over, and nothing began: but it counts without end"


def test_an_overdue_reservation_counts_without_end(book: Reservation) -> None:
    overdue = charge(book, 6, -3, -1)
    assert refused(book, 5, 5, 6)
    LedgerEntry.objects.filter(pk=overdue.pk).update(released_at=timezone.now())
    assert not refused(book, 5, 5, 6)


def test_other_links_directions_and_pools_are_not_counted(book: Reservation) -> None:
    charge(book, 10, 1, 2)
    LinkShare.objects.create(link=LINK, pool="other", share_bps=1, valid_from=timezone.now())
    LedgerEntry.objects.create(
        reservation=book,
        request=book.request,
        link=LINK,
        direction="out",
        pool=POOL,
        rate_bps=10,
        start=hours(1),
    )
    LedgerEntry.objects.create(
        reservation=book,
        request=book.request,
        link="B@x:2",
        direction="in",
        pool=POOL,
        rate_bps=10,
        start=hours(1),
    )


@pytest.mark.parametrize(
    "growth",
    [{"rate_bps": 6}, {"start": -1.0}, {"end": 9.0}, {"end": None}, {"link": LINK}, {"released_at": None}],
    ids=lambda growth: next(iter(growth)) + str(next(iter(growth.values()))),
)
def test_a_row_that_grows_is_judged_by_what_it_adds(book: Reservation, growth: dict[str, object]) -> None:
    charge(book, 5, 0, 1)
    charge(book, 5, 2, 3)
    charge(book, 5, 4, 8)
    mine = charge(book, 5, 2, 3) if "link" not in growth else None
    rows = LedgerEntry.objects.filter(pk=mine.pk) if mine else LedgerEntry.objects.none()
    if mine is None:
        mine = LedgerEntry.objects.create(
            reservation=book,
            request=book.request,
            link="B@x:2",
            direction="in",
            pool=POOL,
            rate_bps=6,
            start=hours(2),
            end=hours(3),
        )
        rows = LedgerEntry.objects.filter(pk=mine.pk)
    charge(book, 1, 4, 5) if "end" in growth else None
    if growth == {"start": -1.0}:
        LedgerEntry.objects.filter(pk=mine.pk).update(rate_bps=5)
        charge(book, 1, 0.2, 0.5)
    if "released_at" in growth:
        rows.update(released_at=timezone.now())
        charge(book, 5, 2, 3)
    new = {name: hours(value) if isinstance(value, float) else value for name, value in growth.items()}
    with pytest.raises(IntegrityError), transaction.atomic():
        rows.update(**new)
    rows.exclude(link="B@x:2").update(rate_bps=4)
    rows.exclude(link="B@x:2").update(end=hours(2.5))


def test_a_share_that_shrank_takes_nothing_from_anybody_and_gives_nothing_more(book: Reservation) -> None:
    row = charge(book, 8, 1, 3)
    LinkShare.objects.filter(link=LINK, pool=POOL).update(share_bps=5)
    assert refused(book, 1, 2, 3)
    LedgerEntry.objects.filter(pk=row.pk).update(rate_bps=7)
    assert not refused(book, 1, 2, 3, exempt="moved by an import")


def test_a_hold_counts_until_it_lapses(book: Reservation) -> None:
    LedgerEntry.objects.create(
        hold=book.request,
        request=book.request,
        link=LINK,
        direction="in",
        pool=POOL,
        rate_bps=6,
        start=hours(1),
        lapses_at=hours(1),
    )
    assert refused(book, 5, 2, 3)
    LedgerEntry.objects.filter(hold=book.request).update(lapses_at=hours(-0.1))
    assert not refused(book, 5, 2, 3)
    with pytest.raises(IntegrityError), transaction.atomic():
        LedgerEntry.objects.filter(hold=book.request).update(lapses_at=hours(1))


def rows(book: Reservation, windows: list[tuple[float, float]], rate: int = 1) -> list[LedgerEntry]:
    return [
        LedgerEntry(
            reservation=book, request=book.request, link=LINK, direction="in", pool=POOL, rate_bps=rate,
            start=hours(start), end=hours(end),
        )
        for start, end in windows
    ]  # fmt: skip


def test_the_rows_of_one_statement_count_together(book: Reservation) -> None:
    LedgerEntry.objects.bulk_create(rows(book, [(1, 2), (1.5, 3)], rate=5))
    with pytest.raises(IntegrityError), transaction.atomic():
        LedgerEntry.objects.bulk_create(rows(book, [(4, 6), (5, 7), (5.5, 8)], rate=4))
    with pytest.raises(IntegrityError), transaction.atomic():
        LedgerEntry.objects.update(rate_bps=6)
    LedgerEntry.objects.update(rate_bps=4)
    with pytest.raises(IntegrityError), transaction.atomic():  # one row less, the other more
        LedgerEntry.objects.update(rate_bps=Case(When(start__lt=hours(1.2), then=1), default=10))


@pytest.mark.parametrize("many", [3, 40, 400])
def test_many_windows_of_one_statement_are_judged_and_what_lies_between_is_not(
    book: Reservation, many: int
) -> None:
    """An import left more than the share between two of them: they are taken. In one of them: none is."""
    charge(book, 30, 2.2, 2.8, exempt="moved")
    charge(book, 10, 20, 20.5)
    free = [(hour, hour + 0.1) for hour in range(many) if hour != 20]
    LedgerEntry.objects.bulk_create(rows(book, free))
    for wrong in ((2.7, 2.9), (20.4, 21), (2, 2.3), (1, 3)):
        with pytest.raises(IntegrityError), transaction.atomic():
            LedgerEntry.objects.bulk_create(rows(book, [*free, wrong]))
    LedgerEntry.objects.filter(rate_bps=1).update(rate_bps=2)
    with pytest.raises(IntegrityError), transaction.atomic():
        LedgerEntry.objects.filter(rate_bps=2).update(end=F("end") + timedelta(minutes=50))
    assert LedgerEntry.objects.filter(rate_bps=2).count() == len(free)


@pytest.mark.parametrize("many", [3, 40])
def test_a_share_that_is_smaller_for_a_time_counts_though_all_together_is_within_the_other(
    book: Reservation, many: int
) -> None:
    """All that is charged, whenever it is, is added up first: that says nothing of the time for which less is said."""
    LinkShare.objects.filter(link=LINK).update(share_bps=100)
    LinkShare.objects.create(
        link=LINK, pool=POOL, share_bps=1, start=hours(50), end=hours(52), valid_from=timezone.now()
    )
    free = [(hour / 2, hour / 2 + 0.4) for hour in range(2, many)]
    with pytest.raises(IntegrityError), transaction.atomic():
        LedgerEntry.objects.bulk_create(rows(book, [*free, (49, 53), (51, 54)]))
    LedgerEntry.objects.bulk_create(rows(book, [*free, (49, 53), (52, 54)]))
    for row in rows(book, [(52.5, 60)], rate=100 - many), rows(book, [(70, 71)], rate=100):
        LedgerEntry.objects.bulk_create(row)
    with pytest.raises(IntegrityError), transaction.atomic():
        LedgerEntry.objects.bulk_create(rows(book, [(55, 56), (56, 57), (70.5, 72)]))
    assert LedgerEntry.objects.filter(link=LINK).count() == len(free) + 4


def test_services_fill_a_share_to_its_last_bit_and_never_meet_it(db: None) -> None:
    import_sixnet()
    admitted(rate=6_750_000)
    # The share has 1 Mbit/s left, and with the headers of all the policer has 979,388 bit/s.
    held = submitted(rate=979_300)
    decisions.hold(actor=noc(), request=held, until=hours(1), reason="we talk")
    assert (
        type(decisions.admit(actor=noc(), request=agreed(rate=1_000), reason="too much")).__name__
        == "Refused"
    )
    requests.consent(actor=grnet(), request=held, agree=True)
    assert type(decisions.admit(actor=noc(), request=held, reason="fits")).__name__ == "Admitted"
    pool = LedgerEntry.objects.filter(link=JANET)[0].pool
    assert LinkShare.objects.get(link=JANET, valid_to=None, pool=pool).share_bps == 7_750_000


def test_every_link_of_an_import_has_its_shares_and_a_change_leaves_the_old_ones_dated(db: None) -> None:
    import_sixnet()
    before = LinkShare.objects.count()
    assert before > 0
    import_again()
    assert LinkShare.objects.count() == before
    LinkShare.objects.filter(link=JANET).update(share_bps=1)
    import_again()
    rows = LinkShare.objects.filter(link=JANET)
    assert rows.filter(valid_to=None).count() * 2 == rows.count()


def test_the_witness_is_there_after_all_migrations(db: None) -> None:
    """A migration that makes a table anew on SQLite takes its triggers away."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")
            expected = {
                "a_link_is_charged_within_its_share",
                "a_link_stays_charged_within_its_share",
                "auditevent_append_only",
                "auditseal_append_only",
                "prefixes_of_a_new_request",
                "prefixes_of_a_changed_request",
            }
        else:
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
            expected = {
                "a_link_is_charged_within_its_share",
                "a_link_stays_charged_within_its_share",
                "prefixes_of_a_new_request",
                "prefixes_of_a_changed_request",
                "prefixes_of_a_request_away",
            }
        assert {name for (name,) in cursor.fetchall()} >= expected


BOOKINGS = st.lists(
    st.tuples(st.integers(1, 6), st.integers(1, 12), st.one_of(st.none(), st.integers(1, 6))), max_size=9
)


class Witness(TestCase):
    """The trigger against a sum that is reckoned instant by instant."""

    @settings(max_examples=40, deadline=None)
    @given(BOOKINGS)
    def test_it_refuses_exactly_what_exceeds(self, bookings: list[tuple[int, int, int | None]]) -> None:
        LedgerEntry.objects.all().delete()
        if not LinkShare.objects.filter(link=LINK).exists():
            import_sixnet()
            LinkShare.objects.create(link=LINK, pool=POOL, share_bps=SHARE, valid_from=timezone.now())
        (row,) = requests.submit(actor=janet(), data=ASKED)
        book = Reservation.objects.create(request=row, granted_bps=1, path=[])
        zero = timezone.now() + timedelta(hours=1)
        taken: list[tuple[int, int, int]] = []
        for rate, start, length in bookings:
            end = 99 if length is None else start + length
            fits = all(rate + sum(r for r, s, e in taken if s <= at < e) <= SHARE for at in range(start, end))
            try:
                with transaction.atomic():
                    LedgerEntry.objects.create(
                        reservation=book, request=book.request, link=LINK, direction="in", pool=POOL, rate_bps=rate,
                        start=zero + timedelta(hours=start), end=None if length is None else zero + timedelta(hours=end),
                    )  # fmt: skip
                assert fits, (taken, (rate, start, length))
                taken.append((rate, start, end))
            except IntegrityError:
                assert not fits, (taken, (rate, start, length))
        assert PremiumRequest.objects.exists()
