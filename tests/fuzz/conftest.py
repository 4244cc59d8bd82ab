"""The small world of the page tests with people signed in to it, and those who speak to the API."""

from tests.api.conftest import speakers
from tests.web.conftest import as_user, world

__all__ = ["as_user", "speakers", "world"]
