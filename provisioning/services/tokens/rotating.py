"""Another secret in the place of a token's: what it may and for whom it speaks stay."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction

from provisioning.errors import Conflict, InvalidInput, NotPermitted
from provisioning.models import Actor, ApiToken
from provisioning.services import clock
from provisioning.services.locking import locked
from provisioning.services.tokens import limits
from provisioning.services.tokens.ending import end_issued, note
from provisioning.services.tokens.issuing import write

LONGEST_OVERLAP: Final = timedelta(days=7)


def rotate(
    *,
    actor: Actor,
    token: ApiToken,
    reason: str,
    overlap: timedelta = timedelta(),
    using: ApiToken | None = None,
) -> tuple[ApiToken, str]:
    """The successor of a token and its text: name, user, NREN, scopes, networks and expiry are those of the old one, which is
    revoked now, or expires after ``overlap`` (0 to 7 days). What was issued with the old one ends with it.

    The issuer stays, unless nobody, or its user, was it and an administrator rotates it: who comes to know the secret stands
    behind what is asked with it. ``using`` may rotate itself only.

    Raises NotPermitted as `limits` says, InvalidInput for the reason or the overlap, and Conflict when the token has ended, or
    was rotated already: of two at once the second is told so.
    """
    limits.may_hold(actor, token.user_id)
    if using is not None and using.pk != token.pk:
        raise NotPermitted("A token rotates itself and no other.")
    why = limits.reason_of(reason)
    if not timedelta() <= overlap <= LONGEST_OVERLAP:
        raise InvalidInput(f"from 0 to {LONGEST_OVERLAP.days} days", field="overlap")
    with transaction.atomic():
        # What it was issued with first: who revokes that meanwhile must not miss what takes the place of this one.
        held = ApiToken.objects.select_related("user", "nren", "replaces", "issued_with")
        keys = [key for key in (token.issued_with_id, token.pk) if key is not None]
        (*_, old) = locked(held.filter(pk__in=keys).order_by("pk"))
        limits.no_third_person(actor, old)
        now = clock.now()
        if old.successors.filter(revoked_at=None).exists():
            raise Conflict("It was rotated already.")
        if not old.is_live(now):
            raise Conflict("It has ended: issue another.")
        stays = actor.is_system or actor.user_id == old.user_id
        made, text = write(
            actor=actor,
            user=old.user,
            nren=old.nren,
            issued_by_id=old.issued_by_id if stays else actor.user_id,
            name=old.name,
            scopes=old.scopes,
            allowed_networks=old.allowed_networks,
            expires_at=old.expires_at,
            issued_with=old.issued_with,
            replaces=old,
        )
        until = now + overlap
        if old.expires_at is not None:
            until = min(until, old.expires_at)
        if overlap:
            ApiToken.objects.filter(pk=old.pk).update(expires_at=until)
        else:
            ApiToken.objects.filter(pk=old.pk).update(revoked_at=now)
        note(actor, old, "token.rotate", why, successor=made.prefix, ends_at=until.isoformat())
        end_issued(actor, old, why, None if overlap else now, until=until if overlap else None)
    return made, text
