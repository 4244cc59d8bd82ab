"""The entries of a network file, one mapping each: every field is read, and refused together with the others that are wrong."""

from __future__ import annotations

import re
from typing import Any

from inventory.readers import names
from inventory.readers.entries import (
    AccessLinkEntry,
    CoreLinkEntry,
    DomainEntry,
    InterfaceEntry,
    IPNetwork,
    ManagementEntry,
    NrenEntry,
    PeeringEntry,
    RouterEntry,
    ServiceClassEntry,
)
from inventory.readers.errors import Gather
from inventory.readers.section import Section, kind_of, parse_network, spelled

PROVENANCE = ("doc", "representative")
CASES = ("trusted", "filtered", "non-participant")
ROLES = ("core", "access")
SSH_PROFILES = ("legacy", "modern")
DRIVERS = ("netmiko", "napalm", "asyncssh", "auto")

# What a packet-over-SONET interface shows as BW is less than its line rate (6NET: 155,000,000 of
# 155,520,000).
_POS_BW = {155_520_000: 155_000_000, 622_080_000: 622_000_000, 2_488_320_000: 2_488_000_000}

_OPTION_NAME = re.compile(r"[a-z][a-z_]{0,39}")
_CAP_NAME = re.compile(r"[a-z][a-z_]{0,20}_percent_of_(?:access|core)_link")


def read_domain(section: Section) -> DomainEntry:
    """Return the entry. Raises NetworkFileError with everything that is wrong with it."""
    gather = Gather()
    classes = gather(lambda: [gather(_service_class, item) for item in section.sections("classes", [])])
    caps = gather(lambda: _caps(Section(section.file, section.at("caps"), section.take("caps", {}))))
    name = gather(names.organisation_name, section, "name")
    asn = gather(section.integer, "asn", lowest=1, highest=2**32 - 1)
    prefix = gather(section.network, "prefix")
    scheme = gather(section.text, "scheme", longest=64)
    policer = gather(section.choice, "policer", ("cap", "grants"), "cap")
    options = gather(
        lambda: _options(Section(section.file, section.at("options"), section.take("options", {})))
    )
    gather(section.close)
    gather.end()
    return DomainEntry(name, asn, prefix, scheme, tuple(classes), caps, policer, options)


def _service_class(section: Section) -> ServiceClassEntry:
    entry = ServiceClassEntry(
        name=section.text("name", longest=64),
        abbreviation=section.text("abbreviation", longest=16),
        phb=section.text("phb", longest=16),
        dscp=section.integer("dscp", lowest=0, highest=63),
    )
    section.close()
    return entry


def _options(section: Section) -> tuple[tuple[str, bool], ...]:
    """Each switch with its position; whether the scheme has such a switch is the import's to say."""
    found: list[tuple[str, bool]] = []
    for key in section.given():
        if not isinstance(key, str) or not _OPTION_NAME.fullmatch(key):
            section.fail("is not a known key here", spelled(key))
        found.append((key, section.flag(key)))
    return tuple(found)


