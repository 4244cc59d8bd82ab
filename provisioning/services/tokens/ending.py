"""The end of a token: revoked now, or with the one that it was issued with."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from provisioning.errors import Conflict
from provisioning.models import Actor, ApiToken
from provisioning.services import audit, clock
from provisioning.services.locking import locked
from provisioning.services.tokens import limits


def revoke(*, actor: Actor, token: ApiToken, reason: str, using: ApiToken | None = None) -> None:
    """End a token now, with what has taken its place and every token that was issued with one of them; one that is revoked stays
    so, and nothing is noted.

    Raises NotPermitted when it is neither the actor's own nor an administrator asks, InvalidInput without a reason, and Conflict
    when it was rotated and is not what is used any more: then its successor is what somebody wants to revoke.
    """
    limits.may_hold(actor, token.user_id)
    limits.within_reach(using, token)
    why = limits.reason_of(reason)
    with transaction.atomic():
        row = locked(ApiToken.objects.filter(pk=token.pk)).get()
        now = clock.now()
        if not row.is_live(now) and (successor := _in_its_place(row, now)) is not None:
            raise Conflict(f"It was rotated and has ended: {successor.prefix} has taken its place.")
        if row.revoked_at is not None:
            return
        ApiToken.objects.filter(pk=row.pk).update(revoked_at=now)
        note(actor, row, "token.revoke", why)
        end_issued(actor, row, why, now, successors=True)


def _in_its_place(token: ApiToken, now: datetime) -> ApiToken | None:
    """The live token that has taken the place of one, however often it was rotated since; None when none has."""
    step = list(token.successors.order_by("pk"))
    while step:
        if live := next((each for each in step if each.is_live(now)), None):
            return live
        step = list(ApiToken.objects.filter(replaces__in=step).order_by("pk"))
    return None


def end_issued(
    actor: Actor,
    token: ApiToken,
    reason: str,
    at: datetime | None,
    *,
    until: datetime | None = None,
    successors: bool = False,
) -> None:
    """End what was issued with a token, and with that, and so on: revoked ``at``, or expiring not later than ``until``; with
    ``successors`` also what took the place of one of them: whoever stole a token may have rotated it.

    Whoever calls holds the token's row: what is issued with it now, or takes the place of what was, waits for that, and is
    refused then.
    """
    parents = [token.pk]
    while parents:
        behind = Q(issued_with__in=parents)
        if successors:
            behind |= Q(replaces__in=parents)
        # A child was written after its parent: the order of the locks is that of the keys. What has ended is gone through as
        # well: a token that was rotated without an overlap has ended, and what took its place lives.
        children = list(locked(ApiToken.objects.filter(behind).order_by("pk")))
        for child in children:
            if at is not None and child.revoked_at is None:
                ApiToken.objects.filter(pk=child.pk).update(revoked_at=at)
                how = "in the place of" if child.replaces_id in parents else "issued with"
                note(actor, child, "token.revoke", f"{how} {token.prefix}, which ended: {reason}")
        if until is not None:
            later = Q(expires_at=None) | Q(expires_at__gt=until)
            living = [child.pk for child in children if child.revoked_at is None]
            ApiToken.objects.filter(later, pk__in=living).update(expires_at=until)
        parents = [child.pk for child in children]


def note(actor: Actor, token: ApiToken, action: str, reason: str, **after: object) -> None:
    """Write the event of a deed about a token."""
    audit.record(
        actor=actor,
        action=action,
        obj=token,
        reason=reason,
        after=after or None,
        nren_ids=[token.nren_id] if token.nren_id else [],
    )
