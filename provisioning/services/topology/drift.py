"""Paths as routers see them beside those that are charged: noted with each reservation, and the evidence that a move is over."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import transaction

from inventory.models import Domain
from provisioning.errors import InvalidInput, StaleState
from provisioning.models import Actor, LedgerEntry, PremiumRequest, Reservation, TopologyVersion, Verb
from provisioning.pipeline.topology import Direction, Network, Pair, Seen, printed_at, read_evidence
from provisioning.selectors import topology
from provisioning.selectors.authority import permit
from provisioning.selectors.parts import in_parts
from provisioning.selectors.schemes import scheme_of
from provisioning.services import audit, clock
from provisioning.services.locking import locked
from provisioning.services.retrying import whole
from provisioning.services.topology.deriving import charged_on_the_way, live
from provisioning.services.topology.ending import path_moved
from provisioning.services.topology.taking import LOST, Taken, Witness, differences

AHEAD = timedelta(minutes=5)
"""By so much a router's clock may be ahead of ours."""


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
    of which ``ended`` were ended for it; ``compared`` is how many requests it says something of; ``older`` are those of whom it
    says nothing, as their path changed after ``at``. ``by`` is what it was compared with; ``at`` is None where nobody knows when
    that was printed.
    """

    drifts: tuple[Drift, ...]
    links: tuple[str, ...]
    settled: tuple[PremiumRequest, ...]
    ended: tuple[PremiumRequest, ...]
    compared: int
    by: str = field(default="", compare=False)
    at: datetime | None = field(default=None, compare=False)
    older: tuple[PremiumRequest, ...] = ()


@dataclass(frozen=True)
class _Said:
    """Of one request: how it differs (None: it does not), and the version that its charges were of."""

    drift: Drift | None
    topology: int | None


def compare_paths(
    *,
    actor: Actor,
    domain: Domain,
    text: str,
    router: str = "",
    taken_at: datetime | None = None,
    end_moves: bool = False,
    source: str = "",
    dry_run: bool = False,
) -> Compared:
    """Compare evidence of paths (`pipeline.topology.evidence`) with what everything live is charged on, and note with each
    reservation how its path differs; with `end_moves` end the moves of those that take their new path alone, which only a whole
    database says, and only one that was printed after the move began: at `taken_at`, or when the text itself says.

    Raises NotPermitted unless the actor is the NOC or the command line; InvalidInput for a text that is no evidence, a time that
    is to come, and for `end_moves` without a time or with less than a database.
    """
    permit(actor, Verb.NETWORK)
    at = _when(text, taken_at)
    known = topology.current(domain)
    scheme = scheme_of(known.domain)
    witness = Witness(known.domain, known.network, scheme, read_evidence(text, router.strip()))
    if end_moves and at is None:
        raise InvalidInput(
            "say when it was printed: an old one does not say that a move is over", field="taken_at"
        )
    if end_moves and not witness.whole:
        raise InvalidInput("only an IS-IS database says that all traffic has left a path", field="end_moves")
    requests = [each for each in live(domain) if charged_on_the_way(scheme, each)]
    staying, leaving, beside, moved = _charged(known.network, requests)
    first_after = _first_version_after(domain, at)
    said: dict[int, _Said] = {}
    settled, older = [], []
    for request in requests:
        key, version = request.pk, _version(request)
        if at is not None and (
            (version is not None and first_after is not None and version >= first_after)
            or (key in moved and moved[key] >= at)
        ):
            older.append(request)
            continue
        taken = witness.taken(request, staying[key] | leaving[key])
        if taken is None:
            continue
        found = _drift(request, taken, staying[key], leaving[key])
        said[key] = _Said(found, version)
        # Of parallel links, and of links out of the domain, a database does not say which one is taken.
        left = witness.whole and key not in beside and bool(leaving[key]) and not taken.hops & leaving[key]
        if found is None and left:
            settled.append(request)
    drifts = tuple(each.drift for each in said.values() if each.drift is not None)
    ended: list[PremiumRequest] = []
    if not dry_run:
        _note(said, witness, at)
        _record(actor, known.domain, witness, at, text, source, len(said), drifts)
        ended = [each for each in settled if end_moves and _end(actor, each, source, at)]
    links = tuple(differences(known.network, witness.evidence)) if isinstance(witness.evidence, Seen) else ()
    return Compared(drifts, links, tuple(settled), tuple(ended), len(said), witness.name, at, tuple(older))


def _when(text: str, taken_at: datetime | None) -> datetime | None:
    """The earlier of what is said and what the text says itself."""
    known = [each for each in (taken_at, printed_at(text)) if each is not None]
    if not known:
        return None
    if max(known) > clock.now() + AHEAD:
        raise InvalidInput("it was printed in a time to come", field="taken_at")
    return min(known)


def _first_version_after(domain: Domain, at: datetime | None) -> int | None:
    if at is None:
        return None
    rows = TopologyVersion.objects.filter(domain=domain, created_at__gte=at).order_by("number")
    return rows.values_list("number", flat=True).first()


def _version(request: PremiumRequest) -> int | None:
    reservation = getattr(request, "reservation", None)
    return None if reservation is None else reservation.topology


def _charged(
    network: Network, requests: Iterable[PremiumRequest]
) -> tuple[defaultdict[int, set[Pair]], defaultdict[int, set[Pair]], set[int], dict[int, datetime]]:
    """By request the hops between routers that it is charged on, and those that it is leaving; who leaves something that is
    no such hop; and since when the last of them moves.
    """
    staying: defaultdict[int, set[Pair]] = defaultdict(set)
    leaving: defaultdict[int, set[Pair]] = defaultdict(set)
    beside: set[int] = set()
    moved: dict[int, datetime] = {}
    for keys in in_parts([each.pk for each in requests]):
        rows = LedgerEntry.objects.filter(request__in=keys, released_at=None).order_by()
        for key, name, way, since in rows.values_list("request_id", "link", "direction", "moving_since"):
            link = network.core_link(name)
            if since is not None:
                moved[key] = max(since, moved.get(key, since))
            if link is not None:
                ends = (link.a_router.lower(), link.z_router.lower())
                pair = ends if way == Direction.A_Z else ends[::-1]
                (staying if since is None else leaving)[key].add(pair)
            elif since is not None:
                beside.add(key)
    return staying, leaving, beside, moved


def _drift(request: PremiumRequest, taken: Taken, staying: set[Pair], leaving: set[Pair]) -> Drift | None:
    if taken is LOST:
        return Drift(request, (), (), lost=True)
    uncharged = taken.hops - staying - leaving
    # While it moves it may be on either path: only what is on neither is a difference.
    told = staying if taken.told is None else {pair for pair in staying if pair[0] in taken.told}
    unused = told - taken.hops if not leaving else frozenset()
    if not uncharged and not unused:
        return None
    return Drift(request, tuple(sorted(uncharged)), tuple(sorted(unused)))


def _note(said: dict[int, _Said], witness: Witness, at: datetime | None) -> None:
    """Write with each reservation what was found of it; a few at a time, each under its own lock. Nothing is written over what
    was seen later, nor of a path that moved since it was read; and evidence of a part of a path does not say that the rest of it
    is as charged.
    """
    by = witness.name if at is not None else f"{witness.name}, nobody said of when"
    for keys in in_parts(said):
        with transaction.atomic():
            seen = at or clock.now()
            written: defaultdict[tuple[str, tuple[Pair, ...]], list[int]] = defaultdict(list)
            for row in locked(Reservation.objects.filter(request__in=keys).order_by("pk")):
                found = said[row.request_id]
                if row.topology != found.topology or (row.drift_at is not None and row.drift_at > seen):
                    continue
                if (
                    found.drift is None
                    and row.drift
                    and not witness.whole
                    and not row.drift_by.startswith(witness.name)
                ):
                    continue
                each = found.drift
                differs = ("", ()) if each is None else (each.text, (*each.uncharged, *each.unused))
                written[differs].append(row.pk)
            for (
                words,
                hops,
            ), rows in written.items():  # most are as they are charged: one statement for all of these
                Reservation.objects.filter(pk__in=rows).update(
                    drift=words, drift_hops=[list(hop) for hop in hops], drift_at=seen, drift_by=by[:120]
                )


def _record(
    actor: Actor,
    domain: Domain,
    witness: Witness,
    at: datetime | None,
    text: str,
    source: str,
    compared: int,
    drifts: tuple[Drift, ...],
) -> None:
    with transaction.atomic():
        audit.record(
            actor=actor,
            action="paths.compare",
            obj=domain,
            reason=source,
            after={
                "by": witness.name,
                "printed": None if at is None else at.isoformat(),
                "sha256": hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(),
                "compared": compared,
                "differ": [each.request.reference for each in drifts[:50]],
            },
        )


def _end(actor: Actor, request: PremiumRequest, source: str, at: datetime | None) -> bool:
    reason = f"the routers take the new path alone{f' ({source})' if source else ''}"
    try:
        whole(lambda: path_moved(actor=actor, request=request, reason=reason, known_at=at))
    except StaleState:
        return False  # it was ended meanwhile, or it moved again
    return True


def _words(pairs: Iterable[Pair]) -> str:
    return ", ".join(f"{a} to {z}" for a, z in pairs)
