"""The same person in eight windows at once: one account, one link, one event."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.db import IntegrityError, connections

from provisioning.models import SYSTEM, AuditEvent
from provisioning.services import identity, people

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
MANY = 8
ISSUER = "https://id.example.net"


def at_once(deed: Any) -> list[Any]:
    barrier = Barrier(MANY)

    def one(number: int) -> Any:
        try:
            barrier.wait()
            return deed(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(one, range(MANY)))


@pytest.mark.parametrize("how", ["made", "joined"])
def test_a_first_sign_in(postgres: None, settings: Any, how: str) -> None:
    settings.OIDC_ISSUER, settings.OIDC_CREATE = ISSUER, True
    if how == "joined":
        settings.OIDC_LINK_BY = "username"
        people.put_person(actor=SYSTEM, username="nora")
    claims = identity.Claims(ISSUER, "s-1", {"preferred_username": "nora"})

    def sign_in(_number: int) -> User:
        try:
            return identity.person_of(claims)
        except IntegrityError:  # as the interface does it
            return identity.person_of(claims)

    assert len({user.pk for user in at_once(sign_in)}) == 1
    assert User.objects.count() == SocialAccount.objects.count() == 1
    assert AuditEvent.objects.filter(action="person.link").count() == 1


def test_a_session_that_is_seen_and_ended(postgres: None) -> None:
    user = people.put_person(actor=SYSTEM, username="nora")

    def see_or_end(number: int) -> None:
        if number % 2:
            identity.seen(user.pk, "k" * 32, address=f"192.0.2.{number}", browser="x")
        else:
            identity.end_sessions(actor=SYSTEM, user=user)

    at_once(see_or_end)
    assert UserSession.objects.count() <= 1
