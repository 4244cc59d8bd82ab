"""A plan for the interface that has the address we connect to is refused, with the sentence that says why."""

from __future__ import annotations

import pytest

from inventory.models import Router
from provisioning.errors import Conflict
from provisioning.models import RouterPush
from provisioning.selectors.plans import plan_of
from tests.services.backbone import Backbone

pytestmark = pytest.mark.once


def test_the_interface_we_are_managed_by_gets_no_policy(backbone: Backbone) -> None:
    host = Router.objects.get(name="uk6").management_host
    backbone.console("uk6", "interface POS1/0", f"ip address {host} 255.255.255.0", "end")
    change = backbone.plan(routers=["uk6"])
    (why,) = plan_of(RouterPush.objects.get(change=change, phase="edges")).violations
    assert why.startswith("POS1/0: binding TRUSTED-IN input could cut the session")
    with pytest.raises(Conflict, match="could cut the session"):
        backbone.approve(change)
    assert backbone.typed("uk6") == []
    # Managed by a name, nobody knows which interface that is; by another address, it is none of ours.
    Router.objects.filter(name="uk6").update(management_host="localhost")
    again = backbone.plan(routers=["uk6"])
    assert plan_of(RouterPush.objects.get(change=again, phase="edges")).violations == ()
