"""Single failures as plain values, for the API and for scripts: rates in bit/s, instants in ISO 8601."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from provisioning.pipeline.failures import Effect
from provisioning.selectors.failures import Standing


def effect_json(effect: Effect) -> dict[str, Any]:
    """The same as plain values: rates in bit/s, instants in ISO 8601."""
    return {
        "failure": {"kind": effect.failure.kind, "name": effect.failure.name},
        "rerouted": list(effect.rerouted),
        "ended": list(effect.ended),
        "unprotected": sorted(effect.unprotected),
        "cut_off": [
            {"request": cut.id, "start": _out(cut.start), "to": _out(cut.end)} for cut in effect.cuts
        ],
        "overloads": [
            {
                "link": over.load.link,
                "direction": over.load.direction.value,
                "pool": over.pool,
                "share_bps": over.share_bps,
                "load_bps": over.load_bps,
                "excess_bps": over.excess_bps,
                "start": _out(over.start),
                "to": _out(over.end),
                "requests": list(over.ids),
            }
            for over in effect.overloads
        ],
        "loads": [
            {
                "link": shift.load.link,
                "direction": shift.load.direction.value,
                "pool": shift.pool,
                "share_bps": shift.share_bps,
                "before_bps": shift.before_bps,
                "after_bps": shift.after_bps,
            }
            for shift in effect.shifts
        ],
    }


def standing_json(standing: Standing) -> dict[str, Any]:
    """The same as plain values."""
    run = standing.run
    if run is None:
        return {"version": None, "current": False, "stale": standing.stale, "failures": []}
    return {
        "version": run.version,
        "at": _out(run.started_at),
        "current": standing.current,
        "stale": standing.stale,
        "counted": run.failures,
        "requests": run.held,
        "unprotected": run.unprotected,
        "failures": [
            {
                "kind": each.kind,
                "name": each.name,
                "rerouted": each.rerouted,
                "cut_off": each.cut_off,
                "unprotected": each.unprotected,
                "overloaded": each.overloaded,
                "excess_bps": each.excess_bps,
            }
            for each in run.effects.all()
        ],
    }


def _out(instant: datetime | None) -> str | None:
    return None if instant is None else instant.isoformat()
