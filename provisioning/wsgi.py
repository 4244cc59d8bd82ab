"""The web application for gunicorn."""

from __future__ import annotations

import os

import structlog
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "provisioning.settings")

application = get_wsgi_application()


def _same_version() -> None:
    """End a web process of another version than the database, with one sentence; a database that is away is waited for."""
    from django.db import DatabaseError

    from provisioning.services import versions

    try:
        versions.check()
    except versions.OtherVersion as error:
        raise SystemExit(f"CommandError: {error}") from None
    except DatabaseError as error:
        structlog.get_logger(__name__).warning(
            "the database's version could not be read", reason=str(error)[:200]
        )


_same_version()
