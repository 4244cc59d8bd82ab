"""Which tokens somebody sees, and how one stands; nothing here knows a secret."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from django.db.models import Exists, OuterRef, Q, QuerySet

from provisioning.errors import NotVisible
from provisioning.models import Actor, ApiToken, Verb
from provisioning.pipeline.authority import ROLES, Whose

SOON = timedelta(days=14)


class TokenState(StrEnum):
    """How a token stands: it can be used while it is LIVE or EXPIRES_SOON."""

    LIVE = "live"
    EXPIRES_SOON = "expires-soon"
    EXPIRED = "expired"
    REVOKED = "revoked"
    ROTATED = "rotated"


LIVING = frozenset({TokenState.LIVE, TokenState.EXPIRES_SOON})


def for_actor(actor: Actor, using: ApiToken | None = None) -> QuerySet[ApiToken]:
    """The tokens the table gives the actor, the newest first; asked ``using`` a token of an NREN, those of that NREN only."""
    rows = (
        ApiToken.objects.select_related("user", "nren", "issued_by", "replaces")
        .annotate(was_rotated=Exists(ApiToken.objects.filter(replaces=OuterRef("pk"))))
        .order_by("-pk")
    )
    if actor.user_id is not None and not of_everybody(actor):
        rows = rows.filter(user_id=actor.user_id)
    if using is not None and using.nren_id is not None:
        rows = rows.filter(nren_id=using.nren_id)
    return rows


def of_everybody(actor: Actor) -> bool:
    """Whether the table gives the actor everybody's tokens."""
    return actor.is_system or any(
        Verb.TOKENS.row.of(role) is Whose.ALL for role in actor.roles if role in ROLES
    )


def visible(actor: Actor, pk: int, using: ApiToken | None = None) -> ApiToken:
    """The one with that key; raises NotVisible alike for "there is none" and "it is not yours to see"."""
    return _one(for_actor(actor, using).filter(pk=pk))


def of_prefix(actor: Actor, prefix: str) -> ApiToken:
    """The one with that public part, which may come with more of the text around it; raises NotVisible."""
    parts = prefix.strip().split("_")
    return _one(for_actor(actor).filter(prefix=parts[1] if len(parts) > 1 else parts[0]))


def by_life(rows: QuerySet[ApiToken], now: datetime, *, live: bool) -> QuerySet[ApiToken]:
    """Those of them that can be used at this moment, or those that cannot."""
    if live:
        return rows.filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)
    return rows.filter(Q(revoked_at__isnull=False) | Q(expires_at__lte=now))


def without_successor(rows: QuerySet[ApiToken]) -> QuerySet[ApiToken]:
    """Those of them in whose place nothing has come that is not revoked."""
    return rows.filter(~Exists(ApiToken.objects.filter(replaces=OuterRef("pk"), revoked_at=None)))


def state_of(token: ApiToken, now: datetime) -> TokenState:
    """How a token of `for_actor` stands."""
    if token.revoked_at is not None:
        return TokenState.ROTATED if getattr(token, "was_rotated", False) else TokenState.REVOKED
    if token.expires_at is None:
        return TokenState.LIVE
    if token.expires_at <= now:
        return TokenState.EXPIRED
    return TokenState.EXPIRES_SOON if token.expires_at <= now + SOON else TokenState.LIVE


def _one(rows: QuerySet[ApiToken]) -> ApiToken:
    found = rows.first()
    if found is None:
        raise NotVisible("There is no such token, or it is not yours to see.")
    return found