def _caps(section: Section) -> tuple[tuple[str, float], ...]:
    caps: list[tuple[str, float]] = []
    for key in section.given():
        if not isinstance(key, str) or not _CAP_NAME.fullmatch(key):
            section.fail("is not a known key here", spelled(key))
        value = section.take(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            section.fail(f"must be a percentage, not {kind_of(value)}", key)
        if not 0 < value <= 100:
            section.fail(f"must be a percentage above 0 and at most 100, not {value}", key)
        caps.append((key, value))
    return tuple(caps)


def read_router(section: Section) -> RouterEntry:
    """Return the entry. Raises NetworkFileError with everything that is wrong with it."""
    gather = Gather()
    management = section.take("management", None)
    fields = {
        "name": gather(names.router_name, section, "name"),
        "pop": gather(section.text, "pop", longest=64),
        "country": gather(names.country, section, "country"),
        "platform": gather(names.platform, section, "platform"),
        "ios": gather(names.ios_release, section, "ios"),
        "engines": gather(_engines, section),
        "roles": gather(_roles, section),
        "provenance": gather(section.choice, "provenance", PROVENANCE, "representative"),
        "serial": gather(section.text, "serial", "", longest=64),
        "driver": gather(section.choice, "driver", DRIVERS, "netmiko"),
        "management": None
        if management is None
        else gather(lambda: _management(Section(section.file, section.at("management"), management))),
    }
    gather(section.close)
    gather.end()
    return RouterEntry(**fields)


def _roles(section: Section) -> tuple[str, ...]:
    roles = section.items("roles")
    for index, role in enumerate(roles):
        if role not in ROLES:
            section.fail(f"must be one of {', '.join(ROLES)}", f"roles[{index}]")
    if len(set(roles)) != len(roles):
        section.fail("names a role twice", "roles")
    return tuple(roles)


def _engines(section: Section) -> tuple[tuple[int, str], ...]:
    value = section.take("engines", {})
    if not isinstance(value, dict):
        section.fail(f"must map slots to engines, not be {kind_of(value)}", "engines")
    engines: list[tuple[int, str]] = []
    for slot, engine in value.items():
        where = f"engines.{slot}"
        if isinstance(slot, bool) or not isinstance(slot, int) or not 0 <= slot <= 15:
            section.fail("must be keyed by a slot from 0 to 15", where)
        text = str(engine) if isinstance(engine, int) and not isinstance(engine, bool) else engine
        if not isinstance(text, str) or not re.fullmatch(r"[0-9]\+?", text):
            section.fail("must be a forwarding engine such as 3 or 4+", where)
        engines.append((slot, text))
    return tuple(sorted(engines))


def _management(section: Section) -> ManagementEntry:
    gather = Gather()
    fields = {
        "host": gather(names.management_host, section, "host"),
        "port": gather(section.integer, "port", 22, lowest=1, highest=65535),
        "ssh_profile": gather(section.choice, "ssh_profile", SSH_PROFILES, "legacy"),
        "host_key": gather(names.host_key, section, "host_key"),
        "username": gather(section.text, "username", "", longest=64),
        "password": gather(section.secret, "password"),
        "enable": gather(section.secret, "enable"),
    }
    if (fields["password"] or fields["enable"]) and fields["username"] == "":
        gather(section.fail, "is needed with a password", "username")
    gather(section.close)
    gather.end()
    return ManagementEntry(**fields)


def read_nren(section: Section) -> NrenEntry:
    """Return the entry. Raises NetworkFileError with everything that is wrong with it."""
    gather = Gather()
    fields = {
        "name": gather(names.organisation_name, section, "name"),
        "country": gather(names.country, section, "country"),
        "prefixes": gather(_prefixes, section),
        "provenance": gather(section.choice, "provenance", PROVENANCE, "representative"),
    }
    gather(section.close)
    gather.end()
    return NrenEntry(**fields)


def _prefixes(section: Section) -> tuple[IPNetwork, ...]:
    gather = Gather()
    prefixes = tuple(
        gather(parse_network, section.file, f"{section.at('prefixes')}[{index}]", value)
        for index, value in enumerate(section.items("prefixes"))
    )
    gather.end()
    return prefixes


def _rates(section: Section, interfaces: tuple[str, ...]) -> tuple[int, int, int]:
    """Return line rate, BW and usable capacity in bit/s; BW is what the interface type shows unless said."""
    line = section.rate("capacity_bps")
    shown = _POS_BW.get(line, line) if all(name.startswith("POS") for name in interfaces) else line
    bw = section.rate("bw_bps", max(1000, shown - shown % 1000))
    if bw % 1000:
        section.fail(f"must be whole kbit/s, as a router counts BW, not {bw}", "bw_bps")
    usable = section.rate("usable_bps", line)
    if usable > line:
        section.fail(f"must not exceed capacity_bps ({line}), not {usable}", "usable_bps")
    return line, bw, usable


def _interface(section: Section, description: str, exempt_reason: str = "") -> InterfaceEntry:
    gather = Gather()
    router = gather(names.router_name, section, "router")
    name = gather(lambda: names.interface_name(section, "interface", section.take("interface")))
    rates = gather(_rates, section, (name or "",))
    pvc = gather(names.pvc, section, "pvc")
    gather.end()
    line, bw, usable = rates
    return InterfaceEntry(router, name, pvc, line, bw, usable, description, exempt_reason)


def read_access_link(section: Section) -> AccessLinkEntry:
    """Return the entry. Raises NetworkFileError with everything that is wrong with it."""
    gather = Gather()
    nren = gather(names.organisation_name, section, "nren")
    neighbour = gather(_neighbour, section)
    fields = {
        "interface": gather(_interface, section, f"Access {nren}"),
        "case": gather(section.choice, "case", CASES),
        "standing": gather(section.flag, "standing", True),
        "standing_consent": gather(section.flag, "standing_consent", False),
        "prefix": gather(section.network, "prefix", None),
        "provenance": gather(section.choice, "provenance", PROVENANCE, "representative"),
        "source_filter": gather(section.text, "source_filter", "", longest=200),
    }
    gather(section.close)
    gather.end()
    agreement, dscp_map = neighbour
    return AccessLinkEntry(nren=nren, agreement=agreement, dscp_map=dscp_map, **fields)


def _neighbour(section: Section) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The agreement with a neighbouring domain and its DSCPs; ("", ()) for an NREN's own link."""
    value = section.take("neighbour", None)
    if value is None:
        return "", ()
    inner = Section(section.file, section.at("neighbour"), value)
    agreement = inner.text("agreement", longest=200)
    pairs = inner.take("dscp")
    inner.close()
    if not isinstance(pairs, dict) or not pairs:
        inner.fail(f"must map our DSCPs to theirs, not be {kind_of(pairs)}", "dscp")
    for number in (*pairs, *pairs.values()):
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= 63:
            inner.fail(f"holds {number!r:.20}, which is no DSCP from 0 to 63", "dscp")
    if len(set(pairs.values())) != len(pairs):
        inner.fail("makes two of our DSCPs one of theirs", "dscp")
    return agreement, tuple(sorted(pairs.items()))


def _end(section: Section, key: str) -> tuple[str, str]:
    value = section.items(key)
    if len(value) != 2:
        section.fail("must be [router, interface]", key)
    pair: dict[str, Any] = {f"{key}[0]": value[0]}
    router = names.router_name(Section(section.file, section.path, pair), f"{key}[0]")
    return router, names.interface_name(section, f"{key}[1]", value[1])


def read_core_link(section: Section) -> CoreLinkEntry:
    """Return the entry. Raises NetworkFileError with everything that is wrong with it."""
    gather = Gather()
    a, z = gather(_end, section, "a"), gather(_end, section, "z")
    rates = gather(_rates, section, tuple(end[1] for end in (a, z) if end is not None) or ("",))
    metric = gather(section.integer, "metric", 10, lowest=1, highest=2**24 - 1)
    prefix = gather(section.network, "prefix", None)
    provenance = gather(section.choice, "provenance", PROVENANCE, "representative")
    down = gather(section.flag, "down") if section.has("down") else None
    gather(section.close)
    gather.end()
    line, bw, usable = rates
    return CoreLinkEntry(
        a=InterfaceEntry(a[0], a[1], "", line, bw, usable, f"Core to {z[0]} {z[1]}"),
        z=InterfaceEntry(z[0], z[1], "", line, bw, usable, f"Core to {a[0]} {a[1]}"),
        metric=metric,
        prefix=prefix,
        provenance=provenance,
        down=down,
    )


def read_peering(section: Section) -> PeeringEntry:
    """Return the entry. Raises NetworkFileError with everything that is wrong with it."""
    gather = Gather()
    peer = gather(names.organisation_name, section, "name")
    interface = gather(_interface, section, f"Peering {peer}")
    prefix = gather(section.network, "prefix", None)
    provenance = gather(section.choice, "provenance", PROVENANCE, "representative")
    gather(section.close)
    gather.end()
    return PeeringEntry(peer=peer, interface=interface, prefix=prefix, provenance=provenance)


def read_other_interface(section: Section) -> InterfaceEntry:
    """Return the entry. Raises NetworkFileError with everything that is wrong with it."""
    gather = Gather()
    reason = gather(section.text, "exempt_reason")
    description = gather(section.text, "description", "")
    entry = gather(_interface, section, description, reason)
    gather(section.close)
    gather.end()
    return entry
