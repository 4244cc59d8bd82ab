"""What `kept` puts back is what was built, to the last column, and the database goes on from there."""

from __future__ import annotations

import pytest
from django.db import transaction

from inventory.models import Router
from provisioning.models import AuditEvent, PremiumRequest
from tests.kept import _rows, kept
from tests.web.world import World, asked, build_world


class _TakenBack(Exception):
    pass


def _begin(key: object) -> tuple[World, object]:
    """The world under `key` and every row there is, in a transaction that is taken back."""
    found = []
    with pytest.raises(_TakenBack), transaction.atomic():
        found = [kept(key, build_world), _rows()]
        raise _TakenBack
    return found[0], found[1]


@pytest.mark.django_db
def test_what_is_put_back_is_what_was_built() -> None:
    key = object()
    built, rows = _begin(key)
    assert PremiumRequest.objects.count() == 0
    again, same = _begin(key)
    assert same == rows
    assert again == built and again is not built


@pytest.mark.django_db
def test_the_database_goes_on_after_it() -> None:
    key = object()
    _begin(key)
    world = kept(key, build_world)
    last = AuditEvent.objects.count()
    made = asked(world.actor("jane"), "JANET", "GRNET", "100 kbit/s")
    assert made.pk > max(each.pk for each in world.requests.values())
    assert AuditEvent.objects.count() > last
    uk6 = Router.objects.get(name="uk6")
    Router.objects.create(domain=uk6.domain, pop=uk6.pop, name="zz9", platform="cisco-12400", ios="12.0(28)S")


@pytest.mark.django_db
def test_no_test_can_change_what_the_next_one_gets() -> None:
    key = object()
    first, _ = _begin(key)
    first.users["jane"].username = "joan"
    second, _ = _begin(key)
    second.users["jane"].username = "joan"
    assert _begin(key)[0].users["jane"].username == "jane"
