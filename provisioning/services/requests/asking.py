"""What an NREN asks for, as the interfaces hand it over; nothing of it is checked yet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True)
class SubmitRequest:
    """What an NREN asks: links by id, ``rate`` in bit/s or as text ("2 Mbit/s") at layer 3, bucket and
    packet in bytes.

    ``start`` None is now, ``end`` None is until further notice. ``direction`` ``both`` asks for the same the
    other way round too; a flow label belongs to the way out only. ``destination_prefixes`` empty is any
    destination.
    """

    source_link: str
    destination_link: str | None
    rate: int | str
    bucket_bytes: int
    max_packet_bytes: int
    source_prefixes: tuple[str, ...]
    destination_prefixes: tuple[str, ...]
    contact: str
    start: datetime | None = None
    end: datetime | None = None
    direction: Literal["one-way", "both"] = "one-way"
    flow_label: int | None = None
    service_class: str = "ip-premium"
    reason: str = ""
    min_packet_bytes: int | None = None
