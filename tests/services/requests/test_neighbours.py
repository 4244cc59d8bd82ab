"""Through a neighbouring domain with an agreement: asked, agreed, admitted at both ends, and what its router then holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inventory.readers.network_yaml import read_network_text
from provisioning.models import SYSTEM, Actor, PremiumRequest
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.pipeline.mqc import Bps, Match, Police, SetField
from provisioning.services import decisions, intents, requests
from provisioning.services.inventory import import_network
from tests.inventory.conftest import SIX_NET
from tests.services.requests.sixnet import ASKED, JANET, charged_bps, hours, janet, noc, person

GEANT = "GEANT@de6:POS1/1"
PEERING = (
    "  - {name: GEANT, router: de6, interface: POS1/1, capacity_bps: 155520000, provenance: representative}\n"
)


@pytest.fixture(autouse=True)
def _agreement(db: None) -> None:
    """6NET, whose peering with GEANT has an agreement; another peering has none."""
    text = SIX_NET.read_text()
    assert PEERING in text
    text = text.replace(PEERING, PEERING.replace("GEANT", "OTHER").replace("POS1/1", "POS1/7"))
    text = text.replace(
        "nrens:\n", 'nrens:\n  - {name: GEANT, country: nl, prefixes: ["2001:db8:20::/48"]}\n'
    )
    link = (
        "  - {nren: GEANT, router: de6, interface: POS1/1, capacity_bps: 155520000, case: trusted, standing: false, "
        'neighbour: {agreement: "MoU of 2026", dscp: {46: 47}}}\n'
    )
    text = text.replace("access_links:\n", f"access_links:\n{link}")
    import_network(actor=SYSTEM, network=read_network_text(text.encode(), source="6net.yaml"))


def geant() -> Actor:
    return person("gisela", nrens=("GEANT",))


def into_the_backbone(rate: int) -> PremiumRequest:
    """GEANT sends to JANET, which agrees."""
    asked = replace(
        ASKED,
        source_link=GEANT,
        destination_link=JANET,
        rate=rate,
        source_prefixes=("2001:db8:20::/48",),
        destination_prefixes=("2001:630:8::/48",),
        end=hours(5),
    )
    (row,) = requests.submit(actor=geant(), data=asked)
    return requests.consent(actor=janet(), request=row, agree=True)


def test_it_is_policed_to_the_sum_of_grants_and_its_dscp_becomes_ours() -> None:
    granted = [into_the_backbone(rate) for rate in (2_000_000, 1_500_000)]
    for request in granted:
        decisions.admit(actor=noc(), request=request, reason="it fits")
    de6 = intents.wanted(puts_on=[request.pk for request in granted]).intents["de6"]
    bound = {(one.interface, one.direction): one.policy for one in de6.bindings}
    assert (bound["POS1/1", "input"], bound["POS1/1", "output"]) == ("NEIGHBOUR-IN", "NEIGHBOUR-OUT")
    (policy,) = [one for one in de6.policy_maps if one.name == "NEIGHBOUR-IN"]
    (entry,) = [one for one in policy.classes if one.name == "EF-D47"]
    assert SetField("dscp", 46) in entry.actions
    assert [one.rate for one in entry.actions if isinstance(one, Police)] == [
        Bps(3_509_334)
    ]  # with their headers
    (matched,) = [one for one in de6.class_maps if one.name == "EF-D47"]
    assert matched.matches == {Match("dscp", frozenset({47}))}
    assert bound["POS1/7", "input"] == "NON-PARTICIPANT"
    assert ("POS1/7", "output") not in bound


def test_towards_it_our_dscp_becomes_its_own_and_its_link_is_charged() -> None:
    asked = replace(ASKED, destination_link=GEANT, destination_prefixes=("2001:db8:20::/48",))
    (row,) = requests.submit(actor=janet(), data=asked)
    decisions.admit(
        actor=noc(), request=requests.consent(actor=geant(), request=row, agree=True), reason="fits"
    )
    assert charged_bps(JANET, "in") == charged_bps(GEANT, "out") == 2_000_000
    de6 = intents.wanted().intents["de6"]
    (policy,) = [one for one in de6.policy_maps if one.name == "NEIGHBOUR-OUT"]
    assert {one.name: one.actions for one in policy.classes} == {"EF": {SetField("dscp", 47)}}


def test_its_share_is_an_access_links() -> None:
    """Of which its policer, to the sum of grants, is cut where they have more with their headers: as an access link's."""
    whole = into_the_backbone(7_750_000)
    refused = decisions.admit(actor=noc(), request=whole, reason="the whole of it")
    assert isinstance(refused, Refused)
    assert [(each.code, each.link, each.share_bps) for each in refused.reasons] == [
        ("policer", GEANT, 7_750_000)
    ]
    admitted = decisions.admit(actor=noc(), request=into_the_backbone(7_729_000), reason="what passes")
    assert isinstance(admitted, Admitted)
    verdict = decisions.evidence(request=into_the_backbone(22_000))
    assert isinstance(verdict, Refused)
    assert {(reason.code, reason.link) for reason in verdict.reasons} >= {
        ("share-exceeded", GEANT),
        ("policer", GEANT),
    }
