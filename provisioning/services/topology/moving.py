"""Charges that follow their path: charged on the new one and the old one until the move is over.

No request is admitted beside a path that is used no more, nor beside a path that is not used yet: between the import
that says where traffic goes and the routers that send it there lies a time that nobody can see from here.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from datetime import datetime

from django.db import connection

from provisioning.models import Actor, LedgerEntry, PremiumRequest
from provisioning.services import audit
from provisioning.services.locking import locked
from provisioning.services.topology import ahead
from provisioning.services.topology.deriving import live, live_keys, order_of
from provisioning.services.topology.exempting import judge
from provisioning.services.topology.keys import among
from provisioning.services.topology.recharging import (
    Moved,
    Prepared,
    Recharge,
    recharges,
    stamps_of,
)


def move(prepared: Prepared, *, version: int, now: datetime, without: Collection[int] = ()) -> list[Moved]:
    """Bring the charges of everything live to what was derived; the old path of what moved stays charged, marked as moving.
    The requests of the keys `without` were brought there before (`staging`).

    In the caller's transaction, with every link of the domain locked; the requests whose charges move are locked here, so that
    none ends meanwhile. What was worked out beforehand (`prepare`) is written as it is where the charges are those of then; the
    others are read. Nothing is taken from anybody: what no longer fits is charged all the same, and named.
    """
    derived = prepared.derived
    since = live_keys(derived.domain) - derived.wanted.keys()
    keys = (derived.elsewhere | since).difference(without)
    list(locked(PremiumRequest.objects.filter(pk__in=among(sorted(keys))).order_by("pk")).values_list("pk"))
    stamps = stamps_of(keys, without=ahead.written(prepared.recharges.values()))
    others = {key for key, stamp in stamps.items() if prepared.stamps.get(key) != stamp}
    found = {key: each for key, each in prepared.recharges.items() if key in stamps.keys() - others}
    ahead.take_back(each for key, each in prepared.recharges.items() if key not in found)
    if others:
        requests = live(derived.domain, only=others)
        derived.more(requests)
        found |= recharges(derived, requests)
    write(prepared, found.values(), version, now)
    return sorted((each.moved for each in found.values()), key=lambda moved: order_of(moved.request))


def write(
    prepared: Prepared, what: Collection[Recharge], version: int, now: datetime, *, judged: bool = False
) -> None:
    """All of it, in a few statements; with every link of the domain and the requests locked. Where it was `judged` beforehand
    what does not fit, it raises IntegrityError where another charge exceeds a share.
    """
    rows = LedgerEntry.objects.order_by()
    _write_paths(what, version)
    rows.filter(pk__in=among(key for each in what for key in each.gone)).update(released_at=now)
    rows.filter(pk__in=among(key for each in what for key in each.leaving)).update(moving_since=now)
    rows.filter(pk__in=among(key for each in what for key in each.back)).update(moving_since=None)
    added = [row for each in what for row in each.added]
    fresh = [row for row in added if row.pk is None]
    ahead.settle(prepared, [row for row in added if row.pk is not None], now)
    if not judged:
        judge(prepared.derived, fresh, now)
    LedgerEntry.objects.bulk_create(fresh)


# What routers were seen to do beside another path says nothing of this one.
_PATHS = """
    UPDATE "provisioning_reservation" SET topology = %s, drift = '', drift_at = NULL, drift_by = '', drift_hops = '[]',
        path = CASE WHEN v.moving THEN "provisioning_reservation".path ELSE v.path END,
        moving_to = CASE WHEN v.moving THEN v.path END
    FROM {rows} AS v WHERE "provisioning_reservation".id = v.id
"""
_ROWS = {
    "postgresql": "(SELECT * FROM jsonb_to_recordset(%s::jsonb) AS x(id bigint, path jsonb, moving boolean))",
    "sqlite": """(SELECT json_extract(value, '$.id') AS id, json_extract(value, '$.path') AS path,
        json_extract(value, '$.moving') AS moving FROM json_each(%s))""",
}


def _write_paths(what: Iterable[Recharge], version: int) -> None:
    """The path of each reservation, or the one that it is moving to: where nothing is left behind, nobody waits for it."""
    said = [
        {"id": each.reservation, "path": each.path, "moving": each.moving}
        for each in what
        if each.reservation is not None
    ]
    if said:
        with connection.cursor() as cursor:
            cursor.execute(_PATHS.format(rows=_ROWS[connection.vendor]), [version, json.dumps(said)])


def record(actor: Actor, moved: Iterable[Moved], cause: str) -> None:
    """An audit event for each; both NRENs see it."""
    deeds = [each.deed for each in sorted(moved, key=lambda each: each.request.pk)]
    for first in range(0, len(deeds), _AT_ONCE):
        some = deeds[first : first + _AT_ONCE]
        audit.record_all(actor=actor, action="reservation.recharge", deeds=some, reason=cause)


_AT_ONCE = 2000
"""Events of one statement."""
