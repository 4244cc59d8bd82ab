"""Who no longer fits after an import: reckoned before the links are locked, beside the charges that were written ahead, and under
the locks again only for links to which something else is charged by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from inventory.models import Domain
from provisioning.pipeline.admission import Overcommitment
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import Network
from provisioning.selectors.overcommitment import overcommitted_on
from provisioning.services import clock
from provisioning.services.inventory.breaking import broken
from provisioning.services.topology.ahead import changed, marks
from provisioning.services.topology.recharging import Mark, Moved, Prepared


@dataclass(frozen=True)
class Reckoned:
    """``over`` are the stretches in which a share is exceeded, ``texts`` by the key of each request that moved what of it does
    not fit.
    """

    over: tuple[Overcommitment, ...]
    texts: Mapping[int, tuple[str, ...]]


@dataclass(frozen=True)
class Beforehand:
    """What was reckoned while the marks of the links were these, of these moves."""

    marks: Mapping[str, Mark]
    moved: Mapping[int, Moved]
    reckoned: Reckoned


def reckon(
    domain: Domain, network: Network, scheme: Scheme, moved: Iterable[Moved], now: datetime
) -> Reckoned:
    """All of it, as the ledger is."""
    over = overcommitted_on(network, scheme, now=now)
    return Reckoned(over, broken(domain, network, scheme, moved, {each.link for each in over}, now))


def reckon_ahead(domain: Domain, ready: Prepared, staged: Iterable[Moved] = ()) -> Beforehand:
    """The same beforehand, once what is ready is written (`write_ahead`), beside what was brought over already."""
    before, moved = marks(), [*staged, *(each.moved for each in ready.recharges.values())]
    found = reckon(domain, ready.derived.network, ready.derived.scheme, moved, clock.now())
    return Beforehand(before, {each.request.pk: each for each in moved}, found)


def reckon_again(
    ahead: Beforehand, domain: Domain, network: Network, scheme: Scheme, moved: Iterable[Moved], now: datetime
) -> Reckoned:
    """What it is with the links locked."""
    other = changed(ahead.marks, marks())
    fresh = overcommitted_on(network, scheme, now=now, links=other) if other else ()
    kept = (each for each in ahead.reckoned.over if each.link not in other)
    over = tuple(
        sorted((*kept, *fresh), key=lambda each: (each.link, each.direction.value, each.pool, each.start))
    )
    done = list(moved)
    again = [
        each
        for each in done
        if ahead.moved.get(each.request.pk) is not each or any(link in other for link, _ in each.after)
    ]
    texts = {each.request.pk: ahead.reckoned.texts.get(each.request.pk, ()) for each in done}
    links = {each.link for each in over}
    return Reckoned(over, texts | broken(domain, network, scheme, again, links, now))
