"""What is to be written where the charges of a request follow its path: worked out from its rows, before anything is locked.

It counts as long as the rows are still those that were read, which `stamps_of` tells without reading them again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from django.db import connection

from inventory.models import Domain
from provisioning.models import LedgerEntry, PremiumRequest
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import Network
from provisioning.services import audit, pairs
from provisioning.services.charging import path_as_json
from provisioning.services.topology.deriving import Derived, Load, Wanted, derive, live
from provisioning.services.topology.keys import among

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

    @cached_property
    def deed(self) -> audit.Deed:
        """As the trail keeps it; both NRENs see it."""
        return audit.Deed(
            self.request,
            before=audit.plain({"charged": _sorted(self.before)}),
            after=audit.plain(
                {"charged": _sorted(self.after), "until the move is over": _sorted(self.leaving)}
            ),
            nren_ids=pairs.concerned(self.request),
            is_plain=True,
        )

    @cached_property
    def text(self) -> str:
        """In a sentence."""
        said = []
        if self.after - self.before:
            said.append(f"on {words(self.after - self.before)} too")
        if gone := self.before - self.after - self.leaving:
            said.append(f"on {words(gone)} no more")
        if self.leaving:
            said.append(f"on {words(self.leaving)} until the move is over (manage.py path_moved)")
        return f"{self.request.reference} is charged anew: {'; '.join(said) or 'on the path it had before'}"

    def __str__(self) -> str:
        return self.text


def _sorted(loads: Iterable[Load]) -> list[str]:
    return sorted(f"{link} {way}" for link, way in loads)


def words(loads: Iterable[Load]) -> str:
    """Link directions as people read them."""
    return ", ".join(f"{link} {way}" for link, way in sorted(loads))


@dataclass(frozen=True)
class Recharge:
    """What is written for one request: charges ``added``, and by key those that are left behind (``leaving``: charged until the
    move is over; ``gone``: free at once) and those that are wanted again (``back``). ``path`` is its reservation's, None for a
    hold; the reservation is under way to it where ``moving``.
    """

    moved: Moved
    added: tuple[LedgerEntry, ...]
    leaving: tuple[int, ...]
    gone: tuple[int, ...]
    back: tuple[int, ...]
    reservation: int | None
    path: list[dict[str, str]] | None
    moving: bool


Mark = tuple[int, ...]
"""Of a link: another one when something else is charged to it or its share is another one (`ahead.marks`)."""


@dataclass(frozen=True)
class Prepared:
    """What was derived, and by the request's key what is to be written; ``stamps`` are of the charges that it was worked out
    from (`stamps_of`), ``marks`` of the links beside whose charges the rows that were written ahead were judged.
    """

    derived: Derived
    stamps: dict[int, str]
    recharges: dict[int, Recharge]
    marks: dict[str, Mark] = field(default_factory=dict, hash=False)


def prepare(domain: Domain, network: Network, scheme: Scheme) -> Prepared:
    """All that bringing the charges of a domain to the paths of a network comes to, as far as it can be known before a lock."""
    derived = derive(domain, network, scheme)
    stamps = stamps_of(derived.elsewhere)  # before the rows: what changes between the two shows as changed
    found = recharges(derived, live(domain, only=derived.elsewhere))
    for each in found.values():
        _ = each.moved.deed, each.moved.text
    return Prepared(derived, stamps, found)


def recharges(derived: Derived, requests: Iterable[PremiumRequest]) -> dict[int, Recharge]:
    """What is to be written for each of these, by key; without those of which nothing changes: they have no path to move to,
    are charged as they should be, or ended.
    """
    asked = list(requests)
    held: defaultdict[int, list[LedgerEntry]] = defaultdict(list)
    keys = among(request.pk for request in asked)
    for row in LedgerEntry.objects.filter(request__in=keys, released_at=None).order_by("pk"):
        held[row.request_id].append(row)
    found = {}
    for request in asked:
        wanted, rows = derived.wanted[request.pk], held[request.pk]
        recharge = _recharge(request, wanted, rows) if wanted is not None and rows else None
        if recharge is not None:
            found[request.pk] = recharge
    return found


def _recharge(request: PremiumRequest, wanted: Wanted, rows: list[LedgerEntry]) -> Recharge | None:
    there: defaultdict[Load, list[LedgerEntry]] = defaultdict(list)
    for row in rows:  # several of one load while it becomes something else (services/terms)
        there[row.link, row.direction].append(row)
    missing = wanted.loads - there.keys()
    unwanted = {key: each for key, each in there.items() if key not in wanted.loads}
    left = [row for each in unwanted.values() for row in each]
    back = [row.pk for key, each in there.items() if key in wanted.loads for row in each if row.moving_since]
    fresh = [row for row in left if row.moving_since is None]
    before = frozenset(key for key, each in there.items() if each[0].moving_since is None)
    if not (missing or back or fresh):
        return None
    like = rows[0]
    reservation = getattr(request, "reservation", None)
    granted = reservation is not None and like.hold_id is None
    # A class that is charged at its edge alone has left no path: nothing of it counts elsewhere.
    stays = wanted.on_the_way
    return Recharge(
        Moved(request, before, wanted.loads, frozenset(unwanted) if stays else frozenset()),
        added=tuple(_added(rows, missing)),
        leaving=tuple(row.pk for row in fresh) if stays else (),
        gone=() if stays else tuple(row.pk for row in left),
        back=tuple(back),
        reservation=reservation.pk if reservation is not None and granted else None,
        path=path_as_json(wanted.hops) if granted else None,
        moving=bool(stays and unwanted),
    )


def _added(rows: list[LedgerEntry], missing: Iterable[Load]) -> Iterable[LedgerEntry]:
    """What is charged to one load that is wanted still, on each that is missing."""
    like = rows[0]
    standing = [row for row in rows if row.moving_since is None] or rows
    first = (standing[0].link, standing[0].direction)
    for link, direction in sorted(missing):
        for each in standing:
            if (each.link, each.direction) == first:
                yield LedgerEntry(
                    reservation_id=like.reservation_id,
                    hold_id=like.hold_id,
                    request_id=like.request_id,
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


# PostgreSQL numbers the version of each row (xmin): whatever wrote one, and whatever was added or released, shows.
_STAMPS = {
    "postgresql": """
        SELECT request_id, sha256(convert_to(string_agg(id || ' ' || xmin::text, ',' ORDER BY id), 'UTF8'))::text
        FROM provisioning_ledgerentry
        WHERE released_at IS NULL AND request_id = ANY(%s) AND id NOT IN (SELECT unnest(%s::bigint[]))
        GROUP BY request_id
    """,
    "sqlite": """
        SELECT request_id, group_concat(json_array(id, reservation_id, hold_id, link, direction, pool, rate_bps, start, "end",
            lapses_at, moving_since, modification_id)) FROM (
                SELECT * FROM provisioning_ledgerentry WHERE released_at IS NULL AND request_id IN (
                    SELECT value FROM json_each(%s)) ORDER BY id)
        GROUP BY request_id
    """,
}


def stamps_of(requests: Collection[int], *, without: Collection[int] = ()) -> dict[int, str]:
    """A text for each of these requests that has charges: the same as long as none of its charges is another one, but for those
    of the keys `without` (PostgreSQL alone knows such).
    """
    keys, others = sorted(requests), list(without)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_STAMPS["postgresql"], [keys, others])
        else:
            cursor.execute(_STAMPS["sqlite"], [str(keys)])
        return dict(cursor.fetchall())
