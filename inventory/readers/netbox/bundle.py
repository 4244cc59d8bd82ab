"""What was read of a NetBox: lists of objects as its API answers them, in one JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inventory.readers.errors import Gather, NetworkFileError

Object = dict[str, Any]

LISTS: Mapping[str, str] = {
    "devices": "dcim.device",
    "interfaces": "dcim.interface",
    "sites": "dcim.site",
    "modules": "dcim.module",
    "module_bays": "dcim.modulebay",
    "circuits": "circuits.circuit",
    "tenants": "tenancy.tenant",
    "prefixes": "ipam.prefix",
    "ip_addresses": "ipam.ipaddress",
}
"""The lists of a bundle, and what NetBox calls their objects."""

LARGEST_BUNDLE_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True)
class Bundle:
    """A part of a NetBox; `others` are devices that are no routers of ours and at the far end of one of their cables."""

    source: str
    version: str = ""
    taken_at: str = ""
    lists: Mapping[str, tuple[Object, ...]] = field(default_factory=dict)
    others: tuple[Object, ...] = ()

    def of(self, name: str) -> tuple[Object, ...]:
        """Return the objects of a list, by their ids."""
        return self.lists.get(name, ())

    def text(self) -> str:
        """Return the bundle as JSON, as `read_bundle` takes it."""
        made = {
            "netbox": self.version,
            "taken_at": self.taken_at,
            **{key: list(self.of(key)) for key in LISTS},
        }
        return json.dumps({**made, "others": list(self.others)}, ensure_ascii=False, indent=1) + "\n"


def read_bundle(raw: bytes, *, source: str) -> Bundle:
    """Return what is in a bundle; `source` is the name that errors carry.

    Raises NetworkFileError: too large, no JSON, a list that is none, an object without an id or with that of another.
    """
    if len(raw) > LARGEST_BUNDLE_BYTES:
        raise NetworkFileError(source, "", f"is larger than {LARGEST_BUNDLE_BYTES} bytes")
    try:
        plain = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise NetworkFileError(source, "", f"is no JSON: {str(error)[:120]}") from error
    if not isinstance(plain, dict):
        raise NetworkFileError(source, "", "must be an object with the lists of a NetBox")
    gather = Gather()
    for key in plain.keys() - {"netbox", "taken_at", "others", *LISTS}:
        gather(_fail, source, key, "is not a known list here")
    lists = {key: gather(checked, source, key, plain.get(key, [])) for key in LISTS}
    others = gather(checked, source, "others", plain.get("others", []))
    gather.end()
    return Bundle(source, str(plain.get("netbox", "")), str(plain.get("taken_at", "")), lists, others)


def checked(source: str, name: str, found: object) -> tuple[Object, ...]:
    """Return the objects of a list in the order of their ids. Raises NetworkFileError where it is no such list."""
    if not isinstance(found, list):
        _fail(source, name, "must be a list")
    gather = Gather()
    by_id: dict[int, Object] = {}
    for index, each in enumerate(found):
        key = each.get("id") if isinstance(each, dict) else None
        if isinstance(key, bool) or not isinstance(key, int):
            gather(_fail, source, f"{name}[{index}]", "must be an object with an id")
        elif key in by_id:
            gather(_fail, source, f"{name}[{index}].id", f"{key} is there twice")
        else:
            by_id[key] = each
    gather.end()
    return tuple(by_id[key] for key in sorted(by_id))


def _fail(source: str, path: str, reason: str) -> None:
    raise NetworkFileError(source, path, reason)
