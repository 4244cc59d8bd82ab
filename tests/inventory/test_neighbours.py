"""A neighbouring domain with an agreement in the network file: what is taken, and what is refused with its place."""

from __future__ import annotations

import pytest

from inventory.models import AccessLink
from inventory.readers.errors import NetworkFileError
from provisioning.models import Actor
from provisioning.selectors.network import load_network
from provisioning.services.inventory import import_network
from tests.inventory.conftest import network

LINK = 'prefix: "2001:db8:1::/64", case: trusted'
CLASSES = ("scheme: 6net}", "scheme: 6net, classes: [{name: IP Premium, abbreviation: IPP, phb: EF, dscp: 46}, "
           "{name: Less, abbreviation: LBE, phb: LBE, dscp: 8}]}")  # fmt: skip


def agreed(dscp: str) -> tuple[str, str]:
    return LINK, f'{LINK}, neighbour: {{agreement: "MoU 2026-3, signed", dscp: {dscp}}}'


@pytest.mark.django_db
def test_an_agreement_and_its_map_become_rows_and_values(clockwork: Actor) -> None:
    import_network(actor=clockwork, network=network(agreed("{46: 47, 8: 10}")))
    (link,) = AccessLink.objects.exclude(agreement="")
    assert (link.agreement, link.dscp_map) == ("MoU 2026-3, signed", {"46": 47, "8": 10})
    values = {one.id: one.dscp_map for one in load_network().access_links}
    assert values == {link.name: ((8, 10), (46, 47)), "South@bb1:GigabitEthernet2/0": ()}
    again = import_network(actor=clockwork, network=network(agreed("{46: 47, 8: 10}")))
    assert again.counts()["updated"] == 0
    import_network(actor=clockwork, network=network())
    assert AccessLink.objects.exclude(agreement="").count() == 0


@pytest.mark.parametrize(
    ("dscp", "reason"),
    [
        ("{46: 64}", "no DSCP"),
        ("{-1: 46}", "no DSCP"),
        ("{46: true}", "no DSCP"),
        ('{46: "47"}', "no DSCP"),
        ("{46: 10, 8: 10}", "one of theirs"),
        ("{}", "must map"),
        ("[46, 47]", "must map"),
        ("{46: 8}", "8 is Less here"),
    ],
)
def test_a_map_that_cannot_be_meant_is_refused(dscp: str, reason: str) -> None:
    with pytest.raises(NetworkFileError, match=reason) as caught:
        network(CLASSES, agreed(dscp))
    assert "access_links[0].neighbour" in str(caught.value)


def test_two_classes_may_change_places(clockwork: Actor) -> None:
    found = network(CLASSES, agreed("{46: 8, 8: 46}"))
    assert found.access_links[0].dscp_map == ((8, 46), (46, 8))
