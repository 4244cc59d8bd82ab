"""`manage.py adopt` where only a part is understood: what is said, what is adopted all the same, and what comes next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from inventory.models import Router
from inventory.readers.network_yaml import read_network
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
    assert "NOT PROVEN: no policy is recognised at a place the inventory knows" in said
    assert "  next: on the router, by hand, mend what DIFFERS says" in said
    assert "once this policy is recognised" in said
    assert "?@" not in said and "reservations yet" not in said
    assert json.loads(adopt(south, "--json")[1])[0]["proven"] is False
    into = tmp_path / "proposed.yaml"
    adopt(south, "--into", into)
    assert (
        '#   or in access_links, with its NREN in nrens: - {nren: "Garda", router: "south", '
        'interface: "GigabitEthernet0/1", capacity_bps: 1000000000, bw_bps: 1000000000, '
        'prefix: "2001:db8:a::/64", case: "filtered", standing: true}\n'
    ) in into.read_text()
    imported(tmp_path, south)
    with pytest.raises(
        CommandError, match="south is not adopted: no policy is recognised at a place"
    ) as refused:
        adopt(south, "--apply", "--as", "planner")
    assert refused.value.returncode == 1
    assert not AuditEvent.objects.filter(action="router.adopted").exists()


def test_what_is_not_part_of_a_proof_is_named_beside_it(south: Path) -> None:
    south.write_text(SOUTH.format(more=CLOSED))
    code, said, _ = adopt(south)
    assert code == 0, said
    assert "GigabitEthernet0/2 input (access Como@south:GigabitEthernet0/2): SHUT = non-participant" in said
    assert (
        "  proof: re-rendering changes nothing\n  not part of it: GigabitEthernet0/1 (not recognised)" in said
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


HEAD = SOUTH.partition("ipv6 access-list")[0] + (
    "class-map match-all MARKED\n match dscp ef\nclass-map match-all LOW\n match dscp cs1\n"
    "policy-map MEMBER\n class MARKED\n  police cir percent 5 conform-action transmit exceed-action drop\n"
    " class LOW\n  police cir percent 1 conform-action transmit exceed-action transmit\n"
    " class class-default\n  set dscp default\n"
    "policy-map SHUT\n class class-default\n  set dscp default\n"
)
BY_SOURCE = """\
ipv6 access-list {name}
 permit ipv6 {source} any
class-map match-all BY-{name}
 match access-group name {name}
policy-map IN-{name}
 class BY-{name}
  police cir percent 5 conform-action transmit exceed-action drop
  set dscp ef
 class LOW
  police cir percent 1 conform-action transmit exceed-action transmit
 class class-default
  set dscp default
interface {interface}
 description {owner}
 ipv6 address {address}
 service-policy input IN-{name}
"""


def configuration(name: str, *more: str) -> str:
    return HEAD.replace("hostname south", f"hostname {name}") + "".join(more) + "end\n"


def edge(interface: str, owner: str, address: str, policy: str = "MEMBER") -> str:
    return f"interface {interface}\n description {owner}\n ip address {address}\n service-policy input {policy}\n"


def test_what_a_network_file_cannot_hold_keeps_nothing_else_from_being_proposed(tmp_path: Path) -> None:
    """Sources of two members that overlap, a tunnel without a rate, one LAN at two routers, one name in two spellings,
    a host name that begins with a digit.
    """
    folder = tmp_path / "configs"
    folder.mkdir()
    first = BY_SOURCE.format(
        name="A",
        source="2001:DB8:760::/48",
        interface="GigabitEthernet0/1",
        owner="Alpha",
        address="2001:DB8:A::1/64",
    )
    second = BY_SOURCE.format(
        name="B",
        source="2001:DB8:760:1::/64",
        interface="GigabitEthernet0/2",
        owner="Beta",
        address="2001:DB8:B::1/64",
    )
    lan = "GigabitEthernet0/3", "peering at EuroIX"
    folder.joinpath("one").write_text(
        configuration(
            "one",
            first,
            second,
            edge(*lan, "203.0.113.1 255.255.255.0", "SHUT"),
            edge("Tunnel7", "Gamma", "192.0.2.1 255.255.255.252"),
            edge("FastEthernet1/0", "Delta", "192.0.2.5 255.255.255.252"),
        )
    )
    folder.joinpath("two").write_text(
        configuration(
            "two",
            edge(*lan, "203.0.113.2 255.255.255.0", "SHUT"),
            edge("FastEthernet1/0", "DELTA backup", "192.0.2.9 255.255.255.252"),
            edge("Virtual-Template1", "pool--of-users", "192.0.2.13 255.255.255.252"),
        )
    )
    folder.joinpath("three").write_text(
        configuration("7206-north", edge("GigabitEthernet0/1", "Eta", "192.0.2.17 255.255.255.252"))
    )
    into = tmp_path / "network.yaml"
    code, said, told = adopt(folder, "--into", into)
    assert code == 1, "one router is not judged"
    assert "=== one" in said and "=== two" in said and "7206-north" not in said
    assert "unknown: 7206-north: left out of the network: its name must be a host name" in told
    assert "unknown: one Tunnel7: MEMBER is trusted, and its rate is not in the text" in told
    assert "unknown: 2001:db8:760:1::/64 is authorised for Beta and, in part, for Alpha: whose is it?" in told
    read = read_network(into)
    assert [router.name for router in read.routers] == ["one", "two"]
    assert {link.name for link in read.access_links} == {
        "Alpha@one:GigabitEthernet0/1",
        "Beta@one:GigabitEthernet0/2",
        "Delta@one:FastEthernet1/0",
        "Delta@two:FastEthernet1/0",
    }
    assert {each.name: list(each.prefixes) for each in read.nrens} == {"Alpha": [], "Beta": [], "Delta": []}
    assert [(each.name, each.prefix) for each in read.peerings] == [
        ("EuroIX@one:GigabitEthernet0/3", None),
        ("EuroIX@two:GigabitEthernet0/3", None),
    ]
    import_network(actor=SYSTEM, network=read, dry_run=False)
    assert adopt(folder / "one", folder / "two")[0] == 0


def test_the_core_policy_towards_a_router_nobody_read_is_proven_by_nothing(tmp_path: Path) -> None:
    lone = tmp_path / "lone.cfg"
    text = (CONFIGS / "pa2.cfg").read_text()
    lone.write_text(text.replace(" service-policy input FROM-MEMBER\n", " shutdown\n"))
    code, said, _ = adopt(lone)
    assert code == 1
    assert "POS2/0 output (not in the inventory): TRUNK = core" in said
    assert "NOT PROVEN: no policy is recognised at a place the inventory knows" in said
    code, said, _ = adopt(CONFIGS)
    assert code == 0
    assert "  not part of it: POS1/1 (not in the inventory): stays as it is, and is not Expedite's" in said
