# ruff: noqa: E501 - what is spoilt, and what is said of it, is one row
"""What a NetBox comes to: the network that it describes, and every object that is not in it with its reason."""

from __future__ import annotations

import copy
from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from inventory.readers.errors import NetworkFileError
from inventory.readers.netbox.bundle import Bundle, read_bundle
from inventory.readers.netbox.mapping import make_network
from inventory.readers.netbox.rates import rate_of_type
from inventory.readers.netbox.rules import Rules, read_rules
from inventory.readers.network_yaml import read_network_text
from provisioning.errors import InvalidInput
from provisioning.services.netbox import NetBox, NetBoxFailed, collect
from provisioning.services.netbox.asking import checked_url
from tests.inventory.conftest import network as small
from tests.netbox.practice import PLATFORMS, TOKEN, Practice, brief, practice, serving

NOW = datetime(2026, 11, 28, tzinfo=UTC)
RULES = """\
domain: {name: Practice, asn: 64500, prefix: "2001:db8::/40", scheme: 6net}
routers:
  roles: {core: [core, access]}
  platforms: {gsr: cisco-12400, vxr: cisco-7200vxr}
  engines: {4OC3X/POS: 3, OC12/4+: 4+}
  suffix: .example.net
sites: {countries: {norway: "no", britain: uk}}
nrens: {groups: [nrens]}
access_links: {case: trusted}
peerings: {circuit_types: [transit]}
fields: {ios: release, country: country, case: who_marks, usable_bps: usable, metric: isis_metric, exempt_reason: exempt, nren: nren}
"""


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    path = tmp_path / "rules.yaml"
    path.write_text(RULES)
    return read_rules(path)


def bundle_of(of: Practice) -> Bundle:
    """What `collect` would read, without a server."""
    there = {name: tuple(copy.deepcopy(each) for each in rows) for name, rows in of.lists.items()}
    routers = [each for each in there["devices"] if each["role"]["slug"] == "core"]
    ids = {each["id"] for each in routers}
    others = tuple(each for each in there["devices"] if each["id"] not in ids)
    ports = tuple(each for each in there["interfaces"] if each["device"]["id"] in ids)
    return Bundle("practice", "4.7.3", "", {**there, "devices": tuple(routers), "interfaces": ports}, others)


def test_a_netbox_is_read_mapped_and_imported_like_the_file_that_says_the_same(
    rules: Rules, tmp_path: Path
) -> None:
    of = practice()
    with serving(of, largest=2) as (url, handler):
        handler.once += [(429, {"Retry-After": "7"}), (503, {})]
        waited: list[float] = []
        bundle = collect(NetBox(url, TOKEN, wait=waited.append), rules, now=NOW)
    assert waited == [7.0, 2.0]
    assert all(line.startswith("/api/") for line in handler.seen), "an address in an answer is never asked"
    assert read_bundle(bundle.text().encode(), source=bundle.source) == bundle
    mapped = make_network(bundle, rules)
    assert not mapped.wrong
    assert {(each.kind, each.name, each.reason) for each in mapped.remarks} == {
        ("dcim.interface", "bb1.example.net FastEthernet0/0", "it is for management only"),
        ("ipam.ipaddress", "fe80::1/64", "it is of no network of a link"),
    }
    wanted = small(
        ("name: Outside", "name: Carrier"),
        ('"2001:db8:9000::/48", "192.0.2.0/24"', '"192.0.2.0/24", "2001:db8:9000::/48"'),
        (
            "interfaces:\n  - {router: bb1, interface: FastEthernet0/0, capacity_bps: 100000000, exempt_reason: management network}\n",
            "",
        ),
    )
    for read in (mapped.network, read_network_text(mapped.text().encode(), source="made.yaml")):
        assert read is not None
        assert read.domain == wanted.domain
        for part in ("routers", "nrens", "access_links", "core_links", "peerings", "other_interfaces"):
            assert sorted(map(str, getattr(read, part))) == sorted(map(str, getattr(wanted, part)))


def _of(of: Practice, name: str) -> dict[str, Any]:
    return of.ports[name]


