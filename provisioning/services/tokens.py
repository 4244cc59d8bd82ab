"""API tokens: shown once, stored as an HMAC under the server's pepper, bound to a user and at most one
NREN.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from inventory.models import Nren
from provisioning.errors import InvalidInput, NotPermitted
from provisioning.models import Actor, ApiToken, Membership, Role, Verb, Via
from provisioning.pipeline.authority import ROLES, Whose
from provisioning.services import audit, clock, people

SCOPES = ("read", "write")
_OF_OTHERS = frozenset(role for role in ROLES if Verb.TOKENS.row.of(role) is Whose.ALL)
_MARK = "exp"
_SEEN_EVERY = timedelta(minutes=1)


def issue(
    *,
    actor: Actor,
    user: User,
    nren: Nren | None,
    name: str,
    scopes: Iterable[str] = SCOPES,
    expires_at: datetime | None = None,
    allowed_networks: Iterable[str] = (),
) -> tuple[ApiToken, str]:
    """A new token of ``user`` and its text, which is never to be had again.

    With ``nren`` the token speaks for that NREN only, of which the user must be a member. Raises NotPermitted
    when the actor is neither an administrator, the machine, nor that user, and InvalidInput for what cannot be meant.
    """
    _may_hold(actor, user.pk)
    wanted = sorted(set(scopes))
    if not wanted or set(wanted) - set(SCOPES):
        raise InvalidInput(f"scopes are one or more of {', '.join(SCOPES)}", field="scopes")
    if not name.strip() or len(name) > 100 or not name.isprintable():
        raise InvalidInput("a token has a name of 1 to 100 printable characters", field="name")
    if nren is not None and not Membership.objects.filter(user=user, nren=nren).exists():
        raise InvalidInput(f"{user.get_username()} does not act for {nren.name}", field="user")
    if expires_at is not None and expires_at <= clock.now():
        raise InvalidInput("the end lies in the past", field="expires_at")
    networks = [_network(text) for text in allowed_networks]
    prefix, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    text = f"{_MARK}_{prefix}_{secret}"
    with transaction.atomic():
        token = ApiToken.objects.create(
            user=user,
            issued_by_id=actor.user_id,
            nren=nren,
            name=name.strip(),
            prefix=prefix,
            digest=_digest(text),
            scopes=wanted,
            allowed_networks=networks,
            expires_at=expires_at,
        )
        audit.record(
            actor=actor,
            action="token.issue",
            obj=token,
            after={"user": user.get_username(), "nren": nren.name if nren else None, "scopes": wanted},
            nren_ids=[nren.pk] if nren else [],
        )
    return token, text


def revoke(*, actor: Actor, token: ApiToken, reason: str) -> None:
    """End a token now; raises NotPermitted when it is neither the actor's own nor an administrator asks."""
    _may_hold(actor, token.user_id)
    with transaction.atomic():
        ended = ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=clock.now())
        if ended:
            audit.record(
                actor=actor,
                action="token.revoke",
                obj=token,
                reason=reason,
                nren_ids=[token.nren_id] if token.nren_id else [],
            )


def authenticate(*, text: str, address: str | None) -> ApiToken:
    """The live token that ``text`` is, its last use noted (once a minute at most).

    Raises NotPermitted with one and the same reason for a token that is unknown, ended, used from elsewhere,
    or whose user has left; which of them it was is nobody's business who has no token.
    """
    refusal = NotPermitted("The token is not valid.")
    parts = text.split("_", 2)
    if len(text) > 200 or len(parts) != 3 or parts[0] != _MARK:
        raise refusal
    token = ApiToken.objects.select_related("user", "nren").filter(prefix=parts[1]).first()
    if not hmac.compare_digest(token.digest if token else "", _digest(text)) or token is None:
        raise refusal
    now = clock.now()
    ended = token.revoked_at is not None or (token.expires_at is not None and token.expires_at <= now)
    if ended or not token.user.is_active or not _may_come_from(token, address):
        raise refusal
    if token.nren_id and not Membership.objects.filter(user=token.user, nren_id=token.nren_id).exists():
        raise refusal
    unseen = Q(last_used_at=None) | Q(last_used_at__lt=now - _SEEN_EVERY)
    if ApiToken.objects.filter(unseen, pk=token.pk).update(last_used_at=now):
        token.last_used_at = now
    return token


def actor_of(token: ApiToken) -> Actor:
    """The actor a token speaks for: its user, narrowed to the token's NREN (and then to no other role)."""
    actor = people.actor_for(token.user, via=Via.API)
    issuer = None if token.issued_by_id == token.user_id else token.issued_by_id
    if token.nren_id is None:
        return replace(actor, issuer_id=issuer)
    return replace(
        actor,
        roles=actor.roles & {Role.NREN, Role.READER},
        nren_ids=actor.nren_ids & {token.nren_id},
        issuer_id=issuer,
    )


def _may_hold(actor: Actor, user_id: int) -> None:
    """Raise NotPermitted unless the table gives the actor the tokens of this user: its own, or anybody's."""
    if actor.is_system or actor.roles & _OF_OTHERS or (actor.user_id == user_id and actor.may(Verb.TOKENS)):
        return
    raise NotPermitted(Verb.TOKENS.row.refusal_with)


def _digest(text: str) -> str:
    return hmac.new(settings.TOKEN_PEPPER.encode(), text.encode(), hashlib.sha256).hexdigest()


def _network(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text))
    except ValueError as error:
        raise InvalidInput(f"not a network: {text!r:.60}", field="allowed_networks") from error


def _may_come_from(token: ApiToken, address: str | None) -> bool:
    if not token.allowed_networks:
        return True
    try:
        client = ipaddress.ip_address(address or "")
    except ValueError:
        return False
    return any(client in ipaddress.ip_network(network) for network in token.allowed_networks)
