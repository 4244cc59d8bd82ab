"""Two administrators who end each other at the same instant: one of them stays."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from provisioning.errors import NotPermitted
from provisioning.models import SYSTEM, Actor, Role, Via
from provisioning.services import accounts, people
from tests.services.in_threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 4


def take_the_role(actor: Actor, user: User) -> None:
    accounts.edit_person(actor=actor, user=user, full_name="", email="", roles=[], nrens=[], reason="x")


def close(actor: Actor, user: User) -> None:
    accounts.close_account(actor=actor, user=user, reason="x")


@pytest.mark.parametrize("deeds", ((close, close), (take_the_role, take_the_role), (close, take_the_role)))
def test_one_of_two_stays(deeds: tuple[Callable[[Actor, User], None], Callable[[Actor, User], None]]) -> None:
    for turn in range(ROUNDS):
        User.objects.filter(groups__name=Role.ADMINISTRATOR).update(is_active=False)
        ada, adam = (
            people.put_person(actor=SYSTEM, username=f"{name}{turn}", roles=[Role.ADMINISTRATOR])
            for name in ("ada", "adam")
        )
        by_ada, by_adam = (people.actor_for(each, via=Via.WEB) for each in (ada, adam))
        said = at_once(
            lambda by=by_ada, whom=adam: deeds[0](by, whom), lambda by=by_adam, whom=ada: deeds[1](by, whom)
        )
        assert said.count(None) == 1 and any(isinstance(each, NotPermitted) for each in said), said
        left = User.objects.filter(is_active=True, groups__name=Role.ADMINISTRATOR)
        assert left.count() == 1, said
