"""Two deeds about one token at the same instant, on connections of their own: exactly one of them is done."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from provisioning.errors import Conflict
from provisioning.models import SYSTEM, ApiToken
from provisioning.services import people, tokens
from tests.services.in_threads import at_once


def issued() -> ApiToken:
    people.put_person(actor=SYSTEM, username="jane")
    return tokens.issue(actor=SYSTEM, user=User.objects.get(username="jane"), nren=None, name="t")[0]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_of_two_rotations_at_once_one_is_done() -> None:
    token = issued()
    said = at_once(*[lambda: tokens.rotate(actor=SYSTEM, token=token, reason="x")] * 4)
    assert sum(isinstance(each, Conflict) for each in said) == 3, said
    assert ApiToken.objects.filter(revoked_at=None).count() == 1


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_of_a_rotation_and_a_revocation_at_once_one_is_done() -> None:
    for _ in range(8):
        token = issued()
        rotated, revoked = at_once(
            lambda token=token: tokens.rotate(actor=SYSTEM, token=token, reason="x"),
            lambda token=token: tokens.revoke(actor=SYSTEM, token=token, reason="x"),
        )
        assert isinstance(rotated, Conflict) is not isinstance(revoked, Conflict), (rotated, revoked)
        live = ApiToken.objects.filter(revoked_at=None, replaces=token).count()
        assert live == (0 if isinstance(rotated, Conflict) else 1)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_who_rotates_what_a_revoked_token_issued_escapes_at_no_instant() -> None:
    for _ in range(12):
        parent = issued()
        child = tokens.issue(actor=SYSTEM, user=parent.user, nren=None, name="c", using=parent)[0]
        at_once(
            lambda child=child: tokens.rotate(actor=SYSTEM, token=child, reason="x"),
            lambda parent=parent: tokens.revoke(actor=SYSTEM, token=parent, reason="stolen"),
        )
        assert not ApiToken.objects.filter(revoked_at=None).exists()
