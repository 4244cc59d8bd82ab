"""Shares as rows: what each pool may take of each link, written where it is decided, for the database to hold charges against.

An import decides them (capacity, scheme), and so does a router that shows another BW: an admission writes down, under the
locks of its links, what it is about to judge by.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import datetime

from django.db.models import F

from provisioning.models import LinkShare
from provisioning.pipeline.admission import Allowance, allowance
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import Network


def note_shares(
    network: Network, scheme: Scheme, *, now: datetime, links: Collection[str] | None = None
) -> None:
    """Bring the shares of these links (None: of all of the network) to what scheme and network say from `now` on.

    In the caller's transaction, with the links locked. A pool without a share of such links,
    or that the scheme has no more, has a share of 0.
    """
    wanted = {
        (link, pool, *span): bps
        for (link, pool), allowed in shares_of(network, scheme, links)
        for span, bps in _spans(allowed)
    }
    names = {link for link, *_ in wanted} if links is None else set(links)
    standing = {
        (row.link, row.pool, row.start, row.end): row
        for row in LinkShare.objects.filter(link__in=names, valid_to=None).order_by("pk")
    }
    # A pool that is no more has a share of 0; a time for which nothing else is said any more has none of its own.
    gone = {key for key in standing.keys() - wanted.keys() if key[2] is not None}
    wanted |= dict.fromkeys(standing.keys() - wanted.keys() - gone, 0)
    fresh = {
        key: share for key, share in wanted.items() if key not in standing or standing[key].share_bps != share
    }
    over = [standing[key].pk for key in (*fresh, *gone) if key in standing]
    if over:
        LinkShare.objects.filter(pk__in=over).update(valid_to=now)
    LinkShare.objects.bulk_create(
        LinkShare(link=link, pool=pool, start=start, end=end, share_bps=share, valid_from=now)
        for (link, pool, start, end), share in fresh.items()
    )


def _spans(allowed: Allowance) -> Iterator[tuple[tuple[datetime | None, datetime | None], int]]:
    """What counts always, and each time for which something else is said."""
    yield (None, None), allowed.standing
    for place, (start, bps) in enumerate(allowed.steps):
        end = allowed.steps[place + 1][0] if place + 1 < len(allowed.steps) else None
        if bps != allowed.standing:
            yield (start, end), bps


def noted_shares(links: Collection[str]) -> dict[tuple[str, str], Allowance]:
    """By (link id, pool) what the rows say of these links: what the database holds charges against."""
    standing: dict[tuple[str, str], int] = {}
    steps: defaultdict[tuple[str, str], dict[datetime, int]] = defaultdict(dict)
    for row in LinkShare.objects.filter(link__in=links, valid_to=None).order_by(
        F("start").asc(nulls_first=True)
    ):
        key = row.link, row.pool
        if row.start is None:
            standing[key] = row.share_bps
            continue
        steps[key][row.start] = row.share_bps
        if row.end is not None:
            steps[key].setdefault(row.end, standing.get(key, 0))
    return {key: Allowance(bps, tuple(sorted(steps[key].items()))) for key, bps in standing.items()}


def shares_of(
    network: Network, scheme: Scheme, links: Collection[str] | None = None
) -> Iterator[tuple[tuple[str, str], Allowance]]:
    """((link id, pool), what it may take over time) of each of these links (None: of all of the network) and every pool."""
    for link in network.links:
        if links is None or link.id in links:
            for pool in scheme.pools.values():
                yield (link.id, pool.name), allowance(network, pool, link)
