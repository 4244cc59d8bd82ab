"""Fixtures of the page tests: the world, and a client signed in as somebody."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client

from tests.kept import kept
from tests.web.world import World, build_world


@pytest.fixture
def world(db: None) -> World:
    """People of every role, requests and changes in many states."""
    cache.clear()
    return kept("world", build_world)


@pytest.fixture
def as_user(world: World) -> Callable[[str], Client]:
    """Return a client signed in under a name; a blank name is signed out. CSRF is enforced as for a browser."""

    def sign_in(name: str) -> Client:
        client = Client()
        if name:
            client.force_login(world.users[name])
        return client

    return sign_in
