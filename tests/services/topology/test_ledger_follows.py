"""After every random change of a network: what follows from today's paths is charged, and what else is charged is moving.

The oracle shares nothing with the pipeline: it reads rows, walks every simple path and sums at every instant.
"""

from __future__ import annotations

import random
from collections import defaultdict
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.utils import timezone

from inventory.models import CoreLink, Domain
from inventory.readers.network_yaml import read_network
from provisioning.errors import Busy
from provisioning.models import (
    SYSTEM,
    CapacityChange,
    LedgerEntry,
    PremiumRequest,
    StagedVersion,
    TopologyVersion,
)
from provisioning.pipeline.admission import Admitted
from provisioning.pipeline.topology import LinkCapacity
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.overcommitment import overcommitted
from provisioning.services import decisions, requests, topology
from provisioning.services.inventory import ReservationsStranded, import_network, importing
from provisioning.services.inventory.foreseeing import foresee
from provisioning.services.topology import staging
from tests.depth import DEEP
from tests.services.requests.sixnet import hours, noc, person
from tests.services.topology.diamond import CORE_BPS, MBIT, Core, ask, network, put

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]  # in parts, each a transaction
ROUTERS = "abcde"
Load = tuple[str, str]
RUNS = 25 if DEEP else 3


@pytest.mark.parametrize("seed", range(RUNS))
def test_the_ledger_is_what_follows_from_the_paths_of_today_or_it_says_that_it_moves(
    tmp_path: Path, seed: int
) -> None:
    dice = random.Random(seed)
    # Some networks change in one transaction, others in parts of one reservation or of a few.
    with patch.object(staging, "AT_ONCE", (2000, 0, 12)[seed % 3]):
        _run(dice, tmp_path / "network.yaml", changes=14)


def _run(dice: random.Random, file: Path, changes: int) -> None:
    ring = [(ROUTERS[n], ROUTERS[(n + 1) % 5], dice.choice((10, 10, 20))) for n in range(5)]
    cores: list[Core] = [*ring, *(_core(dice) for _ in range(3))]
    down: set[int] = set()
    put(network(file, tuple(cores), routers=ROUTERS, down=frozenset(down)))
    for _ in range(changes):
        for _ in range(2):
            _ask(dice)
        deed = dice.choice(DEEDS)
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
        elif deed == "capacity":
            _change_capacity(dice)
        elif deed == "work":
            _foresee(dice)
        elif deed == "removed":
            _remove(dice)  # the next file has it again
        elif deed == "two files":
            _two_files(dice, file, cores, down)
        elif deed == "cut short":
            _cut_short(dice, file, cores, down)
        elif deed == "time":
            _end_by_time(dice)
        elif deed == "evidence":
            _end_by_evidence(dice)
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


DEEDS = (
    "metric", "metric", "new", "down", "down", "up", "moved", "all moved", "withdraw", "capacity", "work", "removed",
    "two files", "time", "evidence", "evidence", "cut short", "cut short",
)  # fmt: skip


def _change_capacity(dice: random.Random) -> None:
    """A link carries less for a time, or from then on; or that is taken back."""
    domain = Domain.objects.get()
    standing = list(CapacityChange.objects.filter(taken_back_at=None))
    if standing and dice.random() < 0.4:
        topology.take_back(actor=SYSTEM, key=dice.choice(standing).pk, reason="after all")
        return
    name = dice.choice(list(CoreLink.objects.order_by("name").values_list("name", flat=True)))
    end = None if dice.random() < 0.3 else hours(dice.uniform(31, 50))
    change = LinkCapacity(name, dice.choice((5, 10, 15)) * MBIT, TimeWindow(hours(dice.uniform(1, 30)), end))
    topology.change_capacity(actor=SYSTEM, domain=domain, planned=change, reason="work")


def _foresee(dice: random.Random) -> None:
    """Planned work is a question: nothing of the ledger is another one for it; and what it names comes true."""
    links = list(CoreLink.objects.filter(down=False).order_by("name"))
    link = dice.choice(links)
    before = _rows()
    found = topology.affected(link.domain, [link.name], TimeWindow(timezone.now(), None))
    assert _rows() == before
    tried = topology.declare(actor=SYSTEM, name=link.name, deed="down", reason="what if", dry_run=True)
    assert _rows() == before
    assert {each.request.pk for each in found.detours} == {
        each.request.pk for each in tried.moved if each.after != each.before
    }


def _rows() -> list[tuple[object, ...]]:
    return list(
        LedgerEntry.objects.order_by("pk").values_list("pk", "link", "moving_since", "released_at", "exempt")
    )


def _remove(dice: random.Random) -> None:
    name = dice.choice(list(CoreLink.objects.order_by("name").values_list("name", flat=True)))
    topology.declare(actor=SYSTEM, name=name, deed="removed", reason="sold")
    _judge()


def _two_files(dice: random.Random, file: Path, cores: list[Core], down: set[int]) -> None:
    """Two imports that were both worked out beforehand, from one network: the second finds another one than it foresaw."""
    one, other = list(cores), list(cores)
    for some in (one, other):
        place = dice.randrange(len(some))
        some[place] = (*some[place][:2], dice.choice((5, 10, 20, 30)))
    first = read_network(network(file, tuple(one), routers=ROUTERS, down=frozenset(down)))
    second = read_network(network(file, tuple(other), routers=ROUTERS, down=frozenset(down)))
    begun = []

    def meanwhile(*args: object, **more: object) -> object:
        found = foresee(*args, **more)
        if not begun:
            begun.append(1)
            with suppress(ReservationsStranded):
                import_network(actor=SYSTEM, network=second)
        return found

    with patch.object(importing, "foresee", meanwhile), suppress(ReservationsStranded):
        import_network(actor=SYSTEM, network=first)
    assert begun
    _judge()


