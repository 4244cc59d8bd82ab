"""A page behind a cursor is one range of an index for each part of it, however many rows there are: held by the database's plan.

The time is in `make bench ONLY=lists`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inventory.models import AccessLink
from provisioning.models import (
    SYSTEM,
    ApiToken,
    Change,
    ChangeKind,
    LedgerEntry,
    PremiumRequest,
    Reservation,
)
from provisioning.services import audit
from tests.api.conftest import Speaker
from tests.api.test_finding import URL
from tests.api.test_reading_on import ORDERS

pytestmark = pytest.mark.once

ROWS, PAGE = 2000, 20
TABLE = PremiumRequest._meta.db_table
INDEX = {
    "id": ("INTEGER PRIMARY KEY", f"{TABLE}_pkey"),
    "start": ("requests_by_start",),
    "end": ("requests_by_end", "requests_without_end"),
    "rate_bps": ("requests_by_rate",),
    "submitted_at": ("requests_by_submission",),
}


@pytest.fixture
def many(speakers: dict[str, Speaker]) -> None:
    """Requests of two NRENs: half of them alike in everything that they are ordered by, and half of the others without an end."""
    links = {link.nren.name: link for link in AccessLink.objects.select_related("nren")}
    janet, now = User.objects.get(username="janet"), timezone.now()
    rows = []
    for number in range(ROWS):
        apart = 0 if number % 2 else number
        sender, start = ("JANET" if number % 3 else "DFN"), now + timedelta(minutes=apart)
        rows.append(
            PremiumRequest(
                nren=links[sender].nren, source_link=links[sender], destination_link=links["GRNET"],
                receiving_nren=links["GRNET"].nren, rate_bps=1000 * (1 + apart % 7), bucket_bytes=3000,
                max_packet_bytes=1500, start=start, end=None if number % 4 == 0 else start + timedelta(days=90),
                consent="pending", contact="x", submitted_by=janet,
            )
        )  # fmt: skip
    PremiumRequest.objects.bulk_create(rows)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def read_through(speaker: Speaker, order: str) -> Iterator[list[str]]:
    """The queries of a page behind the first, the 200th, the 400th ... row."""
    following = f"{URL}?cursor=*&page_size=200&ordering={order}"
    while following:
        with CaptureQueriesContext(connection) as asked:
            speaker.get(following.replace("page_size=200", f"page_size={PAGE}"))
        yield [query["sql"] for query in asked.captured_queries]
        following = speaker.get(following)["next"]


def places(queries: list[str]) -> list[str]:
    """Those that find the rows of the page."""
    return [sql for sql in queries if f'FROM "{TABLE}"' in sql and "ORDER BY" in sql and "LIMIT" in sql]


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from nodes(inner)


def read_by_postgresql(sql: str) -> tuple[int, set[str]]:
    """How many rows were looked at for it, and by which indices."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
        found = cursor.fetchone()[0]
    plan = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    looked = sum(
        (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
        for node in nodes(plan)
        if "Scan" in node["Node Type"]
    )
    return int(looked), {node["Index Name"] for node in nodes(plan) if "Index Name" in node}


def steps_of_sqlite(sql: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return "; ".join(row[-1] for row in cursor.fetchall())


@pytest.mark.parametrize("order", ORDERS)
def test_a_page_is_a_range_of_an_index_wherever_it_is(
    order: str, speakers: dict[str, Speaker], many: None
) -> None:
    wanted, pages, most = INDEX[order.removeprefix("-")], 0, 0
    for queries in read_through(speakers["noc"], order):
        found = places(queries)
        pages, most = pages + 1, max(most, len(queries))
        assert 1 <= len(found) <= 3
        for sql in found:
            if connection.vendor == "postgresql":
                looked, by = read_by_postgresql(sql)
                assert looked <= PAGE + 1 and by <= set(wanted), (sql, looked, by)
            else:
                told = steps_of_sqlite(sql)
                assert any(name in told for name in wanted) or ("SCAN" in told and order.endswith("id")), told
                assert "TEMP B-TREE" not in told, (sql, told)
    assert pages == ROWS // 200 and most <= 25


def more_of_everything(count: int) -> None:
    """So many requests more that move, with changes, events and tokens of JANET."""
    link = AccessLink.objects.get(nren__name="JANET")
    other = AccessLink.objects.get(nren__name="GRNET")
    janet, now = User.objects.get(username="janet"), timezone.now()
    requests = PremiumRequest.objects.bulk_create(
        PremiumRequest(
            nren=link.nren, source_link=link, destination_link=other, receiving_nren=other.nren, rate_bps=1000,
            bucket_bytes=3000, max_packet_bytes=1500, start=now, consent="given", contact="x", submitted_by=janet,
        )
        for _ in range(count)
    )  # fmt: skip
    granted = Reservation.objects.bulk_create(
        Reservation(request=row, granted_bps=1000, path=[], moving_to=[]) for row in requests
    )
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            reservation=one, request=one.request, link=link.name, direction="in", pool="ip-premium", rate_bps=1000,
            start=now, moving_since=now,
        )
        for one in granted
    )  # fmt: skip
    changes = Change.objects.bulk_create(
        Change(kind=ChangeKind.RESERVATION, title="R", scheme="6net", planned_at=now, finished_at=now)
        for _ in range(count)
    )
    through = Change.requests.through
    through.objects.bulk_create(
        through(change=change, premiumrequest=row) for change, row in zip(changes, requests, strict=True)
    )
    ApiToken.objects.bulk_create(
        ApiToken(user=janet, nren=link.nren, name="t", prefix=f"x{row.pk}", digest="0", scopes=["read"])
        for row in requests
    )
    for row in requests[:30]:
        audit.record(actor=SYSTEM, action="test", obj=row)
    audit.seal_waiting()


@pytest.mark.parametrize("who", ["noc", "JANET"])
def test_no_list_asks_more_where_there_is_more(who: str, speakers: dict[str, Speaker]) -> None:
    addresses = ["premium-requests/?", "changes/?", "audit-events/?", "tokens/?", "tokens/?live=true&"]
    addresses += ["moves/?"] if who == "noc" else []

    def asked() -> dict[str, int]:
        found = {}
        for address in addresses:
            following = f"/api/v1/{address}cursor=*&page_size=5"
            if speakers[who].get(following)["next"]:
                following = speakers[who].get(following)["next"]
            with CaptureQueriesContext(connection) as captured:
                speakers[who].get(following)
            found[address] = len(captured.captured_queries)
        with CaptureQueriesContext(connection) as captured:
            assert len(speakers[who].get("/api/v1/events/?limit=5")["events"]) == 5
        return {**found, "events": len(captured.captured_queries)}

    more_of_everything(20)
    few = asked()
    more_of_everything(200)
    assert asked() == few
