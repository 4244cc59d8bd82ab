"""Taking away what nothing needs any more: a batch at a time, beside whatever else the service is doing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.db import IntegrityError, connection, transaction
from django.db.models import Min, ProtectedError

from provisioning.models import SYSTEM, Actor
from provisioning.pipeline.units import how_many
from provisioning.services import clock
from provisioning.services.retention.entries import enter
from provisioning.services.retention.kinds import KINDS, Kind, Rows

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Pruned:
    """How one kind stands: rows there were, how many went (or would go), and the date of the oldest that stays.

    `left` says why rows that should have gone are still there; empty when none is.
    """

    kind: str
    keeps: str
    rows: int
    gone: int
    oldest: datetime | None
    left: str = ""


def prune(*, actor: Actor = SYSTEM, dry_run: bool = False, kinds: Iterable[Kind] = KINDS) -> list[Pruned]:
    """Remove the rows of each kind that are older than its setting says; with `dry_run` count them and write nothing.

    Ages are by the database's clock. Each batch is a transaction of its own that locks its rows in the order of their
    keys and skips what others hold, so it may run at any time, twice at once, and be killed: what went is gone, the rest
    goes the next time. Rows whose digest the audit trail holds leave with an audit event that says so.
    """
    now = clock.now()
    return [_prune(kind, now, actor, dry_run) for kind in kinds]


def said(found: Iterable[Pruned]) -> str:
    """The outcome as one sentence."""
    gone = [f"{how_many(each.gone, 'row')} of {each.kind}" for each in found if each.gone]
    return f"pruned {', '.join(gone)}" if gone else "nothing to prune"


def _prune(kind: Kind, now: datetime, actor: Actor, dry_run: bool) -> Pruned:
    rows = kind.rows().count()
    if kind.age is None:
        return Pruned(kind.name, f"for ever ({kind.setting} is 0)", rows, 0, _oldest(kind, kind.rows()))
    keeps, before = f"{_length(kind)}: {kind.keeps}", now - kind.age
    if dry_run:
        going = kind.goes(kind.rows(), before)
        stays = kind.rows().exclude(pk__in=going.order_by().values("pk"))
        return Pruned(kind.name, keeps, rows, going.count(), _oldest(kind, stays))
    gone, after, left = 0, None, ""
    try:
        while batch := _remove_batch(kind, before, after, actor):
            after, gone = batch[-1], gone + len(batch)
    except (ProtectedError, IntegrityError) as error:
        # Something came to refer to a row between our look and our deletion: it stays, and so does its batch.
        log.warning("not pruned", kind=kind.name, exc_info=True)
        left = f"a row is still referred to: {str(error).splitlines()[0][:200]}"
    return Pruned(kind.name, keeps, rows, gone, _oldest(kind, kind.rows()), left)


def _remove_batch(kind: Kind, before: datetime, after: object, actor: Actor) -> list[object]:
    """Remove the next rows beyond the key `after` and return their keys; none: there are no more."""
    with transaction.atomic():
        waiting = kind.goes(kind.rows(), before).order_by("pk")
        if after is not None:
            waiting = waiting.filter(pk__gt=after)
        if connection.features.has_select_for_update_skip_locked:
            waiting = waiting.select_for_update(no_key=True, skip_locked=True, of=("self",))
        columns = ("pk", kind.digest) if kind.digest else ("pk",)
        found = list(waiting.values_list(*columns)[: kind.batch])
        keys: list[object] = [row[0] for row in found]
        if found:
            kind.remove(kind.rows().filter(pk__in=keys))
            if kind.digest:
                enter(actor=actor, kind=kind.name, rows=[(row[0], row[1]) for row in found])
    return keys


def _oldest(kind: Kind, rows: Rows) -> datetime | None:
    found: datetime | None = rows.order_by().aggregate(oldest=Min(kind.at))["oldest"]
    return found


def _length(kind: Kind) -> str:
    word = "hour" if kind.unit.total_seconds() == 3600 else "day"
    assert kind.age is not None
    return how_many(round(kind.age / kind.unit), word)
