"""Which ends a request of each GRNET class may name, decided where it is submitted (GRNET section 3.1)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import inventory
from inventory.readers import read_network
from provisioning.errors import InvalidInput
from provisioning.models import SYSTEM, Actor, PremiumRequest
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.services import decisions, requests
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
