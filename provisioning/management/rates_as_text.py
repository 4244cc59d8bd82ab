"""What a plan reports beside its lines, for a terminal: what could converge on the core, policers at both layers."""

from __future__ import annotations

from provisioning.models import Change


def rates(change: Change) -> list[str]:
    """Every core link that could get more than its share, every policer that drops; the others are counted."""
    return [*_convergence(change), *_policers(change)]


def _convergence(change: Change) -> list[str]:
    rows = change.rates.get("convergence", [])
    if not rows:
        return []
    over = [row for row in rows if row["excess_bps"]]
    lines = ["If every edge filled its cap (reported only; what is granted stays within the share):"]
    lines += [f"  {row['text']}" for row in over]
    within = len(rows) - len(over)
    if within:
        said = "direction of a core link stays" if within == 1 else "directions of core links stay"
        lines.append(f"  {within} {'more ' if over else ''}{said} within the share (--json lists them)")
    return [*lines, ""]


def _policers(change: Change) -> list[str]:
    rows = change.rates.get("policers", [])
    dropping = [row for row in rows if row["drops"]]
    if not dropping:
        return []
    lines = ["Rates are asked for and granted at layer 3; policers count layer 2:"]
    lines += [f"  {row['router']} {row['text']}" for row in dropping]
    meters = len(rows) - len(dropping)
    if meters:
        lines.append(f"  {meters} more only meter and never drop (--json lists them)")
    return [*lines, ""]
