"""After every random change of a network: what follows from today's paths is charged, and what else is charged is moving.

The oracle shares nothing with the pipeline: it reads rows, walks every simple path and sums at every instant.
"""

from __future__ import annotations

import os
import random
from collections import defaultdict
from datetime import datetime
from pathlib import Path

import pytest
from django.utils import timezone

from inventory.models import CoreLink, Domain
from provisioning.models import SYSTEM, LedgerEntry, PremiumRequest
from provisioning.pipeline.admission import Admitted
from provisioning.selectors.overcommitment import overcommitted
from provisioning.services import decisions, requests, topology
from provisioning.services.inventory import ReservationsStranded
from tests.services.requests.sixnet import hours, noc, person
from tests.services.topology.diamond import MBIT, SHARE_BPS, Core, ask, network, put

pytestmark = pytest.mark.django_db
ROUTERS = "abcde"
Load = tuple[str, str]
RUNS = 25 if os.environ.get("PROPERTIES") == "deep" else 2


@pytest.mark.parametrize("seed", range(RUNS))
def test_the_ledger_is_what_follows_from_the_paths_of_today_or_it_says_that_it_moves(
    tmp_path: Path, seed: int
) -> None:
    _run(random.Random(seed), tmp_path / "network.yaml", changes=14)


def _run(dice: random.Random, file: Path, changes: int) -> None:
    ring = [(ROUTERS[n], ROUTERS[(n + 1) % 5], dice.choice((10, 10, 20))) for n in range(5)]
    cores: list[Core] = [*ring, *(_core(dice) for _ in range(3))]
    down: set[int] = set()
    put(network(file, tuple(cores), routers=ROUTERS, down=frozenset(down)))
    for _ in range(changes):
        for _ in range(2):
            _ask(dice)
        deed = dice.choice(
            ("metric", "metric", "new", "down", "down", "up", "moved", "all moved", "withdraw")
        )
        if deed == "metric":
            place = dice.randrange(len(cores))
            cores[place] = (*cores[place][:2], dice.choice((5, 10, 10, 20, 30)))
        elif deed == "new":
            cores.append(_core(dice))
        elif deed == "down":
            down.add(dice.randrange(len(cores)))
        elif deed == "up":
            down = set()
        elif deed == "withdraw":
            _withdraw(dice)
        else:
            moving = topology.moving()
            for request in moving if deed == "all moved" else moving[:1]:
                topology.path_moved(actor=noc(), request=request, reason="seen")
        try:
            put(network(file, tuple(cores), routers=ROUTERS, down=frozenset(down)))
        except (
            ReservationsStranded
        ):  # a file that leaves somebody without any path is refused, whole; a cut is not asked
            down = set()
            name = dice.choice(list(CoreLink.objects.filter(down=False))).name
            topology.declare(actor=SYSTEM, name=name, deed="down", reason="cut")
        _judge()


def _core(dice: random.Random) -> Core:
    a, z = dice.sample(ROUTERS, 2)
    return (a, z, dice.choice((10, 20, 30)))


