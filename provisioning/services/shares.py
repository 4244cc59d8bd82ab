"""Shares as rows: what each pool may take of each link, written where it is decided, for the database to hold charges against.

An import decides them (capacity, scheme), and so does a router that shows another BW: an admission writes down, under the
locks of its links, what it is about to judge by.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime

from provisioning.models import LinkShare
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import Network


def note_shares(
    network: Network, scheme: Scheme, *, now: datetime, links: Collection[str] | None = None
) -> None:
    """Bring the shares of these links (None: of all of the network) to what scheme and network say from `now` on.

    In the caller's transaction, with the links locked. A pool without a share of such links,
    or that the scheme has no more, has a share of 0.
    """
    wanted = dict(shares_of(network, scheme, links))
    names = {link for link, _ in wanted} if links is None else set(links)
    standing = {
        (row.link, row.pool): row
        for row in LinkShare.objects.filter(link__in=names, valid_to=None).order_by("pk")
    }
    gone = dict.fromkeys(standing.keys() - wanted.keys(), 0)
    fresh = {
        key: share
        for key, share in (wanted | gone).items()
        if key not in standing or standing[key].share_bps != share
    }
    if not fresh:
        return
    over = [standing[key].pk for key in fresh if key in standing]
    LinkShare.objects.filter(pk__in=over).update(valid_to=now)
    LinkShare.objects.bulk_create(
        LinkShare(link=link, pool=pool, share_bps=share, valid_from=now)
        for (link, pool), share in sorted(fresh.items())
    )


def shares_of(
    network: Network, scheme: Scheme, links: Collection[str] | None = None
) -> Iterator[tuple[tuple[str, str], int]]:
    """((link id, pool), share in bit/s) of each of these links (None: of all of the network) and every pool of the scheme."""
    for link in network.links:
        if links is None or link.id in links:
            for pool in scheme.pools.values():
                yield (link.id, pool.name), pool.share_bps(link.kind, link.base_bps)
