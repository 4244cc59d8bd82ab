"""A bundle of a NetBox and rules -> a network file, and everything that is not in it with its reason."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

from inventory.readers.entries import NetworkFile
from inventory.readers.errors import NetworkFileError
from inventory.readers.netbox.bundle import Bundle, Object
from inventory.readers.netbox.links import links_of
from inventory.readers.netbox.not_in_file import NotInFile, Remarks, name_of
from inventory.readers.netbox.places import nrens_of, routers_of
from inventory.readers.netbox.rules import Rules
from inventory.readers.network_yaml import network_of

_ENTRY = re.compile(r"([a-z_]+)\[([0-9]+)\]\.?(.*)")


@dataclass(frozen=True)
class Mapped:
    """A network file of a NetBox: as plain values, as it was read back (None where anything is wrong), what is not in it."""

    plain: dict[str, Any]
    network: NetworkFile | None
    remarks: tuple[NotInFile, ...]

    @property
    def wrong(self) -> tuple[NotInFile, ...]:
        """Return the objects that have to be mended, or the rules, before there is a file."""
        return tuple(each for each in self.remarks if each.outcome == "wrong")

    def text(self) -> str:
        """Return the network file, one entry a line."""
        lines = [f"domain: {_flow(self.plain['domain'])}"]
        for key, entries in self.plain.items():
            if key != "domain":
                lines += (
                    [f"{key}:", *(f"  - {_flow(entry)}" for entry in entries)] if entries else [f"{key}: []"]
                )
        return "\n".join(lines) + "\n"


def make_network(bundle: Bundle, rules: Rules) -> Mapped:
    """Return the network file that a bundle comes to by these rules, read back as the import reads it.

    An object is in the file, or there is a remark about it. Where a remark says that one is wrong there is no network.
    """
    remarks = Remarks()
    routers = routers_of(bundle, rules, remarks)
    nrens = nrens_of(bundle, rules, remarks)
    links = links_of(bundle, rules, routers, nrens, remarks)
    by_id = {name: {each["id"]: each for each in bundle.of(name)} for name in ("devices", "tenants")}
    made: dict[str, list[tuple[dict[str, Any], str, Object]]] = {
        "routers": [(entry, "dcim.device", by_id["devices"][key]) for key, entry in routers.items()],
        "nrens": [(entry, "tenancy.tenant", by_id["tenants"][key]) for key, entry in nrens.items()],
        "core_links": [(entry, "dcim.interface", each) for entry, each in links.core],
        "access_links": [(entry, "dcim.interface", each) for entry, each in links.access],
        "peerings": [(entry, "dcim.interface", each) for entry, each in links.peerings],
        "interfaces": [(entry, "dcim.interface", each) for entry, each in links.others],
    }
    for entries in made.values():
        entries.sort(key=lambda one: _order(one[0]))
    plain = {
        "domain": rules.domain,
        **{key: [entry for entry, _, _ in entries] for key, entries in made.items()},
    }
    network = None
    try:
        network = network_of(plain, source=bundle.source)
    except NetworkFileError as error:
        for fault in error.faults:
            _blame(fault, made, remarks)
    mapped = Mapped(plain, network, remarks.all())
    return Mapped(plain, None, mapped.remarks) if mapped.wrong else mapped


def _order(entry: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(entry.get(key, "")) for key in ("name", "nren", "a", "z", "router", "interface"))


def _blame(
    fault: NetworkFileError, made: dict[str, list[tuple[dict[str, Any], str, Object]]], remarks: Remarks
) -> None:
    """A fault of the file is one of the object that the entry was made of."""
    where = _ENTRY.match(fault.path)
    entries = made.get(where[1], []) if where else []
    if where is None or int(where[2]) >= len(entries):
        remarks.say("wrong", "network file", 0, fault.path, "", fault.reason)
        return
    _, kind, each = entries[int(where[2])]
    reason = _ENTRY_IN_TEXT.sub(lambda found: _named(found, made), fault.reason)
    remarks.say("wrong", kind, each["id"], name_of(each), where[3], reason)


_ENTRY_IN_TEXT = re.compile(r"\b([a-z_]+)\[([0-9]+)\](?:\.[a-z_]+(?:\[[0-9]+\])?)?")


def _named(found: re.Match[str], made: dict[str, list[tuple[dict[str, Any], str, Object]]]) -> str:
    entries = made.get(found[1], [])
    if int(found[2]) >= len(entries):
        return found[0]
    _, kind, each = entries[int(found[2])]
    return f"{kind} {each['id']} {name_of(each)}"


def _flow(entry: dict[str, Any]) -> str:
    return yaml.safe_dump(
        entry, default_flow_style=True, allow_unicode=True, width=10**9, sort_keys=False
    ).strip()
