"""Whom a token speaks for: shown once, stored as an HMAC under the server's pepper, bound to a user and at most one NREN."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from dataclasses import replace
from datetime import timedelta

from django.conf import settings
from django.db.models import Q

from provisioning.errors import NotPermitted
from provisioning.models import Actor, ApiToken, Membership, Role, Via
from provisioning.services import clock, people

MARK = "exp"
_SEEN_EVERY = timedelta(minutes=1)


def authenticate(*, text: str, address: str | None) -> ApiToken:
    """The live token that ``text`` is, its last use noted (once a minute at most).

    Raises NotPermitted with one and the same reason for a token that is unknown, ended, used from elsewhere,
    or whose user has left; which of them it was is nobody's business who has no token.
    """
    refusal = NotPermitted("The token is not valid.")
    parts = text.split("_", 2)
    if len(text) > 200 or len(parts) != 3 or parts[0] != MARK:
        raise refusal
    token = ApiToken.objects.select_related("user", "nren").filter(prefix=parts[1]).first()
    if not hmac.compare_digest(token.digest if token else "", digest_of(text)) or token is None:
        raise refusal
    now = clock.now()
    if not token.is_live(now) or not token.user.is_active or not _may_come_from(token, address):
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


def digest_of(text: str) -> str:
    """Return what is stored of a token: HMAC-SHA256 of its whole text under TOKEN_PEPPER, in hex."""
    return hmac.new(settings.TOKEN_PEPPER.encode(), text.encode(), hashlib.sha256).hexdigest()


def _may_come_from(token: ApiToken, address: str | None) -> bool:
    if not token.allowed_networks:
        return True
    try:
        client = ipaddress.ip_address(address or "")
    except ValueError:
        return False
    # A socket for both kinds of address writes an IPv4 client as ::ffff:192.0.2.1 (RFC 4291 section 2.5.5.2).
    if isinstance(client, ipaddress.IPv6Address) and client.ipv4_mapped is not None:
        client = client.ipv4_mapped
    return any(client in ipaddress.ip_network(network) for network in token.allowed_networks)
