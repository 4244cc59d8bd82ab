"""Which promises no longer fit the network as it is now."""

from __future__ import annotations

from datetime import datetime

from inventory.models import Domain
from provisioning.pipeline.admission import Overcommitment, overcommitments
from provisioning.selectors.ledger import commitments
from provisioning.selectors.network import load_network
from provisioning.selectors.schemes import scheme_of


def overcommitted(domain: Domain, *, now: datetime) -> tuple[Overcommitment, ...]:
    """Every stretch from ``now`` on in which reservations and holds exceed the share of a link of ``domain``.

    Raises InvalidInput when something is granted and the domain's scheme cannot be read.
    """
    network = load_network(domain)
    links = {link.id for link in network.access_links} | {link.id for link in network.core_links}
    held = commitments(now=now, links=links)
    return overcommitments(network, scheme_of(domain), held, now) if held else ()
