"""Small networks for tests of the pipeline, and 6NET's as its file has it, built without any code of the inventory."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import yaml

from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import (
    AccessLinkValue,
    CoreLinkValue,
    Network,
    RouterValue,
)
from provisioning.pipeline.units import BitRate, TimeWindow

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
NETWORK_FILE = Path(__file__).resolve().parents[2] / "inventory" / "networks" / "6net.yaml"

JANET = "JANET@uk6:POS1/0"
GRNET = "GRNET@gr6:POS2/0"
RENATER = "RENATER@fr6:GigabitEthernet1/0"
SURFNET = "SURFnet@nl6:GigabitEthernet1/0"


def at(hours: float) -> datetime:
    """The instant that many hours after NOON."""
    return NOON + timedelta(hours=hours)


def window(start: float, end: float | None) -> TimeWindow:
    """From ``start`` to ``end`` hours after NOON."""
    return TimeWindow(at(start), None if end is None else at(end))


def router(name: str, **engines: str) -> RouterValue:
    """A router; ``slot2="4+"`` puts a card into a slot."""
    return RouterValue(name, "cisco-12400", "12.0(28)S", {int(slot[4:]): e for slot, e in engines.items()})


def access(nren: str, at_router: str, bps: int = 155_000_000, **changes: Any) -> AccessLinkValue:
    """A trusted, standing access link on POS1/0."""
    values: dict[str, Any] = {
        "id": f"{nren}@{at_router}:POS1/0",
        "nren": nren,
        "router": at_router,
        "interface": "POS1/0",
        "pvc": None,
        "line_rate_bps": bps,
        "bw_bps": bps,
        "usable_bps": bps,
        "case": "trusted",
        "standing": True,
    }
    return AccessLinkValue(**{**values, **changes})


def core(a: str, z: str, metric: int = 10, bps: int = 155_000_000, port: int = 0) -> CoreLinkValue:
    """A core link between POS2/port of two routers, whatever else is there."""
    a_interface, z_interface = f"POS2/{port}", f"POS2/{port}"
    identifier = f"{a}:{a_interface}--{z}:{z_interface}"
    return CoreLinkValue(identifier, a, a_interface, z, z_interface, metric, bps, bps, bps)


def sls(
    source: str,
    destination: str | None,
    bps: int,
    span: TimeWindow | None = None,
    identifier: str = "asked",
    **changes: Any,
) -> Sls:
    """An IP Premium request over IPv6."""
    values: dict[str, Any] = {
        "id": identifier,
        "source_link": source,
        "destination_link": destination,
        "service_class": "ip-premium",
        "rate": BitRate(bps),
        "window": span or window(0, 1),
        "bucket_bytes": 15000,
        "max_packet_bytes": 1500,
        "source_prefixes": (ip_network("2001:db8:1::/48"),),
        "destination_prefixes": (ip_network("2001:db8:2::/48"),),
    }
    return Sls(**{**values, **changes})


def sixnet() -> Network:
    """6NET as the network file describes it; POS STM-1 has a BW of 155,000,000 bit/s."""
    data = yaml.safe_load(NETWORK_FILE.read_text(encoding="utf-8"))
    return Network(
        routers=tuple(
            RouterValue(entry["name"], entry["platform"], entry["ios"], entry.get("engines", {}))
            for entry in data["routers"]
        ),
        access_links=tuple(
            AccessLinkValue(
                id=":".join(
                    filter(None, (f"{entry['nren']}@{entry['router']}", entry["interface"], entry.get("pvc")))
                ),
                nren=entry["nren"],
                router=entry["router"],
                interface=entry["interface"],
                pvc=entry.get("pvc"),
                line_rate_bps=entry["capacity_bps"],
                bw_bps=_bw(entry),
                usable_bps=entry["capacity_bps"],
                case=entry["case"],
                standing=entry["standing"],
            )
            for entry in data["access_links"]
        ),
        core_links=tuple(
            CoreLinkValue(
                id="--".join(":".join(entry[end]) for end in "az"),
                a_router=entry["a"][0],
                a_interface=entry["a"][1],
                z_router=entry["z"][0],
                z_interface=entry["z"][1],
                metric=entry.get("metric", 10),
                line_rate_bps=entry["capacity_bps"],
                bw_bps=_bw(entry),
                usable_bps=entry["capacity_bps"],
            )
            for entry in data["core_links"]
        ),
    )


def _bw(entry: dict[str, Any]) -> int:
    return entry.get("bw_bps", 155_000_000 if entry["capacity_bps"] == 155_520_000 else entry["capacity_bps"])
