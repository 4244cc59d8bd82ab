"""The same person in eight windows at once: one account, one link, one event."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import IntegrityError, connections
from django.utils import timezone

from provisioning.errors import NotPermitted
from provisioning.models import SYSTEM, AuditEvent, Role
from provisioning.selectors.identity import provider_key
from provisioning.services import identity, people
from provisioning.services.identity import linking

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


def test_two_people_are_not_joined_with_one_account(postgres: None, settings: Any) -> None:
    settings.OIDC_ISSUER, settings.OIDC_LINK_BY = ISSUER, "username"
    people.put_person(actor=SYSTEM, username="nora")

    def sign_in(number: int) -> bool:
        try:
            identity.person_of(identity.Claims(ISSUER, f"s-{number}", {"preferred_username": "nora"}))
        except NotPermitted:
            return False
        return True

    assert at_once(sign_in).count(True) == 1
    assert SocialAccount.objects.count() == AuditEvent.objects.filter(action="person.link").count() == 1


def meanwhile(module: Any, name: str, deed: Callable[[], Any]) -> Callable[..., Any]:
    """The function of that name, before whose first call somebody else begins a deed; it may have to wait for us."""
    real, begun = getattr(module, name), []

    def elsewhere() -> None:
        try:
            deed()
        finally:
            connections.close_all()

    def call(*args: Any, **more: Any) -> Any:
        if not begun:
            begun.append(Thread(target=elsewhere))
            begun[0].start()
            begun[0].join(1)
        return real(*args, **more)

    call.over = lambda: begun[0].join()  # type: ignore[attr-defined]
    return call


def test_an_account_that_is_made_by_hand_meanwhile_is_not_given_to_whoever_has_its_name(
    postgres: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.OIDC_ISSUER, settings.OIDC_CREATE = ISSUER, True
    by_hand = people.put_person

    def make() -> None:
        by_hand(actor=SYSTEM, username="nora", roles=[Role.APPROVER])

    monkeypatch.setattr(linking, "put_person", meanwhile(linking, "put_person", make))
    with pytest.raises(NotPermitted, match="not linked with you"):
        identity.person_of(identity.Claims(ISSUER, "s-1", {"preferred_username": "nora"}))
    nora = User.objects.get()
    assert [group.name for group in nora.groups.all()] == ["noc-approver"]
    assert not SocialAccount.objects.exists()


def test_a_sign_in_that_gives_roles_undoes_nothing_that_was_done_meanwhile(
    postgres: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.OIDC_ISSUER, settings.OIDC_GROUPS_CLAIM = ISSUER, "groups"
    settings.OIDC_ROLES = {"noc": "noc-operator"}
    nora = people.put_person(actor=SYSTEM, username="nora", password="the first of her passwords")
    SocialAccount.objects.create(user=nora, provider=provider_key(ISSUER), uid="s-1")

    def replace() -> None:
        user = User.objects.get()
        user.set_password("another of her passwords")
        User.objects.update(password=user.password, is_active=False)

    standing = meanwhile(people, "standing_of", replace)
    monkeypatch.setattr(people, "standing_of", standing)
    identity.person_of(identity.Claims(ISSUER, "s-1", {"groups": ["noc"]}))
    standing.over()  # type: ignore[attr-defined]
    nora.refresh_from_db()
    assert nora.check_password("another of her passwords") and not nora.is_active


def test_joined_with_roles_taken_and_given_locks_in_order(postgres: None, settings: Any) -> None:
    settings.OIDC_ISSUER, settings.OIDC_LINK_BY, settings.OIDC_CREATE = ISSUER, "username", True
    settings.OIDC_GROUPS_CLAIM, settings.OIDC_ROLES = "groups", {"noc": "noc-operator"}
    people.put_person(actor=SYSTEM, username="nora", roles=[Role.APPROVER])
    for number, name in enumerate(("nora", "new")):
        said = {"preferred_username": name, "groups": ["noc"]}
        made = identity.person_of(identity.Claims(ISSUER, f"s-{number}", said))
        assert [group.name for group in made.groups.all()] == ["noc-operator"]


@pytest.mark.parametrize("by", ["themselves", "command"])
def test_another_password_ends_sessions_in_order(postgres: None, by: str) -> None:
    user = people.put_person(
        actor=SYSTEM, username="nora", password="the first of her passwords", roles=[Role.APPROVER]
    )
    keys = (f"{by}1".ljust(32, "x"), f"{by}2".ljust(32, "x"))  # the cache knows which were seen
    for key in keys:
        Session.objects.create(session_key=key, expire_date=timezone.now() + timedelta(hours=1))
        identity.seen(user.pk, key, address="192.0.2.1", browser="x")
    if by == "themselves":
        identity.replace_password(user, "another of her passwords", session=keys[0])
    else:
        people.put_person(actor=SYSTEM, username="nora", password="another of her passwords")
    kept = [keys[0]] if by == "themselves" else []
    assert list(Session.objects.values_list("session_key", flat=True)) == kept
    assert list(UserSession.objects.values_list("session_key", flat=True)) == kept
    event = AuditEvent.objects.get(action="person.sessions.end")
    assert event.after == {"ended": 2 - len(kept), "addresses": ["192.0.2.1"]}
    assert event.reason == "another password"


def test_each_of_many_factors_that_are_added_at_once_is_noted_once(postgres: None) -> None:
    user = people.put_person(actor=SYSTEM, username="nora")

    def add(number: int) -> None:
        with identity.changing_factors(user, session=""):
            Authenticator.objects.create(
                user=user, type=Authenticator.Type.WEBAUTHN, data={"name": str(number)}
            )

    at_once(add)
    noted = AuditEvent.objects.filter(action="person.factor.add")
    assert sorted(event.after["factor"] for event in noted) == [
        f"webauthn {number}" for number in range(MANY)
    ]


def test_a_session_that_is_seen_and_ended(postgres: None) -> None:
    user = people.put_person(actor=SYSTEM, username="nora")

    def see_or_end(number: int) -> None:
        if number % 2:
            identity.seen(user.pk, "k" * 32, address=f"192.0.2.{number}", browser="x")
        else:
            identity.end_sessions(actor=SYSTEM, user=user)

    at_once(see_or_end)
    assert UserSession.objects.count() <= 1
