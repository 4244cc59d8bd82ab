"""A decision through the service on PostgreSQL, by how much is in the book: 2,000 links, a path of 13, windows of a day."""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tests.benchmarks import deciding_at_once
from tests.benchmarks.fresh_process import measured_by
from tests.benchmarks.timing import Row
from tests.run import install_missing, postgresql

BOOKS = tuple(int(size) for size in os.environ.get("BOOKS", "10000,100000,1000000").split(","))
ROUTERS = 2000
HOPS = 11
ROUNDS = 100
YEAR = timedelta(days=365)


def run() -> list[Row]:
    """Medians and 99th percentiles in wall seconds, medians of this process's CPU; beside a plain sum and a sorted sweep."""
    install_missing()
    with tempfile.TemporaryDirectory(prefix="expedite-bench-") as name, postgresql(Path(name)) as url:
        found = measured_by("tests.benchmarks.admission", directory=Path(name), url=url)
    return [Row(**row) for row in found]


def measure() -> list[Row]:
    """On the empty database that the environment names."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    asking = _network()
    rows: list[Row] = []
    for book in BOOKS:
        _fill(book)
        rows += _measured(book, asking)
        print(f"book of {book:,} measured, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    medians = {row.name: row.ours for row in rows}
    for what in ("submit to verdict", "admit"):
        first, last = (medians[f"{what}, book of {book:,}"] for book in (BOOKS[0], BOOKS[-1]))
        rows.append(Row(f"{what}, largest book to smallest", "times", last / first))
    return [*rows, *deciding_at_once.measured(BOOKS[-1])]


def _network() -> Any:
    """A ring of 2,000 routers; the asking NREN and the one that receives have prefixes. Returns who asks."""
    from inventory.models import AccessLink, Nren, Prefix
    from provisioning.models import SYSTEM, Role, Via
    from provisioning.services import people
    from tests.services.ring import ring

    ring(ROUTERS)
    AccessLink.objects.update(case="trusted", standing=True, standing_consent=True)
    for number, nren in enumerate(Nren.objects.filter(name__in=("N0", f"N{HOPS}")).order_by("name")):
        Prefix.objects.create(nren=nren, network=f"2001:db8:{number + 1}::/48")
    people.put_person(actor=SYSTEM, username="nora", roles=[Role.NOC])
    person = people.put_person(actor=SYSTEM, username="asks", nrens=[Nren.objects.get(name="N0")])
    return people.actor_for(person, via=Via.API)


def _fill(size: int) -> None:
    """Reservations up to so many, each of 1 kbit/s over 13 links, of a day on average, begun at random within a year.

    Past the services and their checks: as rows, with the indexes of the ledger made anew afterwards.
    """
    from django.db import connection

    from provisioning.models import PremiumRequest

    there = PremiumRequest.objects.count()
    request = """
        INSERT INTO provisioning_premiumrequest (nren_id, source_link_id, destination_link_id, service_class, rate_bps,
            bucket_bytes, max_packet_bytes, start, "end", source_prefixes, destination_prefixes, contact, reason, warnings,
            state, consent, submitted_by_id, submitted_at, decision_reason, state_changed_at,
            times_held, behind)
        SELECT n.nren_id, n.id, n.id, 'ip-premium', 1000, 6000, 1500, s.start, s.start + s.lasts, '[]', '[]', 'x', '', '[]',
            'ADMITTED', 'standing', u.id, now(), '', now(), 0, '[]'
        FROM (SELECT now() + random() * interval '365 days' AS start,
                     interval '5 minutes' - ln(random() + 1e-9) * interval '1 day' AS lasts
              FROM generate_series(1, %s) OFFSET 0) AS s,
             (SELECT id, nren_id FROM inventory_accesslink ORDER BY id LIMIT 1) AS n,
             (SELECT id FROM auth_user WHERE username = 'asks') AS u
    """
    reservation = """
        INSERT INTO provisioning_reservation (request_id, granted_bps, path, waits_for, held_cause, alone, created_at,
            drift, drift_by, drift_hops)
        SELECT id, rate_bps, '[]', '', '', false, now(), '', '', '[]' FROM provisioning_premiumrequest AS p
        WHERE NOT EXISTS (SELECT FROM provisioning_reservation AS r WHERE r.request_id = p.id)
    """
    charges = f"""
        INSERT INTO provisioning_ledgerentry (reservation_id, request_id, link, direction, pool, rate_bps, start, "end", exempt)
        SELECT q.id, q.request_id,
            CASE WHEN i = 0 THEN 'N' || b || '@r' || b || ':POS1/0'
                 WHEN i = {HOPS + 1} THEN 'N' || (b + {HOPS}) % {ROUTERS} || '@r' || (b + {HOPS}) % {ROUTERS} || ':POS1/0'
                 ELSE 'r' || (b + i - 1) % {ROUTERS} || ':POS2/0--r' || (b + i) % {ROUTERS} || ':POS2/1' END,
            CASE WHEN i = 0 THEN 'in' WHEN i = {HOPS + 1} THEN 'out' ELSE 'a-z' END, 'ip-premium', 1000, q.start, q."end", ''
        FROM (SELECT r.id, r.request_id, p.start, p."end", floor(random() * {ROUTERS})::int AS b
              FROM provisioning_reservation AS r JOIN provisioning_premiumrequest AS p ON p.id = r.request_id
              WHERE NOT EXISTS (SELECT FROM provisioning_ledgerentry AS l WHERE l.reservation_id = r.id) OFFSET 0) AS q,
             generate_series(0, {HOPS + 1}) AS i
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SET session_replication_role = replica"
        )  # neither witness nor foreign keys: these rows are ours
        cursor.execute(request, [size - there])
        cursor.execute(reservation)
        cursor.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'provisioning_ledgerentry'"
            " AND indexname NOT LIKE '%%_pkey' AND indexdef NOT LIKE '%%(reservation_id)%%'"
        )
        indexes = cursor.fetchall()
        for name, _definition in indexes:
            cursor.execute(f'DROP INDEX "{name}"')
        cursor.execute(charges)
        for _name, definition in indexes:
            cursor.execute(definition)
        cursor.execute("SET session_replication_role = origin")
        cursor.execute("VACUUM ANALYZE")


