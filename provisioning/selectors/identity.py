"""Sessions, second factors and what settings say about signing in: read, never written."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef

from provisioning.errors import NotVisible
from provisioning.models import Actor, DrawnPassword, Role
from provisioning.pipeline.authority import expand

MOST_SHOWN: Final = 100
_ASKED_FOR = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One session of the browser: where, with what, since when; ``here`` marks the one that asks."""

    pk: int
    address: str
    browser: str
    since: datetime
    seen: datetime
    here: bool


def live_sessions(user_id: int, now: datetime, *, here: str = "") -> list[SessionLine]:
    """The sessions of a person that have not run out, the one seen last first; a hundred at most, with the one that asks."""
    live = Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gt=now)
    found = UserSession.objects.filter(Exists(live), user_id=user_id).order_by("-last_seen_at", "-pk")
    rows = list(found[:MOST_SHOWN])
    if here and all(row.session_key != here for row in rows):
        rows = [*found.filter(session_key=here), *rows]
    return [
        SessionLine(
            row.pk, str(row.ip), row.user_agent, row.created_at, row.last_seen_at, row.session_key == here
        )
        for row in rows
    ]


def session_of(user_id: int, pk: int) -> UserSession:
    """The session of this person with this key; raises NotVisible for another's as for none."""
    found = UserSession.objects.filter(user_id=user_id, pk=pk).select_related("user").first()
    if found is None:
        raise NotVisible("There is no such session of yours.")
    return found


def factors_of(user_id: int) -> list[Authenticator]:
    """The second factors of a person, recovery codes among them, the oldest first."""
    return list(Authenticator.objects.filter(user_id=user_id).order_by("created_at", "pk"))


def lacks_second_factor(actor: Actor, *, superuser: bool = False) -> bool:
    """Whether the settings ask a second factor of somebody with these roles, and there is none."""
    needs = bool(settings.SECOND_FACTOR) and (superuser or bool(actor.roles & _roles_that_need_one()))
    return needs and not Authenticator.objects.filter(user_id=actor.user_id, type__in=_ASKED_FOR).exists()


def has_drawn_password(user_id: int) -> bool:
    """Whether the password that somebody has was drawn for them by an administrator, and not replaced since."""
    return DrawnPassword.objects.filter(user_id=user_id).exists()


def provider_key(issuer: str) -> str:
    """The name under which subjects of an issuer are kept: two issuers may well give the same subject to two people."""
    return "oidc-" + hashlib.sha256(issuer.encode()).hexdigest()[:16]


def linked_with(user_id: int) -> list[str]:
    """The subjects at the provider of sign-ins with which a person is linked; links with another issuer do not count."""
    rows = SocialAccount.objects.filter(user_id=user_id, provider=provider_key(settings.OIDC_ISSUER))
    return list(rows.order_by("pk").values_list("uid", flat=True))


def unsound_settings() -> list[str]:
    """What is wrong in the settings of signing in, a sentence each; empty when nothing is."""
    said = []
    roles = {role.value for role in Role}
    for name, given in (
        ("SECOND_FACTOR", settings.SECOND_FACTOR),
        ("OIDC_ROLES", settings.OIDC_ROLES.values()),
    ):
        if unknown := sorted(set(given) - roles):
            said.append(f"{name} names what is no role: {', '.join(unknown)}.")
    if settings.OIDC_LINK_BY not in ("", "username", "email"):
        said.append("OIDC_LINK_BY is username, email or nothing.")
    if (settings.OIDC_ROLES or settings.OIDC_NRENS) and not settings.OIDC_GROUPS_CLAIM:
        said.append(
            "OIDC_ROLES and OIDC_NRENS need OIDC_GROUPS_CLAIM: by which claim is somebody in a group?"
        )
    if not settings.OIDC_ISSUER:
        if not settings.PASSWORD_SIGN_IN:
            said.append("With PASSWORD_SIGN_IN off and no OIDC_ISSUER nobody can sign in.")
        return said
    if not settings.OIDC_CLIENT_ID:
        said.append("OIDC_CLIENT_ID is not set.")
    if not _is_safe(settings.OIDC_ISSUER):
        said.append("OIDC_ISSUER is not https: whoever is on the way could sign in as anybody.")
    if "openid" not in settings.OIDC_SCOPES:
        said.append("OIDC_SCOPES lacks openid.")
    return said


def _roles_that_need_one() -> frozenset[Role]:
    return frozenset(expand(Role(name) for name in settings.SECOND_FACTOR))


def _is_safe(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" or (
        parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost", "::1")
    )
