"""Charges that the database packs are those that are read row by row."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from inventory.models import Domain
from provisioning.models import LedgerEntry, Reservation
from provisioning.pipeline.admission import overcommitments
from provisioning.pipeline.allowance import allowance_of
from provisioning.pipeline.failures import Span
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.selectors import topology
from provisioning.selectors.held import _rows, charged_in, charged_to
from provisioning.selectors.ledger import charged_in_all, commitments, counting
from provisioning.selectors.overcommitment import overcommitted_on
from provisioning.selectors.schemes import scheme_of
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


def test_a_share_is_exceeded_where_all_rows_say_so() -> None:
    """Beside every row as a value, over all time: also where what is charged one after the other adds up to more than a share."""
    import_sixnet()
    domain = Domain.objects.get()
    network, scheme = topology.current(domain).network, scheme_of(domain)
    request = submitted()
    held = Reservation.objects.create(request=request, granted_bps=1, path=[], topology=1)
    chance = random.Random(5)
    every = [link.id for link in network.core_links] + [link.id for link in network.access_links]
    links = chance.sample(every, 4)
    pools = [*scheme.pools, "of-no-scheme"]
    over = adds_up = 0
    for _ in range(12):
        LedgerEntry.objects.all().delete()
        rows = []
        for link in links:
            for _ in range(chance.randint(0, 12)):
                pool = chance.choice(pools)
                share = allowance_of(network, scheme.pools.get(pool), link, NOW).standing
                start = NOW + timedelta(hours=chance.randint(-1, 30))
                rows.append(
                    LedgerEntry(
                        reservation=held,
                        request=request,
                        link=link,
                        direction=chance.choice(("a-z", "z-a") if "--" in link else ("in", "out")),
                        pool=pool,
                        rate_bps=max(1, share * chance.randint(1, 4) // 4),
                        start=start,
                        end=chance.choice((None, *[start + timedelta(hours=1)] * 4)),
                        exempt="moved",
                    )
                )
        LedgerEntry.objects.bulk_create(rows)
        found = overcommitted_on(network, scheme, now=NOW)
        assert found == overcommitments(network, scheme, commitments(now=NOW), NOW)
        over += len(found)
        exceeded = {(each.link, each.direction.value, each.pool) for each in found}
        shares = {
            key: allowance_of(network, scheme.pools.get(key[2]), key[0], NOW).standing
            for key in charged_in_all(now=NOW)
        }
        adds_up += sum(
            bps > shares[key] and key not in exceeded for key, bps in charged_in_all(now=NOW).items()
        )
    assert over > 20
    assert adds_up > 5