Break = Callable[[Practice], object]
A, B = "aa1.example.net", "bb1.example.net"


def _other_ends(of: Practice) -> None:
    ends = _of(of, f"{A}:POS2/0")["connected_endpoints"]
    _of(of, f"{A}:POS2/0")["connected_endpoints"] = [*ends, {**ends[0], "id": 99}]


@pytest.mark.parametrize(
    ("spoil", "outcome", "kind", "field", "reason"),
    [
        (lambda of: of.devices[A].update(platform=PLATFORMS["vxr"] | {"slug": "junos"}), "wrong", "dcim.device", "platform", "junos is no"),
        (lambda of: of.devices[A].update(name=None), "wrong", "dcim.device", "name", "not given"),
        (lambda of: of.devices[A].update(custom_fields={}), "wrong", "dcim.device", "release", "release is not given"),
        (lambda of: of.devices[A].update(custom_fields={"release": "Junos 9"}), "wrong", "dcim.device", "ios", "an IOS release"),
        (lambda of: of.devices[A].update(name="bb1.example.net"), "wrong", "dcim.device", "name", "another device"),
        (lambda of: of.devices[A].update(virtual_chassis=brief("x", 1, "vc")), "wrong", "dcim.device", "virtual_chassis", "no router"),
        (lambda of: of.devices[A].update(status={"value": "planned"}), "left out", "dcim.device", "", "status is planned"),
        (lambda of: of.sites["Alpha"].update(custom_fields={"country": "se"}), "wrong", "dcim.device", "site", "says 'se', its region"),
        (lambda of: of.sites["Alpha"].update(region=None), "wrong", "dcim.device", "site", "neither by it nor"),
        (lambda of: of.lists["module_bays"][1].update(position="1"), "wrong", "dcim.module", "module_bay", "another module"),
        (lambda of: of.lists["module_bays"][0].update(position="left"), "wrong", "dcim.module", "module_bay", "no slot"),
        (lambda of: of.tenants["North"].update(custom_fields={}), "wrong", "tenancy.tenant", "country", "not given"),
        (lambda of: of.tenants["North"].update(name="No/rth"), "wrong", "tenancy.tenant", "name", "must not contain"),
        (lambda of: of.prefix("2001:db8:8000:1::/64", "North"), "left out", "ipam.prefix", "", "lies in 2001:db8:8000::/48"),
        (lambda of: of.prefix("2001:db8:9000::/40", "North"), "wrong", "tenancy.tenant", "prefixes[1]", "overlaps North's"),
        (lambda of: of.lists["prefixes"][0].update(prefix="2001:db8::1/32"), "wrong", "ipam.prefix", "prefix", "host bits"),
        (lambda of: of.lists["prefixes"][0].update(vrf=brief("x", 1, "v")), "left out", "ipam.prefix", "", "of a VRF"),
        (lambda of: _of(of, f"{A}:POS1/0").update(speed=622080), "wrong", "dcim.interface", "speed", "more than sonet-oc3"),
        (lambda of: _of(of, f"{A}:POS1/0").update(type={"value": "other"}), "wrong", "dcim.interface", "speed", "no rate of its own"),
        (lambda of: _of(of, f"{A}:POS1/0").update(type={"value": "1000base-t"}), "wrong", "dcim.interface", "name", "no 1000base-t"),
        (lambda of: _of(of, f"{A}:POS1/0").update(name="so-0/0/0"), "wrong", "dcim.interface", "name", "name of no sonet-oc3"),
        (lambda of: _of(of, f"{A}:POS1/0").update(enabled=False), "left out", "dcim.interface", "", "not enabled"),
        (lambda of: _of(of, f"{A}:POS1/0").update(lag={"id": 3}), "left out", "dcim.interface", "", "member of a bundle"),
        (lambda of: _of(of, f"{A}:POS1/0").update(link_peers=[7]), "wrong", "dcim.interface", "", "not what NetBox's API answers"),
        (lambda of: of.lists["circuits"][0].update(status={"value": "planned"}), "left out", "dcim.interface", "", "status is planned"),
        (lambda of: of.lists["circuits"][0].update(tenant=None), "left out", "dcim.interface", "", "neither a router"),
        (lambda of: of.lists["circuits"].pop(0), "wrong", "dcim.interface", "link_peers", "not among those"),
        (
            lambda of: of.circuit("C-9", "lease", "North", f"{B}:GigabitEthernet2/0"),
            "wrong", "dcim.interface", "tenant", "its circuit is North's, the device at its end is South's",
        ),
        (_other_ends, "wrong", "dcim.interface", "connected_endpoints", "ends on 2 interfaces"),
        (
            lambda of: _of(of, f"{B}:POS1/0").update(connected_endpoints=[]),
            "left out", "dcim.interface", "", "neither a router",
        ),
        (lambda of: _of(of, f"{B}:POS1/0").update(speed=34368), "wrong", "dcim.interface", "speed", "its ends differ"),
        (
            lambda of: of.address(_of(of, f"{A}:POS1/0"), "2001:db8:7::1/64"),
            "wrong", "dcim.interface", "ip_addresses", "2001:db8:1::/64 and 2001:db8:7::/64",
        ),
        (
            lambda of: of.lists["ip_addresses"][2].update(address="2001:db8:0:2::1/64"),
            "wrong", "dcim.interface", "ip_addresses", "its ends are on",
        ),
        (
            lambda of: (_of(of, f"{A}:POS2/0").update(custom_fields={"isis_metric": 5}), _of(of, f"{B}:POS1/0").update(custom_fields={"isis_metric": 6})),
            "wrong", "dcim.interface", "isis_metric", "says 5 here and 6 there",
        ),
    ],
)  # fmt: skip
def test_what_is_not_taken_is_told_with_object_field_and_reason(
    rules: Rules, spoil: Break, outcome: str, kind: str, field: str, reason: str
) -> None:
    of = practice()
    spoil(of)
    mapped = make_network(bundle_of(of), rules)
    told = [
        each for each in mapped.remarks if (each.outcome, each.kind, each.field) == (outcome, kind, field)
    ]
    assert any(reason in each.reason for each in told), [each.line() for each in mapped.remarks]
    assert bool(mapped.wrong) == (mapped.network is None)
    assert (outcome == "wrong") <= bool(mapped.wrong)


