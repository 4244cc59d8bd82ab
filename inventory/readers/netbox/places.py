"""Sites, devices, modules, tenants and prefixes of a NetBox -> routers and NRENs of a network file."""

from __future__ import annotations

from collections import Counter, defaultdict
from ipaddress import ip_interface, ip_network
from typing import Any

from inventory.readers.netbox.bundle import Bundle, Object
from inventory.readers.netbox.not_in_file import (
    MISSHAPEN,
    OTHER_SHAPE,
    Customs,
    NotTaken,
    Remarks,
    id_of,
    inner,
    left_out,
    refuse_status,
    slug_of,
)
from inventory.readers.netbox.rules import Rules

Entry = dict[str, Any]


def routers_of(bundle: Bundle, rules: Rules, remarks: Remarks) -> dict[int, Entry]:
    """Return the routers by the ids of their devices."""
    sites = {each["id"]: each for each in bundle.of("sites")}
    engines = _engines(bundle, rules, remarks)
    found: dict[int, Entry] = {}
    for each in bundle.of("devices"):
        try:
            found[each["id"]] = _router(each, sites, rules, engines.get(each["id"], {}))
        except NotTaken as error:
            remarks.add("dcim.device", each, error)
        except MISSHAPEN:
            remarks.add("dcim.device", each, NotTaken(OTHER_SHAPE))
    seen = {slug_of(each, "role") for each in bundle.of("devices")}
    for role in rules.roles.keys() - seen:
        remarks.say("left out", "dcim.devicerole", 0, role, "", "no device has this role")
    counted = Counter(entry["name"].casefold() for entry in found.values())
    by_id = {each["id"]: each for each in bundle.of("devices")}
    for key, entry in list(found.items()):
        if counted[entry["name"].casefold()] > 1:
            remarks.add(
                "dcim.device", by_id[key], NotTaken("another device that is taken has this name", "name")
            )
            del found[key]
    return found


def _router(each: Object, sites: dict[int, Object], rules: Rules, engines: dict[int, str]) -> Entry:
    role = slug_of(each, "role")
    if role not in rules.roles:
        raise left_out(f"its role {role or 'is not given'} is no router's by the rules")
    refuse_status(each)
    if rules.tag and rules.tag not in {tag.get("slug") for tag in each.get("tags") or []}:
        raise left_out(f"it has not the tag {rules.tag}")
    if each.get("virtual_chassis"):
        raise NotTaken("a member of a virtual chassis is no router of its own", "virtual_chassis")
    if not each.get("name"):
        raise NotTaken("is not given", "name")
    site = sites.get(id_of(each, "site"))
    if site is None:
        raise NotTaken("is not among the sites that were read", "site")
    platform = slug_of(each, "platform")
    if platform not in rules.platforms:
        raise NotTaken(f"{platform or 'nothing'} is no platform by the rules", "platform")
    custom = Customs(rules.fields, each)
    entry: Entry = {
        "name": str(each["name"]).removesuffix(rules.suffix) if rules.suffix else str(each["name"]),
        "pop": str(site.get("name") or ""),
        "country": _country(site, rules),
        "platform": rules.platforms[platform],
        "roles": list(rules.roles[role]),
        "driver": rules.driver,
    }
    custom.into(entry, "ios", "driver")
    if "ios" not in entry:
        raise NotTaken("the release is not given", rules.fields.get("ios", "custom_fields"))
    if engines:
        entry["engines"] = engines
    if each.get("serial"):
        entry["serial"] = each["serial"]
    address = inner(each, "primary_ip").get("address")
    if rules.port is not None and address:
        reached = {
            "host": str(address).partition("/")[0],
            "port": rules.port,
            "ssh_profile": rules.ssh_profile,
        }
        entry["management"] = custom.into(reached, "host_key", "ssh_profile")
    return entry


def _country(site: Object, rules: Rules) -> str:
    said = Customs(rules.fields, site).get("country")
    by_region = rules.countries.get(slug_of(site, "region"))
    if said is not None and by_region is not None and said != by_region:
        raise NotTaken(f"the site {site.get('name')} says {said!r:.10}, its region is {by_region}", "site")
    if said is None and by_region is None:
        raise NotTaken(
            f"the country of the site {site.get('name')} is said neither by it nor by its region", "site"
        )
    return str(said or by_region)


