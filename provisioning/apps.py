"""The app: refuses to start without its secrets."""

from __future__ import annotations

from typing import Any, Final

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

SECRETS: Final = "secrets"
"""The tag of the check that every command makes."""


class ProvisioningConfig(AppConfig):
    name = "provisioning"
    verbose_name = "Provisioning"

    def ready(self) -> None:
        register(missing_secrets, SECRETS)


def missing_secrets(**_kwargs: Any) -> list[CheckMessage]:
    """One error for each secret that has no value: there is no default outside DEBUG."""
    return [
        Error(
            f"{name} is not set.",
            hint="`make setup` writes a .env with fresh secrets; docs/reference/settings.md describes each.",
            id=f"expedite.E00{number}",
        )
        for number, name in enumerate(("CREDENTIAL_KEYS", "TOKEN_PEPPER"), start=1)
        if not getattr(settings, name)
    ]
