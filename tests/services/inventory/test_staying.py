"""An interface that stays when its link goes is seen closed first: by a policy that lets nobody in, or shut."""

from __future__ import annotations

from pathlib import Path

import pytest

from inventory.models import AccessLink, CoreLink, Interface, Peering, Router
from provisioning.models import AdoptedName, RouterSync, SyncState
from provisioning.services import inventory
from provisioning.services.inventory import Leaves, StillNeeded
from tests.services.requests.sixnet import noc
from tests.services.topology.diamond import DIAMOND, access, core, network, put, seen

pytestmark = pytest.mark.django_db(transaction=True)
CLOSED = """\
policy-map {name}
 class class-default
  set dscp default
"""
TRUSTED = """\
class-map match-all EF
 match dscp ef
policy-map TRUSTED-IN
 class EF
  police cir 1000000 bc 15000 conform-action transmit exceed-action drop
 class class-default
  set dscp default
"""


@pytest.fixture(autouse=True)
def file(tmp_path: Path) -> Path:
    path = network(tmp_path / "network.yaml", DIAMOND)
    put(path)
    noc()
    return path


def interface(name: str, *lines: str) -> str:
    said = "".join(f" {line}\n" for line in ("ipv6 address 2001:db8::1/64", *lines))
    return f"interface {name}\n{said}!\n"


def retire(row: object, reason: str = "shut") -> inventory.Rewritten:
    return inventory.retire(actor=noc(), row=row, reason="They left", leaves=Leaves(reason))  # type: ignore[arg-type]


def link() -> AccessLink:
    return AccessLink.objects.get(name=access("a"))


def test_a_router_that_nobody_read_keeps_a_link_whose_interface_stays() -> None:
    with pytest.raises(StillNeeded, match=r"an interface that stays: a \(it was never read\)\. Have it read"):
        retire(link())
    seen("a")
    RouterSync.objects.update(state=SyncState.UNKNOWN)
    with pytest.raises(StillNeeded, match=r"a \(it could not be read last\)"):
        retire(link())
    assert Interface.objects.get(router__name="a", name="GigabitEthernet1/0").exempt_reason == ""


def test_an_interface_without_a_policy_is_no_closed_one() -> None:
    seen("a", text=interface("GigabitEthernet1/0"))
    with pytest.raises(
        StillNeeded, match=r"a GigabitEthernet1/0 has no input policy\. Edit the link to non-part"
    ):
        retire(link())
    seen("a", text=interface("GigabitEthernet1/0", "shutdown"))
    retire(link())
    assert Interface.objects.get(router__name="a", name="GigabitEthernet1/0").exempt_reason == "shut"


def test_a_policy_that_lets_nobody_in_closes_it_and_another_does_not() -> None:
    trusted = TRUSTED + interface("GigabitEthernet1/0", "service-policy input TRUSTED-IN")
    seen("a", text=trusted)
    with pytest.raises(StillNeeded, match="Somebody is let in at an interface that stays: a TRUSTED-IN"):
        retire(link())
    missing = interface("GigabitEthernet1/0", "service-policy input NON-PARTICIPANT")
    seen("a", text=missing)
    with pytest.raises(StillNeeded, match="NON-PARTICIPANT bound, which does not exist"):
        retire(link())
    seen("a", text=CLOSED.format(name="NON-PARTICIPANT") + missing)
    retire(link())


def test_the_closed_policy_may_have_kept_the_name_that_it_had() -> None:
    AdoptedName.objects.create(
        router=Router.objects.get(name="a"), kind="policy-map", base="NON-PARTICIPANT", name="NOBODY-IN"
    )
    bound = interface("GigabitEthernet1/0", "service-policy input NOBODY-IN")
    seen("a", text=CLOSED.format(name="NOBODY-IN") + bound)
    retire(link())


def test_both_ends_of_a_core_link_that_stay_are_closed() -> None:
    row = CoreLink.objects.get(name=core(0))
    seen("a", text=interface("POS2/0", "shutdown"))
    seen("b", text=interface("POS2/0"))
    with pytest.raises(StillNeeded, match=r"stays: b POS2/0 has no input policy\. Shut it on its router"):
        retire(row)
    seen("b", text=interface("POS2/0", "shutdown"))
    retire(row)


def test_a_peering_that_lets_ef_in_stays(tmp_path: Path) -> None:
    text = (tmp_path / "network.yaml").read_text()
    (tmp_path / "peering.yaml").write_text(
        f"{text}peerings:\n  - {{name: GEANT, router: b, interface: POS1/1, capacity_bps: 155520000, "
        "provenance: representative}\n"
    )
    put(tmp_path / "peering.yaml")
    row = Peering.objects.get()
    seen("b", text=TRUSTED + interface("POS1/1", "service-policy input TRUSTED-IN"))
    with pytest.raises(StillNeeded, match="POS1/1 lets EF in"):
        retire(row)
    bound = interface("POS1/1", "service-policy input PEERING-IN")
    seen("b", text=CLOSED.format(name="PEERING-IN") + bound)
    retire(row)
