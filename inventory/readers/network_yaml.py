"""A network file in YAML (``inventory/networks/6net.yaml`` is the format) -> `NetworkFile`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from inventory.readers import names
from inventory.readers.consistency import check
from inventory.readers.entries import (
    AccessLinkEntry,
    CoreLinkEntry,
    DomainEntry,
    InterfaceEntry,
    ManagementEntry,
    NetworkFile,
    NrenEntry,
    PeeringEntry,
    RouterEntry,
    ServiceClassEntry,
)
from inventory.readers.section import Section, kind_of, parse_network, spelled
from inventory.readers.yaml_text import Plain, parse_yaml, read_yaml

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


def read_network(path: Path) -> NetworkFile:
    """Return the network described by the file at `path`.

    Raises:
        NetworkFileError: with file, path inside it and reason; nothing else comes out of a bad file.
    """
    return _network(str(path), read_yaml(path))


def read_network_text(raw: bytes, *, source: str) -> NetworkFile:
    """Return the network described by YAML text; `source` is the name that errors carry.

    Raises NetworkFileError.
    """
    return _network(source, parse_yaml(raw, source=source))


def _network(source: str, plain: Plain) -> NetworkFile:
    root = Section(source, "", plain)
    network = NetworkFile(
        source=source,
        domain=_domain(Section(source, "domain", root.take("domain"))),
        routers=tuple(_router(section) for section in root.sections("routers")),
        nrens=tuple(_nren(section) for section in root.sections("nrens")),
        access_links=tuple(_access_link(section) for section in root.sections("access_links")),
        core_links=tuple(_core_link(section) for section in root.sections("core_links", [])),
        peerings=tuple(_peering(section) for section in root.sections("peerings", [])),
        other_interfaces=tuple(_other_interface(section) for section in root.sections("interfaces", [])),
    )
    root.close()
    check(network)
    return network


def _domain(section: Section) -> DomainEntry:
    classes = tuple(_service_class(item) for item in section.sections("classes", []))
    caps = Section(section.file, section.at("caps"), section.take("caps", {}))
    domain = DomainEntry(
        name=names.organisation_name(section, "name"),
        asn=section.integer("asn", lowest=1, highest=2**32 - 1),
        prefix=section.network("prefix"),
        scheme=section.text("scheme", longest=64),
        classes=classes,
        caps=_caps(caps),
        policer=section.choice("policer", ("cap", "grants"), "cap"),
        options=_options(Section(section.file, section.at("options"), section.take("options", {}))),
    )
    section.close()
    return domain


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


def _router(section: Section) -> RouterEntry:
    management = section.take("management", None)
    roles = section.items("roles")
    for index, role in enumerate(roles):
        if role not in ROLES:
            section.fail(f"must be one of {', '.join(ROLES)}", f"roles[{index}]")
    if len(set(roles)) != len(roles):
        section.fail("names a role twice", "roles")
    router = RouterEntry(
        name=names.router_name(section, "name"),
        pop=section.text("pop", longest=64),
        country=names.country(section, "country"),
        platform=names.platform(section, "platform"),
        ios=names.ios_release(section, "ios"),
        engines=_engines(section),
        roles=tuple(roles),
        provenance=section.choice("provenance", PROVENANCE, "representative"),
        serial=section.text("serial", "", longest=64),
        driver=section.choice("driver", DRIVERS, "netmiko"),
        management=None
        if management is None
        else _management(Section(section.file, section.at("management"), management)),
    )
    section.close()
    return router


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
    entry = ManagementEntry(
        host=names.management_host(section, "host"),
        port=section.integer("port", 22, lowest=1, highest=65535),
        ssh_profile=section.choice("ssh_profile", SSH_PROFILES, "legacy"),
        host_key=names.host_key(section, "host_key"),
        username=section.text("username", "", longest=64),
        password=section.secret("password"),
        enable=section.secret("enable"),
    )
    if (entry.password or entry.enable) and not entry.username:
        section.fail("is needed with a password", "username")
    section.close()
    return entry


def _nren(section: Section) -> NrenEntry:
    prefixes = section.items("prefixes")
    entry = NrenEntry(
        name=names.organisation_name(section, "name"),
        country=names.country(section, "country"),
        prefixes=tuple(
            parse_network(section.file, f"{section.at('prefixes')}[{index}]", value)
            for index, value in enumerate(prefixes)
        ),
        provenance=section.choice("provenance", PROVENANCE, "representative"),
    )
    section.close()
    return entry


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
    router = names.router_name(section, "router")
    name = names.interface_name(section, "interface", section.take("interface"))
    line, bw, usable = _rates(section, (name,))
    return InterfaceEntry(
        router, name, names.pvc(section, "pvc"), line, bw, usable, description, exempt_reason
    )


def _access_link(section: Section) -> AccessLinkEntry:
    nren = names.organisation_name(section, "nren")
    agreement, dscp_map = _neighbour(section)
    entry = AccessLinkEntry(
        nren=nren,
        interface=_interface(section, f"Access {nren}"),
        case=section.choice("case", CASES),
        standing=section.flag("standing", True),
        standing_consent=section.flag("standing_consent", False),
        prefix=section.network("prefix", None),
        provenance=section.choice("provenance", PROVENANCE, "representative"),
        source_filter=section.text("source_filter", "", longest=200),
        agreement=agreement,
        dscp_map=dscp_map,
    )
    section.close()
    return entry


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


def _core_link(section: Section) -> CoreLinkEntry:
    a, z = _end(section, "a"), _end(section, "z")
    line, bw, usable = _rates(section, (a[1], z[1]))
    entry = CoreLinkEntry(
        a=InterfaceEntry(a[0], a[1], "", line, bw, usable, f"Core to {z[0]} {z[1]}"),
        z=InterfaceEntry(z[0], z[1], "", line, bw, usable, f"Core to {a[0]} {a[1]}"),
        metric=section.integer("metric", 10, lowest=1, highest=2**24 - 1),
        prefix=section.network("prefix", None),
        provenance=section.choice("provenance", PROVENANCE, "representative"),
        down=section.flag("down") if section.has("down") else None,
    )
    section.close()
    return entry


def _peering(section: Section) -> PeeringEntry:
    peer = names.organisation_name(section, "name")
    entry = PeeringEntry(
        peer=peer,
        interface=_interface(section, f"Peering {peer}"),
        prefix=section.network("prefix", None),
        provenance=section.choice("provenance", PROVENANCE, "representative"),
    )
    section.close()
    return entry


def _other_interface(section: Section) -> InterfaceEntry:
    reason = section.text("exempt_reason")
    entry = _interface(section, section.text("description", ""), reason)
    section.close()
    return entry
