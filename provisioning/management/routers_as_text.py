"""How routers stand, for a terminal and as JSON for a script."""

from __future__ import annotations

from typing import Any

from provisioning.management.capping import SHOWN, capped
from provisioning.management.printable import printable
from provisioning.models import RouterSync, SyncState
from provisioning.pipeline.units import how_many
from provisioning.selectors.ends import half_way_on

WORDS = {SyncState.IN_SYNC: "in sync", SyncState.DIFFERS: "DIFFERS", SyncState.UNKNOWN: "UNKNOWN"}


def sync(row: RouterSync, width: int = 0) -> str:
    """How one router stands: in sync, differs (and in what), unknown (and why); its name padded to `width`."""
    lines = [f"{row.router.name:<{max(6, width)}} {WORDS[SyncState(row.state)]}"]
    if row.detail.get("reason"):
        lines[0] += f": {row.detail['reason']}"
    items = row.detail.get("items", [])
    for item in items[:SHOWN]:
        lines.append(f"         {item['object']}")
        lines += [f"           wanted  {line}" for line in (item["expected"] or "nothing").splitlines()]
        lines += [f"           found   {line}" for line in (item["found"] or "nothing").splitlines()]
    if len(items) > SHOWN:
        lines.append(f"         ... and {len(items) - SHOWN} more (--json lists them)")
    lines += [f"         EQUAL TODAY {same['text']}" for same in row.detail.get("equal_today", [])]
    lines += capped(f"         OPEN EDGE {edge['interface']}: {edge['reason']}" for edge in row.open_edges)
    lines += capped(f"         AT RISK {text}" for text in row.detail.get("at_risk", []))
    half_way = half_way_on(row.router) if items or row.unsaved or row.open_edges else None
    if half_way is not None:
        change = half_way.change
        lines.append(
            f"         HALF WAY {change.reference} has lines in that are not verified; they are finished or taken back first"
        )
        lines.append(f"         Next: manage.py next_step {change.pk} --router {row.router.name}")
        return printable("\n".join(lines))
    if row.unsaved:
        ours, foreign = len(row.unsaved["ours"]), len(row.unsaved["foreign"])
        lines.append(
            f"         NOT SAVED {how_many(ours, 'line')} of ours, {how_many(foreign, 'line')} of other people: "
            f"manage.py save {row.router.name}"
        )
    if row.state == SyncState.DIFFERS:
        name = row.router.name
        lines.append(
            f"         Next: manage.py plan --router {name} --as USER (--repair to undo a hand edit)"
        )
    return printable("\n".join(lines))


def sync_as_json(row: RouterSync) -> dict[str, Any]:
    return {
        "router": row.router.name,
        "state": row.state,
        "checked_at": row.checked_at.isoformat() if row.checked_at else None,
        "detail": row.detail,
        "open_edges": row.open_edges,
        "core_live": row.core_live,
        "unsaved": row.unsaved,
    }
