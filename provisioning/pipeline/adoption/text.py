"""What a running-config says of the router itself and of each interface, beyond QoS: enough to propose an inventory.

Only what is written is read; what has to be assumed says so. RANCID and oxidized put what `show version` and `show diag`
said in comments at the top, which are read too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import IPv4Interface, IPv6Interface, ip_interface
from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import SILENT, Platform, printed_as, profile

Address = IPv4Interface | IPv6Interface

_CHASSIS: Final = re.compile(r"^!\s*Chassis type:?\s+(\S+)", re.IGNORECASE | re.MULTILINE)
_IMAGE: Final = re.compile(
    r"^!\s*Image:\s*Software:\s*\S+?,\s*(?:Version\s+)?([0-9][^,\s]*)", re.IGNORECASE | re.MULTILINE
)
_ENGINE: Final = re.compile(
    r"^!\s*Slot\s+([0-9]{1,2})\b.*?\bEngine:?\s*([0-9]\+?)(?![0-9])", re.IGNORECASE | re.MULTILINE
)
_BOOT: Final = re.compile(
    r"^boot system .*?([a-z0-9]+)-[a-z0-9]+-mz\.([0-9]{3})-([0-9]+[a-z]?)\.?([A-Z]*[0-9]*)", re.MULTILINE
)
_VERSION: Final = re.compile(r"^version ([0-9]+\.[0-9]+)\s*$", re.MULTILINE)
_IGP: Final = re.compile(
    r"(?:ip|ipv6) router (?:isis|ospf|rip|eigrp)\b|(?:ip|ipv6) ospf [0-9]+ area|ospfv3 [0-9]+ "
)
_METRIC: Final = re.compile(r"(?:isis (?:ipv6 )?metric|(?:ip|ipv6) ospf cost) ([0-9]{1,8})\b")

_LINE_RATES: Final = {
    "POS": (155_520_000, 155_000_000, "an STM-1 is assumed"),
    "TenGigabitEthernet": (10_000_000_000, 10_000_000_000, ""),
    "GigabitEthernet": (1_000_000_000, 1_000_000_000, ""),
    "FastEthernet": (100_000_000, 100_000_000, ""),
    "Ethernet": (10_000_000, 10_000_000, ""),
    "Serial": (2_048_000, 2_048_000, "an E1 is assumed"),
    "ATM": (155_520_000, 149_760_000, "an STM-1 is assumed"),
}


@dataclass(frozen=True)
class InterfaceText:
    """One interface. Rates in bit/s, None where the kind says nothing; `assumed` says what is not in the text."""

    name: str
    pvc: str | None
    description: str
    shutdown: bool
    addresses: tuple[Address, ...]
    igp: bool
    metric: int | None
    line_rate_bps: int | None
    bw_bps: int | None
    assumed: str

    @property
    def is_loopback(self) -> bool:
        return self.name.startswith(("Loopback", "Null"))

    @property
    def subnets(self) -> frozenset[str]:
        """The subnets it is on, those of a single address left out."""
        return frozenset(
            str(address.network)
            for address in self.addresses
            if address.network.num_addresses > 1 and not address.ip.is_link_local
        )


@dataclass(frozen=True)
class RouterText:
    """One router as its running-config shows it; `unsure` says what was assumed or is not in it."""

    name: str
    platform: str
    release: str
    engines: tuple[tuple[int, str], ...]
    interfaces: tuple[InterfaceText, ...]
    unsure: tuple[str, ...] = field(default=())


def read_text(text: str, config: RunningConfig, name: str = "") -> RouterText:
    """Read what `text`, parsed as `config`, says of router and interfaces; `name` where there is no hostname."""
    unsure: list[str] = []
    family = _platform(text, unsure)
    release = _release(text, family, unsure)
    engines = {int(slot): engine for slot, engine in _ENGINE.findall(text)}
    if family.cards_decide and not engines:
        unsure.append(
            "the engines of its line cards are not in the text: give them before asking for IPv6 Premium"
        )
    sections = _sections(text, config)
    interfaces = tuple(_interface(config, each, sections.get(each, [])) for each in config.interfaces)
    return RouterText(
        name=config.hostname or name,
        platform=family.assumed,
        release=release,
        engines=tuple(sorted(engines.items())),
        interfaces=interfaces,
        unsure=tuple(unsure),
    )


def _platform(text: str, unsure: list[str]) -> Platform:
    found = _CHASSIS.search(text)
    word = found[1] if found else ""
    boot = _BOOT.search(text)
    for candidate in (
        word,
        word.partition("/")[0],
        boot[1] if boot else "",
    ):  # 12416/PRP: chassis and processor
        if (found_as := printed_as(candidate)) is not None:
            return found_as
    unsure.append(f"the platform is not in the text; {SILENT.assumed} stands for it")
    return SILENT


def _release(text: str, family: Platform, unsure: list[str]) -> str:
    boot, image, version = _BOOT.search(text), _IMAGE.search(text), _VERSION.search(text)
    said = [image[1]] if image else []
    if boot:
        said.append(f"{boot[2][:2]}.{boot[2][2:]}({boot[3]}){boot[4]}")
    if version:
        said.append(version[1])
    for release in said:
        try:
            profile(family.name, release)
        except InvalidInput:
            continue
        if release == (version[1] if version else ""):
            unsure.append(
                f"the text says only `version {release}`: the whole release decides what the router takes"
            )
        return release
    unsure.append(f"the release is not in the text; {family.usual_release} stands for it")
    return family.usual_release


def _sections(text: str, config: RunningConfig) -> dict[str, list[str]]:
    """The lines of each interface, the first section of each; a banner that looks like one comes later or never."""
    found: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for raw in text.splitlines():
        line = raw.rstrip()
        if line.startswith("interface "):
            name = "".join(line.split()[1:3]) if len(line.split()) > 2 else line.split()[-1]
            name = name if name in config.interfaces else line.split()[1]
            lines = found.setdefault(name, []) if name in config.interfaces and name not in found else None
        elif line and not line[0].isspace():
            lines = None
        elif lines is not None and line.strip():
            lines.append(line.strip())
    return found


def _interface(config: RunningConfig, name: str, lines: list[str]) -> InterfaceText:
    state = config.interfaces[name]
    pvc = state.pvcs[0] if len(state.pvcs) == 1 else None
    kind = name.rstrip("0123456789/.:")
    line_bps, bw_bps, assumed = _LINE_RATES.get(kind, (None, None, ""))
    if pvc is not None and (pvc.sustained_kbit or pvc.peak_kbit):
        line_bps = bw_bps = (pvc.sustained_kbit or pvc.peak_kbit or 0) * 1000
        assumed = ""
    if state.bandwidth_kbit is not None:
        bw_bps = state.bandwidth_kbit * 1000
        if line_bps is None or bw_bps > line_bps:
            line_bps, assumed = bw_bps, "the line rate is taken from `bandwidth`"
    metric = next((int(found[1]) for each in lines if (found := _METRIC.match(each))), None)
    return InterfaceText(
        name=name,
        pvc=None if pvc is None else pvc.label,
        description=state.description,
        shutdown=state.shutdown,
        addresses=tuple(address for each in lines for address in _addresses(each)),
        igp=any(_IGP.match(each) for each in lines),
        metric=metric,
        line_rate_bps=line_bps,
        bw_bps=bw_bps,
        assumed=assumed,
    )


def _addresses(line: str) -> tuple[Address, ...]:
    words = line.split()
    try:
        if words[:2] == ["ip", "address"] and len(words) > 3:
            return (ip_interface(f"{words[2]}/{words[3]}"),)
        if words[:2] == ["ipv6", "address"] and len(words) > 2 and "/" in words[2]:
            return (ip_interface(words[2]),)
    except ValueError:
        pass
    return ()
