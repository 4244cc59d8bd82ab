"""A good file becomes values with three rates each; a bad one is refused with file, path and reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from inventory.readers.entries import NetworkFile
from inventory.readers.errors import NetworkFileError
from inventory.readers.network_yaml import read_network, read_network_text
from inventory.readers.yaml_text import LARGEST_FILE_BYTES
from tests.inventory.conftest import edited, network


def test_6net_is_read_whole(six_net: NetworkFile) -> None:
    assert [router.name for router in six_net.routers] == [
        *("uk6", "nl6", "de6", "gr6", "fr6", "se6", "ch6", "at6", "it6")
    ]
    assert (len(six_net.core_links), len(six_net.access_links), len(six_net.peerings)) == (11, 9, 1)
    assert len(six_net.interfaces) == 2 * 11 + 9 + 1
    assert six_net.access_links[0].name == "JANET@uk6:POS1/0"
    assert six_net.core_links[0].name == "uk6:POS2/0--nl6:POS2/0"
    assert six_net.peerings[0].name == "GEANT@de6:POS1/1"
    assert six_net.access_links[7].interface.pvc == "0/32"
    standing = {link.nren for link in six_net.access_links if link.case == "trusted"}
    assert standing == {"JANET", "GRNET", "DFN", "NORDUnet", "RENATER"}  # D4.4.2v2 section 2.6


def test_line_rate_bw_and_usable_capacity_are_three_things() -> None:
    small = network()
    pos, gigabit = small.access_links[0].interface, small.access_links[1].interface
    assert (pos.line_rate_bps, pos.bw_bps, pos.usable_bps) == (155_520_000, 155_000_000, 155_520_000)
    assert (gigabit.line_rate_bps, gigabit.bw_bps, gigabit.usable_bps) == (10**9, 10**9, 850_000_000)


def test_norway_stays_norway_and_a_reason_is_kept() -> None:
    small = network()
    assert small.routers[0].country == "no"
    assert small.routers[0].engines == ((1, "3"), (2, "4+"))
    assert small.other_interfaces[0].exempt_reason == "management network"


@pytest.mark.parametrize(
    ("old", "new", "path", "reason"),
    [
        ("scheme: 6net", "scheme: 6net, colour: blue", "domain.colour", "not a known key"),
        ("nrens:", "nrens_: []\nnrens:", "nrens_", "not a known key"),
        ("asn: 64500", "asn: yes", "domain.asn", "must be a whole number, not text"),
        ("asn: 64500", "asn: 0", "domain.asn", "between 1 and"),
        ('"2001:db8::/40"', '"2001:db8::1/40"', "domain.prefix", "host bits set"),
        ('"2001:db8::/40"', '"2001:db8::"', "domain.prefix", "prefix length"),
        ("name: aa1", "name: bb1", "routers[1].name", "already at routers[0].name"),
        ("name: aa1", 'name: "aa1\\nend"', "routers[0].name", "must be a host name"),
        ("name: aa1", 'name: "aa 1"', "routers[0].name", "must be a host name"),
        ("country: no", "country: false", "routers[0].country", "must be a country code"),
        ('ios: "12.0(28)S"', "ios: 12.0", "routers[0].ios", "must be an IOS release"),
        ("roles: [core, access]", "roles: [core, boss]", "routers[0].roles[1]", "must be one of"),
        ("engines: {1: 3, ", "engines: {one: 3, ", "routers[0].engines.one", "slot from 0 to 15"),
        ("name: North,", "name: 'North!',", "nrens[0].name", "must not contain ! or ?"),
        ("name: North,", 'name: "No\\u0007rth",', "nrens[0].name", "without control characters"),
        ("name: North,", "name: 'North@aa1',", "nrens[0].name", "must not contain @"),
        ("name: North,", "name: ' North',", "nrens[0].name", "begin or end with a blank"),
        ("name: South,", "name: north,", "nrens[1].name", "already at nrens[0].name"),
        (
            '"192.0.2.0/24"',
            '"2001:db8:9000:1::/64"',
            "nrens[1].prefixes[1]",
            "overlaps South's 2001:db8:9000::/48",
        ),
        ('["2001:db8:8000::/48"]', "2001:db8:8000::/48", "nrens[0].prefixes", "must be a list, not text"),
        ("nren: South", "nren: East", "access_links[1].nren", "there is no NREN 'East'"),
        (
            "router: bb1, interface: G",
            "router: cc1, interface: G",
            "access_links[1].router",
            "no router 'cc1'",
        ),
        ("z: [bb1, POS1/0]", "z: [cc1, POS1/0]", "core_links[0].z[0]", "there is no router 'cc1'"),
        ("z: [bb1, POS1/0]", "z: [aa1, POS3/0]", "core_links[0].z[0]", "both ends of the link are on aa1"),
        ("z: [bb1, POS1/0]", "z: [bb1]", "core_links[0].z", "must be [router, interface]"),
        (
            "interface: POS1/1",
            "interface: POS1/0",
            "peerings[0].interface",
            "already used at access_links[0].interface",
        ),
        (
            "interface: POS1/0",
            "interface: POS2/0",
            "access_links[0].interface",
            "already used at core_links[0].a[1]",
        ),
        ("interface: POS1/0", "interface: Gi1/0", "access_links[0].interface", "GigabitEthernet"),
        (
            "interface: POS1/0",
            'interface: "POS1/0\\n shutdown"',
            "access_links[0].interface",
            "interface name",
        ),
        ("usable_bps: 850000000", "usable_bps: -1", "access_links[1].usable_bps", "between 1 and"),
        ("usable_bps: 850000000", "usable_bps: 2000000000", "access_links[1].usable_bps", "must not exceed"),
        (
            "capacity_bps: 1000000000",
            "capacity_bps: 1e9",
            "access_links[1].capacity_bps",
            "must be a whole number",
        ),
        ("capacity_bps: 1000000000", "capacity_bps: 1.5", "access_links[1].capacity_bps", "with a fraction"),
        ("usable_bps: 850000000", "bw_bps: 850000001", "access_links[1].bw_bps", "whole kbit/s"),
        ("case: trusted", "case: Trusted", "access_links[0].case", "must be one of"),
        (
            "case: trusted, standing: true",
            "case: trusted, standing: yes",
            "access_links[0].standing",
            "true or false",
        ),
        ("exempt_reason: management network", "description: x", "interfaces[0].exempt_reason", "is missing"),
        ('"2001:db8:2::/64"', '"2001:db8:1::/64"', "access_links[1].prefix", "overlaps North@aa1:POS1/0's"),
    ],
)
def test_a_bad_file_says_where_and_why(old: str, new: str, path: str, reason: str) -> None:
    with pytest.raises(NetworkFileError) as failure:
        network((old, new))
    assert failure.value.file == "small.yaml"
    assert failure.value.path == path
    assert reason in failure.value.reason
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "is empty"),
        (b"- a\n- b\n", "must be a mapping, not a list"),
        (b"a: [1, 2\n", "is not YAML"),
        (b"a: &x 1\nb: *x\n", "anchors and aliases are refused"),
        (b"a: !!python/object/apply:os.system ['id']\n", "tags are refused"),
        (b"a: 1\n---\nb: 2\n", "is not YAML"),
        (b"a: 1\na: 2\n", "the key is given twice"),
        (b"? [a, b]\n: 1\n", "a key must be a plain word"),
        (b"\xff\xfe\x00", "is not UTF-8"),
        (b"a: \x00\n", "is not YAML"),
        (b"[" * 5000, "nested deeper"),
        (b"a: " + b"9" * 5000, "more than 30 digits"),
        (b"a: |\n" + b"  x\n" * (LARGEST_FILE_BYTES // 4), "is larger than"),
    ],
)
def test_yaml_that_is_not_plain_is_refused(raw: bytes, reason: str) -> None:
    with pytest.raises(NetworkFileError) as failure:
        read_network_text(raw, source="odd.yaml")
    assert failure.value.file == "odd.yaml"
    assert reason in str(failure.value)
    assert "\n" not in str(failure.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NetworkFileError, match=r"absent\.yaml: cannot be read: No such file"):
        read_network(tmp_path / "absent.yaml")


MANAGED = "roles: [core, access]}\n  - {name: bb1"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0c8mUYQ4F6i6yTWxd7tQ5gXoD1X7mJ0m2xv3mX3n4Q"


def managed(management: str) -> tuple[str, str]:
    """SMALL's first router with a management mapping."""
    return MANAGED, f"roles: [core, access], management: {{{management}}}}}\n  - {{name: bb1"


