"""Which charges do not fit on the links that they are moved to: these the database lets exceed the share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from provisioning.models import LedgerEntry
from provisioning.pipeline.admission import Allowance
from provisioning.pipeline.timeline import Commitment, timelines
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.ledger import charged_in_all, commitments, window_of
from provisioning.services.shares import noted_shares, shares_of
from provisioning.services.topology.deriving import Derived
from provisioning.services.topology.recharging import MOVED


def judge(derived: Derived, added: Sequence[LedgerEntry], now: datetime) -> None:
    """Take the exemption from what fits on its new link: the database answers for it as for any other. Of those that were not
    written ahead nothing is in the ledger yet.
    """
    shares = dict(shares_of(derived.network, derived.scheme, {row.link for row in added}))
    for row in added:
        row.exempt = ""
    for row in _past(shares, added, now):
        row.exempt = MOVED


def past_shares(added: Sequence[LedgerEntry], now: datetime) -> set[int]:
    """The keys of the requests of those rows, judged and not in the ledger yet, that fit on their new link by the version to come
    alone: today its share, as the database knows it, is smaller. A link of which it knows none yet bounds nobody.
    """
    shares = noted_shares({row.link for row in added})
    bound = [row for row in added if (row.link, row.pool) in shares]
    return {row.request_id for row in _past(shares, bound, now) if not row.exempt}


def _past(
    shares: Mapping[tuple[str, str], Allowance], added: Sequence[LedgerEntry], now: datetime
) -> Iterator[LedgerEntry]:
    """Those of these rows that do not fit beside all others."""
    links = {row.link for row in added}
    # Where all that is charged, whenever it is, is within the share, no instant has to be looked at.
    totals = defaultdict(int, charged_in_all(now=now, links=links))
    fresh = [row for row in added if row.pk is None]
    for row in fresh:
        totals[row.link, row.direction, row.pool] += row.rate_bps
    doubtful = {
        link
        for (link, _, pool), bps in totals.items()
        if bps > min(shares.get((link, pool), Allowance(0)).values)
    }
    if not doubtful:
        return
    own = [commitment(row, now) for row in fresh if row.link in doubtful]
    courses = timelines([*commitments(now=now, links=doubtful), *own])
    for row in added:
        if row.link in doubtful:
            one = commitment(row, now)
            course = courses[one.link_direction, row.pool]
            allowed = shares.get((row.link, row.pool), Allowance(0))
            parts = allowed.segments(one.window)
            if any(course.above(each.rate_bps, TimeWindow(each.start, each.end)) for each in parts):
                yield row


def commitment(row: LedgerEntry, now: datetime) -> Commitment:
    """A charge as admission counts it."""
    load = LinkDirection(row.link, Direction(row.direction))
    window = window_of(row.start, row.end, now)
    return Commitment(load, row.pool, row.rate_bps, window, f"PIP-{row.request_id}")
