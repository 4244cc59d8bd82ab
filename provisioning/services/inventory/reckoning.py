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
from provisioning.services.topology.exceeding import Exceeded, exceeded_ahead, exceeded_now
from provisioning.services.topology.recharging import Moved, Prepared


@dataclass(frozen=True)
class Reckoned:
    """``over`` are the stretches in which a share is exceeded, ``texts`` by the key of each request that moved what of it does
    not fit.
    """

    over: tuple[Overcommitment, ...]
    texts: Mapping[int, tuple[str, ...]]


@dataclass(frozen=True)
class Beforehand:
    """What was reckoned before the links were locked, of these moves."""

    exceeded: Exceeded
    moved: Mapping[int, Moved]
    texts: Mapping[int, tuple[str, ...]]


def reckon(
    domain: Domain, network: Network, scheme: Scheme, moved: Iterable[Moved], now: datetime
) -> Reckoned:
    """All of it, as the ledger is."""
    over = overcommitted_on(network, scheme, now=now)
    return Reckoned(over, broken(domain, network, scheme, moved, {each.link for each in over}, now))


def reckon_ahead(domain: Domain, ready: Prepared, staged: Iterable[Moved] = ()) -> Beforehand:
    """The same beforehand, once what is ready is written (`write_ahead`), beside what was brought over already."""
    moved = [*staged, *(each.moved for each in ready.recharges.values())]
    network, scheme = ready.derived.network, ready.derived.scheme
    exceeded = exceeded_ahead(network, scheme)
    texts = broken(domain, network, scheme, moved, {each.link for each in exceeded.over}, clock.now())
    return Beforehand(exceeded, {each.request.pk: each for each in moved}, texts)


def reckon_again(
    ahead: Beforehand, domain: Domain, network: Network, scheme: Scheme, moved: Iterable[Moved], now: datetime
) -> Reckoned:
    """What it is with the links locked."""
    over, other = exceeded_now(ahead.exceeded, network, scheme, now)
    done = list(moved)
    again = [
        each
        for each in done
        if ahead.moved.get(each.request.pk) is not each or any(link in other for link, _ in each.after)
    ]
    texts = {each.request.pk: ahead.texts.get(each.request.pk, ()) for each in done}
    return Reckoned(over, texts | broken(domain, network, scheme, again, {each.link for each in over}, now))
