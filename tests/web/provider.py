"""A real OpenID Connect provider beside a test, and a browser's walk through it without a browser."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

import oidc_provider_mock
import requests
from django.test import Client
from oidc_provider_mock import _storage

logging.getLogger("werkzeug").setLevel(logging.ERROR)


@contextmanager
def provider(settings: Any, *people: oidc_provider_mock.User) -> Iterator[str]:
    """Run a provider that knows these people, and point the settings at it; yields its address."""
    with oidc_provider_mock.run_server_in_thread(user_claims=people, require_nonce=True) as server:
        settings.OIDC_ISSUER = f"http://localhost:{server.server_port}"
        settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = "expedite", "a-secret"
        settings.OIDC_NAME = "Example ID"
        yield settings.OIDC_ISSUER


@contextmanager
def asked_at(moment: float) -> Iterator[None]:
    """The provider says in its tokens that it asked the person at this moment (`auth_time`); else it says now."""
    with patch.object(_storage.AuthorizationCode, "get_auth_time", lambda _self: int(moment)):
        yield


def begin(client: Client, wanted: str = "") -> str:
    """Ask for the sign-in; returns the address at the provider to which the browser is sent."""
    answer = client.get("/sign-in/oidc/", {"next": wanted} if wanted else {})
    assert answer.status_code == 302, answer.content
    return str(answer["Location"])


def agree(address: str, subject: str) -> str:
    """Sign in at the provider; returns the path and query with which it sends the browser back."""
    said = requests.post(address, data={"sub": subject}, allow_redirects=False, timeout=10)
    assert said.status_code == 302, said.text
    back = urlsplit(said.headers["Location"])
    return f"{back.path}?{back.query}"
