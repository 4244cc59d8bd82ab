"""The small backbone again, with its database and settings where other processes find them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.jobs.broker import Broker, own_broker
from tests.services.conftest import _patient, backbone  # noqa: F401 - pytest finds fixtures by name here


@pytest.fixture
def broker() -> Iterator[Broker]:
    """A Redis of this test's own, so that no other test's messages are in it."""
    if shutil.which("redis-server") is None:
        pytest.skip("needs redis-server: `make test` installs it")
    with own_broker() as made:
        yield made
