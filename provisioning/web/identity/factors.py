"""Second factors, as django-allauth asks about them: their secrets are encrypted."""

from __future__ import annotations

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User

from provisioning.models import keyring


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
