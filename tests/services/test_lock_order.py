"""No service locks against the order; and the observer that says so sees what breaks it."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import connection, transaction

from inventory.models import AccessLink, Nren
from provisioning.models import Job, PremiumRequest
from provisioning.services.locking import ORDER, locked
from tests.services.lock_order import observed
from tests.services.requests.sixnet import agreed, import_sixnet

pytestmark = pytest.mark.one_transaction


def test_a_lock_against_the_order_is_seen(postgres: None) -> None:
    import_sixnet()
    request = agreed()
    with observed() as observer, transaction.atomic():
        PremiumRequest.objects.filter(pk=request.pk).update(warnings=[])
        AccessLink.objects.update(standing=True)
    assert any(
        "inventory_accesslink is locked after provisioning_premiumrequest" in x for x in observer.faults
    )


def test_what_is_held_already_may_be_locked_again(postgres: None) -> None:
    import_sixnet()
    with observed() as observer, transaction.atomic():
        Nren.objects.update(country="XX")
        Job.objects.update(attempts=0)
        Nren.objects.update(country="YY")
    assert observer.faults == []
    assert observer.seen == 2


def test_a_lock_for_keys_is_seen(postgres: None) -> None:
    with observed() as observer, transaction.atomic():
        list(AccessLink.objects.select_for_update())
        list(locked(Nren.objects.all()))
    assert len(observer.faults) == 1
    assert "FOR UPDATE keeps foreign keys waiting" in observer.faults[0]


def test_every_table_of_the_order_is_there_once(db: None) -> None:
    named = [name for group in ORDER for name in group]
    assert len(named) == len(set(named))
    tables = {apps.get_model(name)._meta.db_table for name in named}
    assert tables <= set(connection.introspection.table_names())
