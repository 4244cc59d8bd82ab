"""A small network of its own, as text that a test edits, and the bundled 6NET."""

from __future__ import annotations

from pathlib import Path

import pytest

import inventory
from inventory.readers.entries import NetworkFile
from inventory.readers.network_yaml import read_network, read_network_text
from provisioning.models import SYSTEM, Actor

SIX_NET = Path(inventory.__file__).parent / "networks" / "6net.yaml"

SMALL = """\
domain: {name: Practice, asn: 64500, prefix: "2001:db8::/40", scheme: 6net}
routers:
  - {name: aa1, pop: Alpha, country: no, platform: cisco-12400, ios: "12.0(28)S", engines: {1: 3, 2: "4+"}, roles: [core, access]}
  - {name: bb1, pop: Beta, country: uk, platform: cisco-7200vxr, ios: "12.3(14)T", roles: [core, access]}
nrens:
  - {name: North, country: no, prefixes: ["2001:db8:8000::/48"]}
  - {name: South, country: uk, prefixes: ["2001:db8:9000::/48", "192.0.2.0/24"]}
core_links:
  - {a: [aa1, POS2/0], z: [bb1, POS1/0], capacity_bps: 155520000, prefix: "2001:db8:0:1::/64"}
access_links:
  - {nren: North, router: aa1, interface: POS1/0, capacity_bps: 155520000, prefix: "2001:db8:1::/64", case: trusted, standing: true}
  - {nren: South, router: bb1, interface: GigabitEthernet2/0, capacity_bps: 1000000000, usable_bps: 850000000, prefix: "2001:db8:2::/64", case: non-participant, standing: true}
peerings:
  - {name: Outside, router: aa1, interface: POS1/1, capacity_bps: 155520000}
interfaces:
  - {router: bb1, interface: FastEthernet0/0, capacity_bps: 100000000, exempt_reason: management network}
"""  # noqa: E501 - a row of a network file is one line


def edited(*edits: tuple[str, str]) -> bytes:
    """SMALL with each pair replaced; a pair that is not found fails the test that meant it."""
    text = SMALL
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text.encode()


def network(*edits: tuple[str, str]) -> NetworkFile:
    """SMALL, edited and read."""
    return read_network_text(edited(*edits), source="small.yaml")


@pytest.fixture
def six_net() -> NetworkFile:
    """The bundled 6NET, read."""
    return read_network(SIX_NET)


@pytest.fixture
def clockwork() -> Actor:
    """The service itself."""
    return SYSTEM
