"""Interfaces of a NetBox and what is at the far end of their cables and circuits -> links of a network file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
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
    key_of,
    left_out,
    refuse_status,
    slug_of,
    value_of,
)
from inventory.readers.netbox.places import Entry, link_networks, one_network
from inventory.readers.netbox.rates import line_rate, refuse_kind
from inventory.readers.netbox.rules import Rules

_CIRCUIT = "circuits.circuittermination"
_INTERFACE = "dcim.interface"


@dataclass
class Links:
    """The entries of links, each with the interface that it was made of."""

    core: list[tuple[Entry, Object]] = field(default_factory=list)
    access: list[tuple[Entry, Object]] = field(default_factory=list)
    peerings: list[tuple[Entry, Object]] = field(default_factory=list)
    others: list[tuple[Entry, Object]] = field(default_factory=list)


class _Walk:
    def __init__(
        self,
        bundle: Bundle,
        rules: Rules,
        routers: dict[int, Entry],
        nrens: dict[int, Entry],
        remarks: Remarks,
    ) -> None:
        self.rules, self.routers, self.nrens, self.remarks = rules, routers, nrens, remarks
        self.interfaces = {each["id"]: each for each in bundle.of("interfaces")}
        self.circuits = {each["id"]: each for each in bundle.of("circuits")}
        self.devices = {each["id"]: each for each in (*bundle.of("devices"), *bundle.others)}
        self.networks = link_networks(bundle, remarks)
        self.by_slug = {str(each.get("slug")): each["id"] for each in bundle.of("tenants")}
        self.by_name = {str(each.get("name")): each["id"] for each in bundle.of("tenants")}
        self.inside: dict[int, list[Object]] = defaultdict(list)
        for each in self.interfaces.values():
            if parent := id_of(each, "parent"):
                self.inside[parent].append(each)
        self.found = Links()

    def walk(self) -> Links:
        for each in self.interfaces.values():
            try:
                self._take(each)
            except NotTaken as error:
                self.remarks.add(_INTERFACE, each, error)
            except MISSHAPEN:
                self.remarks.add(_INTERFACE, each, NotTaken(OTHER_SHAPE))
        return self.found

    def _take(self, each: Object) -> None:
        device = id_of(each, "device")
        if device not in self.routers:
            raise left_out("its device is no router that is taken")
        refuse_kind(each)
        named = Customs(self.rules.fields, each).get("nren")
        if value_of(each, "type") == "virtual":
            if named is None:
                raise left_out("it is virtual, and no field says whose link it is")
            return self._access(each, self._tenant(str(named)), None)
        if any(Customs(self.rules.fields, one).get("nren") is not None for one in self.inside[each["id"]]):
            raise left_out("its links are on the interfaces inside it")
        far, circuit = self._far(each), self._circuit(each)
        if far is not None and id_of(far, "device") in self.routers:
            return self._core(each, far, circuit)
        if circuit is not None and slug_of(circuit, "type") in self.rules.peering_types:
            return self._peering(each, circuit)
        tenant = self._whose(named, circuit, far)
        if tenant is not None:
            return self._access(each, tenant, circuit)
        return self._alone(each, far is not None or circuit is not None)

    def _far(self, each: Object) -> Object | None:
        """The interface at the far end of its cables and circuits, None where there is none."""
        ends = each.get("connected_endpoints") or []
        if each.get("connected_endpoints_type") != _INTERFACE or not ends:
            return None
        if len(ends) > 1:
            raise NotTaken(f"its cable ends on {len(ends)} interfaces", "connected_endpoints")
        if each.get("connected_endpoints_reachable") is False:
            raise left_out("a cable on its way is planned, or is taken away")
        end: Object = ends[0]
        return end

    def _circuit(self, each: Object) -> Object | None:
        peers = each.get("link_peers") or []
        if each.get("link_peers_type") != _CIRCUIT or not peers:
            return None
        if len(peers) > 1:
            raise NotTaken(f"its cable ends on {len(peers)} circuits", "link_peers")
        circuit = self.circuits.get(id_of(peers[0], "circuit"))
        if circuit is None:
            raise NotTaken("its circuit is not among those that were read", "link_peers")
        refuse_status(circuit)
        return circuit

    def _tenant(self, said: str) -> int:
        key = self.by_slug.get(said, self.by_name.get(said, 0))
        if key not in self.nrens:
            raise NotTaken(
                f"{said!r:.60} is no tenant that is taken", self.rules.fields.get("nren", "custom_fields")
            )
        return key

    def _whose(self, named: Any, circuit: Object | None, far: Object | None) -> int | None:
        """The NREN at the far end: who is named, whose circuit it is, whose device is there; those that say one say the same."""
        said = {}
        if named is not None:
            said["its field"] = self._tenant(str(named))
        if circuit is not None and (tenant := id_of(circuit, "tenant")) in self.nrens:
            said["its circuit"] = tenant
        device = {} if far is None else self.devices.get(id_of(far, "device"), {})
        if (tenant := id_of(device, "tenant")) in self.nrens:
            said["the device at its end"] = tenant
        if len(set(said.values())) > 1:
            told = ", ".join(f"{where} is {self.nrens[key]['name']}'s" for where, key in said.items())
            raise NotTaken(f"whose link it is is not certain: {told}", "tenant")
        return next(iter(said.values()), None)

    def _rates(self, each: Object, *more: Object) -> Entry:
        of = each
        if value_of(each, "type") == "virtual":
            parent = self.interfaces.get(id_of(each, "parent"))
            if parent is None and not each.get("speed"):
                raise NotTaken("a virtual interface has neither a parent nor a speed", "parent")
            of = parent if parent is not None and not each.get("speed") else each
        entry: Entry = {"capacity_bps": line_rate(of)}
        return Customs(self.rules.fields, each, *more).into(entry, "usable_bps", "bw_bps")

    def _on(self, each: Object) -> Entry:
        router = self.routers[id_of(each, "device")]
        entry = {"router": router["name"], "interface": str(each.get("name") or ""), **self._rates(each)}
        return Customs(self.rules.fields, each).into(entry, "pvc")

    def _access(self, each: Object, tenant: int, circuit: Object | None) -> None:
        custom = Customs(self.rules.fields, each, *([circuit] if circuit else []))
        entry = {"nren": self.nrens[tenant]["name"], **self._on(each), "standing": self.rules.standing}
        if self.rules.case:
            entry["case"] = self.rules.case
        custom.into(entry, "case", "standing", "standing_consent", "source_filter")
        if "case" not in entry:
            raise NotTaken(
                "who marks is said neither by a field nor by the rules",
                self.rules.fields.get("case", "custom_fields"),
            )
        self.found.access.append((self._placed(entry, self.networks[each["id"]], each), each))

    def _peering(self, each: Object, circuit: Object) -> None:
        peer = inner(circuit, "tenant").get("name") or inner(circuit, "provider").get("name") or ""
        entry = {"name": str(peer), **self._on(each)}
        self.found.peerings.append((self._placed(entry, self.networks[each["id"]], each), each))

    def _alone(self, each: Object, connected: bool) -> None:
        reason = Customs(self.rules.fields, each).get("exempt_reason")
        if reason is None:
            raise left_out(
                "what is at its end is neither a router that is taken nor an NREN's nor a peer's"
                if connected
                else "it has no cable"
            )
        entry = {**self._on(each), "exempt_reason": reason}
        if each.get("description"):
            entry["description"] = each["description"]
        self.found.others.append((entry, each))

    def _core(self, each: Object, far: Object, circuit: Object | None) -> None:
        z = self.interfaces.get(key_of(far))
        if z is None:
            raise NotTaken(
                "the interface at its end is not among those that were read", "connected_endpoints"
            )
        ends = sorted(
            (each, z),
            key=lambda one: (self.routers[id_of(one, "device")]["name"], str(one.get("name"))),
        )
        if each is not ends[0]:
            back = z.get("connected_endpoints") or []
            if [one.get("id") for one in back] != [each["id"]]:
                raise NotTaken(
                    "the interface at its end does not say that it ends here", "connected_endpoints"
                )
            refuse_kind(z)
            return  # the link is made of its other end
        if id_of(each, "device") == id_of(z, "device"):
            raise NotTaken("its cable ends on the same router", "connected_endpoints")
        refuse_kind(z)
        more = [circuit] if circuit else []
        rates = [self._rates(one) for one in ends]
        if rates[0] != rates[1]:
            raise NotTaken(f"its ends differ: {_said(rates[0])} and {_said(rates[1])}", "speed")
        entry: Entry = {
            key: [self.routers[id_of(one, "device")]["name"], str(one.get("name") or "")]
            for key, one in zip("az", ends, strict=True)
        }
        entry |= rates[0]
        Customs(self.rules.fields, *ends, *more).into(entry, "metric")
        both: dict[int, set[Any]] = {}
        for version in (6, 4):
            one, other = (self.networks[end["id"]][version] for end in ends)
            if one and other and one.isdisjoint(other):
                raise NotTaken(f"its ends are on {_listed(one)} and {_listed(other)}", "ip_addresses")
            both[version] = (one & other) or (one | other)
        self.found.core.append((self._placed(entry, both, each), each))

    def _placed(self, entry: Entry, networks: dict[int, set[Any]], each: Object) -> Entry:
        prefix = one_network(networks, str(each.get("name")))
        if prefix is not None:
            entry["prefix"] = prefix
        return entry


def links_of(
    bundle: Bundle, rules: Rules, routers: dict[int, Entry], nrens: dict[int, Entry], remarks: Remarks
) -> Links:
    """Return the links between the routers, to the NRENs and to peers, and interfaces that are exempt."""
    return _Walk(bundle, rules, routers, nrens, remarks).walk()


def _said(rates: Entry) -> str:
    return ", ".join(f"{name} {value}" for name, value in rates.items())


def _listed(networks: set[Any]) -> Iterator[str] | str:
    return " and ".join(sorted(map(str, networks)))
