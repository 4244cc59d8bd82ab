"""Whether any instant of any link is charged beyond its share: from the rows alone, with nothing of the pipeline.

Charges count over their own windows until they are released, holds until they lapse.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime

from django.db import connection

from tests.soak.ledger_network import ACCESS_SHARE_BPS, CORE_SHARE_BPS


def over_a_share() -> list[str]:
    """Each (link, direction, pool) with an instant above its share, in words; one statement, one snapshot."""
    with connection.cursor() as cursor:
        cursor.execute(
            'SELECT link, direction, pool, rate_bps, start, "end" FROM provisioning_ledgerentry '
            "WHERE released_at IS NULL AND (lapses_at IS NULL OR lapses_at > clock_timestamp())"
        )
        rows = cursor.fetchall()
    steps: defaultdict[tuple[str, str, str], list[tuple[datetime, int]]] = defaultdict(list)
    for link, direction, pool, rate, start, end in rows:
        steps[link, direction, pool] += [(start, rate)] + ([(end, -rate)] if end is not None else [])
    found = []
    for (link, direction, pool), each in steps.items():
        share = CORE_SHARE_BPS if "--" in link else ACCESS_SHARE_BPS
        level = 0
        for at, change in sorted(
            each
        ):  # at one instant what ends goes before what begins: windows are half open
            level += change
            if level > share:
                found.append(f"{link} {direction} {pool}: {level} bit/s at {at}, the share is {share}")
                break
    return found


def fullest_percent() -> int:
    """How full the fullest key is, in percent of its share: a sweep over empty rows would prove nothing."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT link, sum(rate_bps) FROM provisioning_ledgerentry WHERE released_at IS NULL GROUP BY link, direction, pool"
        )
        rows = cursor.fetchall()
    return max(
        (int(rate * 100 / (CORE_SHARE_BPS if "--" in link else ACCESS_SHARE_BPS)) for link, rate in rows),
        default=0,
    )
