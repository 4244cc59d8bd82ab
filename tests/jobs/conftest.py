"""The small backbone again, with its database and settings where other processes find them."""

from tests.services.conftest import backbone  # noqa: F401 - pytest finds fixtures by name here
