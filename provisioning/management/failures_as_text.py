"""Single failures as lines for a terminal."""

from __future__ import annotations

from provisioning.pipeline.failures import Effect, Shift
from provisioning.pipeline.units import instant_text, rate_text
from provisioning.selectors.failures import Standing


def effect_lines(effect: Effect) -> list[str]:
    """What one failure does: who is cut off, what is too much, and each link whose load changes."""
    said = [f"NO PATH: {cut}" for cut in effect.cuts]
    said += [f"TOO MUCH: {over} ({', '.join(over.ids)})" for over in effect.overloads]
    said += [_shift(shift) for shift in effect.shifts]
    counts = f"{len(effect.rerouted)} rerouted, {len(effect.cuts)} without a path, {len(effect.unprotected)} unprotected"
    return [*said, f"{effect.failure}: {counts}."]


def _shift(shift: Shift) -> str:
    return (
        f"{shift.load}: at most {rate_text(shift.before_bps)} before, {rate_text(shift.after_bps)} after, "
        f"of a share of {rate_text(shift.share_bps)}"
    )


def standing_lines(standing: Standing) -> list[str]:
    """All failures as they were last worked out, the worst first."""
    run = standing.run
    if run is None:
        return [f"{standing.stale}: manage.py failures --work-out"]
    said = [
        f"{each.kind} {each.name}: {each.rerouted} rerouted, {each.cut_off} without a path, {each.unprotected} unprotected"
        + (f", up to {rate_text(each.excess_bps)} too much on {each.overloaded}" if each.overloaded else "")
        for each in run.effects.all()
        if each.unprotected
    ]
    total = (
        f"Version {run.version} of the topology, {instant_text(run.started_at)}: {run.failures} single failures, "
        f"{run.held} requests, {run.unprotected} unprotected."
    )
    return [*said, total, *([f"NOT OF TODAY: {standing.stale}."] if standing.stale else [])]
