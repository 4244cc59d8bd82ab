"""The tables of a monthly report, column by column, for files and for JSON alike.

Seconds of the month, rates in bit/s at layer 3, shares from 0 to 1, instants of UTC; None where it is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from provisioning.pipeline.units import instant_text
from provisioning.selectors.monthly import Promised, Report, Total, Used

_NRENS: Final[Mapping[str, Callable[[Total], Any]]] = {
    "nren": lambda row: row.nren.name,
    "reservations": lambda row: row.reservations,
    "promised_s": lambda row: round(row.promised_s),
    "held_s": lambda row: round(row.held_s),
    "availability": lambda row: row.availability,
    "changes": lambda row: row.changes,
    "counted": lambda row: row.is_counted,
    "sent_bps": lambda row: row.sent_bps if row.is_counted else None,
    "dropped_packets": lambda row: row.dropped_packets if row.is_counted else None,
    "lost": lambda row: row.lost,
    "at_least": lambda row: row.is_at_least,
}
_USED: Final[Mapping[str, Callable[[Used], Any]]] = {
    "nren": lambda row: row.nren,
    "link": lambda row: row.link,
    "router": lambda row: row.router,
    "class_name": lambda row: row.classes,
    "services": lambda row: list(row.services),
    "counted_s": lambda row: round(row.counted_s),
    "sent_bps": lambda row: row.verdict.sent_bps,
    "passed_bps": lambda row: row.verdict.passed_bps,
    "reserved_bps": lambda row: row.verdict.reserved_bps,
    "packets": lambda row: row.packets,
    "dropped_packets": lambda row: row.dropped_packets,
    "queue_drops": lambda row: row.queue_drops,
    "lost": lambda row: row.verdict.lost,
    "at_least": lambda row: row.verdict.is_at_least,
}
_RESERVATIONS: Final[Mapping[str, Callable[[Promised], Any]]] = {
    "id": lambda row: row.pk,
    "nren": lambda row: row.nren,
    "link": lambda row: row.link,
    "service_class": lambda row: row.service,
    "rate_bps": lambda row: row.rate_bps,
    "start": lambda row: row.start,
    "end": lambda row: row.end,
    "promised_s": lambda row: round(row.promised_s),
    "held_s": lambda row: round(row.held_s),
    "availability": lambda row: row.availability,
    "changes": lambda row: row.changes,
}
COLUMNS: Final[Mapping[str, Mapping[str, Callable[[Any], Any]]]] = {
    "nrens": _NRENS,
    "used": _USED,
    "reservations": _RESERVATIONS,
}


def to_json(found: Report | Promised) -> dict[str, Any]:
    """Return a report without its reservations, or one of these, as plain data."""
    if isinstance(found, Promised):
        return _row("reservations", found)
    return {
        "month": str(found.month),
        "until": instant_text(found.until),
        "is_over": found.is_over,
        "nrens": [_row("nrens", total) for total in found.totals],
        "used": [_row("used", each) for each in found.used],
    }


def _row(table: str, row: Any) -> dict[str, Any]:
    said = {name: of(row) for name, of in COLUMNS[table].items()}
    return {
        name: instant_text(value) if isinstance(value, datetime) else value for name, value in said.items()
    }
