"""`manage.py adopt` where only a part is understood: what is said, what is adopted all the same, and what comes next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from inventory.models import Router
from inventory.readers import read_network
from provisioning.models import SYSTEM, AdoptedName, AuditEvent, Role
from provisioning.services import people
from provisioning.services.inventory import import_network
from tests.management.test_adopt_command import CONFIGS, adopt

pytestmark = pytest.mark.django_db

SOUTH = """\
!Chassis type: 7206VXR - a 7200 router
!Image: Software: C7200-JK9S-M, 12.4(24)T, RELEASE SOFTWARE
version 12.4
hostname south
ipv6 access-list WHO-MAY
 permit ipv6 2001:DB8:760::/48 any
class-map match-all MARKED-HERE
 match access-group name WHO-MAY
class-map match-all LOW
 match dscp cs1
policy-map LOW-FIRST
 class LOW
  police cir percent 1 conform-action transmit exceed-action transmit
 class MARKED-HERE
  police cir percent 5 conform-action transmit exceed-action drop
  set dscp ef
 class class-default
  set dscp default
policy-map SHUT
 class class-default
  set dscp default
interface GigabitEthernet0/1
 description Garda ring
 ipv6 address 2001:DB8:A::1/64
 service-policy input LOW-FIRST
{more}end
"""
CLOSED = """\
interface GigabitEthernet0/2
 description Como campus
 ipv6 address 2001:DB8:B::1/64
 service-policy input SHUT
"""


@pytest.fixture
def south(tmp_path: Path) -> Path:
    file = tmp_path / "south.cfg"
    file.write_text(SOUTH.format(more=""))
    return file


def imported(tmp_path: Path, *files: Path) -> None:
    into = tmp_path / "network.yaml"
    adopt(*files, "--into", into)
    import_network(actor=SYSTEM, network=read_network(into), dry_run=False)
    people.put_person(actor=SYSTEM, username="planner", roles=[Role.NOC])


def test_a_router_of_which_nothing_is_recognised_is_no_success(south: Path, tmp_path: Path) -> None:
    code, said, _ = adopt(south)
    assert code == 1
    assert "tries class LOW before class MARKED-HERE" in said
    assert "NOT PROVEN: no policy on this router is recognised" in said
    assert "  next: on the router, by hand, mend what DIFFERS says" in said
    assert "once this policy is recognised" in said
    assert "?@" not in said and "reservations yet" not in said
    assert json.loads(adopt(south, "--json")[1])[0]["proven"] is False
    imported(tmp_path, south)
    with pytest.raises(CommandError, match="south is not adopted: no policy on it is recognised") as refused:
        adopt(south, "--apply", "--as", "planner")
    assert refused.value.returncode == 1
    assert not AuditEvent.objects.filter(action="router.adopted").exists()


def test_what_is_not_part_of_a_proof_is_named_beside_it(south: Path) -> None:
    south.write_text(SOUTH.format(more=CLOSED))
    code, said, _ = adopt(south)
    assert code == 0, said
    assert "GigabitEthernet0/2 input (access Como@south:GigabitEthernet0/2): SHUT = non-participant" in said
    assert (
        "  proof: re-rendering changes nothing\n  not part of it: GigabitEthernet0/1: not recognised" in said
    )


def test_a_router_that_is_not_in_the_inventory_is_no_success(south: Path, tmp_path: Path) -> None:
    imported(tmp_path, CONFIGS)
    for words in ((), ("--apply", "--as", "planner")):
        code, said, told = adopt(CONFIGS, south, *words)
        assert code == 1
        assert "south: not in the inventory; propose it with --into first" in told
        assert said.count("proof: re-rendering changes nothing") == 2
    assert set(AdoptedName.objects.values_list("router__name", flat=True)) == {"pa1", "pa2"}


def test_router_by_router_and_the_rest_when_it_is_mended(south: Path, tmp_path: Path) -> None:
    south.write_text(SOUTH.format(more=CLOSED))
    imported(tmp_path, CONFIGS, south)
    bent = tmp_path / "pa2.cfg"
    bent.write_text((CONFIGS / "pa2.cfg").read_text().replace("percent 5 ", "percent 6 "))
    apply = ("--apply", "--as", "planner")
    with pytest.raises(CommandError) as refused:
        adopt(CONFIGS / "pa1.cfg", bent, south, *apply)
    told = str(refused.value)
    assert "pa2 is not adopted: re-rendering would change it" in told
    assert "Nothing is written for any; proven, and adopted when named without the others: pa1, south" in told
    assert not AdoptedName.objects.exists()

    assert adopt(CONFIGS / "pa1.cfg", *apply)[0] == 0
    assert adopt(south, *apply)[0] == 0
    names = set(AdoptedName.objects.values_list("pk", flat=True))
    assert adopt(CONFIGS / "pa2.cfg", *apply)[0] == 0
    assert set(AdoptedName.objects.values_list("router__name", flat=True)) == {"pa1", "pa2", "south"}
    assert names < set(AdoptedName.objects.values_list("pk", flat=True)), "the others keep their rows"
    assert adopt(CONFIGS, south)[0] == 0

    # Later the class order is mended by hand: adopting again takes the rest in.
    west, east = SOUTH.format(more=CLOSED).split(" class LOW\n", 1)
    police, rest = east.split(" class MARKED-HERE\n", 1)
    marked, default = rest.split(" class class-default\n", 1)
    south.write_text(f"{west} class MARKED-HERE\n{marked} class LOW\n{police} class class-default\n{default}")
    into = tmp_path / "again.yaml"
    assert adopt(south, "--into", into)[0] == 0
    import_network(actor=SYSTEM, network=read_network(into), dry_run=False)
    assert Router.objects.count() == 3
    code, said, _ = adopt(south, *apply)
    assert code == 0, said
    assert "GigabitEthernet0/1 input (access Garda@south:GigabitEthernet0/1): LOW-FIRST = filtered" in said
    assert AdoptedName.objects.filter(router__name="south", name="LOW-FIRST").exists()


def test_a_digest_is_named_by_enough_of_it(tmp_path: Path) -> None:
    imported(tmp_path, CONFIGS)
    with pytest.raises(CommandError, match="seen: a digest is named by 8 characters or more") as refused:
        adopt(CONFIGS, "--apply", "--as", "planner", "--seen", "12")
    assert refused.value.returncode == 2


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="File name too long") as refused:
        adopt("x" * 300)
    assert refused.value.returncode == 2
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(CommandError, match="empty: no files in it") as refused:
        adopt(empty)
    assert refused.value.returncode == 2
