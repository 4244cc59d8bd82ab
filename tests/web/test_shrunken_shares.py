"""A router that shows less BW than was promised on: an alarm that names who no longer fits, while it lasts."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from inventory.models import Router
from provisioning.models import ConfigSnapshot
from provisioning.selectors import topology
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


def _uk6_shows(bw_bps: int) -> None:
    uk6 = Router.objects.get(name="uk6")
    ConfigSnapshot.objects.create(router=uk6, text="", digest="2" * 64, bandwidths={"POS1/0": bw_bps})
    topology.forget()


def test_a_share_that_shrank_is_an_alarm_until_it_grows_again(world: World, as_user: As) -> None:
    noc = as_user("nora")
    assert "more is granted than" not in page_text(noc.get("/queue/"))
    _uk6_shows(20_000_000)
    text = page_text(noc.get("/queue/"))
    active, admitted = world.requests["active"].reference, world.requests["admitted"].reference
    assert "more is granted than" in text
    names = ", ".join(sorted([active, admitted]))
    page = page_text(noc.get(f"/requests/{world.requests['active'].pk}/"))
    assert "It no longer fits the network" in page
    assert "in: 4.5 Mbit/s granted, the share is 1 Mbit/s, 3.5 Mbit/s too much from" in page
    assert f"JANET@uk6:POS1/0 in: {names} hold up to 4.5 Mbit/s, the share is now 1 Mbit/s" in text
    _uk6_shows(155_000_000)
    assert "more is granted than" not in page_text(noc.get("/queue/"))
