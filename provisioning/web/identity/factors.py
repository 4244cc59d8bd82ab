"""Second factors, as django-allauth asks about them: their secrets are encrypted, each change is in the audit trail."""

from __future__ import annotations

from typing import Any

from allauth.mfa import signals
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.dispatch import receiver
from django.http import HttpRequest

from provisioning.models import keyring
from provisioning.services import identity


class FactorAdapter(DefaultMFAAdapter):
    """What django-allauth leaves to the project about second factors."""

    def encrypt(self, text: str) -> str:
        return keyring().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return keyring().decrypt(encrypted_text.encode()).decode()

    def get_totp_label(self, user: User) -> str:
        return user.get_username()

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:  # noqa: A002
        """Return a name for a key that has none yet."""
        return f"Key {Authenticator.objects.filter(user=user, type=type).count() + 1}"


@receiver(signals.authenticator_added)
def _added(request: HttpRequest, user: User, authenticator: Authenticator, **_more: Any) -> None:
    identity.factor_added(user, authenticator, session=request.session.session_key or "")


@receiver(signals.authenticator_removed)
@receiver(signals.authenticator_reset)
def _removed(user: User, authenticator: Authenticator, **_more: Any) -> None:
    identity.factor_removed(user, authenticator)
