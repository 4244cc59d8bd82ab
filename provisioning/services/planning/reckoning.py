"""What a plan reports beside its lines: what could converge on the core, and what policers mean at both layers.

Kept with the change as it was reckoned, so that who approves and who reads it a year later see the same numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from provisioning.pipeline.admission import convergence
from provisioning.pipeline.intent import policer_rates
from provisioning.selectors.network import load_network
from provisioning.selectors.requests import sls_of
from provisioning.services.intents import Wanted
from provisioning.services.reading import Reading, Unread


def reckon(
    wanted: Wanted, names: Collection[str], readings: Mapping[str, Reading | Unread]
) -> dict[str, list[dict[str, Any]]]:
    """Return ``convergence`` for the core links that end at these routers and ``policers`` of those that were read,
    as plain values (`Convergence.to_json`, `PolicerRate.to_json`).
    """
    chosen = set(names)
    here = {link.id for link in wanted.network.core_links if {link.a_router, link.z_router} & chosen}
    # Who could cross a core link is a matter of the whole network, whatever slice of it the intents were built from.
    found = convergence(load_network(wanted.domain), wanted.scheme) if here else ()
    reservations = [sls_of(request) for request in wanted.requests]
    policers: list[dict[str, Any]] = []
    for name in sorted(chosen):
        reading = readings[name]
        if isinstance(reading, Reading):
            rates = policer_rates(
                wanted.network, wanted.scheme, wanted.intents[name], reading.bandwidths, reservations
            )
            policers += [{"router": name, **each.to_json()} for each in rates]
    return {
        "convergence": [each.to_json() for each in found if each.link in here],
        "policers": policers,
    }
