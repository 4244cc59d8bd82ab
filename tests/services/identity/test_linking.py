"""Whose account somebody gets whom a provider has signed in: never another's."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User

from inventory.models import Domain, Nren
from provisioning.errors import NotPermitted
from provisioning.models import SYSTEM, AuditEvent, Membership, Role
from provisioning.selectors.identity import provider_key
from provisioning.services import identity, people

pytestmark = pytest.mark.django_db
ISSUER = "https://id.example.net"


@pytest.fixture(autouse=True)
def provider(settings: Any) -> Any:
    settings.OIDC_ISSUER, settings.OIDC_NAME = ISSUER, "Example ID"
    return settings


def claims(subject: str = "s-1", issuer: str = ISSUER, **said: Any) -> identity.Claims:
    return identity.Claims(issuer, subject, {"preferred_username": "nora", **said})


@pytest.fixture
def nora() -> User:
    return people.put_person(actor=SYSTEM, username="nora", roles=[Role.NOC], email="nora@noc.example.net")


def roles_of(user: User) -> set[str]:
    return set(user.groups.values_list("name", flat=True))


def test_a_name_alone_opens_no_account(nora: User) -> None:
    for said in ({}, {"email": nora.email, "email_verified": True}, {"preferred_username": "somebody"}):
        with pytest.raises(NotPermitted, match="nobody here is linked"):
            identity.person_of(claims(**said))
    assert not SocialAccount.objects.exists()


def test_who_is_linked_comes_in_under_any_name(nora: User) -> None:
    SocialAccount.objects.create(user=nora, provider=provider_key(ISSUER), uid="s-1")
    assert identity.person_of(claims(preferred_username="renamed")) == nora
    for other in (claims("s-2"), claims(issuer="https://other.example.net")):
        with pytest.raises(NotPermitted):
            identity.person_of(other)


def test_joined_by_name_where_the_provider_is_believed(nora: User, settings: Any) -> None:
    settings.OIDC_LINK_BY = "username"
    assert identity.person_of(claims()) == nora
    assert identity.person_of(claims(preferred_username="x")) == nora  # from now on by the subject
    with pytest.raises(NotPermitted, match="linked with somebody else"):
        identity.person_of(claims("s-2"))
    event = AuditEvent.objects.get(action="person.link")
    assert event.after == {"issuer": ISSUER, "subject": "s-1"}


@pytest.mark.parametrize("name", ["Nora", "nora ", "\uff4eora", ""])
def test_a_name_that_only_looks_alike_joins_nothing(nora: User, settings: Any, name: str) -> None:
    settings.OIDC_LINK_BY, settings.OIDC_CREATE = "username", False
    if name.strip() == "nora":
        assert identity.person_of(claims(preferred_username=name)) == nora
        return
    with pytest.raises(NotPermitted):
        identity.person_of(claims(preferred_username=name))


def test_joined_by_an_address_that_the_provider_has_verified(nora: User, settings: Any) -> None:
    settings.OIDC_LINK_BY = "email"
    for verified in (False, None, "true", 1):
        with pytest.raises(NotPermitted):
            identity.person_of(claims(email=nora.email, email_verified=verified))
    people.put_person(actor=SYSTEM, username="twin", email=nora.email)
    with pytest.raises(NotPermitted, match="Several accounts"):
        identity.person_of(claims(email=nora.email, email_verified=True))
    User.objects.filter(username="twin").update(email="")
    assert identity.person_of(claims(email="NORA@noc.example.net", email_verified=True)) == nora


def test_made_where_that_is_wanted_without_a_role(settings: Any) -> None:
    settings.OIDC_CREATE = True
    made = identity.person_of(claims(email="n@example.net", email_verified=True))
    assert made.username == "nora" and made.email == "n@example.net" and roles_of(made) == set()
    assert not made.has_usable_password() and not made.is_superuser and not made.is_staff
    assert identity.person_of(claims()) == made


def test_none_is_made_over_an_account_that_is_here(nora: User, settings: Any) -> None:
    settings.OIDC_CREATE = True
    with pytest.raises(NotPermitted, match="not linked with you"):
        identity.person_of(claims())
    for bad in ("", "two words", "x" * 151, "a\nb"):
        with pytest.raises(NotPermitted, match="name that none can have"):
            identity.person_of(claims("s-9", preferred_username=bad))
    assert User.objects.count() == 1


class TestGroups:
    @pytest.fixture(autouse=True)
    def mapped(self, settings: Any, nora: User) -> None:
        domain = Domain.objects.create(name="D", asn=1, prefix="2001:db8::/32", scheme="6net")
        Nren.objects.create(domain=domain, name="JANET", country="uk")
        settings.OIDC_GROUPS_CLAIM = "groups"
        settings.OIDC_ROLES = {"noc": "noc-operator", "seniors": "noc-approver", "audit": "auditor"}
        settings.OIDC_NRENS = {"janet": "JANET"}
        SocialAccount.objects.create(user=nora, provider=provider_key(ISSUER), uid="s-1")

    @pytest.mark.parametrize(
        ("groups", "roles"),
        [
            (["noc"], {"noc-operator"}),
            (["noc", "seniors", "football"], {"noc-operator", "noc-approver"}),
            ("noc seniors", {"noc-operator", "noc-approver"}),
            ([], set()),
            (None, set()),
            ({"noc": True}, set()),
            (["NOC", "administrator", "superuser"], set()),
        ],
    )
    def test_they_give_the_roles_and_take_them(self, nora: User, groups: Any, roles: set[str]) -> None:
        assert roles_of(identity.person_of(claims(groups=groups))) == roles

    def test_they_give_nrens_and_take_them(self, nora: User) -> None:
        identity.person_of(claims(groups=["janet"]))
        assert Membership.objects.get(user=nora).nren.name == "JANET"
        identity.person_of(claims(groups=["noc"]))
        assert not Membership.objects.filter(user=nora).exists()

    def test_what_conflicts_gives_nothing_and_changes_nothing(self, nora: User) -> None:
        with pytest.raises(NotPermitted, match="what nobody has together"):
            identity.person_of(claims(groups=["noc", "audit"]))
        assert roles_of(nora) == {"noc-operator", "noc-approver"}

    def test_an_nren_that_is_not_here_is_said(self, nora: User, settings: Any) -> None:
        settings.OIDC_NRENS = {"x": "NOWHERE"}
        with pytest.raises(NotPermitted, match="NOWHERE"):
            identity.person_of(claims(groups=["x"]))

    def test_without_a_change_nothing_is_noted(self, nora: User) -> None:
        identity.person_of(claims(groups=["noc"]))
        before = AuditEvent.objects.count()
        identity.person_of(claims(groups=["noc"]))
        assert AuditEvent.objects.count() == before