def _ask(dice: random.Random) -> None:
    source, goal = dice.sample(ROUTERS, 2)
    start = hours(dice.uniform(0, 30))
    end = None if dice.random() < 0.2 else hours(dice.uniform(31, 60))
    request = ask(source, goal, dice.randrange(1, 25) * MBIT // 10, start=start, end=end)
    verdict = decisions.admit(actor=noc(), request=request, reason="try")
    if isinstance(verdict, Admitted):
        # Neither on the paths of today nor on those that are being left is more than the share where this one goes.
        loads = _today(request)
        assert loads is not None
        for link, way in loads:
            if "--" in link:
                rows = LedgerEntry.objects.filter(link=link, direction=way, released_at=None)
                assert _peak(list(rows), request.start, request.end) <= SHARE_BPS, (request, link)


def _withdraw(dice: random.Random) -> None:
    granted = list(PremiumRequest.objects.filter(state="ADMITTED"))
    if granted:
        request = dice.choice(granted)
        asking = person(f"at-{request.source_link.name[1]}", nrens=(request.nren.name,))
        requests.withdraw(actor=asking, request=request, reason="no more")


def _judge() -> None:
    """Rows against paths, link by link; and every instant of every link against its share."""
    live = PremiumRequest.objects.filter(reservation__released_at=None, reservation__isnull=False)
    by_link: defaultdict[Load, list[LedgerEntry]] = defaultdict(list)
    for request in live.select_related(
        "source_link__interface__router", "destination_link__interface__router"
    ):
        rows = list(LedgerEntry.objects.filter(request=request, released_at=None))
        settled = {(row.link, row.direction) for row in rows if row.moving_since is None}
        today = _today(request)
        assert len(rows) == len({(row.link, row.direction) for row in rows}), (
            "nothing is charged twice on one link"
        )
        assert {(row.rate_bps, row.start, row.end) for row in rows} == {
            (request.rate_bps, request.start, request.end)
        }
        if today is None:
            assert settled, "who has no path keeps what it had"
        else:
            assert settled == today, request
        if not any(row.moving_since for row in rows) and today is not None:
            path = {(hop["link"], hop["direction"]) for hop in request.reservation.path}
            assert path <= today
        for row in rows:
            by_link[row.link, row.direction].append(row)
    told = {
        (each.link, each.direction.value) for each in overcommitted(Domain.objects.get(), now=timezone.now())
    }
    now = timezone.now()
    known = set(CoreLink.objects.values_list("name", flat=True))
    for (link, way), rows in by_link.items():
        if link in known:
            assert (_peak(rows, now, None) > SHARE_BPS) == ((link, way) in told), (link, way)


def _peak(rows: list[LedgerEntry], start: datetime, end: datetime | None) -> int:
    instants = [
        start,
        *(row.start for row in rows if row.start >= start and (end is None or row.start < end)),
    ]
    return max(
        sum(row.rate_bps for row in rows if row.start <= at and (row.end is None or row.end > at))
        for at in instants
    )


def _today(request: PremiumRequest) -> set[Load] | None:
    """Every link direction on some cheapest of all simple paths, and both access links; None: there is no path."""
    source, goal = request.source_link, request.destination_link
    links = [
        (row.name, row.a_interface.router.name, row.z_interface.router.name, row.metric)
        for row in CoreLink.objects.filter(down=False).select_related(
            "a_interface__router", "z_interface__router"
        )
    ]
    found: list[tuple[int, frozenset[Load]]] = []

    def walk(here: str, been: frozenset[str], cost: int, used: frozenset[Load]) -> None:
        if here == goal.interface.router.name:
            found.append((cost, used))
            return
        for name, a, z, metric in links:
            for tail, head, way in ((a, z, "a-z"), (z, a, "z-a")):
                if tail == here and head not in been:
                    walk(head, been | {head}, cost + metric, used | {(name, way)})

    first = source.interface.router.name
    walk(first, frozenset({first}), 0, frozenset())
    if not found:
        return None
    least = min(cost for cost, _ in found)
    core = {load for cost, used in found if cost == least for load in used}
    return core | {(source.name, "in"), (goal.name, "out")}


def test_the_oracle_finds_both_ways_of_a_diamond(tmp_path: Path) -> None:
    cores = (("a", "b", 10), ("b", "d", 10), ("a", "c", 10), ("c", "d", 10))
    put(network(tmp_path / "n.yaml", cores))
    loads = _today(ask("a", "d", MBIT))
    assert loads is not None
    assert len(loads) == 6
    topology.declare(actor=SYSTEM, name="a:POS2/0--b:POS2/0", deed="down", reason="cut")
    assert len(_today(PremiumRequest.objects.get()) or ()) == 4