def test_a_link_on_an_interface_inside_another_is_whose_the_field_says(rules: Rules) -> None:
    of = practice()
    of.port(A, "ATM3/0", "sonet-oc3")
    inside = of.port(A, "ATM3/0.1", "virtual", custom_fields={"nren": of.short("South")})
    inside["parent"] = {
        field: of.ports[f"{A}:ATM3/0"][field] for field in ("id", "url", "display", "name", "device")
    }
    mapped = make_network(bundle_of(of), rules)
    assert mapped.network is not None, [each.line() for each in mapped.wrong]
    link = next(each for each in mapped.network.access_links if each.interface.name == "ATM3/0.1")
    assert (link.nren, link.interface.line_rate_bps) == ("South", 155_520_000)
    assert any("are on the interfaces inside it" in each.reason for each in mapped.remarks)


def test_a_hostile_bundle_is_refused_or_told_and_never_half_taken(rules: Rules) -> None:
    odd: list[Any] = [None, "x", {"id": 1}, [{"value": {}}]]
    for name in practice().lists:
        for field in practice().lists[name][0]:
            for value in odd:
                of = practice()
                of.lists[name][0] = {**of.lists[name][0], field: value}
                bundle = bundle_of_anything(of)
                if bundle is not None:
                    mapped = make_network(bundle, rules)
                    assert bool(mapped.wrong) == (mapped.network is None)
    for raw in (
        b"[]",
        b"{",
        b'{"devices": {}}',
        b'{"devices": [{"id": 1}, {"id": 1}]}',
        b'{"other": []}',
        b'{"devices": [{"id": true}]}',
    ):
        with pytest.raises(NetworkFileError):
            read_bundle(raw, source="b.json")


def bundle_of_anything(of: Practice) -> Bundle | None:
    """All of the objects as one bundle, where they are one."""
    import json

    try:
        return read_bundle(json.dumps(of.lists).encode(), source="odd.json")
    except NetworkFileError:
        return None


