"""Migration 0045: whoever could do all of the NOC's work is operator and approver, and the way back."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, User

from provisioning.models import SYSTEM, Via
from provisioning.pipeline.authority import STAFF_OF_THE_NOC
from provisioning.selectors.approvals import approvers
from provisioning.services import people

migration = import_module("provisioning.migrations.0045_authority")

pytestmark = pytest.mark.django_db


def groups(user: User) -> set[str]:
    return set(user.groups.values_list("name", flat=True))


def test_whoever_was_of_the_noc_has_both_roles_and_the_old_one_is_gone() -> None:
    old, user = Group.objects.create(name="noc"), User.objects.create(username="nora")
    other = Group.objects.create(name="chess")
    user.groups.add(old, other)
    migration._to_two(apps, None)
    assert groups(user) == {"noc-operator", "noc-approver", "chess"}
    assert people.actor_for(user, via=Via.WEB).roles == STAFF_OF_THE_NOC
    migration._to_two(apps, None)
    assert groups(user) == {"noc-operator", "noc-approver", "chess"}, "twice is once"
    migration._to_one(apps, None)
    assert groups(user) == {"noc", "chess"}


def test_a_group_noc_that_a_person_put_by_hand_means_the_same_everywhere() -> None:
    user = User.objects.create(username="nora")
    user.groups.add(Group.objects.create(name="noc"))
    assert people.actor_for(user, via=Via.WEB).roles == STAFF_OF_THE_NOC
    assert list(approvers()) == [user]
    people.put_person(actor=SYSTEM, username="nora", roles=["noc"])
    assert groups(user) == {"noc-operator", "noc-approver"}
