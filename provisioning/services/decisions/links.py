"""What is asked of which network, the links that it loads, and the locks under which what is read of them is still true when it
is written down.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from inventory.models import AccessLink, CoreLink, Nren, Peering
from provisioning.errors import StaleState
from provisioning.pipeline.admission import Policer, detour_links, loaded, policers_of
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import Network
from provisioning.selectors import topology
from provisioning.selectors.schemes import scheme_of
from provisioning.services import quotas, records
from provisioning.services.locking import locked
from provisioning.services.shares import note_shares
from provisioning.services.topology import versions

TRIES = 5
"""How often a decision begins anew because the network became another one while its locks were waited for."""


class _Changed(Exception):
    """The locks that were taken are those of a network that is no more."""


@contextmanager
def begin_decision(nren: Nren) -> Iterator[None]:
    """The transaction of a decision that grants or holds. A version of the network is made before it where the rows are as none
    says: what a version moves locks charges, and a decision locks requests after its links. Raises InvalidInput where the
    scheme cannot be read.
    """
    versions.known(nren.domain)
    with transaction.atomic():
        yield


def lock_network(
    nren: Nren,
    slss: Sequence[Sls],
    *,
    own: Collection[int],
    now: datetime,
    taking: Sequence[Sls] | None = None,
) -> tuple[AskedOf, records.Texts]:
    """What is asked of the network as it is now, every link that ``slss`` load locked until the transaction ends (where single
    failures decide those of their detours too: whoever meets somebody after a failure does so on one of these), then the
    NREN that asks where it has a quota; and the digests of network and scheme as they are kept. ``own`` are the keys of the
    requests, ``taking`` what takes of the quota's rate (None: ``slss``). Raises StaleState when the network changes again and
    again, QuotaExceeded where the NREN's rate is spent.
    """
    for _ in range(TRIES):
        known = versions.known(nren.domain)
        asked = asked_of(known, slss)
        texts = records.keep_texts(known)  # before the locks: two may be the first to keep the same
        try:
            # A savepoint: with it go the locks of links that are not loaded any more.
            with transaction.atomic():
                lock_links(asked.links | asked.detours)
                if topology.number_of(known.domain) != known.number:
                    raise _Changed
        except _Changed:
            continue
        limits = quotas.wait_for_turn(nren)
        quotas.take_rate(nren, slss if taking is None else taking, limits=limits, own=own, now=now)
        note_shares(asked.network, asked.scheme, now=now, links=asked.links)
        return asked, texts
    raise StaleState("the network changes again and again; look at the evidence again")


@dataclass(frozen=True)
class AskedOf:
    """What is asked of which network under which scheme; the ids of the links that it loads, and would after a failure."""

    known: topology.Known
    scheme: Scheme
    slss: tuple[Sls, ...]
    links: frozenset[str]
    detours: frozenset[str]

    @property
    def network(self) -> Network:
        return self.known.network

    @property
    def policers(self) -> tuple[Policer, ...]:
        """The caps that it meets where it enters, as far as the scheme judges them."""
        return policers_of(self.network, self.scheme, self.slss)


def asked_of(known: topology.Known, slss: Sequence[Sls]) -> AskedOf:
    scheme = scheme_of(known.domain)
    links = loaded_links(known.network, scheme, slss)
    return AskedOf(known, scheme, tuple(slss), links, detour_links(known.network, scheme, slss))


def lock_links(names: Iterable[str]) -> None:
    """Lock the access links, core links and peerings of these ids for writing, in key order; on SQLite the transaction
    itself is the lock.
    """
    wanted = sorted(names)
    for rows in (AccessLink.objects, CoreLink.objects, Peering.objects):
        list(locked(rows.filter(name__in=wanted).order_by("pk")).values_list("pk", flat=True))


def loaded_links(network: Network, scheme: Scheme, slss: Iterable[Sls]) -> frozenset[str]:
    """The ids of all links that ``slss`` load; of one without a path only its access links."""
    found: set[str] = set()
    for sls in slss:
        loads = {load.link for load in loaded(network, scheme, sls)}
        found |= loads or {sls.source_link, sls.destination_link or sls.source_link}
    return frozenset(found)
