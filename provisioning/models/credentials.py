"""Router credentials, encrypted at rest with rotating Fernet keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import models

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

# The cipher is loaded by whoever seals or opens something: every command loads the rows, and few a credential.


def keyring() -> MultiFernet:
    """The keys of ``CREDENTIAL_KEYS``: the first encrypts, all decrypt. Raises ImproperlyConfigured without any."""
    from cryptography.fernet import Fernet, MultiFernet

    if not settings.CREDENTIAL_KEYS:
        raise ImproperlyConfigured("CREDENTIAL_KEYS is empty: set it to one or more Fernet keys.")
    return MultiFernet([Fernet(key) for key in settings.CREDENTIAL_KEYS])


class EncryptedField(models.TextField):
    """Text that is ciphertext in the database and plain in memory. Cannot be searched, on purpose."""

    def get_prep_value(self, value: Any) -> Any:
        if value is None or value == "":
            return value
        return keyring().encrypt(str(value).encode()).decode()

    def from_db_value(self, value: str | None, _expression: Any, _connection: Any) -> str | None:
        if not value:
            return value
        from cryptography.fernet import InvalidToken

        try:
            return keyring().decrypt(value.encode()).decode()
        except InvalidToken as error:
            raise ImproperlyConfigured(
                "A stored credential cannot be read with any key of CREDENTIAL_KEYS."
            ) from error

    def get_lookup(self, lookup_name: str) -> Any:
        if lookup_name == "isnull":
            return super().get_lookup(lookup_name)
        raise TypeError("An encrypted field cannot be searched.")


class Credential(models.Model):
    """How to sign in to one router. Never shown, never logged, never in a transcript."""

    router = models.OneToOneField("inventory.Router", on_delete=models.CASCADE, related_name="credential")
    username = models.CharField(max_length=64)
    password = EncryptedField()
    enable = EncryptedField(blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"credential of {self.router}"
