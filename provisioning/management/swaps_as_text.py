"""The swaps of a plan, for a terminal and as JSON: the gaps, what is sent where one is refused, how long they have lasted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inventory.models import Router
from provisioning.pipeline.change import ChangePlan
from provisioning.selectors.swaps import lasted


def told(planned: ChangePlan, router: Router) -> list[str]:
    """A line for each gap, there and on the way back, and for each alternative."""
    lines = [f"  GAP       {gap.text}" for gap in planned.gaps]
    lines += [f"  GAP BACK  {gap.text}" for gap in planned.gaps_back]
    lines += [f"  REFUSED?  {each.text}" for each in planned.alternatives]
    return [*lines, f"  MEASURED  {lasted(router)}"] if planned.gaps else lines


def as_json(stored: Mapping[str, Any], router: Router) -> dict[str, Any]:
    """The same of a stored plan."""
    return {
        "gaps": stored.get("gaps", []),
        "gaps_back": stored.get("gaps_back", []),
        "alternatives": stored.get("alternatives", []),
        "swaps_lasted": lasted(router) if stored.get("gaps") else None,
    }
