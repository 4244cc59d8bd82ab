"""Paths as routers see them beside those that are charged: noted with each reservation, and the evidence that a move is over."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db import transaction

from inventory.models import Domain
from provisioning.errors import NotPermitted, StaleState
from provisioning.models import Actor, LedgerEntry, PremiumRequest, Reservation
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import Direction, Network, Pair, Seen, read_isis_database
from provisioning.selectors import topology
from provisioning.selectors.schemes import scheme_of
from provisioning.services import clock
from provisioning.services.locking import locked
from provisioning.services.retrying import whole
from provisioning.services.topology.deriving import live
from provisioning.services.topology.ending import path_moved


@dataclass(frozen=True)
class Drift:
    """A request whose traffic goes otherwise than it is charged: ``uncharged`` are hops it takes and is not charged on,
    ``unused`` hops it is charged on and does not take, ``lost`` where routers have no path for it.
    """

    request: PremiumRequest
    uncharged: tuple[Pair, ...]
    unused: tuple[Pair, ...]
    lost: bool = False

    def __str__(self) -> str:
        return f"{self.request.reference} {self.text}"

    @property
    def text(self) -> str:
        """What differs, in a sentence about it."""
        if self.lost:
            return "has no path by the routers' database"
        said = []
        if self.uncharged:
            said.append(f"goes over {_words(self.uncharged)}, where it is not charged")
        if self.unused:
            said.append(
                f"{'and not' if said else 'does not go'} over {_words(self.unused)}, where it is charged"
            )
        return " ".join(said)


@dataclass(frozen=True)
class Compared:
    """``links`` say where the inventory and the routers differ; ``settled`` are moving requests that take their new path alone,
    of which ``ended`` were ended for it; ``compared`` is how many requests were looked at.
    """

    drifts: tuple[Drift, ...]
    links: tuple[str, ...]
    settled: tuple[PremiumRequest, ...]
    ended: tuple[PremiumRequest, ...]
    compared: int


def compare_paths(
    *,
    actor: Actor,
    domain: Domain,
    text: str,
    end_moves: bool = False,
    source: str = "",
    dry_run: bool = False,
) -> Compared:
    """Compare an IS-IS database (`pipeline.topology.isis`) with what everything live is charged on, and note with each
    reservation how its path differs; with `end_moves` end the moves of those that take their new path alone.

    Raises NotPermitted unless the actor is the NOC or the command line, InvalidInput for a text that is no database.
    """
    if not (actor.is_noc or actor.is_system):
        raise NotPermitted("The NOC compares paths.")
    seen = read_isis_database(text)
    known = topology.current(domain)
    scheme = scheme_of(known.domain)
    requests = [each for each in live(domain) if _on_the_way(scheme, each)]
    staying, leaving = _charged(known.network, requests)
    drifts, settled = [], []
    for request in requests:
        taken = _taken(known.network, scheme, seen, request)
        found = _drift(request, taken, staying[request.pk], leaving[request.pk])
        if found is not None:
            drifts.append(found)
        elif taken and leaving[request.pk] and not taken & (leaving[request.pk] - staying[request.pk]):
            settled.append(request)
    ended: list[PremiumRequest] = []
    if not dry_run:
        _note(requests, drifts)
        ended = [each for each in settled if end_moves and _end(actor, each, source)]
    links = tuple(_differences(known.network, seen))
    return Compared(tuple(drifts), links, tuple(settled), tuple(ended), len(requests))


def _on_the_way(scheme: Scheme, request: PremiumRequest) -> bool:
    return any(
        request.service_class in (each.name, each.abbreviation) and each.admission != "edge"
        for each in scheme.classes
    )


def _charged(
    network: Network, requests: Iterable[PremiumRequest]
) -> tuple[defaultdict[int, set[Pair]], defaultdict[int, set[Pair]]]:
    """By request the hops between routers that it is charged on, and those that it is leaving."""
    staying: defaultdict[int, set[Pair]] = defaultdict(set)
    leaving: defaultdict[int, set[Pair]] = defaultdict(set)
    rows = LedgerEntry.objects.filter(request__in=[each.pk for each in requests], released_at=None).order_by()
    for key, name, way, since in rows.values_list("request_id", "link", "direction", "moving_since"):
        link = network.core_link(name)
        if link is not None:
            ends = (link.a_router.lower(), link.z_router.lower())
            pair = ends if way == Direction.A_Z else ends[::-1]
            (staying if since is None else leaving)[key].add(pair)
    return staying, leaving


def _taken(network: Network, scheme: Scheme, seen: Seen, request: PremiumRequest) -> frozenset[Pair] | None:
    """The hops that its traffic may take by the database; None where there is no path."""
    start = request.source_link.interface.router.name.lower()
    ends = scheme.service_class(request.service_class).ends
    if request.destination_link is not None:
        goal = request.destination_link.interface.router.name.lower()
        found = seen.between(start, goal)
        return found if found or goal == start else None
    if ends == "outside":
        goals = {peering.router.lower() for peering in network.peerings}
    else:
        goals = {router.name.lower() for router in network.routers}
    return frozenset(pair for goal in goals - {start} for pair in seen.between(start, goal))


def _drift(
    request: PremiumRequest, taken: frozenset[Pair] | None, staying: set[Pair], leaving: set[Pair]
) -> Drift | None:
    if taken is None:
        return Drift(request, (), (), lost=True)
    uncharged = taken - staying - leaving
    # While it moves it may be on either path: only what is on neither is a difference.
    unused = staying - taken if not leaving else frozenset()
    if not uncharged and not unused:
        return None
    return Drift(request, tuple(sorted(uncharged)), tuple(sorted(unused)))


def _differences(network: Network, seen: Seen) -> Iterator[str]:
    """Where the inventory and the database say another network, by the pair of routers."""
    ours: dict[Pair, int] = {}
    for link in network.core_links:
        for pair in (
            (link.a_router.lower(), link.z_router.lower()),
            (link.z_router.lower(), link.a_router.lower()),
        ):
            if not link.down:
                ours[pair] = min(link.metric, ours.get(pair, link.metric))
    for a, z in sorted(ours.keys() | seen.metrics.keys()):
        mine, theirs = ours.get((a, z)), seen.metrics.get((a, z))
        if mine is None:
            yield f"{a} to {z}: the routers are neighbours at metric {theirs}, and the inventory has no link that is up"
        elif theirs is None:
            yield f"{a} to {z}: the inventory has a link at metric {mine}, and the routers are no neighbours"
        elif mine != theirs:
            yield f"{a} to {z}: metric {theirs} on the routers, {mine} in the inventory"


def _note(requests: Iterable[PremiumRequest], drifts: Iterable[Drift]) -> None:
    """Write with each reservation what was found of it; a few at a time, each under its own lock."""
    said = {each.request.pk: each.text for each in drifts}
    keys = sorted(each.pk for each in requests)
    for place in range(0, len(keys), 500):
        with transaction.atomic():
            now = clock.now()
            rows = list(
                locked(Reservation.objects.filter(request__in=keys[place : place + 500]).order_by("pk"))
            )
            for row in rows:
                row.drift, row.drift_at = said.get(row.request_id, ""), now
            Reservation.objects.bulk_update(rows, ["drift", "drift_at"])


def _end(actor: Actor, request: PremiumRequest, source: str) -> bool:
    reason = f"the routers take the new path alone{f' ({source})' if source else ''}"
    try:
        whole(lambda: path_moved(actor=actor, request=request, reason=reason))
    except StaleState:
        return False  # it was ended meanwhile
    return True


def _words(pairs: Iterable[Pair]) -> str:
    return ", ".join(f"{a} to {z}" for a, z in pairs)
