"""Charges that follow their path: charged on the new one and the old one until the move is over.

No request is admitted beside a path that is used no more, nor beside a path that is not used yet: between the import
that says where traffic goes and the routers that send it there lies a time that nobody can see from here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from provisioning.models import Actor, LedgerEntry, PremiumRequest, Reservation
from provisioning.pipeline.admission import Allowance
from provisioning.pipeline.timeline import Commitment, timelines
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.ledger import charged_in_all, commitments, window_of
from provisioning.services import audit, pairs
from provisioning.services.charging import path_as_json
from provisioning.services.locking import locked
from provisioning.services.shares import shares_of
from provisioning.services.topology.deriving import Derived, Load, Wanted, live, live_keys

MOVED = "moved"
"""Why a charge may exceed a share: the path was moved under it."""


@dataclass(frozen=True)
class Moved:
    """A request whose charges changed: what it was charged to, what it is charged to on its path of now, and what stays
    charged beside that until the move is over (`leaving`).
    """

    request: PremiumRequest
    before: frozenset[Load]
    after: frozenset[Load]
    leaving: frozenset[Load]

    def __str__(self) -> str:
        said = []
        if self.after - self.before:
            said.append(f"on {words(self.after - self.before)} too")
        if gone := self.before - self.after - self.leaving:
            said.append(f"on {words(gone)} no more")
        if self.leaving:
            said.append(f"on {words(self.leaving)} until the move is over (manage.py path_moved)")
        return f"{self.request.reference} is charged anew: {'; '.join(said) or 'on the path it had before'}"


def words(loads: Iterable[Load]) -> str:
    """Link directions as people read them."""
    return ", ".join(f"{link} {way}" for link, way in sorted(loads))


def move(derived: Derived, *, version: int, now: datetime) -> list[Moved]:
    """Bring the charges of everything live to what was derived; the old path of what moved stays charged, marked as moving.

    In the caller's transaction, with every link of the domain locked; the requests whose charges move are locked here, so that
    none ends meanwhile. Nothing is taken from anybody: what no longer fits is charged all the same, and named.
    """
    since = live_keys(derived.domain) - derived.wanted.keys()
    requests = live(derived.domain, only=derived.elsewhere | since)
    derived.more(requests)
    keys = [request.pk for request in requests]
    list(locked(PremiumRequest.objects.filter(pk__in=keys).order_by("pk")).values_list("pk"))
    held: defaultdict[int, list[LedgerEntry]] = defaultdict(list)
    for row in LedgerEntry.objects.filter(request__in=keys, released_at=None).order_by("pk"):
        held[row.request_id].append(row)
    book = _Book()
    done = []
    for request in requests:
        wanted, rows = derived.wanted[request.pk], held[request.pk]
        if wanted is None or not rows:
            continue  # no path to move to; or it ended while its lock was waited for
        moved = book.note(request, wanted, rows)
        if moved is not None:
            done.append(moved)
    book.write(version, now)
    _judge_added(derived, book.added, now)
    return done


class _Book:
    """What is to be written, all of it in a few statements."""

    def __init__(self) -> None:
        self.added: list[LedgerEntry] = []
        self._leaving: list[int] = []
        self._back: list[int] = []
        self._gone: list[int] = []
        self._reservations: list[Reservation] = []

    def note(self, request: PremiumRequest, wanted: Wanted, rows: list[LedgerEntry]) -> Moved | None:
        """Note what changes for one request; None when nothing does."""
        there: defaultdict[Load, list[LedgerEntry]] = defaultdict(list)
        for row in rows:  # several of one load while it becomes something else (services/terms)
            there[row.link, row.direction].append(row)
        missing = wanted.loads - there.keys()
        unwanted = {key: each for key, each in there.items() if key not in wanted.loads}
        left = [row for each in unwanted.values() for row in each]
        back = [
            row.pk for key, each in there.items() if key in wanted.loads for row in each if row.moving_since
        ]
        fresh = [row for row in left if row.moving_since is None]
        before = frozenset(key for key, each in there.items() if each[0].moving_since is None)
        if not (missing or back or fresh):
            return None
        # A class that is charged at its edge alone has left no path: nothing of it counts elsewhere.
        if wanted.on_the_way:
            self._leaving += [row.pk for row in fresh]
        else:
            self._gone += [row.pk for row in left]
        self._back += back
        like = rows[0]
        standing = [row for row in rows if row.moving_since is None] or rows
        first = (standing[0].link, standing[0].direction)
        self.added += [
            LedgerEntry(
                reservation_id=like.reservation_id,
                hold_id=like.hold_id,
                request_id=request.pk,
                link=link,
                direction=direction,
                pool=like.pool,
                rate_bps=each.rate_bps,
                start=each.start,
                end=each.end,
                lapses_at=like.lapses_at,
                exempt=MOVED,
                modification_id=each.modification_id,
            )
            for link, direction in sorted(missing)
            for each in standing
            if (each.link, each.direction) == first
        ]
        reservation = getattr(request, "reservation", None)
        if reservation is not None and like.hold_id is None:
            path = path_as_json(wanted.hops)
            if wanted.on_the_way and unwanted:
                reservation.moving_to = path
            else:  # nothing is left behind
                reservation.path, reservation.moving_to = path, None
            # What routers were seen to do beside another path says nothing of this one.
            reservation.drift, reservation.drift_at = "", None
            reservation.drift_by, reservation.drift_hops = "", []
            self._reservations.append(reservation)
        leaving = frozenset(unwanted) if wanted.on_the_way else frozenset()
        return Moved(request, before, wanted.loads, leaving)

    def write(self, version: int, now: datetime) -> None:
        for reservation in self._reservations:
            reservation.topology = version
        ordered = sorted(self._reservations, key=lambda each: each.pk)
        written = ["path", "moving_to", "topology", "drift", "drift_at", "drift_by", "drift_hops"]
        Reservation.objects.bulk_update(ordered, written, batch_size=500)
        LedgerEntry.objects.filter(pk__in=self._gone).update(released_at=now)
        LedgerEntry.objects.filter(pk__in=self._leaving).update(moving_since=now)
        LedgerEntry.objects.filter(pk__in=self._back).update(moving_since=None)
        self.added = LedgerEntry.objects.bulk_create(self.added, batch_size=1000)


def _judge_added(derived: Derived, added: list[LedgerEntry], now: datetime) -> None:
    """Take the exemption from what fits on its new link: from now on the database answers for it as for any other."""
    if not added:
        return
    links = {row.link for row in added}
    shares = dict(shares_of(derived.network, derived.scheme, links))
    # Where all that is charged, whenever it is, is within the share, no instant has to be looked at.
    totals = charged_in_all(now=now, links=links).items()
    doubtful = {
        link for (link, _, pool), bps in totals if bps > min(shares.get((link, pool), Allowance(0)).values)
    }
    courses = timelines(commitments(now=now, links=doubtful))
    fits = []
    for row in added:
        own = commitment(row, now)
        course = courses.get((own.link_direction, row.pool))
        allowed = shares.get((row.link, row.pool), Allowance(0))
        if course is None or not any(
            course.above(part.rate_bps, TimeWindow(part.start, part.end))
            for part in allowed.segments(own.window)
        ):
            fits.append(row.pk)
    LedgerEntry.objects.filter(pk__in=fits).update(exempt="")


def commitment(row: LedgerEntry, now: datetime) -> Commitment:
    """A charge as admission counts it."""
    load = LinkDirection(row.link, Direction(row.direction))
    window = window_of(row.start, row.end, now)
    return Commitment(load, row.pool, row.rate_bps, window, f"PIP-{row.request_id}")


def record(actor: Actor, moved: Iterable[Moved], cause: str) -> None:
    """An audit event for each; both NRENs see it."""
    deeds = [
        audit.Deed(
            each.request,
            before={"charged": sorted(f"{link} {way}" for link, way in each.before)},
            after={
                "charged": sorted(f"{link} {way}" for link, way in each.after),
                "until the move is over": sorted(f"{link} {way}" for link, way in each.leaving),
            },
            nren_ids=pairs.concerned(each.request),
        )
        for each in sorted(moved, key=lambda each: each.request.pk)
    ]
    for first in range(0, len(deeds), _AT_ONCE):
        some = deeds[first : first + _AT_ONCE]
        audit.record_all(actor=actor, action="reservation.recharge", deeds=some, reason=cause)


_AT_ONCE = 500
"""Events of one statement."""
