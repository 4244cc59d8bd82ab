"""A link goes when its router lets nobody in there any more, as it was last read; over SSH, to practice routers."""

from __future__ import annotations

import pytest

from inventory.models import AccessLink
from provisioning.services import inventory
from provisioning.services.inventory import Leaves, StillNeeded
from tests.services.backbone import Backbone
from tests.services.requests.sixnet import noc

pytestmark = pytest.mark.once  # over practice routers, the same on either database


def janet() -> AccessLink:
    return AccessLink.objects.select_related("interface__router").get(nren__name="JANET")


def test_a_link_is_closed_before_it_is_retired(live: Backbone) -> None:
    link = janet()
    assert ("POS1/0", "input", "TRUSTED-IN") in live.bound("uk6")
    with pytest.raises(StillNeeded, match="uk6 TRUSTED-IN"):
        inventory.retire(actor=noc(), row=link, reason="They left", leaves=Leaves("shut"))
    done = inventory.edit(actor=noc(), row=link, values={"case": "non-participant"}, reason="They left")
    assert done.routers == ("uk6",)
    with pytest.raises(StillNeeded, match="uk6 TRUSTED-IN"):
        inventory.retire(actor=noc(), row=janet(), reason="They left", leaves=Leaves("shut"))
    change = live.plan(routers=["uk6"])
    live.approve(change, confirm_gaps=True)
    live.push(change)
    assert set(live.states(change).values()) == {"VERIFIED"}
    gone = inventory.retire(actor=noc(), row=janet(), reason="They left", leaves=Leaves("shut"))
    assert gone.routers == ("uk6",)
    assert {policy for name, _, policy in live.bound("uk6") if name == "POS1/0"} == {"NON-PARTICIPANT"}


def test_an_interface_that_is_on_the_router_no_more_keeps_nobody(live: Backbone) -> None:
    done = inventory.retire(actor=noc(), row=janet(), reason="They left", leaves=Leaves())
    assert done.routers == ("uk6",)
