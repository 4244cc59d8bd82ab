"""Differences of routers as rows: noted by each reading, ignored by a person until a day, with a reason.

To ignore one makes nothing in sync: the router differs until it is put back or taken over, nothing becomes ACTIVE there, and a
plan that meets it says so. It only ends the alarm, and only for exactly what was seen: another edit of the same object is a
difference of its own. An open edge is never ignored (D4.4.2v2 section 2.6: no EF enters unauthorised).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from inventory.models import Router
from provisioning.errors import Conflict, InvalidInput, StaleState
from provisioning.models import Actor, RouterDifference, RouterSync, SyncState, Topic, Verb
from provisioning.pipeline.units import instant_text
from provisioning.selectors.authority import permit_named
from provisioning.selectors.differences import heeded
from provisioning.services import audit, clock
from provisioning.services.locking import locked
from provisioning.services.telling.noting import over
from provisioning.services.wording import reason_text

LONGEST: Final = timedelta(days=90)
"""Nobody remembers for longer why a router is left as it is."""


def note_seen(router: Router, items: Iterable[Mapping[str, str]], at: datetime, *, checked: bool) -> bool:
    """Note what a reading of `at` shows that is not as intended, each as ``Difference.to_json`` has it; return whether any of it
    is not ignored.

    New ones are noted where the router was `checked`, or differed before: one in sync that is read for a plan differs because
    something is to change.
    Inside the transaction that stores the reading, behind the lock of the router's ``RouterSync``. One statement where nothing
    differs and nothing did.
    """
    shown = {_digest(each): each for each in items}
    standing = {row.digest: row for row in RouterDifference.objects.filter(router=router, gone_at=None)}
    if gone := [row.pk for digest, row in standing.items() if digest not in shown]:
        RouterDifference.objects.filter(pk__in=gone).update(gone_at=at)
    if still := [row.pk for digest, row in standing.items() if digest in shown]:
        RouterDifference.objects.filter(pk__in=still).update(last_seen_at=at)
    new = [
        RouterDifference(
            router=router,
            object=each["object"][:300],
            expected=each["expected"],
            found=each["found"],
            digest=digest,
            first_seen_at=at,
            last_seen_at=at,
        )
        for digest, each in shown.items()
        if (checked or standing) and digest not in standing
    ]
    if new:
        RouterDifference.objects.bulk_create(new)
    return any(digest not in standing or not standing[digest].is_ignored(at) for digest in shown)


def ignore(*, actor: Actor, difference: int, until: datetime, reason: str) -> RouterDifference:
    """Leave a difference as it is until that moment: no alarm, no message.

    Raises:
        NotPermitted: the actor is not NOC staff.
        InvalidInput: no such difference, a moment that is past or more than 90 days away, no reason.
        StaleState: it does not stand any more.
        Conflict: the router has an open edge, or was not read since.
    """
    permit_named(actor, Verb.MEND)
    reason = reason_text(reason)
    with transaction.atomic():
        row = _locked(difference)
        now = clock.now()
        if until <= now:
            raise InvalidInput("that is over already", field="until")
        if until > now + LONGEST:
            raise InvalidInput(
                f"at most {LONGEST.days} days, until {instant_text(now + LONGEST)}", field="until"
            )
        _refuse_open(row.router)
        before = _ignoring(row)
        row.ignored_at, row.ignored_until, row.ignored_by_id, row.ignored_reason = (
            now,
            until,
            actor.user_id,
            reason,
        )
        row.save(update_fields=["ignored_at", "ignored_until", "ignored_by", "ignored_reason"])
        _record(actor, "router.difference-ignored", row, before, reason)
        if not RouterDifference.objects.filter(heeded(now), router=row.router_id).exists():
            over(Topic.DIFFERS, [f"router/{row.router_id}"])
    return row


def heed(*, actor: Actor, difference: int, reason: str) -> RouterDifference:
    """Ignore a difference no longer: the next reading that shows it tells of it. One that is not ignored is left as it is.

    Raises NotPermitted, InvalidInput for no such difference or no reason, StaleState where it does not stand any more.
    """
    permit_named(actor, Verb.MEND)
    reason = reason_text(reason)
    with transaction.atomic():
        row = _locked(difference)
        if not row.is_ignored(clock.now()):
            return row
        before = _ignoring(row)
        row.ignored_at = row.ignored_until = row.ignored_by = None
        row.ignored_reason = ""
        row.save(update_fields=["ignored_at", "ignored_until", "ignored_by", "ignored_reason"])
        _record(actor, "router.difference-heeded", row, before, reason)
    return row


def _locked(difference: int) -> RouterDifference:
    """The row, behind the lock of its router's last reading; so no reading notes anything meanwhile."""
    router = RouterDifference.objects.filter(pk=difference).values_list("router_id", flat=True).first()
    if router is None:
        raise InvalidInput("there is no such difference", field="difference")
    list(locked(RouterSync.objects.filter(router=router)))
    row = locked(RouterDifference.objects.filter(pk=difference)).get()
    if row.gone_at is not None:
        raise StaleState(
            f"{row} was not seen any more at {instant_text(row.gone_at)}: there is nothing to ignore"
        )
    return row


def _refuse_open(router: Router) -> None:
    sync = RouterSync.objects.filter(router=router).first()
    if sync is None or sync.state == SyncState.UNKNOWN:
        raise Conflict(
            f"{router.name} could not be read since: what it holds is not known. Have it read first"
        )
    if sync.open_edges:
        where = ", ".join(sorted(str(each.get("interface", "?")) for each in sync.open_edges)[:5])
        raise Conflict(
            f"{router.name} has an open edge ({where}): close it first; nobody may leave that as it is"
        )


def _record(
    actor: Actor, action: str, row: RouterDifference, before: dict[str, str | None], reason: str
) -> None:
    after = {"object": row.object, "digest": row.digest, **_ignoring(row)}
    audit.record(actor=actor, action=action, obj=row.router, reason=reason, before=before, after=after)


def _ignoring(row: RouterDifference) -> dict[str, str | None]:
    return {"ignored_until": None if row.ignored_until is None else row.ignored_until.isoformat()}


def _digest(each: Mapping[str, str]) -> str:
    """Of object, expected and found: what tells one difference of a router from another."""
    said = json.dumps([each["object"], each["expected"], each["found"]])
    return hashlib.sha256(said.encode()).hexdigest()
