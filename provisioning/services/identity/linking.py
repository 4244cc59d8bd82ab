"""Whom a provider of sign-ins speaks of: the account linked with them, one that is joined or made now, or nobody here.

An account is linked with the provider's own key for a person (`iss` and `sub`, OpenID Connect Core 1.0, section 2): names
and mail addresses move from one person to another, the key does not. Joining by name or address is therefore off unless a
setting says that the provider may be believed about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from inventory.models import Nren
from provisioning.errors import Conflict, InvalidInput, NotPermitted
from provisioning.models import SYSTEM, Role
from provisioning.selectors.identity import provider_key
from provisioning.services import audit
from provisioning.services.locking import locked
from provisioning.services.people import put_person


@dataclass(frozen=True, slots=True)
class Claims:
    """What a provider says of a person. ``issuer`` and ``subject`` are the key; everything else may change."""

    issuer: str
    subject: str
    said: Mapping[str, Any]

    @property
    def provider(self) -> str:
        return provider_key(self.issuer)

    @property
    def name(self) -> str:
        return str(self.said.get(settings.OIDC_USERNAME_CLAIM) or "").strip()

    @property
    def email(self) -> str:
        """The address, where the provider says that it has verified it; else empty."""
        return str(self.said.get("email") or "") if self.said.get("email_verified") is True else ""

    @property
    def groups(self) -> frozenset[str]:
        named = self.said.get(settings.OIDC_GROUPS_CLAIM) if settings.OIDC_GROUPS_CLAIM else ()
        if isinstance(named, str):
            return frozenset(named.split())
        return frozenset(str(each) for each in named) if isinstance(named, list | tuple) else frozenset()


def person_of(claims: Claims) -> User:
    """The account of whoever the provider has signed in, linked now if a setting allows it, with the roles that its groups give.

    Raises NotPermitted for somebody who has none, or whose groups give roles that conflict: the reason says what to ask for.
    """
    with transaction.atomic():
        user = _linked(claims) or _joined(claims) or _made(claims)
        if settings.OIDC_GROUPS_CLAIM:
            user = _give_roles(user, claims)
        # After the roles: it locks the audit trail, which comes last.
        _link(user, claims)
    return user


def _linked(claims: Claims) -> User | None:
    row = SocialAccount.objects.filter(provider=claims.provider, uid=claims.subject).first()
    return row.user if row else None


def _joined(claims: Claims) -> User | None:
    named = User.objects.none()
    if settings.OIDC_LINK_BY == "username" and claims.name:
        named = User.objects.filter(username=claims.name)
    elif settings.OIDC_LINK_BY == "email" and claims.email:
        named = User.objects.filter(email__iexact=claims.email)
    # Of two whom the provider calls the same, the second waits here and sees that the first is linked.
    found = list(locked(named.order_by("pk"))[:2])
    if len(found) > 1:
        raise NotPermitted(
            f"Several accounts here have the address {claims.email}: which is yours is not known."
        )
    if not found:
        return None
    standing = SocialAccount.objects.filter(provider=claims.provider, user=found[0]).first()
    if standing is not None and standing.uid != claims.subject:  # the same: in another window, a moment ago
        raise NotPermitted(f"{found[0].get_username()} is linked with somebody else at {settings.OIDC_NAME}.")
    return found[0]


def _made(claims: Claims) -> User:
    known_as = f"{claims.name or 'no name'} ({claims.subject})"
    if not settings.OIDC_CREATE:
        raise NotPermitted(
            f"{settings.OIDC_NAME} knows you as {known_as}, and nobody here is linked with that."
        )
    try:
        return put_person(actor=SYSTEM, username=claims.name, email=claims.email, new=True)
    except Conflict as error:
        if made := _linked(claims):  # in another window, a moment ago
            return made
        raise NotPermitted(f"There is an account {claims.name} here that is not linked with you.") from error
    except InvalidInput as error:
        raise NotPermitted(
            f"{settings.OIDC_NAME} gives you a name that none can have here: {error.reason}."
        ) from error


def _link(user: User, claims: Claims) -> None:
    if _linked(claims):
        return
    SocialAccount.objects.create(user=user, provider=claims.provider, uid=claims.subject)
    audit.record(
        actor=SYSTEM,
        action="person.link",
        obj=user,
        reason=f"first sign-in by {settings.OIDC_NAME}",
        after={"issuer": claims.issuer, "subject": claims.subject},
    )


def _give_roles(user: User, claims: Claims) -> User:
    roles = {Role(settings.OIDC_ROLES[group]) for group in claims.groups & set(settings.OIDC_ROLES)}
    names = {settings.OIDC_NRENS[group] for group in claims.groups & set(settings.OIDC_NRENS)}
    nrens = list(Nren.objects.filter(name__in=names).order_by("name"))
    if unknown := names - {nren.name for nren in nrens}:
        raise NotPermitted(f"OIDC_NRENS names what is no NREN here: {', '.join(sorted(unknown))}.")
    try:
        return put_person(actor=SYSTEM, username=user.get_username(), roles=roles, nrens=nrens)
    except InvalidInput as error:
        raise NotPermitted(
            f"Your groups at {settings.OIDC_NAME} give what nobody has together: {error.reason}."
        ) from error
