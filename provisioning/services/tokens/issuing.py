"""A new token: its text is returned once and never stored."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from inventory.models import Nren
from provisioning.errors import Conflict, InvalidInput
from provisioning.models import Actor, ApiToken, Membership
from provisioning.services import audit, clock
from provisioning.services.locking import locked
from provisioning.services.tokens import limits
from provisioning.services.tokens.speaking import MARK, digest_of

LONGEST_NAME = 100


def issue(
    *,
    actor: Actor,
    user: User,
    nren: Nren | None,
    name: str,
    scopes: Iterable[str] = limits.SCOPES,
    expires_at: datetime | None = None,
    allowed_networks: Iterable[str] = (),
    using: ApiToken | None = None,
) -> tuple[ApiToken, str]:
    """A new token of ``user`` and its text, which is never to be had again.

    With ``nren`` the token speaks for that NREN only, of which the user must be a member; without one it is all that its user
    is. Without ``expires_at`` it ends when TOKEN_LONGEST_DAYS says, or never. ``using`` is the token by which it is asked for
    (`limits`).

    Raises NotPermitted when the actor is neither an administrator, the machine, nor that user, InvalidInput for what cannot be
    meant or is wider than ``using``, and Conflict when ``using`` has ended.
    """
    limits.may_hold(actor, user.pk)
    wanted = sorted(set(scopes))
    if not wanted or set(wanted) - set(limits.SCOPES):
        raise InvalidInput(f"scopes are one or more of {', '.join(limits.SCOPES)}", field="scopes")
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise InvalidInput(f"a token has a name of 1 to {LONGEST_NAME} printable characters", field="name")
    if nren is not None and not Membership.objects.filter(user=user, nren=nren).exists():
        raise InvalidInput(f"{user.get_username()} does not act for {nren.name}", field="user")
    expires_at = limits.end_of(expires_at, clock.now())
    networks = list(dict.fromkeys(limits.network(text) for text in allowed_networks))
    if len(networks) > limits.MOST_NETWORKS:
        raise InvalidInput(f"at most {limits.MOST_NETWORKS} networks", field="allowed_networks")
    with transaction.atomic():
        # Of two at once the second counts the first (services/locking says in which order rows are locked).
        if not locked(User.objects.filter(pk=user.pk)).get().is_active:
            raise Conflict(f"The account of {user.get_username()} is closed.")
        if using is not None:
            using = locked(ApiToken.objects.filter(pk=using.pk)).get()
            if not using.is_live(clock.now()):
                raise Conflict("The token that asks has ended.")
            limits.no_wider(
                using,
                actor=actor,
                user_id=user.pk,
                nren_id=nren.pk if nren else None,
                scopes=wanted,
                expires_at=expires_at,
                networks=networks,
            )
        if nren is not None and locked(Nren.objects.filter(pk=nren.pk)).first() is None:
            raise InvalidInput(f"{nren.name} is an NREN no more", field="nren")
        limits.not_too_many(user, nren, clock.now())
        own = using is not None and user.pk == actor.user_id
        return write(
            actor=actor,
            user=user,
            nren=nren,
            # What a token issues for its own user is behind it whoever issued that token.
            issued_by_id=actor.issuer_id or actor.user_id if own else actor.user_id,
            name=name.strip(),
            scopes=wanted,
            allowed_networks=networks,
            expires_at=expires_at,
            issued_with=using,
        )


def write(*, actor: Actor, user: User, nren: Nren | None, **fields: Any) -> tuple[ApiToken, str]:
    """Write the row of a token that is as it should be, with its event; returns it and its text."""
    prefix = secrets.token_hex(6)
    text = f"{MARK}_{prefix}_{secrets.token_urlsafe(32)}"
    token = ApiToken.objects.create(user=user, nren=nren, prefix=prefix, digest=digest_of(text), **fields)
    audit.record(
        actor=actor,
        action="token.issue",
        obj=token,
        after={
            "user": user.get_username(),
            "nren": nren.name if nren else None,
            "scopes": token.scopes,
            "expires_at": token.expires_at.isoformat() if token.expires_at else None,
            "allowed_networks": token.allowed_networks,
            "issued_with": token.issued_with.prefix if token.issued_with else None,
            "replaces": token.replaces.prefix if token.replaces else None,
        },
        nren_ids=[nren.pk] if nren else [],
    )
    return token, text
