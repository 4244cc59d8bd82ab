"""No service locks against the order; and the observer that says so sees what breaks it."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import connection, transaction

from inventory.models import AccessLink, Nren, Router
from provisioning.models import ConfigSnapshot, Job, PremiumRequest, TopologyVersion
from provisioning.selectors import topology as topology_rows
from provisioning.services import decisions, modifications
from provisioning.services.locking import ORDER, locked
from provisioning.services.modifications import Modify
from tests.services.lock_order import observed
from tests.services.requests.sixnet import admitted, agreed, hours, import_sixnet, janet, noc

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


@pytest.mark.parametrize("deed", ["admit", "hold", "modify"])
def test_a_decision_that_finds_the_network_changed_locks_in_order(postgres: None, deed: str) -> None:
    """Nobody noted what a hand changed in the rows: the version is made before the decision, for it locks charges."""
    import_sixnet()
    request = admitted(start=hours(1), end=hours(3)) if deed == "modify" else agreed()
    wanted = Modify(source_prefixes=("2001:630:9::/48",))
    uk6 = Router.objects.get(name="uk6")
    ConfigSnapshot.objects.create(router=uk6, text="", digest="2" * 64, bandwidths={"POS1/0": 140_000_000})
    topology_rows.forget()
    with observed() as observer:
        if deed == "admit":
            decisions.admit(actor=noc(), request=request, reason="fits")
        elif deed == "hold":
            decisions.hold(actor=noc(), request=request, until=hours(24), reason="perhaps")
        else:
            made = modifications.modify(actor=janet(), request=request, wanted=wanted, reason="elsewhere")
            assert made is not None
            modifications.admit(actor=noc(), modification=made, reason="fits")
    assert TopologyVersion.objects.count() == 2
    assert observer.faults == []


def test_every_table_of_the_order_is_there_once(db: None) -> None:
    named = [name for group in ORDER for name in group]
    assert len(named) == len(set(named))
    tables = {apps.get_model(name)._meta.db_table for name in named}
    assert tables <= set(connection.introspection.table_names())
