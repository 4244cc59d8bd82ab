"""What is charged to links over time, added up by the database: what a decision reads does not grow with how much is charged
side by side, and no row becomes a value of ours.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from itertools import accumulate
from typing import Any

from django.db import connection

from provisioning.models.spans import LENGTHS, OPEN
from provisioning.models.ticks import postgresql_ticks
from provisioning.pipeline.admission import Policer
from provisioning.pipeline.sls import LEAST_IPV6_PACKET_BYTES, LEAST_PACKET_BYTES
from provisioning.pipeline.timeline import Courses, Timeline, timelines
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.pipeline.units import TimeWindow, instant_of
from provisioning.selectors.ledger import commitments

_SPANS = ", ".join(
    f"({span}, interval '{int(longest.total_seconds()) // 3600} hours')"
    for span, longest in enumerate(LENGTHS)
)
# The ranges of `ledger.overlapping`, each joined with the links: one descent of an index a link and length. What begins before
# the window counts from its start on; what ends after it is as if it ended with it: of later nothing is known.
_STEPS = f"""
WITH held AS (
    SELECT l.*, CASE WHEN l."end" > %(now)s THEN l."end" END AS until
        FROM unnest(%(links)s::text[]) AS k(link), (VALUES {_SPANS}) AS c(span, longest), provisioning_ledgerentry AS l
        WHERE {{counts}} AND l.span = c.span AND l.start > %(since)s::timestamptz - c.longest AND l."end" > %(since)s
    UNION ALL
    SELECT l.*, l."end" FROM unnest(%(links)s::text[]) AS k(link), provisioning_ledgerentry AS l
        WHERE {{counts}} AND l.span = {OPEN} AND (l."end" > %(since)s OR l."end" IS NULL)
    UNION ALL
    SELECT l.*, NULL FROM unnest(%(links)s::text[]) AS k(link), provisioning_ledgerentry AS l
        WHERE {{counts}} AND l."end" <= %(now)s
), amounts AS MATERIALIZED ({{amounts}}), steps AS (
    SELECT link, kind, pool, at, sum(change) AS change FROM (
        SELECT link, kind, pool, greatest(start, %(start)s) AS at, amount AS change FROM amounts
        UNION ALL
        SELECT link, kind, pool, least(until, %(until)s::timestamptz), -amount FROM amounts WHERE until IS NOT NULL
    ) AS every GROUP BY link, kind, pool, at
)
SELECT link, kind, pool, array_agg({postgresql_ticks("at")} ORDER BY at),
    array_agg(change::bigint ORDER BY at)
FROM steps WHERE change <> 0 GROUP BY link, kind, pool
"""  # noqa: S608 - of constants
_COUNTS = """
    l.link = k.link AND l.released_at IS NULL AND (l.hold_id IS NULL OR l.lapses_at > %(now)s)
    AND l.start < %(until)s::timestamptz AND l.request_id <> ALL(%(own)s)
"""
_RATES = _STEPS.format(
    counts=_COUNTS,
    amounts="SELECT link, direction AS kind, pool, rate_bps AS amount, start, until FROM held",
)
# The smallest packet is `pipeline.sls.reckoned_packet_bytes`, what it becomes with its header `topology.framing.layer2_bps`.
_FRAMED = _STEPS.format(
    counts=_COUNTS,
    amounts=f"""SELECT link, direction AS kind, pool, rate_bps AS amount, start, until FROM held
        UNION ALL
        SELECT h.link, h.direction, p.pool, (h.rate_bps * (m.packet + p.header) + m.packet - 1) / m.packet, h.start, h.until
        FROM held AS h JOIN provisioning_premiumrequest AS r ON r.id = h.request_id
        JOIN unnest(%(policed)s::text[], %(services)s::text[], %(pools)s::text[], %(headers)s::bigint[])
            AS p(link, service, pool, header) ON p.link = h.link AND p.service = r.service_class
        CROSS JOIN LATERAL (SELECT greatest(coalesce(r.min_packet_bytes, r.max_packet_bytes)::bigint, CASE
            WHEN jsonb_array_length(r.source_prefixes) > 0 AND NOT EXISTS (
                SELECT 1 FROM jsonb_array_elements_text(r.source_prefixes) AS prefix WHERE strpos(prefix, ':') = 0
            ) THEN {LEAST_IPV6_PACKET_BYTES} ELSE {LEAST_PACKET_BYTES} END) AS packet) AS m
        WHERE h.direction = '{Direction.IN.value}'""",  # noqa: S608 - of constants
)
# A request that is charged twice on a link while it becomes something else has one bucket.
_BUCKETS = _STEPS.format(
    counts=f"{_COUNTS} AND l.direction = '{Direction.IN.value}'",
    amounts="""SELECT DISTINCT h.request_id, h.link, r.service_class AS kind, '' AS pool, r.bucket_bytes AS amount,
        h.start, h.until
        FROM held AS h JOIN provisioning_premiumrequest AS r ON r.id = h.request_id""",
)
_Step = tuple[datetime, int]


def courses(
    *,
    now: datetime,
    links: Collection[str],
    within: TimeWindow,
    except_requests: Collection[int] = (),
    policers: Collection[Policer] = (),
) -> Courses:
    """What counts on each (link direction, pool) of ``links`` while ``within`` lasts, without the charges of
    ``except_requests``; nothing where nothing counts. What counts, and how long, is the ledger's rule (`ledger.commitments`).
    What ``policers`` count of the same stands under their own names (`Policer.pool`).

    Of the time before ``within`` it says nothing. After it, nothing is read: what goes on then may be missing, in part or
    altogether; what has no end has none.
    """
    if connection.vendor != "postgresql":
        known = commitments(
            now=now, links=links, except_requests=except_requests, within=within, policers=policers
        )
        return timelines(known)
    sql = _FRAMED if policers else _RATES
    return {
        (LinkDirection(link, Direction(direction)), pool): Timeline(steps)
        for link, direction, pool, steps in _summed(sql, now, links, within, except_requests, policers)
    }


def bucket_courses(
    *, now: datetime, link: str, within: TimeWindow, except_requests: Collection[int] = ()
) -> dict[str, tuple[_Step, ...]]:
    """By service class the buckets, bytes in sum, of what is charged inwards on ``link`` while ``within`` lasts, as `courses`; on
    PostgreSQL alone.
    """
    found = _summed(_BUCKETS, now, (link,), within, except_requests)
    return {service: steps for _link, service, _pool, steps in found}


def _summed(
    sql: str,
    now: datetime,
    links: Collection[str],
    within: TimeWindow,
    own: Collection[int],
    policers: Collection[Policer] = (),
) -> Iterator[tuple[str, str, str, tuple[_Step, ...]]]:
    names = [(each, service) for each in policers for service in sorted(each.services)]
    said: dict[str, Any] = {
        "links": list(links),
        "own": list(own),
        "now": now,
        "start": within.start,
        "since": max(within.start, now),
        "until": "infinity" if within.end is None else within.end,
        "policed": [each.link for each, _ in names],
        "services": [service for _, service in names],
        "pools": [each.pool for each, _ in names],
        "headers": [each.framing.header_bytes for each, _ in names],
    }
    with connection.cursor() as cursor:
        cursor.execute(sql, said)
        found = cursor.fetchall()
    for link, kind, pool, instants, changes in found:
        levels = accumulate(changes)
        yield (
            link,
            kind,
            pool,
            tuple((instant_of(at), level) for at, level in zip(instants, levels, strict=True)),
        )
