"""The rows as the pipeline's network: the same ids, and the BW that the routers themselves show."""

from __future__ import annotations

import pytest

from inventory.models import Router
from inventory.readers.entries import NetworkFile
from provisioning.errors import Conflict, InvalidInput
from provisioning.models import Actor, ConfigSnapshot
from provisioning.selectors.network import exempt_interfaces, load_network, the_domain
from provisioning.services.inventory import import_network
from tests.inventory.conftest import network

pytestmark = pytest.mark.django_db


def test_6net_as_the_pipeline_sees_it(six_net: NetworkFile, clockwork: Actor) -> None:
    import_network(actor=clockwork, network=six_net)
    loaded = load_network()
    janet = loaded.access_link("JANET@uk6:POS1/0")
    assert janet is not None
    assert (janet.base_bps, janet.case, janet.standing, janet.pvc) == (155_000_000, "trusted", True, None)
    aconet = loaded.access_link("ACOnet@at6:ATM2/0.1")
    assert aconet is not None
    assert aconet.pvc == "0/32"
    core = loaded.core_link("uk6:POS2/0--nl6:POS2/0")
    assert core is not None
    assert (core.a_router, core.z_router, core.metric, core.base_bps) == ("uk6", "nl6", 10, 155_000_000)
    uk6 = loaded.router("uk6")
    assert uk6 is not None
    assert dict(uk6.engines) == {1: "3", 2: "3"}
    assert uk6.interfaces == ("POS1/0", "POS2/0", "POS2/1")
    assert [peering.id for peering in loaded.peerings] == ["GEANT@de6:POS1/1"]


def test_a_router_that_shows_less_bw_lowers_the_base(clockwork: Actor) -> None:
    import_network(actor=clockwork, network=network())
    aa1 = Router.objects.get(name="aa1")
    ConfigSnapshot.objects.create(router=aa1, text="", digest="", bandwidths={"POS1/0": 50_000_000})
    ConfigSnapshot.objects.create(
        router=aa1,
        text="",
        digest="",
        bandwidths={"POS1/0": 100_000_000, "POS2/0": 622_000_000, "POS1/1": None},
    )
    loaded = load_network()
    link, core = loaded.access_link("North@aa1:POS1/0"), loaded.core_link("aa1:POS2/0--bb1:POS1/0")
    assert link is not None and core is not None
    assert link.bw_bps == 100_000_000  # the newest reading, not the lowest
    assert core.bw_bps == 155_000_000  # never more than the inventory says


def test_exempted_interfaces_come_with_their_reason(clockwork: Actor) -> None:
    import_network(actor=clockwork, network=network())
    found = exempt_interfaces(Router.objects.filter(name__in=["aa1", "bb1"]))
    assert found == {"bb1": {"FastEthernet0/0": "management network"}, "aa1": {}}


def test_no_network_and_several_are_said(clockwork: Actor, six_net: NetworkFile) -> None:
    with pytest.raises(Conflict, match="No network has been imported"):
        load_network()
    import_network(actor=clockwork, network=network())
    import_network(actor=clockwork, network=six_net)
    with pytest.raises(Conflict, match="several domains"):
        the_domain()
    assert the_domain("6NET").name == "6NET"
    with pytest.raises(InvalidInput, match="no domain 'Elsewhere'"):
        the_domain("Elsewhere")
    assert {router.name for router in load_network(the_domain("Practice")).routers} == {"aa1", "bb1"}
