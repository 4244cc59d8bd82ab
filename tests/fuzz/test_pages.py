"""Pages: whatever stands in a row, a page has the structure it has with harmless letters there, and leads nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
import time_machine
from django.db import connection
from django.test import Client

from provisioning.selectors import topology
from tests.fuzz.reading import header_faults, unlike, words
from tests.fuzz.slots import filled
from tests.fuzz.values import SEED, Drawn
from tests.web.test_matrix import GET, address
from tests.web.world import World

As = Callable[[str], Client]
# They change what they show, or show nothing of a row.
NOT_ASKED = {"livez", "readyz", "healthz", "metrics", "sign-in", "sign-out", "home"}
FEWEST_SHOWN = 60
"""Of the places at least so many are shown somewhere: else the test would pass on pages that show nothing."""


def addresses(world: World) -> tuple[list[str], list[str]]:
    """The pages that show many rows, or much of one, in the states that the world has; and all others."""
    many = [
        "/audit/",
        "/queue/",
        "/notifications/",
        "/links/",
        "/routers/",
        "/requests/?q=z",
        "/nrens/",
        "/changes/",
        "/tokens/",
    ]
    many += [f"/requests/{request.pk}/" for request in world.requests.values()]
    many += [f"/changes/{change.pk}/" for change in world.changes.values()]
    many += ["/routers/de6/", f"/pushes/{world.pushes['failed'].pk}/", "/network/", "/my/ask/"]
    rest = [address(name, world, kind) for name, (_said, kind) in GET.items() if name not in NOT_ASKED]
    for change in world.changes.values():
        rest += [f"/changes/{change.pk}/progress/", f"/changes/{change.pk}/history/"]
    rest += [f"/pushes/{push.pk}/" for push in world.pushes.values()]
    rest += ["/routers/se6/", "/requests/", f"/changes/{world.changes['planned'].pk}/compare/?as=unified"]
    return many, [url for url in dict.fromkeys(rest) if url not in many]


def tried(world: World, as_user: As, drawn: Drawn, *, until: int, others: int, every: int = 1) -> None:
    """Fill the rows and ask for pages until so many values were shown; fails at the first difference.

    Each round asks for ``every`` so manyth of the pages that show many, and for so many of the others by turns.
    """
    many, rest = addresses(world)
    noc, nren = as_user("nora"), as_user("jane")
    number = 0
    while drawn.tried.get("shown", 0) < until:
        places, shown = filled(drawn), set[str]()
        turn = [rest[(number * others + at) % len(rest)] for at in range(others)]
        asked = [(noc, url) for url in many[::every] + turn] + [
            (nren, url) for url in (many[9 + number % 8], *turn[:2])
        ]
        answers = []
        for plain in (True, False):
            for place in places:
                place.put(plain)
            topology.forget()
            answers.append([client.get(url) for client, url in asked])
        for (_client, url), plain_answer, answer in zip(asked, *answers, strict=True):
            where = (f"FUZZ_SEED={drawn.seed}", f"round {number}", url)
            assert answer.status_code == plain_answer.status_code < 500, where
            assert not header_faults(answer.headers), where
            if answer["Content-Type"].startswith("text/html") and answer.content:
                found = unlike(answer.content, plain_answer.content)
                assert not found, (*where, found)
                said = words(answer.content)
                shown |= {place.token for place in places if place.token in said}
        drawn.count("placed", len(places))
        drawn.count("shown", len(shown))
        number += 1


@pytest.fixture
def frozen() -> object:
    with time_machine.travel(datetime.now(UTC), tick=False) as clock:
        yield clock


def test_a_page_keeps_its_structure_whatever_its_rows_hold(
    world: World, as_user: As, tampering: None, frozen: object
) -> None:
    drawn = Drawn(SEED)
    tried(world, as_user, drawn, until=1, others=3, every=3)
    assert drawn.tried["shown"] >= FEWEST_SHOWN, drawn.tried


@pytest.mark.deep
def test_pages_deeply(world: World, as_user: As, tampering: None, frozen: object) -> None:
    drawn = Drawn(SEED)
    tried(world, as_user, drawn, until=20_000, others=8)
    print(f"pages: seed {drawn.seed}, {drawn.tried}; {connection.vendor}")
