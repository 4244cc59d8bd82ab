"""Whether the service answers: asked of the service itself, through its own doors."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.core import checks
from django.test import Client

_PAGES = ("/livez", "/sign-in/", "/api/schema/")


def answers() -> list[str]:
    """What is wrong, one sentence each: Django's own checks, and pages that need no one signed in. Empty: it answers."""
    return [*_checks(), *_pages()]


def _checks() -> Iterator[str]:
    for found in checks.run_checks(include_deployment_checks=False):
        if found.is_serious():
            yield f"check {found.id}: {found.msg}"


def _pages() -> Iterator[str]:
    host = next((name for name in settings.ALLOWED_HOSTS if not name.startswith((".", "*"))), "localhost")
    client = Client(raise_request_exception=False, headers={"host": host})
    for page in _PAGES:
        response = client.get(page, secure=settings.HTTPS)
        if response.status_code != 200:
            yield f"{page} answers {response.status_code}"