def _measured(book: int, asking: Any) -> list[Row]:
    from provisioning.models import PremiumRequest, Via
    from provisioning.pipeline.admission import Admitted
    from provisioning.pipeline.units import TimeWindow
    from provisioning.selectors.courses import courses
    from provisioning.selectors.ledger import commitments
    from provisioning.services import clock, decisions, people, requests

    dice = random.Random(book)
    noc = people.actor_named("nora", via=Via.CLI)
    now = clock.now()
    links = ["N0@r0:POS1/0", f"N{HOPS}@r{HOPS}:POS1/0"]
    links += [f"r{number}:POS2/0--r{number + 1}:POS2/1" for number in range(HOPS)]
    windows = [_window(dice, now) for _ in range(ROUNDS + 3)]
    seconds: dict[str, list[float]] = {}
    cpu: dict[str, list[float]] = {}

    def timed(what: str, deed: Callable[[], Any]) -> Any:
        began, spent = time.perf_counter(), time.process_time()
        found = deed()
        seconds.setdefault(what, []).append(time.perf_counter() - began)
        cpu.setdefault(what, []).append(time.process_time() - spent)
        return found

    def answer(window: TimeWindow) -> int:
        found = courses(now=now, links=links, within=window)
        return sum(each.peak(window).rate_bps for each in found.values())

    def ask(window: TimeWindow) -> PremiumRequest:
        (row,) = requests.submit(actor=asking, data=_asked(window))
        assert isinstance(decisions.evidence(request=row), Admitted)
        return row

    rows_read = []
    for number, window in enumerate(windows):
        if number == 3:
            seconds.clear()  # warm-up
            cpu.clear()
        rows_read.append(len(commitments(now=now, links=links, within=window)))
        ours = timed("answer", lambda: answer(window))  # noqa: B023 - run at once
        timed("sum", lambda: _sum(links, window, now))  # noqa: B023
        assert ours == timed("sweep", lambda: _sweep(links, window, now))  # noqa: B023
        row = timed("submit to verdict", lambda: ask(window))  # noqa: B023
        verdict = timed("admit", lambda: decisions.admit(actor=noc, request=row, reason="fits"))  # noqa: B023
        assert isinstance(verdict, Admitted)
    size = f"book of {book:,}"
    middle = {what: statistics.median(spent) for what, spent in seconds.items()}
    worst = {what: sorted(spent)[-1 - len(spent) // 100] for what, spent in seconds.items()}
    peers = {"plain SQL sum": middle["sum"], "sorted sweep": middle["sweep"]}
    return [
        Row(f"rows that overlap, {size}", "rows", statistics.median(rows_read)),
        Row(f"the ledger's answer, {size}", "s", middle["answer"], peers),
        *(
            row
            for what in ("submit to verdict", "admit")
            for row in (
                Row(f"{what}, {size}", "s", middle[what]),
                Row(f"{what}, {size}, 99 %", "s", worst[what]),
                Row(f"{what}, {size}, CPU", "s", statistics.median(cpu[what])),
            )
        ),
    ]


def _window(dice: random.Random, now: datetime) -> Any:
    from provisioning.pipeline.units import TimeWindow

    start = now + YEAR * dice.uniform(0.05, 0.95)
    return TimeWindow(start, start + timedelta(days=1))


def _asked(window: Any) -> Any:
    from tests.services.requests.sixnet import ASKED

    return replace(
        ASKED,
        source_link="N0@r0:POS1/0",
        destination_link=f"N{HOPS}@r{HOPS}:POS1/0",
        rate=1000,
        source_prefixes=("2001:db8:1::/56",),
        destination_prefixes=("2001:db8:2::/56",),
        start=window.start,
        end=window.end,
    )


# What anybody would write first: nothing but the window, and what is over counts without end.
_OVERLAPPING = """
    released_at IS NULL AND (hold_id IS NULL OR lapses_at > %s) AND link = ANY(%s) AND start < %s
    AND ("end" > %s OR "end" IS NULL OR "end" <= %s)
"""


def _sum(links: list[str], window: Any, now: datetime) -> list[Any]:
    """The rates of what overlaps, added up, by the same ranges of the same index as ours; no instant, no peak."""
    from django.db.models import Sum

    from provisioning.models import LedgerEntry
    from provisioning.selectors import ledger

    rows = LedgerEntry.objects.order_by().filter(released_at=None, link__in=links)
    found = ledger.overlapping(rows, window, now).values_list("link", "direction", "pool")
    return list(found.annotate(Sum("rate_bps")))


def _sweep(links: list[str], window: Any, now: datetime) -> int:
    """All that overlaps, read with a plain predicate, sorted by instant and swept: the sum of the peaks of the links."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            f'SELECT link, direction, start, "end", rate_bps FROM provisioning_ledgerentry WHERE {_OVERLAPPING}',
            [now, links, window.end, window.start, now],
        )
        found = cursor.fetchall()
    steps: dict[tuple[str, str], list[tuple[datetime, int]]] = {}
    for link, direction, start, end, rate in found:
        own = steps.setdefault((link, direction), [])
        own.append((max(start, window.start), rate))
        if end is not None and now < end < window.end:
            own.append((end, -rate))
    total = 0
    for own in steps.values():
        level = highest = 0
        for _at, change in sorted(own):
            level += change
            highest = max(highest, level)
        total += highest
    return total


if __name__ == "__main__":
    import django

    django.setup()
    print(json.dumps([asdict(row) for row in measure()]))
