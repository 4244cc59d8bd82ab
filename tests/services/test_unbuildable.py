"""A router whose configuration cannot be worked out keeps nobody else's from being planned; an import may not make one."""

from __future__ import annotations

from pathlib import Path

import pytest

from inventory.models import AccessLink, Router
from inventory.readers.network_yaml import read_network_text
from provisioning.errors import Conflict
from provisioning.models import SYSTEM, RouterSync
from provisioning.services import verifying
from provisioning.services.inventory import ReservationsStranded, import_network
from tests.services.backbone import NETWORK, Backbone

pytestmark = pytest.mark.once


def edited(*edits: tuple[str, str]) -> object:
    text = Path(NETWORK).read_text()
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return read_network_text(text.encode(), source="edited.yaml")


def test_an_import_may_not_strand_a_reservation(backbone: Backbone) -> None:
    request = backbone.admit(backbone.ask("SURFnet", "GRNET", "1M"))
    link = request.source_link
    with pytest.raises(
        ReservationsStranded, match=rf"{link.name} carries {request.reference}: .*participa"
    ) as told:
        import_network(actor=SYSTEM, network=edited(("case: filtered", "case: non-participant")))
    assert told.value.field == "access_links"
    assert list(told.value.details["links"]) == [link.name]
    assert told.value.details["links"][link.name]["reservations"] == [request.reference]
    link.refresh_from_db()
    assert link.case == "filtered", "nothing was written"

    nl6 = 'name: nl6, pop: Amsterdam, country: nl, platform: cisco-12400, ios: "12.0(28)S", engines: {1: 3'

    # The same when the release it is said to run has no policing by percent, or the card ignores IPv6's class.
    with pytest.raises(ReservationsStranded, match=f"{request.reference}: .*police cir percent"):
        import_network(actor=SYSTEM, network=edited((nl6, nl6.replace("(28)", "(21)"))))
    assert Router.objects.get(name="nl6").ios == "12.0(28)S"
    with pytest.raises(ReservationsStranded, match=f"{request.reference}: nl6 slot 1 "):
        import_network(actor=SYSTEM, network=edited((nl6, nl6.replace("{1: 3", '{1: "4"'))))

    # Nobody's reservation is in the way of what concerns none.
    import_network(actor=SYSTEM, network=edited(("case: trusted", "case: non-participant")))
    assert AccessLink.objects.get(nren__name="JANET").case == "non-participant"


def test_one_router_that_cannot_be_built_is_unknown_and_the_others_are_planned(backbone: Backbone) -> None:
    Router.objects.filter(name="gr6").update(
        ios="12.2(2)T"
    )  # written past the import: a wrong row must not be fatal
    change = backbone.plan()
    states = backbone.states(change)
    assert states["gr6", "edges"] == "UNKNOWN"
    assert states["uk6", "edges"] == "PLANNED"
    assert {router for router, _phase in states} == {"uk6", "nl6", "gr6"}
    gr6 = change.pushes.get(router__name="gr6")
    assert gr6.error_code == "no-intent"
    assert "what it is to hold cannot be worked out: " in gr6.error
    assert "it runs 12.3(14)T, the inventory has 12.2(2)T" in gr6.error, "the mistake is in the inventory"
    alone = backbone.plan(routers=["gr6"])
    with pytest.raises(Conflict, match=r"gr6.*cannot be worked out"):
        backbone.approve(alone)
    others = backbone.push(backbone.approve(backbone.plan()))
    assert backbone.states(others) == {
        ("uk6", "edges"): "VERIFIED",
        ("nl6", "edges"): "VERIFIED",
        ("gr6", "edges"): "CANCELLED",
    }

    verifying.verify_routers()
    rows = {row.router.name: row for row in RouterSync.objects.select_related("router")}
    assert rows["gr6"].state == "unknown"
    assert "cannot be worked out" in rows["gr6"].detail["reason"]
    assert rows["gr6"].open_edges, "what nobody can judge counts as open"
    assert rows["uk6"].state != "unknown"
    assert rows["nl6"].state != "unknown"
