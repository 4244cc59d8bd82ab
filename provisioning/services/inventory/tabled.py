"""One section of the network as a table: what is there as entries, and a table as a network file that says no more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from inventory.models import AccessLink, CoreLink, Domain, Interface, Nren, Peering, Router
from inventory.readers.entries import NetworkFile
from inventory.readers.errors import NetworkFileError
from inventory.readers.network_yaml import network_of
from inventory.readers.tables import Entry, Table


def network_with_rows(domain: Domain, table: Table) -> NetworkFile:
    """Return a network file of the domain with these entries, and of what is there those routers and NRENs that they name.

    Raises NetworkFileError with everything that is wrong, each with the line and column of the table.
    """
    names = {
        str(name)
        for entry in table.entries
        for name in (entry.get("router"), *(entry[end][0] for end in ("a", "z") if end in entry))
        if name
    }
    nrens = {str(entry["nren"]) for entry in table.entries if "nren" in entry}
    plain: dict[str, Any] = {
        "domain": domain_entry(domain),
        "routers": [each for each in entries_of("routers", domain) if each["name"] in names],
        "nrens": [each for each in entries_of("nrens", domain) if each["name"] in nrens],
        "access_links": [],
    }
    plain[table.section] = list(table.entries)
    try:
        return network_of(plain, source=table.source)
    except NetworkFileError as error:
        raise table.placed(error) from error


def domain_entry(domain: Domain) -> Entry:
    """Return a domain as a network file says it."""
    fields = ("name", "asn", "scheme", "classes", "caps", "policer", "options")
    return {"prefix": str(domain.prefix), **{name: getattr(domain, name) for name in fields}}


def entries_of(section: str, domain: Domain) -> list[Entry]:
    """Return what is in use of a section, as a network file says it; sign-ins are in none."""
    return list(_OF[section](domain))


def _routers(domain: Domain) -> Iterable[Entry]:
    rows = Router.objects.filter(domain=domain).select_related("pop").prefetch_related("line_cards")
    for each in rows.order_by("name"):
        entry: Entry = {
            "name": each.name, "pop": each.pop.name, "country": each.pop.country, "platform": each.platform, "ios": each.ios,
            "roles": each.roles, "driver": each.driver, "provenance": each.provenance,
        }  # fmt: skip
        if cards := {card.slot: card.engine for card in each.line_cards.all()}:
            entry["engines"] = cards
        if each.serial:
            entry["serial"] = each.serial
        if each.management_host:
            entry["management"] = {
                "host": each.management_host, "port": each.management_port, "ssh_profile": each.ssh_profile,
                **({"host_key": each.host_key} if each.host_key else {}),
            }  # fmt: skip
        yield entry


def _nrens(domain: Domain) -> Iterable[Entry]:
    for each in Nren.objects.filter(domain=domain).prefetch_related("prefixes").order_by("name"):
        prefixes = [str(prefix.network) for prefix in each.prefixes.all()]
        yield {
            "name": each.name,
            "country": each.country,
            "prefixes": prefixes,
            "provenance": each.provenance,
        }


def _rates(end: Interface) -> Entry:
    return {"capacity_bps": end.line_rate_bps, "bw_bps": end.bw_bps, "usable_bps": end.usable_bps}


def _on(end: Interface) -> Entry:
    return {
        "router": end.router.name,
        "interface": end.name,
        **_rates(end),
        **({"pvc": end.pvc} if end.pvc else {}),
    }


def _prefix(link: AccessLink | CoreLink | Peering) -> Entry:
    return {} if link.prefix is None else {"prefix": str(link.prefix)}


def _core_links(domain: Domain) -> Iterable[Entry]:
    rows = CoreLink.objects.filter(domain=domain).select_related("a_interface__router", "z_interface__router")
    for each in rows.order_by("name"):
        a, z = each.a_interface, each.z_interface
        yield {
            "a": [a.router.name, a.name], "z": [z.router.name, z.name], **_rates(a), "metric": each.metric, "down": each.down,
            **_prefix(each), "provenance": each.provenance,
        }  # fmt: skip


def _access_links(domain: Domain) -> Iterable[Entry]:
    """Without neighbouring domains: their DSCPs stand in no table."""
    rows = AccessLink.objects.filter(nren__domain=domain, agreement="").select_related(
        "nren", "interface__router"
    )
    for each in rows.order_by("name"):
        entry = {
            "nren": each.nren.name, **_on(each.interface), "case": each.case, "standing": each.standing,
            "standing_consent": each.standing_consent, **_prefix(each), "provenance": each.provenance,
        }  # fmt: skip
        yield entry | ({"source_filter": each.source_filter} if each.source_filter else {})


def _peerings(domain: Domain) -> Iterable[Entry]:
    for each in Peering.objects.filter(domain=domain).select_related("interface__router").order_by("name"):
        yield {"name": each.peer, **_on(each.interface), **_prefix(each)}


def _interfaces(domain: Domain) -> Iterable[Entry]:
    rows = Interface.objects.filter(router__domain=domain).exclude(exempt_reason="").select_related("router")
    for each in rows.order_by("router__name", "name"):
        entry = {**_on(each), "exempt_reason": each.exempt_reason}
        yield entry | ({"description": each.description} if each.description else {})


_OF = {
    "routers": _routers,
    "nrens": _nrens,
    "core_links": _core_links,
    "access_links": _access_links,
    "peerings": _peerings,
    "interfaces": _interfaces,
}