def test_every_type_of_the_published_schema_has_a_rate_or_none() -> None:
    rates = {
        kind: rate_of_type(kind)
        for kind in (
            "100base-tx",
            "2.5gbase-t",
            "1.6tbase-dr8",
            "sonet-oc48",
            "e3",
            "virtual",
            "other",
            "gpon",
        )
    }
    assert list(rates.values()) == [
        10**8,
        2_500_000_000,
        1_600_000_000_000,
        2_488_320_000,
        34_368_000,
        None,
        None,
        None,
    ]


def test_rules_say_everything_that_is_wrong_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(
        RULES.replace("asn: 64500", "asn: x")
        .replace("groups: [nrens]", "group: [nrens]")
        .replace("ios: release", "os: release")
    )
    with pytest.raises(NetworkFileError) as caught:
        read_rules(path)
    assert {(each.path, each.line) for each in caught.value.faults} == {
        ("domain.asn", 1),
        ("nrens.groups", 8),
        ("nrens.group", 8),
        ("fields.os", 11),
    }


@pytest.mark.parametrize(
    "url",
    ["", "netbox", "http://netbox.example.net", "https://", "https://a:b@netbox.example.net", "https://h/?x=1", "file:///etc/passwd",
     "ftp://h/", "https://h:99999/", "http://127.0.0.1.example.net/", "https://h/#x"],
)  # fmt: skip
def test_an_address_that_may_not_be_asked_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput):
        checked_url(url)


def test_a_netbox_that_does_not_answer_as_one_is_not_believed(rules: Rules) -> None:
    with serving(practice()) as (url, handler):
        with pytest.raises(NetBoxFailed, match="403"):
            collect(NetBox(url, "nbt_other", wait=lambda _: None), rules, now=NOW)
        handler.once += [(302, {"Location": "http://169.254.169.254/"})]
        with pytest.raises(NetBoxFailed, match="redirects are not followed"):
            collect(NetBox(url, TOKEN, wait=lambda _: None), rules, now=NOW)
        asked = len(handler.seen)
        handler.once += [(429, {"Retry-After": "soon"})] * 5
        with pytest.raises(NetBoxFailed, match="429"):
            collect(NetBox(url, TOKEN, wait=lambda _: None), rules, now=NOW)
        assert len(handler.seen) == asked + 5
    with pytest.raises(NetBoxFailed, match="ConnectionError"):
        NetBox(url, TOKEN, wait=lambda _: None).version()


def test_the_command_writes_the_file_whole_or_not_at_all(tmp_path: Path, settings: Any) -> None:
    (tmp_path / "rules.yaml").write_text(RULES)
    out, saved, token = tmp_path / "network.yaml", tmp_path / "b.json", tmp_path / "token"
    token.write_text(f"{TOKEN}\n")
    of = practice()
    with serving(of) as (url, _handler):
        settings.NETBOX_TOKEN = TOKEN
        with pytest.raises(CommandError, match="is needed with an address") as refused:
            call_command("netbox", str(tmp_path / "rules.yaml"), "--url", url)
        assert refused.value.returncode == 2
        call_command(
            "netbox", str(tmp_path / "rules.yaml"), "--url", url, "--token-file", str(token), "--save-bundle", str(saved), "--out", str(out),
            stderr=StringIO(),
        )  # fmt: skip
    assert TOKEN not in saved.read_text() and saved.stat().st_mode & 0o077 == 0
    made = out.read_text()
    assert read_network_text(made.encode(), source="x").domain.name == "Practice"
    spoilt = saved.read_text().replace('"release": "12.0(28)S"', '"release": ""')
    saved.write_text(spoilt)
    told = StringIO()
    with pytest.raises(CommandError, match="1 wrong") as failed:
        call_command(
            "netbox", str(tmp_path / "rules.yaml"), "--bundle", str(saved), "--out", str(out), stderr=told
        )
    assert failed.value.returncode == 1
    assert "wrong     dcim.device 1 aa1.example.net: release: the release is not given" in told.getvalue()
    assert out.read_text() == made
