"""A network file in YAML (``inventory/networks/6net.yaml`` is the format) -> `NetworkFile`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from ipaddress import IPv6Network
from pathlib import Path
from typing import Any

from inventory.readers import reading
from inventory.readers.consistency import faults_of
from inventory.readers.entries import DomainEntry, NetworkFile
from inventory.readers.errors import Gather, NetworkFileError, with_lines
from inventory.readers.section import Section
from inventory.readers.yaml_text import Plain, parse_yaml, read_yaml


def read_network(path: Path) -> NetworkFile:
    """Return the network described by the file at `path`.

    Raises:
        NetworkFileError: with file, path inside it, line and reason (SeveralFaults: all of them); nothing else comes out of a
            bad file.
    """
    lines: dict[str, int] = {}
    return _placed(str(path), read_yaml(path, lines), lines)


def read_network_text(raw: bytes, *, source: str) -> NetworkFile:
    """Return the network described by YAML text; `source` is the name that errors carry.

    Raises NetworkFileError.
    """
    lines: dict[str, int] = {}
    return _placed(source, parse_yaml(raw, source=source, lines=lines), lines)


def network_of(plain: Plain, *, source: str) -> NetworkFile:
    """Return the network described by plain values, as `read_network_text` does. Raises NetworkFileError."""
    return _network(source, plain)


def _placed(source: str, plain: Plain, lines: Mapping[str, int]) -> NetworkFile:
    try:
        return _network(source, plain)
    except NetworkFileError as error:
        raise with_lines(error, lines) from error


def _network(source: str, plain: Plain) -> NetworkFile:
    root = Section(source, "", plain)
    gather = Gather()
    domain = gather(lambda: reading.read_domain(Section(source, "domain", root.take("domain"))))
    parts = {
        key: _Part(gather, root, key, read, optional)
        for key, read, optional in (
            ("routers", reading.read_router, False),
            ("nrens", reading.read_nren, False),
            ("access_links", reading.read_access_link, False),
            ("core_links", reading.read_core_link, True),
            ("peerings", reading.read_peering, True),
            ("interfaces", reading.read_other_interface, True),
        )
    }
    gather(root.close)
    network = NetworkFile(
        source=source,
        domain=domain or DomainEntry("", 0, IPv6Network("::/128"), "", (), (), "cap"),
        routers=parts["routers"].entries,
        nrens=parts["nrens"].entries,
        access_links=parts["access_links"].entries,
        core_links=parts["core_links"].entries,
        peerings=parts["peerings"].entries,
        other_interfaces=parts["interfaces"].entries,
    )
    unread = [name for part in parts.values() for name in part.unread]
    gather.found += [_replaced(fault, parts) for fault in faults_of(network, unread)]
    gather.end()
    return network


class _Part:
    """A list of a file, read as far as it can be: its `entries`, in `places` where each of them stands, and the names of those
    that cannot be read.
    """

    def __init__(
        self, gather: Gather, root: Section, key: str, read: Callable[[Section], Any], optional: bool
    ) -> None:
        read_entries, self.places, self.unread = [], [], []
        for index, value in enumerate(gather(root.items, key, *([[]] if optional else [])) or []):
            before = len(gather.found)
            entry = gather(lambda at=index, one=value: read(Section(root.file, f"{root.at(key)}[{at}]", one)))
            if len(gather.found) == before:
                read_entries.append(entry)
                self.places.append(index)
            elif isinstance(value, dict) and isinstance(value.get("name"), str):
                self.unread.append(value["name"])
        self.entries = tuple(read_entries)


_PLACE = re.compile(r"\b(routers|nrens|access_links|core_links|peerings|interfaces)\[([0-9]+)\]")


def _replaced(fault: NetworkFileError, parts: Mapping[str, _Part]) -> NetworkFileError:
    """A fault between entries, with their places in the file: those that cannot be read stand there, too."""
    if all(part.places == list(range(len(part.places))) for part in parts.values()):
        return fault

    def placed(found: re.Match[str]) -> str:
        places = parts[found[1]].places
        index = int(found[2])
        return f"{found[1]}[{places[index] if index < len(places) else index}]"

    return NetworkFileError(fault.file, _PLACE.sub(placed, fault.path), _PLACE.sub(placed, fault.reason))
