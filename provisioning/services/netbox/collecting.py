"""What the rules take of a NetBox, and what that hangs on: nothing else is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from inventory.readers.netbox.bundle import Bundle, Object
from inventory.readers.netbox.not_in_file import inner
from inventory.readers.netbox.rules import Rules
from provisioning.pipeline.units import instant_text
from provisioning.services.netbox.asking import NetBox

_LESS = {"exclude": "config_context", "omit": "config_context"}
"""What takes NetBox longest to work out and is not read here, as releases before and since 4.5 are told to leave it out."""


def collect(netbox: NetBox, rules: Rules, *, now: datetime) -> Bundle:
    """Return the devices of the roles of the rules with their interfaces, addresses, modules and sites, the circuits and devices
    at the ends of their cables, and the tenants of the groups with their prefixes.

    ``now`` is when that is. Raises NetBoxFailed. A NetBox has no picture of one moment: what is edited while it is read may be
    seen half. Then an end of a link does not fit the other one, and the mapping says so.
    """
    version, taken_at = netbox.version(), instant_text(now)
    devices = netbox.all_of("dcim/devices/", role=sorted(rules.roles), **_LESS)
    keys = [each["id"] for each in devices]
    interfaces = netbox.by_key("dcim/interfaces/", "device_id", keys)
    tenants = netbox.all_of("tenancy/tenants/", group=sorted(rules.groups))
    there = set(keys)
    circuits = _nested(
        _listed(interfaces, "link_peers", "link_peers_type", "circuits.circuittermination"), "circuit"
    )
    ends = _nested(
        _listed(interfaces, "connected_endpoints", "connected_endpoints_type", "dcim.interface"), "device"
    )
    with_engines = bool(rules.engines or "engine" in rules.fields)
    lists = {
        "devices": devices,
        "interfaces": interfaces,
        "sites": netbox.by_key("dcim/sites/", "id", _nested(devices, "site")),
        "modules": netbox.by_key("dcim/modules/", "device_id", keys) if with_engines else (),
        "module_bays": netbox.by_key("dcim/module-bays/", "device_id", keys) if with_engines else (),
        "circuits": netbox.by_key("circuits/circuits/", "id", circuits),
        "tenants": tenants,
        "prefixes": netbox.by_key("ipam/prefixes/", "tenant_id", [each["id"] for each in tenants]),
        "ip_addresses": netbox.by_key("ipam/ip-addresses/", "device_id", keys),
    }
    others = netbox.by_key("dcim/devices/", "id", [key for key in ends if key not in there], **_LESS)
    return Bundle(netbox.url, version, taken_at, lists, others)


def _nested(objects: Iterable[Object], name: str) -> list[int]:
    """The ids of the objects nested in a field."""
    found = (inner(each, name).get("id") for each in objects)
    return [key for key in found if isinstance(key, int)]


def _listed(objects: Iterable[Object], name: str, type_name: str, kind: str) -> list[Object]:
    """The objects in a list that is a field of others, where they are of a kind."""
    return [
        one
        for each in objects
        if each.get(type_name) == kind
        for one in each.get(name) or []
        if isinstance(one, dict)
    ]
