"""What is asked for, and how rates and instants are written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from datetime import datetime
from fractions import Fraction
from typing import Any, Final

from expedite_client.errors import InvalidInput

UNSAID: Final = object()
"""What is not given stays; None says until further notice."""
Instant = str | datetime | None
_RATE: Final = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?) ?([kKMG]?)(?:bit/s|bps|b/s)?", re.ASCII)
_FACTOR: Final = {"": 1, "k": 1000, "K": 1000, "M": 1000_000, "G": 1000_000_000}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """IP Premium in one direction, or both. Rates are bit/s at layer 3, depths and packets bytes."""

    source_link: str
    rate_bps: int
    bucket_bytes: int
    source_prefixes: tuple[str, ...]
    contact: str
    max_packet_bytes: int = 1500
    destination_link: str | None = None
    destination_prefixes: tuple[str, ...] = ()
    start: Instant = None
    """None: now."""
    end: Instant = None
    """None: until further notice."""
    direction: str = "one-way"
    service_class: str = "ip-premium"
    flow_label: int | None = None
    reason: str = ""
    min_packet_bytes: int | None = None
    """The smallest packet; None: all are as large as the largest."""

    def to_json(self) -> dict[str, Any]:
        """Return it as the API takes it. Raises InvalidInput for an instant without its offset."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        if self.min_packet_bytes is None:
            del values["min_packet_bytes"]  # an older service does not know it
        return {
            **values,
            "source_prefixes": list(self.source_prefixes),
            "destination_prefixes": list(self.destination_prefixes),
            "start": instant_text(self.start, field="start"),
            "end": instant_text(self.end, field="end"),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """When the window comes again: an RFC 5545 rule with COUNT or UNTIL, by the clocks of a time zone (Europe/Athens)."""

    rrule: str
    time_zone: str
    exdates: tuple[str, ...] = ()
    """Local days without an occurrence, 2026-12-29."""
    take: str = "all"
    """What is granted when an occurrence does not fit: nothing (`all`), or the others (`those-that-fit`)."""

    def to_json(self) -> dict[str, Any]:
        """Return it as the API takes it."""
        return {
            "rrule": self.rrule,
            "time_zone": self.time_zone,
            "exdates": list(self.exdates),
            "take": self.take,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a request is to become. What is not given stays; an `end` of None is until further notice."""

    rate_bps: int | None = None
    start: Instant = None
    end: Any = field(default=UNSAID)
    source_prefixes: tuple[str, ...] | None = None
    destination_prefixes: tuple[str, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what was given, as the API takes it. Raises InvalidInput for an instant without its offset."""
        given: dict[str, Any] = {}
        if self.rate_bps is not None:
            given["rate_bps"] = self.rate_bps
        if self.start is not None:
            given["start"] = instant_text(self.start, field="start")
        if self.end is not UNSAID:
            given["end"] = instant_text(self.end, field="end")
        for name in ("source_prefixes", "destination_prefixes"):
            if getattr(self, name) is not None:
                given[name] = list(getattr(self, name))
        return given


def read_rate(text: str, *, field: str = "rate") -> int:
    """Return the bit/s in `2000000`, `2M`, `2.5M`, `64 kbit/s`; prefixes are powers of ten.

    Raises InvalidInput for anything else, and for what is no whole number of bit/s: a rate is never rounded.
    """
    found = _RATE.fullmatch(text.strip())
    if found is None:
        raise InvalidInput(f"{text[:40]!r} is no rate: write 2M, 2.5M or 2000000 (bit/s)", field=field)
    exact = Fraction(found[1]) * _FACTOR[found[2]]
    if exact.denominator != 1 or exact <= 0:
        raise InvalidInput(f"{text[:40]!r} is no whole number of bit/s above 0", field=field)
    return exact.numerator


def read_instant(text: str, *, field: str) -> datetime:
    """Return the instant in RFC 3339 text; raises InvalidInput where it is none or has no offset from UTC."""
    said = text.strip()
    try:
        found = datetime.fromisoformat(said)
    except ValueError:
        found = None
    if found is None or len(said) < len("2027-03-01T10:00") or found.tzinfo is None:
        raise InvalidInput(
            f"{text[:40]!r} is no instant with its offset from UTC: write 2027-03-01T10:00:00Z or "
            "2027-03-01T12:00:00+02:00",
            field=field,
        )
    return found


def instant_text(value: Instant, *, field: str) -> str | None:
    """Return an instant as it is sent, None as it is; raises InvalidInput for one without its offset."""
    if value is None:
        return None
    if isinstance(value, str):
        value = read_instant(value, field=field)
    if value.tzinfo is None:
        raise InvalidInput("an instant needs its offset from UTC", field=field)
    return value.isoformat()


def rate_text(bps: int) -> str:
    """Return a rate in words, exact: `7.75 Mbit/s`."""
    for factor, unit in ((1000_000_000, "Gbit/s"), (1000_000, "Mbit/s"), (1000, "kbit/s")):
        if abs(bps) >= factor:
            whole, part = divmod(abs(bps), factor)
            digits = f".{part:0{len(str(factor)) - 1}d}".rstrip("0").rstrip(".")
            return f"{'-' if bps < 0 else ''}{whole}{digits} {unit}"
    return f"{bps} bit/s"
