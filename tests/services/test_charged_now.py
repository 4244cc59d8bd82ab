"""What the database sums is what the timelines of admission say, at every instant that matters."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User

from inventory.models import AccessLink
from provisioning.models import LedgerEntry, PremiumRequest, Reservation
from provisioning.selectors.ledger import charged_in_all, charged_now, commitments
from provisioning.web.reading.links import link_rows
from tests.web import large

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def request_on(link: AccessLink, held_until: datetime | None = None) -> PremiumRequest:
    return PremiumRequest.objects.create(
        nren=link.nren,
        source_link=link,
        rate_bps=1000,
        bucket_bytes=6000,
        max_packet_bytes=1500,
        start=NOW,
        contact="noc@example.org",
        submitted_by=User.objects.get_or_create(username="anybody")[0],
        held_until=held_until,
    )


@pytest.fixture
def link() -> AccessLink:
    large.network(large.Sizes(3, 3, 3, 0, 0, 0, 0))
    link = AccessLink.objects.order_by("pk")[0]
    windows = (
        (-2, None, None),  # open end
        (-2, 2, None),  # on now
        (-4, -1, None),  # over, and not seen gone: it counts without end
        (-4, -1, -1),  # over and seen gone
        (1, 3, None),  # still to come
        (-1, 0, None),  # ends at this instant
        (0, 1, None),  # begins at this instant
    )
    for n, (start, end, gone) in enumerate(windows):
        held = Reservation.objects.create(request=request_on(link), granted_bps=1, path=[])
        LedgerEntry.objects.create(
            reservation=held,
            request=held.request,
            link=link.name,
            direction="in" if n % 2 else "out",
            pool="ip-premium",
            rate_bps=10**n,
            start=NOW + start * HOUR,
            end=None if end is None else NOW + end * HOUR,
            released_at=None if gone is None else NOW + gone * HOUR,
        )
    for n, lapses in enumerate((1, 0, -1)):  # only the first hold still counts
        held_for = request_on(link, NOW + lapses * HOUR)
        LedgerEntry.objects.create(
            hold=held_for,
            request=held_for,
            link=link.name,
            direction="in",
            pool="ip-premium",
            rate_bps=7 * 10 ** (n + 8),
            start=NOW - HOUR,
            lapses_at=NOW + lapses * HOUR,
        )
    return link


@pytest.mark.parametrize("minutes", (-180, -60, -1, 0, 1, 59, 60, 61, 120, 181, 100_000))
def test_sums_are_those_of_the_timelines(link: AccessLink, minutes: int) -> None:
    now = NOW + timedelta(minutes=minutes)
    at_once: dict[tuple[str, str, str], int] = {}
    ever: dict[tuple[str, str, str], int] = {}
    for one in commitments(now=now):
        key = (one.link_direction.link, one.link_direction.direction.value, one.pool)
        ever[key] = ever.get(key, 0) + one.rate_bps
        if one.window.contains(now):
            at_once[key] = at_once.get(key, 0) + one.rate_bps
    assert charged_now(now=now) == at_once == charged_now(now=now, links=[link.name])
    assert charged_in_all(now=now) == ever
    assert charged_now(now=now, links=["another"]) == {}


def test_a_row_asks_for_all_links_when_it_was_not_read_before(link: AccessLink) -> None:
    rows = {row.name: row for row in link_rows(NOW)}
    rows[link.name].charged.read(["another"])
    way = max(bps for (name, _, _), bps in charged_now(now=NOW).items() if name == link.name)
    assert rows[link.name].committed_bps == way > 0
    assert rows[link.name].headroom_bps == (rows[link.name].share_bps or 0) - way
