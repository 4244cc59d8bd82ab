"""What a network file says, as frozen values: the shape every reader returns and the import service takes.

Rates are integers of bit/s. Names are what `inventory.models` stores.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class ServiceClassEntry:
    """A class of the domain: name, abbreviation, PHB and DSCP (D4.4.2v2 table 1)."""

    name: str
    abbreviation: str
    phb: str
    dscp: int


@dataclass(frozen=True)
class DomainEntry:
    """The DiffServ domain; `caps` maps the file's share names to percents, `options` switches of the scheme to on or off."""

    name: str
    asn: int
    prefix: IPNetwork
    scheme: str
    classes: tuple[ServiceClassEntry, ...]
    caps: tuple[tuple[str, float], ...]
    policer: str
    options: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True)
class ManagementEntry:
    """How a router is reached; the secrets stay out of `repr` so that no log can show them."""

    host: str
    port: int
    ssh_profile: str
    host_key: str
    username: str
    password: str = field(repr=False)
    enable: str = field(repr=False)


@dataclass(frozen=True)
class RouterEntry:
    """A router; `engines` pairs slots with the forwarding engine of the line card in them."""

    name: str
    pop: str
    country: str
    platform: str
    ios: str
    engines: tuple[tuple[int, str], ...]
    roles: tuple[str, ...]
    provenance: str
    serial: str = ""
    driver: str = "netmiko"
    management: ManagementEntry | None = None


@dataclass(frozen=True)
class InterfaceEntry:
    """An interface with its three rates in bit/s; see `inventory.models.Interface`."""

    router: str
    name: str
    pvc: str
    line_rate_bps: int
    bw_bps: int
    usable_bps: int
    description: str
    exempt_reason: str = ""

    @property
    def label(self) -> str:
        """Return ``router:interface``."""
        return f"{self.router}:{self.name}"


@dataclass(frozen=True)
class NrenEntry:
    """An NREN and the prefixes that are its own."""

    name: str
    country: str
    prefixes: tuple[IPNetwork, ...]
    provenance: str


@dataclass(frozen=True)
class AccessLinkEntry:
    """An access link; `case` is trusted, filtered or non-participant."""

    nren: str
    interface: InterfaceEntry
    case: str
    standing: bool
    standing_consent: bool
    prefix: IPNetwork | None
    provenance: str
    source_filter: str = ""
    agreement: str = ""
    dscp_map: tuple[tuple[int, int], ...] = ()

    @property
    def name(self) -> str:
        """Return the identifier, ``JANET@uk6:POS1/0``."""
        return f"{self.nren}@{self.interface.label}"


@dataclass(frozen=True)
class CoreLinkEntry:
    """A core link between interface `a` and interface `z`; `down` None: the file does not say, it stays as it is."""

    a: InterfaceEntry
    z: InterfaceEntry
    metric: int
    prefix: IPNetwork | None
    provenance: str
    down: bool | None = None

    @property
    def name(self) -> str:
        """Return the identifier, ``uk6:POS2/0--nl6:POS2/0``."""
        return f"{self.a.label}--{self.z.label}"


@dataclass(frozen=True)
class PeeringEntry:
    """An interface towards a network without an agreement."""

    peer: str
    interface: InterfaceEntry
    prefix: IPNetwork | None
    provenance: str

    @property
    def name(self) -> str:
        """Return the identifier, ``GEANT@de6:POS1/1``."""
        return f"{self.peer}@{self.interface.label}"


@dataclass(frozen=True)
class NetworkFile:
    """A whole network, checked: every reference resolves, no interface is used twice, no prefixes overlap."""

    source: str
    domain: DomainEntry
    routers: tuple[RouterEntry, ...]
    nrens: tuple[NrenEntry, ...]
    access_links: tuple[AccessLinkEntry, ...]
    core_links: tuple[CoreLinkEntry, ...]
    peerings: tuple[PeeringEntry, ...]
    other_interfaces: tuple[InterfaceEntry, ...] = ()

    @property
    def interfaces(self) -> tuple[InterfaceEntry, ...]:
        """Return every interface the file mentions, in the order of its sections."""
        ends = [end for link in self.core_links for end in (link.a, link.z)]
        access = [link.interface for link in self.access_links]
        peers = [link.interface for link in self.peerings]
        return (*ends, *access, *peers, *self.other_interfaces)
