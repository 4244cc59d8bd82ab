"""RouterSpec: what one practice router is, read from JSON and checked before anything listens."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv6Interface

from lab.errors import SpecError
from lab.names import CREATABLE_TYPES, interface_name, parent_of
from lab.release import Release
from lab.trains import Train

SSH_PROFILES = ("legacy", "modern")
ENGINES = ("0", "1", "2", "3", "4", "4+", "5", "5+", "6")


@dataclass(frozen=True)
class InterfaceSpec:
    """One interface: rates in kbit/s; ``pvc`` is ``vpi/vci``; without ``pvc_rate_kbit`` the PVC is UBR."""

    name: str
    bandwidth_kbit: int
    description: str = ""
    ipv6: str = ""
    shutdown: bool = False
    pvc: str | None = None
    pvc_rate_kbit: int | None = None

    @classmethod
    def from_dict(cls, where: str, data: Mapping[str, object]) -> InterfaceSpec:
        """Read one interface; raises SpecError naming the field."""
        _known(where, data, set(cls.__dataclass_fields__))
        name = interface_name(_text(where, data, "name"))
        if name is None:
            raise SpecError(f"{where}.name", f"{data['name']!r} is not an interface name")
        ipv6 = str(data.get("ipv6") or "")
        if ipv6:
            try:
                IPv6Interface(ipv6)
            except ValueError as error:
                raise SpecError(f"{where}.ipv6", str(error)) from error
        pvc = data.get("pvc")
        if pvc is not None and not re.fullmatch(r"\d+/\d+", str(pvc)):
            raise SpecError(f"{where}.pvc", f"{pvc!r} is not vpi/vci")
        rate = data.get("pvc_rate_kbit")
        return cls(
            name=name,
            bandwidth_kbit=_positive(where, data, "bandwidth_kbit"),
            description=str(data.get("description") or ""),
            ipv6=ipv6,
            shutdown=bool(data.get("shutdown", False)),
            pvc=None if pvc is None else str(pvc),
            pvc_rate_kbit=None if rate is None else _positive(where, data, "pvc_rate_kbit"),
        )


@dataclass(frozen=True)
class RouterSpec:
    """One router, complete; ``train`` is derived from platform, release and switches.

    With ``running_config``, as another router showed it, its interfaces are those of that text, and their rates those of
    ``bandwidths`` (interface: kbit/s, as shown there).
    """

    name: str
    platform: str
    release: Release
    train: Train
    interfaces: tuple[InterfaceSpec, ...]
    engines: Mapping[int, str]
    serial: str
    username: str
    password: str
    enable: str
    privilege: int
    port: int
    ssh_profile: str
    startup_config: str | None
    running_config: str | None
    faults: tuple[Mapping[str, object], ...]

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> RouterSpec:
        """Read one router; raises SpecError naming the field and the reason."""
        allowed = (set(cls.__dataclass_fields__) - {"release", "train"}) | {"ios", "switches", "bandwidths"}
        name = _text("router", data, "name")
        _known(name, data, allowed)
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]{0,62}", name):
            raise SpecError("router.name", f"{name!r} is not a host name")
        release = Release.parse(_text(name, data, "ios"))
        switches = data.get("switches") or {}
        if not isinstance(switches, Mapping):
            raise SpecError(f"{name}.switches", "must be an object")
        platform = _text(name, data, "platform")
        profile = str(data.get("ssh_profile") or "modern")
        if profile not in SSH_PROFILES:
            raise SpecError(f"{name}.ssh_profile", f"{profile!r} is none of {', '.join(SSH_PROFILES)}")
        startup = data.get("startup_config")
        running = data.get("running_config")
        given = _interfaces(name, data.get("interfaces") or [])
        return cls(
            name=name,
            platform=platform,
            release=release,
            train=Train.of(platform, release, switches),
            interfaces=given
            if running is None
            else as_read(name, str(running), data.get("bandwidths") or {}),
            engines=_engines(name, data.get("engines") or {}),
            serial=str(data.get("serial") or _serial(name)),
            username=str(data.get("username") or "noc"),
            password=str(data.get("password") or "noc"),
            enable=str(data.get("enable") or ""),
            privilege=15 if data.get("privilege") == 15 else 1,
            port=int(str(data.get("port") or 0)),
            ssh_profile=profile,
            startup_config=None if startup is None else str(startup),
            running_config=None if running is None else str(running),
            faults=tuple(_mappings(f"{name}.faults", data.get("faults") or [])),
        )


def read_specs(document: object) -> list[RouterSpec]:
    """All routers of ``{"routers": [...]}``; raises SpecError, also when two share a name."""
    if not isinstance(document, Mapping) or not isinstance(document.get("routers"), list):
        raise SpecError("routers", "the document must be an object with a list of routers")
    specs = [RouterSpec.from_dict(item) for item in _mappings("routers", document["routers"])]
    names = [spec.name for spec in specs]
    for name in names:
        if names.count(name) > 1:
            raise SpecError("routers", f"two routers are called {name}")
    return specs


def _interfaces(name: str, items: object) -> tuple[InterfaceSpec, ...]:
    rows = [
        InterfaceSpec.from_dict(f"{name}.interfaces[{index}]", item)
        for index, item in enumerate(_mappings(f"{name}.interfaces", items))
    ]
    seen: set[str] = set()
    for row in rows:
        if row.name in seen:
            raise SpecError(f"{name}.interfaces", f"{row.name} is listed twice")
        seen.add(row.name)
    return tuple(rows)


_NOMINAL_KBIT = {"POS": 155_000, "ATM": 149_760, "TenGigabitEthernet": 10_000_000, "GigabitEthernet": 1_000_000,
                 "FastEthernet": 100_000, "Ethernet": 10_000, "Serial": 1_544, "Hssi": 45_045}  # fmt: skip
"""What an interface has of which no rate is given; none that a policy is on should be among them."""


def as_read(name: str, text: str, bandwidths: object) -> tuple[InterfaceSpec, ...]:
    """The ports that a running-config names, those this router can have; raises SpecError for rates that are none."""
    if not isinstance(bandwidths, Mapping):
        raise SpecError(f"{name}.bandwidths", "must be an object of interface: kbit/s")
    rates: dict[str, int] = {}
    for given in bandwidths:
        rates[interface_name(str(given)) or str(given)] = _positive(
            f"{name}.bandwidths", bandwidths, str(given)
        )
    ports: dict[str, int] = {}
    for header in re.findall(r"^interface (\S+)", text, re.M):
        port = parent_of(interface_name(header) or "")
        kind = port.rstrip("0123456789/:")
        if port and not port.startswith(CREATABLE_TYPES):
            ports.setdefault(port, rates.get(port, _NOMINAL_KBIT.get(kind, 10_000)))
    return tuple(InterfaceSpec(port, rate) for port, rate in ports.items())


def _engines(name: str, items: object) -> dict[int, str]:
    if not isinstance(items, Mapping):
        raise SpecError(f"{name}.engines", "must be an object of slot: engine")
    engines: dict[int, str] = {}
    for slot, engine in items.items():
        text = str(engine).upper().removeprefix("E")
        if not str(slot).isdigit() or text not in ENGINES:
            raise SpecError(
                f"{name}.engines", f"slot {slot!r} engine {engine!r}: engines are {', '.join(ENGINES)}"
            )
        engines[int(str(slot))] = text
    return engines


def _mappings(where: str, items: object) -> list[Mapping[str, object]]:
    if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
        raise SpecError(where, "must be a list of objects")
    return items


def _known(where: str, data: Mapping[str, object], allowed: set[str]) -> None:
    for key in data:
        if key not in allowed:
            raise SpecError(f"{where}.{key}", "unknown field")


def _text(where: str, data: Mapping[str, object], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value:
        raise SpecError(f"{where}.{key}", "must be a text")
    return value


def _positive(where: str, data: Mapping[str, object], key: str) -> int:
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise SpecError(f"{where}.{key}", f"{value!r} is not a positive number of kbit/s")
    return value


def _serial(name: str) -> str:
    """A serial number of the usual shape that stays the same for one name."""
    total = sum((index + 1) * ord(char) for index, char in enumerate(name))
    return f"TBM{total % 100000000:08d}"