def _engines(bundle: Bundle, rules: Rules, remarks: Remarks) -> dict[int, dict[int, str]]:
    """The forwarding engines by device and slot."""
    bays = {each["id"]: each for each in bundle.of("module_bays")}
    found: dict[int, dict[int, str]] = defaultdict(dict)
    for each in bundle.of("modules"):
        try:
            refuse_status(each)
            model = str(inner(each, "module_type").get("model") or "")
            engine = Customs(rules.fields, each).get("engine") or rules.engines.get(model)
            if engine is None:
                raise left_out(f"the module type {model} is no line card by the rules")
            bay = bays.get(id_of(each, "module_bay"), {})
            slot = str(bay.get("position") or "")
            if not (slot.isascii() and slot.isdecimal() and len(slot) < 3):
                raise NotTaken(f"the position of its bay is {slot or 'not given'}, and no slot", "module_bay")
            if int(slot) in found[id_of(each, "device")]:
                raise NotTaken(f"slot {slot} holds another module", "module_bay")
            found[id_of(each, "device")][int(slot)] = str(engine)
        except NotTaken as error:
            remarks.add("dcim.module", each, error)
        except MISSHAPEN:
            remarks.add("dcim.module", each, NotTaken(OTHER_SHAPE))
    return found


def nrens_of(bundle: Bundle, rules: Rules, remarks: Remarks) -> dict[int, Entry]:
    """Return the NRENs by the ids of their tenants, each with its prefixes."""
    found: dict[int, Entry] = {}
    for each in bundle.of("tenants"):
        group = slug_of(each, "group")
        country = None
        try:
            if group not in rules.groups:
                raise left_out(f"its group {group or 'is not given'} is no NREN's by the rules")
            country = Customs(rules.fields, each).get("country")
            if country is None:
                raise NotTaken("the country is not given", rules.fields.get("country", "custom_fields"))
        except NotTaken as error:
            remarks.add("tenancy.tenant", each, error)
            continue
        found[each["id"]] = {"name": str(each.get("name") or ""), "country": country, "prefixes": []}
    for each in bundle.of("prefixes"):
        try:
            _take_prefix(each, found, rules)
        except NotTaken as error:
            remarks.add("ipam.prefix", each, error)
        except MISSHAPEN:
            remarks.add("ipam.prefix", each, NotTaken(OTHER_SHAPE))
    for entry in found.values():
        entry["prefixes"] = [str(one) for one in _outermost(entry["prefixes"], remarks)]
    return found


def _take_prefix(each: Object, nrens: dict[int, Entry], rules: Rules) -> None:
    entry = nrens.get(id_of(each, "tenant"))
    if entry is None:
        raise left_out("its tenant is no NREN that is taken")
    refuse_status(each, "active", "container")
    if each.get("vrf"):
        raise left_out("it is of a VRF")
    role = slug_of(each, "role")
    if rules.prefix_roles and role not in rules.prefix_roles:
        raise left_out(f"its role {role or 'is not given'} is not one of the rules")
    try:
        network = ip_network(str(each.get("prefix")))
    except ValueError as error:
        raise NotTaken(f"is no network: {error}", "prefix") from error
    entry["prefixes"].append((network, each))


def _outermost(prefixes: list[Any], remarks: Remarks) -> list[Any]:
    """Those that lie in no other of the same NREN; a network file has nothing twice."""
    kept: list[Any] = []
    for network, each in sorted(
        prefixes, key=lambda pair: (pair[0].version, int(pair[0].network_address), pair[0].prefixlen)
    ):
        if kept and kept[-1].version == network.version and network.subnet_of(kept[-1]):
            remarks.add("ipam.prefix", each, left_out(f"it lies in {kept[-1]} of the same tenant"))
        else:
            kept.append(network)
    return kept


def link_networks(bundle: Bundle, remarks: Remarks) -> dict[int, dict[int, set[Any]]]:
    """Return the networks on each interface by its id and the version of IP."""
    found: dict[int, dict[int, set[Any]]] = defaultdict(lambda: defaultdict(set))
    for each in bundle.of("ip_addresses"):
        try:
            if each.get("assigned_object_type") != "dcim.interface":
                raise left_out("it is on no interface")
            refuse_status(each)
            if role := (each.get("role") or {}).get("value"):
                raise left_out(f"it is a {role} address")
            if each.get("vrf"):
                raise left_out("it is of a VRF")
            address = ip_interface(str(each.get("address")))
            if address.ip.is_link_local or address.network.prefixlen == address.max_prefixlen:
                raise left_out("it is of no network of a link")
            found[int(each.get("assigned_object_id") or 0)][address.version].add(address.network)
        except ValueError as error:
            remarks.add("ipam.ipaddress", each, NotTaken(f"is no address: {error}", "address"))
        except NotTaken as error:
            remarks.add("ipam.ipaddress", each, error)
        except MISSHAPEN:
            remarks.add("ipam.ipaddress", each, NotTaken(OTHER_SHAPE))
    return found


def one_network(found: dict[int, set[Any]], where: str) -> str | None:
    """Return the network of a link: its IPv6 network, else its IPv4 network. Raises NotTaken where one version has two."""
    for version in (6, 4):
        several = sorted(map(str, found.get(version, ())))
        if len(several) > 1:
            raise NotTaken(f"{where} is on {' and '.join(several)}", "ip_addresses")
        if several:
            return several[0]
    return None
