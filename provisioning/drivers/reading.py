"""What ``show`` commands print, as facts: ``show version``, ``show interfaces``, ``show diag``, and whether a
configuration is whole."""

from __future__ import annotations

import re
from typing import Final

from provisioning.drivers.base import Facts, InterfaceFact
from provisioning.drivers.judging import judge_reading

_UPTIME: Final = re.compile(r"^(\S+) uptime is ", re.M)
_UP: Final = re.compile(r"^\S+ uptime is (.+)$", re.M)
_SPAN: Final = re.compile(r"(\d+) (year|week|day|hour|minute|second)s?\b")
_SPANS: Final = {"year": 31_536_000, "week": 604_800, "day": 86_400, "hour": 3_600, "minute": 60, "second": 1}
"""Seconds; a year of IOS has 365 days."""
_VERSION: Final = re.compile(r"\bVersion\s+([^,\s]+)")
_SERIAL: Final = re.compile(r"^Processor board ID (\S+)", re.M)
_IMAGE: Final = re.compile(r'^System image file is "([^"]+)"', re.M)
_CHASSIS: Final = re.compile(r"^cisco (\S+) .*(?:bytes of|processor)", re.M | re.I)
_INTERFACE: Final = re.compile(r"^(?P<name>\S+) is (?P<admin>[^,]+?), line protocol is (?P<line>\S+)")
_DESCRIPTION: Final = re.compile(r"^\s*Description:")
_BANDWIDTH: Final = re.compile(r"\bBW (?P<number>\d+) (?P<unit>[KMG])bit")
_NO_STARTUP: Final = re.compile(
    r"startup-config is not present|Non-volatile configuration memory (?:is not|has not)", re.I
)
_SLOT: Final = re.compile(r"^SLOT +(?P<slot>\d{1,2}) +\(")
_ENGINE: Final = re.compile(r"^\s*L3 Engine: (?P<number>\d)(?P<name>[^(]*)")
_UNITS: Final = {"K": 1_000, "M": 1_000_000, "G": 1_000_000_000}

CONFIGURATIONS: Final = ("show running-config", "show startup-config")


def facts(show_version: str, hostname: str) -> Facts:
    """Facts from ``show version``; ``hostname`` is the prompt's, for a router that prints no uptime line."""
    return Facts(
        hostname=_first(_UPTIME, show_version) or hostname,
        platform_text=_first(_CHASSIS, show_version),
        version=_first(_VERSION, show_version),
        serial=_first(_SERIAL, show_version).rstrip(","),
        image=_first(_IMAGE, show_version),
        up_s=_up_s(show_version),
    )


def _up_s(show_version: str) -> int | None:
    spans = _SPAN.findall(_first(_UP, show_version))
    return sum(int(number) * _SPANS[unit] for number, unit in spans) if spans else None


def interfaces(show_interfaces: str) -> tuple[InterfaceFact, ...]:
    """Every interface of ``show interfaces``, with BW in bit/s: the base of ``percent`` (ios-facts 1.4)."""
    found: list[InterfaceFact] = []
    for line in show_interfaces.splitlines():
        if (head := _INTERFACE.match(line)) is not None:
            found.append(
                InterfaceFact(
                    name=head["name"],
                    bw_bps=None,
                    admin_up="administratively" not in head["admin"],
                    line_up=head["line"].startswith("up"),
                )
            )
        elif _DESCRIPTION.match(line):
            continue  # may say anything, a BW of its own included
        elif found and found[-1].bw_bps is None and (width := _BANDWIDTH.search(line)) is not None:
            last = found[-1]
            bits = int(width["number"]) * _UNITS[width["unit"]]
            found[-1] = InterfaceFact(last.name, bits, last.admin_up, last.line_up)
    return tuple(found)


def engines(show_diag: str) -> dict[int, str]:
    """The engine of each line card by slot, as the inventory writes it (``3``, ``4+``), of ``show diag`` (ios-facts 2.2, S12)."""
    found: dict[int, str] = {}
    slot: int | None = None
    for line in show_diag.splitlines():
        if (head := _SLOT.match(line)) is not None:
            slot = int(head["slot"])
        elif slot is not None and (engine := _ENGINE.match(line)) is not None:
            found[slot] = engine["number"] + ("+" if "+" in engine["name"] else "")
    return found


def is_whole(configuration: str) -> bool:
    """True for a configuration that reaches its ``end``, and for an answer that is none (a refusal, an
    empty NVRAM)."""
    if has_no_startup(configuration) or judge_reading(configuration) is not None:
        return True
    lines = [line.strip() for line in configuration.splitlines() if line.strip()]
    return bool(lines) and lines[-1] == "end"


def has_no_startup(reply: str) -> bool:
    """True when NVRAM holds no configuration."""
    return _NO_STARTUP.search(reply) is not None


def configuration_summary(text: str) -> str:
    """What a transcript keeps of a configuration: its size. The text itself is stored once, redacted,
    elsewhere."""
    return f"configuration of {len(text.splitlines())} lines, {len(text)} characters"


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1].strip() if match else ""
