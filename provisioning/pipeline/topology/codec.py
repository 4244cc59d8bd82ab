"""A network as JSON and back: all that paths and shares follow from. Links are rows of values under the names of their fields,
so that a version of a thousand links stays small, and one that a later field is missing from can still be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import datetime
from decimal import Decimal
from typing import Any

from provisioning.errors import InvalidInput
from provisioning.pipeline.topology.planned import LinkCapacity, Planned, PoolShare
from provisioning.pipeline.topology.values import (
    AccessLinkValue,
    CoreLinkValue,
    Network,
    PeeringValue,
    RouterValue,
)
from provisioning.pipeline.units import TimeWindow

_KINDS: dict[str, type[Any]] = {
    "routers": RouterValue,
    "access_links": AccessLinkValue,
    "core_links": CoreLinkValue,
    "peerings": PeeringValue,
}
_LEFT_OUT = {"routers": frozenset({"interfaces"})}
"""What no path and no share follows from."""


def network_to_json(network: Network) -> dict[str, Any]:
    """Plain values, each kind sorted by its first field; `network_from_json` gives the same network back, without the names of
    routers' interfaces.
    """
    made: dict[str, Any] = {name: _table(name, getattr(network, name)) for name in _KINDS}
    if network.planned:
        made["planned"] = sorted((_planned_out(each) for each in network.planned), key=str)
    return made


def network_from_json(data: Mapping[str, Any]) -> Network:
    """The network that `network_to_json` wrote; raises InvalidInput for anything else."""
    try:
        return Network(
            **{name: tuple(_values(kind, data[name])) for name, kind in _KINDS.items()},
            planned=tuple(_planned_in(each) for each in data.get("planned", ())),
        )
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise InvalidInput(f"not a stored network: {error!r:.120}", field="network") from error


def _table(name: str, values: Iterable[Any]) -> dict[str, Any]:
    names = [each.name for each in fields(_KINDS[name]) if each.name not in _LEFT_OUT.get(name, ())]
    rows = [[_plain(getattr(value, field)) for field in names] for value in values]
    return {"fields": names, "rows": sorted(rows, key=lambda row: str(row[0]))}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): part for key, part in sorted(value.items())}
    return [list(part) for part in value] if isinstance(value, tuple) else value


def _planned_out(each: Planned) -> dict[str, Any]:
    end = each.window.end
    when = {"start": each.window.start.isoformat(), "end": None if end is None else end.isoformat()}
    if isinstance(each, LinkCapacity):
        return {"link": each.link, "usable_bps": each.usable_bps, **when}
    return {"pool": each.pool, "kind": each.kind, "percent": str(each.percent), **when}


def _planned_in(data: Mapping[str, Any]) -> Planned:
    end = data["end"]
    window = TimeWindow(
        datetime.fromisoformat(data["start"]), None if end is None else datetime.fromisoformat(end)
    )
    if "link" in data:
        return LinkCapacity(data["link"], data["usable_bps"], window)
    return PoolShare(data["pool"], data["kind"], Decimal(data["percent"]), window)


def _values(kind: type[Any], table: Mapping[str, Any]) -> Iterable[Any]:
    names = table["fields"]
    for row in table["rows"]:
        known = dict(zip(names, row, strict=True))
        if "dscp_map" in known:
            known["dscp_map"] = tuple((int(ours), int(theirs)) for ours, theirs in known["dscp_map"])
        yield kind(**known)
