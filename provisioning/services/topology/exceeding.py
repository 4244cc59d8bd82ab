"""Which shares a change of the network leaves exceeded: reckoned before the links are locked, beside what is charged by then, and
under the locks again only for links to which something else is charged meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from provisioning.pipeline.admission import Overcommitment
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import Network
from provisioning.selectors.overcommitment import overcommitted_on
from provisioning.services import clock
from provisioning.services.topology.ahead import changed, marks
from provisioning.services.topology.recharging import Mark


@dataclass(frozen=True)
class Exceeded:
    """The stretches in which a share is exceeded, as it was while the marks of the links were these."""

    marks: Mapping[str, Mark]
    over: tuple[Overcommitment, ...]


def exceeded_ahead(network: Network, scheme: Scheme) -> Exceeded:
    """As the ledger is, what was written in this transaction included."""
    before = marks()  # before it is reckoned: what changes between the two shows as changed
    return Exceeded(before, overcommitted_on(network, scheme, now=clock.now()))


def exceeded_now(
    ahead: Exceeded, network: Network, scheme: Scheme, now: datetime
) -> tuple[tuple[Overcommitment, ...], set[str]]:
    """The same with the links locked, and the links that were reckoned again."""
    other = changed(ahead.marks, marks())
    fresh = overcommitted_on(network, scheme, now=now, links=other) if other else ()
    kept = (each for each in ahead.over if each.link not in other)
    over = sorted((*kept, *fresh), key=lambda each: (each.link, each.direction.value, each.pool, each.start))
    return tuple(over), other
