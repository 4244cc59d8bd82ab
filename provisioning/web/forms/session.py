"""The sign-in forms, slowed down after repeated failures."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError

from provisioning.services import attempts, callers


class SignInForm(AuthenticationForm):
    """Name and password; after ten failures for one name from one address, five minutes of rest.

    The answer is the same for a wrong name and a wrong password, so that names cannot be found out.
    """

    error_messages = {
        "invalid_login": "That name and password do not belong together. Capitals count in both.",
        "inactive": "That name and password do not belong together. Capitals count in both.",
    }

    def clean(self) -> dict[str, Any]:
        tried = self._tried()
        if attempts.is_blocked(*tried):
            raise ValidationError(
                "Too many attempts for this name from your address. Wait five minutes, then try again.",
                code="rest",
            )
        try:
            cleaned = super().clean()
        except ValidationError:
            attempts.failed(*tried)
            raise
        attempts.succeeded(*tried)
        return cleaned

    def _tried(self) -> tuple[str, str, str]:
        address = callers.client_address(self.request.META) if self.request else ""
        return attempts.of_name(address, str(self.data.get("username", "")))
