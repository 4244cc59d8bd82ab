"""Another secret in the place of a token's: what it may and for whom it speaks stay."""

from __future__ import annotations

from datetime import datetime, timedelta
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
    lost: int | None = None,
    using: ApiToken | None = None,
) -> tuple[ApiToken, str]:
    """The successor of a token and its text: name, user, NREN, scopes, networks and expiry are those of the old one, which is
    revoked now, or expires after ``overlap`` (0 to 7 days). What was issued with the old one ends with it.

    The issuer stays, unless nobody, or its user, was it and an administrator rotates it: who comes to know the secret stands
    behind what is asked with it. ``using`` may rotate itself only.

    ``lost`` is the key of the successor whose text never arrived: it is revoked, and another takes its place. The old one ends
    no later for that than was said the first time.

    Raises NotPermitted as `limits` says, InvalidInput for the reason, the overlap or a ``lost`` that is no successor, and
    Conflict when the token has ended, when it was rotated already (of two at once the second is told so), or when what is said
    to be lost was used: somebody has it.
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
        if not old.is_live(now):
            standing = old.successors.filter(revoked_at=None).first()
            if standing is not None:
                raise Conflict(
                    f"It was rotated already and has ended: {standing.prefix} has taken its place."
                )
            raise Conflict("It has ended: issue another.")
        former = _let_go_of(actor, old, lost, why, now)
        stays = actor.is_system or actor.user_id == old.user_id
        made, text = write(
            actor=actor,
            user=old.user,
            nren=old.nren,
            issued_by_id=old.issued_by_id if stays else actor.user_id,
            name=old.name,
            scopes=old.scopes,
            allowed_networks=old.allowed_networks,
            # Where it had a successor before, its own end is that of the overlap.
            expires_at=limits.earlier((former or old).expires_at, limits.latest_end(now)),
            issued_with=old.issued_with,
            replaces=old,
        )
        until = min(now + overlap, old.expires_at or now + overlap)
        if overlap:
            ApiToken.objects.filter(pk=old.pk).update(expires_at=until)
        else:
            ApiToken.objects.filter(pk=old.pk).update(revoked_at=now)
        note(actor, old, "token.rotate", why, successor=made.prefix, ends_at=until.isoformat())
        end_issued(actor, old, why, None if overlap else now, until=until if overlap else None)
    return made, text


def _let_go_of(actor: Actor, old: ApiToken, lost: int | None, reason: str, now: datetime) -> ApiToken | None:
    """Revoke the successor that is said to be lost; the last one that it had, None where it never had any.

    Whoever calls holds the token's row: nobody else gives it a successor meanwhile.
    """
    successors = locked(ApiToken.objects.filter(replaces=old).order_by("pk"))
    former = max(successors, key=lambda row: row.pk, default=None)
    standing = former if former is not None and former.revoked_at is None else None
    if lost is not None and (standing is None or standing.pk != lost):
        raise InvalidInput("it is not what took the place of this token", field="lost")
    if standing is None:
        return former
    if standing.last_used_at is not None:
        raise Conflict(
            f"It was rotated already: {standing.prefix} (token {standing.pk}) is in use in its place."
        )
    if lost is None:
        raise Conflict(
            f"It was rotated already: {standing.prefix} (token {standing.pk}) has taken its place and was never used. If its"
            f" text was lost, say so (lost: {standing.pk})."
        )
    ApiToken.objects.filter(pk=standing.pk).update(revoked_at=now)
    why = f"its text was lost, and {old.prefix} is rotated again: {reason}"
    note(actor, standing, "token.revoke", why)
    end_issued(actor, standing, why, now, successors=True)
    return standing
