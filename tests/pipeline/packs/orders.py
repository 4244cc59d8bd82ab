"""Orders of packs, and the packs made of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from provisioning.pipeline.advice import Traffic, advise
from provisioning.pipeline.packs import Edge, Excess, Pack, PackOrder, ios_pack, linux_pack
from provisioning.pipeline.platforms import Profile, profile
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.sls import Sls, prefixes
from provisioning.pipeline.topology import layer2_bytes
from provisioning.pipeline.units import BitRate, TimeWindow
from provisioning.selectors.packs import PACK_TEMPLATES
from provisioning.selectors.templates import ios_environment, shared_ios_environment

TEMPLATES = ios_environment(PACK_TEMPLATES)


def sls(**changes: Any) -> Sls:
    values: dict[str, Any] = {
        "id": "PIP-12",
        "source_link": "JANET@uk6:POS1/0",
        "destination_link": "GRNET@gr6:POS2/0",
        "service_class": "ip-premium",
        "rate": BitRate(5_000_000),
        "window": TimeWindow(datetime(2026, 1, 1, tzinfo=UTC)),
        "bucket_bytes": 6000,
        "max_packet_bytes": 1500,
        "source_prefixes": ("2001:630:1::/48",),
        "destination_prefixes": ("2001:648:2::/48",),
    } | changes
    for side in ("source_prefixes", "destination_prefixes"):
        values[side] = prefixes(values[side], field=side)
    return Sls(**values)


def order(
    *,
    number: int = 12,
    marks: bool = True,
    platform: Profile | None = None,
    queue_packets: int | None = None,
    edge: Edge | None = None,
    **changes: Any,
) -> PackOrder:
    """By default behind a policer to grants on a POS interface: its bucket is the request's, as frames are counted."""
    asked = sls(**changes)
    deep = layer2_bytes(asked.bucket_bytes, asked.smallest_packet_bytes, 4)
    advice = advise(asked.rate, Traffic.REAL_TIME, asked.max_packet_bytes, profile=platform)
    if queue_packets is not None:
        advice = replace(advice, shaper=replace(advice.shaper, queue_packets=queue_packets))
    return PackOrder(number, asked, 46, marks, advice, edge or Edge("POS1/0", Excess.DROPPED, deep))


def ios(platform: str, release: str = "", uplink: str | None = None, **changes: Any) -> Pack:
    spelled = profile(platform, release)
    printer = Renderer(shared_ios_environment(), spelled)
    return ios_pack(order(platform=spelled, **changes), spelled, printer, TEMPLATES, uplink=uplink)


def linux(uplink: str | None = None, **changes: Any) -> Pack:
    return linux_pack(order(**changes), TEMPLATES, uplink=uplink)