def test_management_is_read_and_its_secrets_stay_out_of_repr() -> None:
    small = network(
        managed(f'host: 192.0.2.7, port: 2222, username: noc, password: "s3cret!", host_key: {KEY} me@here')
    )
    management = small.routers[0].management
    assert management is not None
    assert (management.host, management.port, management.password) == ("192.0.2.7", 2222, "s3cret!")
    assert management.host_key == KEY
    assert management.ssh_profile == "legacy"
    assert "s3cret" not in repr(small)


@pytest.mark.parametrize(
    ("management", "path", "reason"),
    [
        ("host: 'a b'", "host", "host name or an IP"),
        ("host: h, port: 70000", "port", "between 1 and 65535"),
        ("host: h, username: u, password: 123456", "password", "text in quotes"),
        ('host: h, username: u, password: "hunter2\\n"', "password", "control characters"),
        ("host: h, password: hunter2", "username", "is needed with a password"),
        ("host: h, ssh_profile: telnet", "ssh_profile", "must be one of legacy, modern"),
        ("host: h, host_key: rot13 abc", "host_key", "must begin with a host key type"),
        (
            "host: h, host_key: ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIA",
            "host_key",
            "not a key of the type|and base64",
        ),
        ("host: h, telnet: true", "telnet", "not a known key"),
    ],
)
def test_bad_management_is_refused_without_quoting_a_secret(management: str, path: str, reason: str) -> None:
    with pytest.raises(NetworkFileError, match=reason) as failure:
        network(managed(management))
    assert failure.value.path == f"routers[0].management.{path}"
    assert "hunter2" not in str(failure.value)
    assert "123456" not in str(failure.value)


def test_editing_the_sample_is_honest() -> None:
    with pytest.raises(AssertionError):
        edited(("not in the sample", ""))
