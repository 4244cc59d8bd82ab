"""What a plan reports beside its lines: what could converge on the core, and what policers mean at both layers.

Kept with the change as it was reckoned, so that who approves and who reads it a year later see the same numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from provisioning.pipeline.admission import convergence
from provisioning.pipeline.intent import policer_rates
from provisioning.selectors.requests import sls_of
from provisioning.services.intents import Wanted
from provisioning.services.reading import Reading, Unread


def reckon(
    wanted: Wanted, names: Collection[str], readings: Mapping[str, Reading | Unread]
) -> dict[str, list[dict[str, Any]]]:
    """Return ``convergence`` for the core links that end at these routers and ``policers`` of those that were read,
    as plain values (`Convergence.to_json`, `PolicerRate.to_json`).
    """
    ends = {link.id: {link.a_router, link.z_router} for link in wanted.network.core_links}
    chosen = set(names)
    reservations = [sls_of(request) for request in wanted.requests]
    policers: list[dict[str, Any]] = []
    for name in sorted(chosen):
        reading = readings[name]
        if isinstance(reading, Reading):
            found = policer_rates(
                wanted.network, wanted.scheme, wanted.intents[name], reading.bandwidths, reservations
            )
            policers += [{"router": name, **each.to_json()} for each in found]
    return {
        "convergence": [
            each.to_json() for each in convergence(wanted.network, wanted.scheme) if ends[each.link] & chosen
        ],
        "policers": policers,
    }
