"""Charges that the database packs are those that are read row by row."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from provisioning.models import LedgerEntry, Reservation
from provisioning.pipeline.failures import Span
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.selectors.held import _rows, charged_in, charged_to
from provisioning.selectors.ledger import counting
from tests.services.requests.sixnet import import_sixnet, submitted

pytestmark = pytest.mark.django_db
NOW = datetime(2027, 5, 1, 12, tzinfo=UTC)
LINKS = ("a:1--b:2", "a:2--b:1", "N@x:1")


def _by_row(spans: list[Span], loads: list[LinkDirection]) -> Counter[tuple[object, ...]]:
    return Counter(
        (*span[:4], loads[place].link, loads[place].direction.value, span.pool)
        for span in spans
        for place in span.places
    )


def test_packed_charges_are_those_of_the_rows() -> None:
    import_sixnet()
    held = [
        Reservation.objects.create(request=submitted(), granted_bps=1, path=[], topology=1) for _ in range(4)
    ]
    other = submitted()
    chance = random.Random(8)
    rows = []
    for _ in range(400):
        start = NOW + chance.choice((1, 0.5)) * timedelta(hours=chance.randint(-9, 9))
        if chance.random() < 0.3:
            start += timedelta(microseconds=chance.randint(1, 999_999))
        ends = (None, start + timedelta(hours=chance.randint(1, 6)), NOW, NOW + timedelta(microseconds=1))
        end = chance.choice(ends)
        whose = chance.choice((*held, None))  # None: a hold, lapsed or not
        rows.append(
            LedgerEntry(
                reservation=whose,
                request=other if whose is None else whose.request,
                hold=other if whose is None else None,
                lapses_at=NOW + timedelta(seconds=chance.choice((-1, 1))) if whose is None else None,
                link=chance.choice(LINKS),
                direction=chance.choice(("a-z", "z-a")),
                pool=chance.choice(("p", "q")),
                rate_bps=chance.choice((1, 10**6, 10**12)),
                start=start,
                end=None if end is not None and end <= start else end,
                released_at=NOW if chance.random() < 0.1 else None,
            )
        )
    LedgerEntry.objects.bulk_create(rows)
    loads = [LinkDirection(link, Direction(way)) for link in LINKS[:2] for way in ("a-z", "z-a")][:3]
    wanted = Counter(
        row for row in _rows(counting(NOW), NOW) if LinkDirection(row[4], Direction(row[5])) in loads
    )
    found = charged_in({load: number for number, load in enumerate(loads)}, now=NOW)
    assert _by_row(found, loads) == wanted
    assert len(found) < sum(wanted.values()), "who is charged the same in two places is there once"

    places: dict[LinkDirection, int] = {}

    def place_of(link: str, direction: str) -> int:
        return places.setdefault(LinkDirection(link, Direction(direction)), len(places))

    keys = {held[0].request_id, other.pk}
    spans = charged_to(keys, place_of, now=NOW)
    assert _by_row(spans, [*places]) == Counter(row for row in _rows(counting(NOW), NOW) if row[3] in keys)
    assert charged_to((), place_of, now=NOW) == []
    assert charged_in({}, now=NOW) == []
