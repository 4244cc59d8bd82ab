"""A practice NetBox: objects as NetBox 4.7 answers them, behind an HTTP server whose every answer is held against its schema."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from jsonschema import Draft202012Validator

Object = dict[str, Any]
TOKEN = "nbt_practice.0123456789"
PATHS = {
    "devices": ("dcim/devices/", "Device"),
    "interfaces": ("dcim/interfaces/", "Interface"),
    "sites": ("dcim/sites/", "Site"),
    "modules": ("dcim/modules/", "Module"),
    "module_bays": ("dcim/module-bays/", "ModuleBay"),
    "circuits": ("circuits/circuits/", "Circuit"),
    "tenants": ("tenancy/tenants/", "Tenant"),
    "prefixes": ("ipam/prefixes/", "Prefix"),
    "ip_addresses": ("ipam/ip-addresses/", "IPAddress"),
}


@cache
def _schema() -> Object:
    read: Object = json.loads((Path(__file__).parent / "netbox-4.7.3.json").read_text())
    return read


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({**_schema(), "$ref": f"#/components/schemas/{name}"})


def interface_type(value: str) -> Object:
    """A type of interface as it is answered: with the label that the schema has for it."""
    said = _schema()["components"]["schemas"]["Interface"]["properties"]["type"]["properties"]
    return choice(value, said["label"]["enum"][said["value"]["enum"].index(value)])


def brief(kind: str, key: int, display: str, **more: Any) -> Object:
    return {"id": key, "url": f"http://netbox/api/{kind}/{key}/", "display": display, **more}


def named(kind: str, key: int, name: str, slug: str, **more: Any) -> Object:
    return brief(kind, key, name, name=name, slug=slug, **more)


def choice(value: str, label: str) -> Object:
    return {"value": value, "label": label}


ACTIVE = choice("active", "Active")
GROUP = named("tenancy/tenant-groups", 1, "NRENs", "nrens", _depth=0, tenant_count=2)
ROLES = {
    "core": named("dcim/device-roles", 1, "Core", "core", _depth=0, device_count=2, virtualmachine_count=0),
    "cpe": named("dcim/device-roles", 2, "CPE", "cpe", _depth=0, device_count=1, virtualmachine_count=0),
}
PLATFORMS = {
    slug: named("dcim/platforms", key, slug, slug, _depth=0, device_count=1, virtualmachine_count=0)
    for key, slug in ((1, "gsr"), (2, "vxr"))
}
REGIONS = {
    slug: named("dcim/regions", key, slug, slug, _depth=0, site_count=1)
    for key, slug in ((1, "norway"), (2, "britain"))
}


class Practice:
    """The objects, by list; `add_*` make them in the shape of the schema."""

    def __init__(self) -> None:
        self.lists: dict[str, list[Object]] = {name: [] for name in PATHS}
        self.devices: dict[str, Object] = {}
        self.ports: dict[str, Object] = {}
        self.tenants: dict[str, Object] = {}
        self.sites: dict[str, Object] = {}

    def _add(self, name: str, each: Object) -> Object:
        self.lists[name].append(each)
        return each

    def site(self, name: str, region: str) -> Object:
        key = len(self.sites) + 1
        made = named(
            "dcim/sites", key, name, name.lower(), status=ACTIVE, region=REGIONS[region], custom_fields={}
        )
        made |= {
            f"{what}_count": 0 for what in ("circuit", "device", "prefix", "rack", "virtualmachine", "vlan")
        }
        self.sites[name] = self._add("sites", made)
        return made

    def device(self, name: str, site: str, role: str, platform: str | None, **more: Any) -> Object:
        key = len(self.devices) + 1
        at = self.sites[site]
        made = brief(
            "dcim/devices", key, name, name=name, role=ROLES[role], tenant=None, serial="",
            platform=PLATFORMS[platform] if platform else None,
            site={field: at[field] for field in ("id", "url", "display", "name", "slug")},
            status=ACTIVE, primary_ip=None, virtual_chassis=None, tags=[], custom_fields={},
        ) | more  # fmt: skip
        self.devices[name] = self._add("devices", made)
        return made

    def tenant(self, name: str, country: str, *prefixes: str) -> Object:
        key = len(self.tenants) + 1
        made = named(
            "tenancy/tenants",
            key,
            name,
            name.lower(),
            group=GROUP,
            tags=[],
            custom_fields={"country": country},
        )
        self.tenants[name] = self._add("tenants", made)
        for prefix in prefixes:
            self.prefix(prefix, name)
        return made

    def prefix(self, prefix: str, tenant: str, **more: Any) -> Object:
        key = len(self.lists["prefixes"]) + 1
        made = brief(
            "ipam/prefixes", key, prefix, prefix=prefix, vrf=None, tenant=self.short(tenant), status=ACTIVE
        )
        return self._add("prefixes", made | {"role": None, "custom_fields": {}, **more})

    def short(self, tenant: str) -> Object:
        of = self.tenants[tenant]
        return {field: of[field] for field in ("id", "url", "display", "name", "slug")}

    def port(self, device: str, name: str, kind: str, *addresses: str, **more: Any) -> Object:
        key = len(self.ports) + 1
        of = self.devices[device]
        made = brief(
            "dcim/interfaces", key, name, name=name, type=interface_type(kind), enabled=True, parent=None, lag=None, speed=None,
            device={field: of[field] for field in ("id", "url", "display", "name")},
            mgmt_only=False, description="", mark_connected=False, cable=None, link_peers=[], link_peers_type=None,
            connected_endpoints=None, connected_endpoints_type=None, connected_endpoints_reachable=False, tags=[],
            custom_fields={},
        ) | more  # fmt: skip
        self.ports[f"{device}:{name}"] = self._add("interfaces", made)
        for address in addresses:
            self.address(made, address)
        return made

    def address(self, port: Object, address: str, **more: Any) -> Object:
        key = len(self.lists["ip_addresses"]) + 1
        made = brief("ipam/ip-addresses", key, address, address=address, vrf=None, status=ACTIVE)
        made |= {
            "assigned_object_type": "dcim.interface",
            "assigned_object_id": port["id"],
            "custom_fields": {},
        }
        return self._add("ip_addresses", made | more)

    def cable(self, one: str, other: str) -> None:
        for near, far in ((one, other), (other, one)):
            end = {field: self.ports[far][field] for field in ("id", "url", "display", "name", "device")}
            self.ports[near] |= {
                "connected_endpoints": [end], "connected_endpoints_type": "dcim.interface", "connected_endpoints_reachable": True,
                "link_peers": [end], "link_peers_type": "dcim.interface",
            }  # fmt: skip

    def circuit(self, cid: str, kind: str, tenant: str | None, *ends: str) -> Object:
        key = len(self.lists["circuits"]) + 1
        provider = named("circuits/providers", 1, "Carrier", "carrier", circuit_count=1)
        made = brief(
            "circuits/circuits",
            key,
            cid,
            cid=cid,
            provider=provider,
            status=ACTIVE,
            tags=[],
            custom_fields={},
        )
        made |= {
            "type": named("circuits/circuit-types", 1, kind, kind, circuit_count=1),
            "tenant": self.short(tenant) if tenant else None,
        }
        if len(ends) == 2:
            self.cable(*ends)
        for side, end in zip("AZ", ends, strict=False):
            circuit = {field: made[field] for field in ("id", "url", "display", "cid", "provider")}
            peer = brief("circuits/circuit-terminations", key * 2, cid, circuit=circuit, term_side=side)
            self.ports[end] |= {"link_peers": [peer], "link_peers_type": "circuits.circuittermination"}
        return self._add("circuits", made)

    def card(self, device: str, slot: str, model: str) -> None:
        of = {field: self.devices[device][field] for field in ("id", "url", "display", "name")}
        key = len(self.lists["modules"]) + 1
        name = f"Slot {slot}"
        bay = brief("dcim/module-bays", key, name, device=of, name=name, position=slot, custom_fields={})
        short = brief("dcim/module-bays", key, name, name=name)
        maker = named("dcim/manufacturers", 1, "Cisco", "cisco", devicetype_count=1)
        kind = brief("dcim/module-types", 1, model, model=model, manufacturer=maker, module_count=1)
        module = brief(
            "dcim/modules", key, model, device=of, module_bay=short, module_type=kind, status=ACTIVE
        )
        self._add("module_bays", bay)
        self._add("modules", module | {"custom_fields": {}})


def practice() -> Practice:
    """What comes to the network `tests.inventory.conftest.SMALL`, but for its interface that is exempt."""
    of = Practice()
    of.site("Alpha", "norway")
    of.site("Beta", "britain")
    of.tenant("North", "no", "2001:db8:8000::/48")
    of.tenant("South", "uk", "2001:db8:9000::/48", "192.0.2.0/24")
    of.device("aa1.example.net", "Alpha", "core", "gsr", custom_fields={"release": "12.0(28)S"})
    of.device("bb1.example.net", "Beta", "core", "vxr", custom_fields={"release": "12.3(14)T"})
    of.device("south-cpe", "Beta", "cpe", None, tenant=of.short("South"))
    of.card("aa1.example.net", "1", "4OC3X/POS")
    of.card("aa1.example.net", "2", "OC12/4+")
    of.port("aa1.example.net", "POS1/0", "sonet-oc3", "2001:db8:1::1/64", "fe80::1/64")
    of.port("aa1.example.net", "POS1/1", "sonet-oc3")
    of.port("aa1.example.net", "POS2/0", "sonet-oc3", "2001:db8:0:1::1/64", speed=155520)
    of.port("bb1.example.net", "POS1/0", "sonet-oc3", "2001:db8:0:1::2/64")
    of.port(
        "bb1.example.net", "GigabitEthernet2/0", "1000base-x-sfp", "2001:db8:2::1/64",
        custom_fields={"who_marks": {"value": "non-participant", "label": "No"}, "usable": 850_000_000},
    )  # fmt: skip
    of.port("bb1.example.net", "FastEthernet0/0", "100base-tx", mgmt_only=True)
    of.port("south-cpe", "ge0", "1000base-x-sfp")
    of.circuit("C-1", "lease", "North", "aa1.example.net:POS1/0")
    of.circuit("C-2", "lease", None, "aa1.example.net:POS2/0", "bb1.example.net:POS1/0")
    of.circuit("C-3", "transit", None, "aa1.example.net:POS1/1")
    of.cable("bb1.example.net:GigabitEthernet2/0", "south-cpe:ge0")
    return of


class _Answers(BaseHTTPRequestHandler):
    practice: Practice
    seen: list[str]
    once: list[tuple[int, dict[str, str]]]
    largest: int

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        asked = parse_qs(parts.query)
        type(self).seen.append(self.path)
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            return self._say(403, {"detail": "Invalid token"})
        if self.once:
            status, headers = self.once.pop(0)
            return self._say(status, {"detail": "Later"}, headers)
        if parts.path == "/api/status/":
            return self._say(200, {"netbox-version": "4.7.3"})
        for name, (path, kind) in PATHS.items():
            if parts.path == f"/api/{path}":
                return self._say(200, self._page(name, kind, asked))
        return self._say(404, {"detail": "Not found."})

    def _page(self, name: str, kind: str, asked: dict[str, list[str]]) -> Object:
        rows = self.practice.lists[name]
        for key, read in (
            ("id", lambda each: each["id"]), ("role", lambda each: each["role"]["slug"]),
            ("group", lambda each: each["group"]["slug"]),
            ("tenant_id", lambda each: each["tenant"]["id"]),
            ("device_id", lambda each: self._device(each)),
        ):  # fmt: skip
            if key in asked:
                rows = [each for each in rows if str(read(each)) in asked[key]]
        after = int(asked.get("id__gt", ["0"])[0])
        rows = sorted((each for each in rows if each["id"] > after), key=lambda each: each["id"])
        limit = min(int(asked["limit"][0]), self.largest)
        more = f"http://elsewhere.invalid/api/?limit={limit}" if len(rows) > limit else None
        page = {"count": len(rows), "next": more, "previous": None, "results": rows[:limit]}
        _validator(f"Paginated{kind}List").validate(page)
        return page

    def _device(self, each: Object) -> int:
        if "assigned_object_id" in each:
            ports = {port["id"]: port for port in self.practice.lists["interfaces"]}
            return int(ports[each["assigned_object_id"]]["device"]["id"])
        return int(each["device"]["id"])

    def _say(self, status: int, body: Object, headers: dict[str, str] | None = None) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(raw)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_words: object) -> None:
        """Nothing: a test reads `seen`."""


@contextmanager
def serving(of: Practice, *, largest: int = 1000) -> Iterator[tuple[str, type[_Answers]]]:
    """The address of a server that answers for `of`, at most `largest` objects a page, and its handler."""
    handler = type("Answers", (_Answers,), {"practice": of, "seen": [], "once": [], "largest": largest})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", handler
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
