"""Roles are an allow-list; a token is shown once, speaks for one NREN, and dies with what it rests on."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User
from django.db import transaction
from django.utils import timezone

from inventory.models import Nren
from provisioning.errors import InvalidInput, NotPermitted
from provisioning.models import SYSTEM, ApiToken, AuditEvent, Membership, Role, Via
from provisioning.services import audit, people, tokens
from tests.services.requests.sixnet import janet, noc, person

pytestmark = pytest.mark.usefixtures("six")


def test_roles_come_from_groups_and_memberships_and_from_nothing_else() -> None:
    user = User.objects.create_superuser("root")
    assert people.actor_for(user, via=Via.WEB).roles == frozenset()
    user.groups.add(Group.objects.create(name="chess"))
    assert people.actor_for(user, via=Via.WEB).roles == frozenset()
    user.groups.add(Group.objects.create(name="noc"))
    Membership.objects.create(user=user, nren=Nren.objects.get(name="JANET"))
    actor = people.actor_for(user, via=Via.CLI)
    assert (actor.roles, actor.label, actor.via) == (
        frozenset({Role.OPERATOR, Role.APPROVER, Role.NREN}),
        "root",
        Via.CLI,
    )


def test_nobody_acts_without_an_open_account() -> None:
    closed = User.objects.create(username="gone", is_active=False)
    for user in (closed, AnonymousUser()):
        with pytest.raises(NotPermitted):
            people.actor_for(user, via=Via.WEB)
    with pytest.raises(NotPermitted):
        people.actor_named("gone", via=Via.CLI)
    with pytest.raises(InvalidInput):
        people.actor_named("nobody", via=Via.CLI)


def test_putting_a_person_is_idempotent_and_takes_away_what_is_not_named() -> None:
    nren = Nren.objects.get(name="JANET")
    user = people.put_person(
        actor=SYSTEM, username="pat", roles=[Role.NOC], nrens=[nren], password="a long phrase"
    )
    assert user.check_password("a long phrase")
    events = AuditEvent.objects.count()
    people.put_person(actor=SYSTEM, username="pat", roles=[Role.NOC], nrens=[nren])
    assert AuditEvent.objects.count() == events
    again = people.put_person(
        actor=person("adam", Role.ADMINISTRATOR), username="pat", roles=[Role.AUDITOR], nrens=[]
    )
    assert again.check_password("a long phrase")
    actor = people.actor_for(again, via=Via.WEB)
    assert (actor.roles, actor.nren_ids) == (frozenset({Role.AUDITOR}), frozenset())
    for wrong in ("", "two words", "x" * 151, "a\nb"):
        with pytest.raises(InvalidInput):
            people.put_person(actor=SYSTEM, username=wrong)
    with pytest.raises(NotPermitted):
        people.put_person(actor=janet(), username="jane", roles=[Role.NOC])
    with pytest.raises(NotPermitted, match="Only an administrator gives people their roles"):
        people.put_person(actor=noc(), username="nora", roles=[Role.ADMINISTRATOR])


def _issue(**changes: object) -> tuple[ApiToken, str]:
    user = User.objects.get(username=janet().label)
    values: dict[str, object] = {
        "actor": SYSTEM,
        "user": user,
        "nren": Nren.objects.get(name="JANET"),
        "name": "t",
    }
    return tokens.issue(**{**values, **changes})  # type: ignore[arg-type]


def test_a_token_is_stored_only_as_a_digest_and_speaks_for_its_nren() -> None:
    token, text = _issue()
    stored = " ".join(str(value) for value in ApiToken.objects.values_list()[0])
    assert text.split("_", 2)[2] not in stored
    assert text not in str(list(AuditEvent.objects.values_list()))
    found = tokens.authenticate(text=text, address="192.0.2.1")
    assert found == token
    assert found.last_used_at is not None
    actor = tokens.actor_of(found)
    assert (actor.label, actor.roles, actor.via) == ("jane", frozenset({Role.NREN}), Via.API)
    assert actor.nren_ids == janet().nren_ids


def test_a_token_of_an_nren_carries_no_other_role_of_its_user() -> None:
    person("both", Role.NOC, nrens=("JANET", "DFN"))
    _token, text = _issue(user=User.objects.get(username="both"))
    actor = tokens.actor_of(tokens.authenticate(text=text, address=None))
    assert (actor.is_noc, actor.sees_everything) == (False, False)
    assert actor.nren_ids == janet().nren_ids


def test_a_token_without_an_nren_is_its_user() -> None:
    person("both", Role.NOC, nrens=("DFN",))
    _token, text = _issue(user=User.objects.get(username="both"), nren=None)
    assert tokens.actor_of(tokens.authenticate(text=text, address=None)).is_noc


def test_every_way_a_token_can_be_wrong_reads_the_same() -> None:
    token, text = _issue(allowed_networks=["192.0.2.0/24"])
    good = {"text": text, "address": "192.0.2.9"}
    assert tokens.authenticate(**good)

    def refused(**changes: str | None) -> str:
        with pytest.raises(NotPermitted) as error:
            tokens.authenticate(**{**good, **changes})  # type: ignore[arg-type]
        return str(error.value)

    said = {
        refused(text=wrong)
        for wrong in ("", "exp", "exp__", text[:-1], text + "x", "y" * 10**6, text.replace("exp_", "pxe_"))
    }
    said |= {refused(address=wrong) for wrong in ("198.51.100.1", "2001:db8::1", "", None, "nonsense")}
    for spoil, mend in [
        ({"revoked_at": timezone.now()}, {"revoked_at": None}),
        ({"expires_at": timezone.now() - timedelta(seconds=1)}, {"expires_at": None}),
    ]:
        ApiToken.objects.filter(pk=token.pk).update(**spoil)
        said.add(refused())
        ApiToken.objects.filter(pk=token.pk).update(**mend)
    User.objects.filter(pk=token.user_id).update(is_active=False)
    said.add(refused())
    User.objects.filter(pk=token.user_id).update(is_active=True)
    assert tokens.authenticate(**good)
    Membership.objects.all().delete()
    said.add(refused())
    assert len(said) == 1


def test_who_issues_and_revokes() -> None:
    token, text = _issue(actor=janet())
    stranger = person("dirk", nrens=("DFN",))
    with pytest.raises(NotPermitted):
        _issue(actor=stranger)
    with pytest.raises(NotPermitted):
        tokens.revoke(actor=stranger, token=token, reason="x")
    with pytest.raises(NotPermitted, match="Only whoever it speaks for or an administrator"):
        tokens.revoke(actor=noc(), token=token, reason="x")
    boss = person("adam", Role.ADMINISTRATOR)
    tokens.revoke(actor=boss, token=token, reason="leaked")
    tokens.revoke(actor=boss, token=token, reason="again")
    assert AuditEvent.objects.filter(action="token.revoke").count() == 1
    with pytest.raises(NotPermitted):
        tokens.authenticate(text=text, address=None)
    assert audit.verify_chain().intact


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["admin"]}, "scopes"),
        ({"expires_at": timezone.now() - timedelta(days=1)}, "expires_at"),
        ({"allowed_networks": ["10.0.0.1/8"]}, "allowed_networks"),
    ],
)
def test_a_token_that_cannot_be_meant_is_refused(changes: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        _issue(**changes)
    assert refused.value.field == field


def test_a_token_needs_a_member() -> None:
    with pytest.raises(InvalidInput) as refused:
        _issue(nren=Nren.objects.get(name="DFN"))
    assert refused.value.field == "user"


@pytest.mark.parametrize(
    "roles",
    [
        (Role.AUDITOR, Role.NOC),
        (Role.AUDITOR, Role.APPROVER),
        (Role.AUDITOR, Role.ADMINISTRATOR),
        (Role.ADMINISTRATOR, Role.NOC),
    ],
)
def test_roles_that_conflict_are_not_given(roles: tuple[Role, ...]) -> None:
    with pytest.raises(InvalidInput, match="are not given together") as refused:
        people.put_person(actor=SYSTEM, username="both", roles=roles)
    assert refused.value.field == "roles"
    assert not User.objects.filter(username="both").exists()


def test_an_auditor_does_not_ask_for_an_nren_and_a_reader_belongs_to_one() -> None:
    janet_row = Nren.objects.get(name="JANET")
    with pytest.raises(InvalidInput, match="auditor and nren are not given together"):
        people.put_person(actor=SYSTEM, username="both", roles=[Role.AUDITOR], nrens=[janet_row])
    with pytest.raises(InvalidInput, match="a reader of an NREN is given one"):
        people.put_person(actor=SYSTEM, username="both", roles=[Role.READER])
    user = people.put_person(actor=SYSTEM, username="rosa", roles=[Role.READER], nrens=[janet_row])
    actor = people.actor_for(user, via=Via.WEB)
    assert (actor.roles, actor.nren_ids) == (frozenset({Role.READER}), frozenset({janet_row.pk}))
    _token, text = tokens.issue(actor=SYSTEM, user=user, nren=janet_row, name="reads")
    assert tokens.actor_of(tokens.authenticate(text=text, address=None)).roles == {Role.READER}


def test_the_account_that_typed_a_command_is_part_of_what_an_event_says(tampering: None) -> None:
    typed = people.actor_named(noc().label, via=Via.CLI, account="anna as expedite")
    with transaction.atomic():
        event = audit.record(actor=typed, action="x", obj=User.objects.get(pk=typed.user_id))
    assert (event.actor, event.account) == ("nora", "anna as expedite")
    assert audit.verify_chain().intact
    AuditEvent.objects.filter(pk=event.pk).update(account="")
    assert not audit.verify_chain().intact, "who takes the account out is found"
