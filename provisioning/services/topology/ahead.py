"""Charges of the paths to come, written before the links are locked: what is not committed nobody sees, and nobody waits for it.

On PostgreSQL alone: SQLite has one writer, and a row written early is a lock taken early. The database judges them beforehand
too, without locking a share, for which a decision waits that holds its links; under the locks it judges again what is charged
where something changed meanwhile (migration 0032).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db import IntegrityError, connection, transaction

from provisioning.models import LedgerEntry
from provisioning.selectors import topology
from provisioning.services import clock
from provisioning.services.topology.exempting import judge
from provisioning.services.topology.keys import among
from provisioning.services.topology.recharging import MOVED, Mark, Prepared, Recharge


def write_ahead(prepared: Prepared) -> bool:
    """Write what is to be charged anew, unless another version was made since it was worked out; whether it stands there now.

    In the transaction that makes the version, which holds the domain and no link. Each row has its key from then on; whatever
    makes the version brings them to what counts then (`moving.move`), or takes them back.
    """
    derived = prepared.derived
    if connection.vendor != "postgresql" or derived.version != topology.number_of(derived.domain):
        return False
    added = [row for each in prepared.recharges.values() for row in each.added]
    if not added:
        return True
    judge(derived, added, clock.now())
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('expedite.judged_later', 'yes', true)")
        LedgerEntry.objects.bulk_create(added)
        cursor.execute("SELECT set_config('expedite.judged_later', '', true)")
        # What each refers to is looked up now, and not at COMMIT.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    before = marks()  # before it is judged: what changes between the two shows as changed
    if _within_shares(added, locking=False):
        prepared.marks.update(before)
    return True


def written(what: Iterable[Recharge]) -> list[int]:
    """The keys of the rows of these that were written ahead."""
    return [row.pk for each in what for row in each.added if row.pk is not None]


def take_back(what: Iterable[Recharge]) -> None:
    """Have these rows never been."""
    if keys := written(what):
        LedgerEntry.objects.filter(pk__in=among(keys)).delete()


def settle(prepared: Prepared, rows: Sequence[LedgerEntry], now: datetime) -> None:
    """With the links locked, have the database judge those of these rows, written ahead, beside which anything else is charged
    than when it judged before. Where somebody was granted what they take, it is found anew what does not fit.
    """
    if not rows:
        return
    here = marks()
    doubtful = [row for row in rows if row.link not in here or here[row.link] != prepared.marks.get(row.link)]
    if not _within_shares(doubtful, locking=True):
        judge(prepared.derived, doubtful, now)
        exempt = [row.pk for row in doubtful if row.exempt]
        LedgerEntry.objects.filter(pk__in=among(exempt)).update(exempt=MOVED)
        _ask(doubtful, locking=True)


def _within_shares(rows: Iterable[LedgerEntry], *, locking: bool) -> bool:
    try:
        with transaction.atomic():
            _ask(rows, locking=locking)
    except IntegrityError:
        return False
    return True


def _ask(rows: Iterable[LedgerEntry], *, locking: bool) -> None:
    """Have the database judge those of these rows that are not exempt. Raises IntegrityError where one exceeds a share."""
    if judged := [row.pk for row in rows if not row.exempt]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT provisioning_within_shares_of(%s::bigint[], %s)", [judged, locking])


# Whatever makes a link fuller, or its share another one, adds a row.
_MARKS = """
    SELECT link, coalesce(l.count, 0), coalesce(l.rate_bps, 0), coalesce(l.last, 0), coalesce(s.count, 0), coalesce(s.last, 0)
    FROM (
        SELECT link, count(*), sum(rate_bps)::bigint AS rate_bps, max(id) AS last FROM provisioning_ledgerentry
        WHERE released_at IS NULL GROUP BY link
    ) AS l LEFT JOIN (
        SELECT link, count(*), max(id) AS last FROM provisioning_linkshare WHERE valid_to IS NULL GROUP BY link
    ) AS s USING (link)
"""

CHARGED = 3
"""Numbers of a mark that are about what is charged; the rest is about the share."""


def marks() -> dict[str, Mark]:
    """Of every link that something is charged to."""
    with connection.cursor() as cursor:
        cursor.execute(_MARKS)
        return {link: tuple(mark) for link, *mark in cursor.fetchall()}


def changed(before: Mapping[str, Mark], now: Mapping[str, Mark]) -> set[str]:
    """The links to which something else is charged now."""
    return {link for link in before.keys() | now.keys() if _charged(before, link) != _charged(now, link)}


def _charged(found: Mapping[str, Mark], link: str) -> Mark:
    return found.get(link, ())[:CHARGED]
