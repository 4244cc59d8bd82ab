"""What a plan reports beside its lines: what could converge on the core, and what policers mean at both layers.

Kept with the change as it was reckoned, so that who approves and who reads it a year later see the same numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from provisioning.pipeline.admission import convergence
from provisioning.pipeline.change import ChangePlan, Phase
from provisioning.pipeline.intent import policer_rates
from provisioning.pipeline.sls import Sls
from provisioning.selectors.network import load_network
from provisioning.selectors.requests import sls_of
from provisioning.services.intents import Wanted
from provisioning.services.reading import Reading, Unread


def reckon(
    wanted: Wanted,
    names: Collection[str],
    readings: Mapping[str, Reading | Unread],
    plans: Mapping[str, Iterable[ChangePlan]],
) -> dict[str, list[dict[str, Any]]]:
    """Return ``convergence`` for the core links of the routers whose plans attach or take off core queues, and ``policers``
    of the routers that were read, as plain values (`Convergence.to_json`, `PolicerRate.to_json`).

    Who could cross a core link is a matter of the whole network: it is read for a plan that touches the core, no other.
    """
    sending: dict[str, list[Sls]] = {}
    for request in wanted.requests:
        sending.setdefault(request.source_link.interface.router.name, []).append(sls_of(request))
    policers: list[dict[str, Any]] = []
    for name in sorted(names):
        reading = readings[name]
        if isinstance(reading, Reading):
            rates = policer_rates(
                wanted.network,
                wanted.scheme,
                wanted.intents[name],
                reading.bandwidths,
                sending.get(name, ()),
            )
            policers += [{"router": name, **each.to_json()} for each in rates]
    return {"convergence": _convergence(wanted, plans), "policers": policers}


def _convergence(wanted: Wanted, plans: Mapping[str, Iterable[ChangePlan]]) -> list[dict[str, Any]]:
    queued = {
        name
        for name, each in plans.items()
        if any(plan.commands for plan in each if plan.phase is not Phase.EDGES)
    }
    links = {link.id for link in wanted.network.core_links if {link.a_router, link.z_router} & queued}
    if not links:
        return []
    found = convergence(load_network(wanted.domain), wanted.scheme, links)
    return [each.to_json() for each in found]