class _Killed(BaseException):
    """What no service catches."""


def _cut_short(dice: random.Random, file: Path, cores: list[Core], down: set[int]) -> None:
    """An import dies between two of its parts. Until it is brought back everybody is charged on the path of today at least, who
    is decided meanwhile finds no more than there is, and nobody else makes a version.
    """
    other = list(cores)
    for _ in range(2):
        place = dice.randrange(len(other))
        other[place] = (*other[place][:2], dice.choice((1, 5, 40)))
    left = dice.randrange(1, 4)
    bring = staging._bring

    def brings(*args: Any) -> bool:
        nonlocal left
        if not left:
            raise _Killed
        left -= 1
        return bring(*args)

    read = read_network(network(file, tuple(other), routers=ROUTERS, down=frozenset(down)))
    before = TopologyVersion.objects.latest("number").number
    with (
        patch.object(staging, "AT_ONCE", 0),
        patch.object(staging, "_bring", brings),
        suppress(_Killed, ReservationsStranded),
    ):
        import_network(actor=SYSTEM, network=read)
    if not StagedVersion.objects.exists():  # there was too little to die in
        cores[:] = other if TopologyVersion.objects.latest("number").number > before else cores
        _judge()
        return
    StagedVersion.objects.update(renewed_at=timezone.now())  # as after kill -9
    for _ in range(2):
        _ask(dice)
    for request in PremiumRequest.objects.filter(reservation__released_at=None, reservation__isnull=False):
        rows = LedgerEntry.objects.filter(request=request, released_at=None)
        today = _today(request)
        assert today is None or today <= set(rows.values_list("link", "direction")), request
    link = CoreLink.objects.filter(down=False).latest("pk")
    with pytest.raises(Busy):
        topology.declare(actor=SYSTEM, name=link.name, deed="down", reason="cut")
    topology.notice_changed()
    assert StagedVersion.objects.exists(), "it may live still"
    StagedVersion.objects.update(renewed_at=timezone.now() - staging.LEASE - timedelta(seconds=1))
    topology.notice_changed()
    assert not StagedVersion.objects.exists()
    assert TopologyVersion.objects.latest("number").number == before + 1
    _judge()


def _end_by_time(dice: random.Random) -> None:
    """Moves that began long enough ago are over, and no younger ones: of each half it is said that it began two days ago."""
    moving = {
        row.request_id for row in LedgerEntry.objects.filter(moving_since__isnull=False, released_at=None)
    }
    old = {key for key in moving if dice.random() < 0.5}
    LedgerEntry.objects.filter(request__in=old, moving_since__isnull=False, released_at=None).update(
        moving_since=timezone.now() - timedelta(days=2)
    )
    topology.end_due(now=timezone.now())
    assert {each.pk for each in topology.moving()} == moving - old


def _end_by_evidence(dice: random.Random) -> None:
    """A database of the routers as the network is now ends moves; one of before them ends none."""
    text = _database()
    moving = {each.pk for each in topology.moving()}
    if dice.random() < 0.5:
        old = timezone.now() - timedelta(hours=1)
        found = topology.compare_paths(
            actor=SYSTEM, domain=Domain.objects.get(), text=text, taken_at=old, end_moves=True
        )
        assert found.ended == () and {each.pk for each in topology.moving()} == moving
        return
    now = timezone.now() + timedelta(seconds=1)
    found = topology.compare_paths(
        actor=SYSTEM, domain=Domain.objects.get(), text=text, taken_at=now, end_moves=True
    )
    assert {each.pk for each in topology.moving()} == moving - {each.pk for each in found.ended}
    # Routers do what the inventory says: nothing is drift but who has no path any more.
    for drift in found.drifts:
        assert drift.lost and _today(drift.request) is None, drift


def _database() -> str:
    """What `show isis database detail` prints where routers are as the rows say."""
    lines: list[str] = []
    links = list(
        CoreLink.objects.filter(down=False).select_related("a_interface__router", "z_interface__router")
    )
    for name in ROUTERS:
        lines.append(f"{name}.00-00   * 0x00000C1A   0x5F4C   1034   0/0/0")
        for link in links:
            ends = [link.a_interface.router.name, link.z_interface.router.name]
            if name in ends:
                ends.remove(name)
                lines.append(f"  Metric: {link.metric}         IS-Extended {ends[0]}.00")
    return "\n".join(lines) + "\n"


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
                assert not _too_much(link, list(rows), request.start, request.end), (request, link)


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
            assert _too_much(link, rows, now, None) == ((link, way) in told), (link, way)


def _too_much(link: str, rows: list[LedgerEntry], start: datetime, end: datetime | None) -> bool:
    """Whether at any instant from `start` until `end` more is charged than the link's share is then."""
    changes = list(CapacityChange.objects.filter(link=link, taken_back_at=None))
    edges = (
        [row.start for row in rows]
        + [each.start for each in changes]
        + [each.end for each in changes if each.end]
    )
    instants = [start, *(at for at in edges if at >= start and (end is None or at < end))]
    return any(
        sum(row.rate_bps for row in rows if row.start <= at and (row.end is None or row.end > at))
        > _share_at(changes, at)
        for at in instants
    )


def _share_at(changes: list[CapacityChange], at: datetime) -> int:
    """A fifth of what the link carries: from a date on what was said last, between two dates the least of all."""
    begun = [each for each in changes if each.start <= at and (each.end is None or each.end > at)]
    lasting = sorted((each for each in begun if each.end is None), key=lambda each: each.start)
    carried = [
        CORE_BPS,
        *(each.usable_bps or 0 for each in (*lasting[-1:], *(x for x in begun if x.end is not None))),
    ]
    return min(carried) * 20 // 100


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
