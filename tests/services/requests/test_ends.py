"""Which ends a request of each GRNET class may name, decided where it is submitted (GRNET section 3.1)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction

import inventory
from inventory.models import Domain, Interface
from inventory.readers.network_yaml import read_network
from provisioning.errors import InvalidInput
from provisioning.models import SYSTEM, Actor, LedgerEntry, LinkShare, PremiumRequest
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.pipeline.topology import Direction
from provisioning.selectors.overcommitment import overcommitted
from provisioning.services import clock, decisions, requests
from provisioning.services.inventory import import_network
from tests.services.requests.sixnet import ASKED, noc, person

NTUA, UPATRAS = "NTUA@ilissos:GigabitEthernet1/0", "UPATRAS@patra:GigabitEthernet1/0.6"
OWN, AT_PATRAS, OUTSIDE = "2001:648:2000:1::/64", "2001:648:2800:1::/64", "2001:630:8::/48"
TRANSPARENT: dict[str, Any] = {"service_class": "transparent", "destination_link": None}


@pytest.fixture
def nikos(db: None) -> Actor:
    """NTUA's, on GRNET's own network."""
    import_network(
        actor=SYSTEM, network=read_network(Path(inventory.__file__).parent / "networks" / "grnet.yaml")
    )
    return person("nikos", nrens=("NTUA",))


def ask(nikos: Actor, **changes: Any) -> PremiumRequest:
    data = replace(ASKED, source_link=NTUA, source_prefixes=(OWN,), **changes)
    return requests.submit(actor=nikos, data=data)[0]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({**TRANSPARENT, "destination_link": UPATRAS, "destination_prefixes": (AT_PATRAS,)}, "is inside"),
        ({**TRANSPARENT, "destination_prefixes": (AT_PATRAS,)}, "2001:648:2800:1::/64 is inside the domain"),
        ({**TRANSPARENT, "destination_prefixes": (OUTSIDE, AT_PATRAS)}, "2001:648:2800:1::/64 is inside"),
        ({**TRANSPARENT, "destination_prefixes": ("2001:648:ff::/48",)}, "is inside the domain"),
        (
            {"service_class": "voip", "destination_link": UPATRAS, "destination_prefixes": (AT_PATRAS,)},
            "is not guaranteed",
        ),
    ],
    ids=[
        "transparent-to-a-link",
        "transparent-to-a-prefix",
        "transparent-to-two",
        "transparent-to-the-backbone",
        "voip-to-a-link",
    ],
)
def test_an_end_the_class_does_not_promise_is_refused(
    nikos: Actor, changes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(InvalidInput, match=reason):
        ask(nikos, **changes)
    assert not PremiumRequest.objects.exists()


def test_the_ends_each_class_promises_are_taken(nikos: Actor) -> None:
    abroad = ask(nikos, **TRANSPARENT, destination_prefixes=(OUTSIDE,))
    phones = ask(nikos, service_class="voip", destination_link=None, destination_prefixes=())
    boris = noc()
    verdicts = [decisions.admit(actor=boris, request=each, reason="read") for each in (abroad, phones)]
    assert isinstance(verdicts[0], Admitted)
    assert isinstance(verdicts[1], Refused)
    assert {reason.code for reason in verdicts[1].reasons} == {"line-card"}  # IPv6 anywhere meets the Tango


GEANT = "GEANT@ilissos:POS2/2"


def _transparent(nikos: Actor, boris: Actor, rate: int) -> Admitted | Refused:
    asked = ask(nikos, **TRANSPARENT, destination_prefixes=(OUTSIDE,), rate=rate)
    return decisions.admit(actor=boris, request=asked, reason="read")


def test_transparent_is_charged_where_it_leaves_and_the_database_holds_the_border_to_its_share(
    nikos: Actor,
) -> None:
    """Issue 9, case g. 20 % of a BW of 500 Mbit/s are 100 Mbit/s."""
    Interface.objects.filter(peering__name=GEANT).update(bw_bps=500_000_000)
    boris = noc()
    assert isinstance(_transparent(nikos, boris, 60_000_000), Admitted)
    (charge,) = LedgerEntry.objects.filter(link=GEANT)
    assert (charge.direction, charge.pool, charge.rate_bps) == ("out", "premium-ip", 60_000_000)
    assert LinkShare.objects.get(link=GEANT, valid_to=None).share_bps == 100_000_000
    over = _transparent(nikos, boris, 40_001_000)
    assert isinstance(over, Refused)
    assert [(each.link, each.shortfall_bps) for each in over.reasons] == [(GEANT, 1_000)]
    with pytest.raises(IntegrityError), transaction.atomic():
        LedgerEntry.objects.filter(pk=charge.pk).update(rate_bps=100_000_001)
    assert isinstance(_transparent(nikos, boris, 40_000_000), Admitted)


def test_a_border_link_that_shrinks_is_noticed(nikos: Actor) -> None:
    assert isinstance(_transparent(nikos, noc(), 60_000_000), Admitted)
    domain = Domain.objects.get()
    assert overcommitted(domain, now=clock.now()) == ()
    Interface.objects.filter(peering__name=GEANT).update(usable_bps=250_000_000)
    (found,) = overcommitted(domain, now=clock.now())
    assert (found.link, found.direction, found.share_bps) == (GEANT, Direction.OUT, 50_000_000)


def test_an_import_charges_the_border_of_what_was_admitted_before_borders_were_charged(nikos: Actor) -> None:
    assert isinstance(_transparent(nikos, noc(), 60_000_000), Admitted)
    LedgerEntry.objects.filter(link=GEANT).delete()
    report = import_network(
        actor=SYSTEM, network=read_network(Path(inventory.__file__).parent / "networks" / "grnet.yaml")
    )
    assert LedgerEntry.objects.get(link=GEANT, released_at=None).rate_bps == 60_000_000
    assert f"is charged anew: on {GEANT} out too" in str(report.as_dict())
