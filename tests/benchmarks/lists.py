"""Lists of 100,000 rows read on from the middle by a cursor, beside their first page by its number: seconds, rows, statements."""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.benchmarks.fresh_process import measured_by
from tests.benchmarks.timing import Row
from tests.run import install_missing, postgresql

MANY = 100_000
ROUNDS = 5
PAGE = 50
FIRST = "page 1 by its number"
SIZES = {
    "routers": 200, "links": 5000, "nrens": 60, "requests": MANY, "pushes": 300, "events": 2 * MANY, "wide": 20,
}  # fmt: skip


def run() -> list[Row]:
    """Medians of the seconds of a page (wall), on a PostgreSQL of its own; rows read and statements are printed and rows, too."""
    install_missing()
    with tempfile.TemporaryDirectory(prefix="expedite-bench-") as name, postgresql(Path(name)) as url:
        found = measured_by("tests.benchmarks.lists", directory=Path(name), url=url)
    rows = []
    for each in found:
        first, middle = each["first"], each["middle"]
        what = f"{each['who']}, {each['name']}"
        rows.append(Row(f"{what}: behind half of them", "s", middle["s"], {FIRST: first["s"]}))
        rows.append(Row(f"{what}: rows read", "rows", middle["rows"], {FIRST: first["rows"]}))
        rows.append(Row(f"{what}: statements", "", middle["queries"], {FIRST: first["queries"]}))
    return rows


def fill() -> None:
    """100,000 requests of 60 NRENs, of which two thirds move, as many changes and tokens, 200,000 sealed events."""
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.db import connection
    from django.utils import timezone

    from inventory.models import Nren
    from provisioning.models import (
        SYSTEM,
        ApiToken,
        AuditEvent,
        AuditHead,
        AuditSeal,
        Change,
        ChangeKind,
        LedgerEntry,
        PremiumRequest,
        Reservation,
        Role,
    )
    from provisioning.services import audit, people
    from tests.web import large
    from tests.web.large_sizes import put

    call_command("migrate", verbosity=0)
    large.build(large.Sizes(**SIZES))
    now = timezone.now()
    people.put_person(actor=SYSTEM, username="adam", roles=[Role.ADMINISTRATOR])
    users = {user.username: user for user in User.objects.all()}
    keys = list(PremiumRequest.objects.order_by("pk").values_list("pk", flat=True)[:MANY])
    changes = put(
        [
            Change(
                kind=ChangeKind.RESERVATION, title=f"R {n}", submitted_by=users["niels"], scheme="6net",
                planned_at=now, approved_at=now, released_at=now, finished_at=now,
            )
            for n in range(MANY)
        ]
    )  # fmt: skip
    through = Change.requests.through
    put([through(change=change, premiumrequest_id=key) for change, key in zip(changes, keys, strict=True)])
    Reservation.objects.filter(released_at=None).update(moving_to=[])
    LedgerEntry.objects.filter(released_at=None).update(moving_since=now)
    own = Nren.objects.order_by("pk")[0]
    put(
        [
            ApiToken(
                user=users["jane" if n % 2 else "niels"], nren=own if n % 2 else None, name=f"t{n}", prefix=f"x{n}",
                digest="0" * 64, scopes=["read"], revoked_at=now if n % 10 else None,
            )
            for n in range(MANY)
        ]
    )  # fmt: skip
    audit.seal_waiting()
    last = AuditHead.objects.get(pk=2).sequence
    left = AuditEvent.objects.exclude(pk__in=AuditSeal.objects.values("event_id")).order_by("pk")
    put(
        [
            AuditSeal(
                position=last + n, event_id=pk, sealed_at=now, previous_digest="0" * 64, digest="0" * 64
            )
            for n, pk in enumerate(left.values_list("pk", flat=True), 1)
        ]
    )
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def lists() -> Iterator[tuple[str, str, str, Callable[[], list[object]]]]:
    """Who reads, what, its address, and what a cursor behind half of the rows says."""
    from provisioning.models import ApiToken, AuditEvent, Change, PremiumRequest, Reservation

    def at(rows: Any, *order: str) -> Callable[[], list[object]]:
        def said() -> list[object]:
            row = rows.order_by(*order).values_list(*(name.lstrip("-") for name in order))[rows.count() // 2]
            return [",".join(order), *row]

        return said

    requests, changes, events = PremiumRequest.objects.all(), Change.objects.all(), AuditEvent.objects.all()
    for who, mine in (
        ("noc", requests),
        ("jane", requests.filter(nren=1) | requests.filter(receiving_nren=1)),
    ):
        yield who, "requests", "premium-requests/?", at(mine, "-pk")
        for name in ("start", "end", "rate_bps", "submitted_at"):
            for way in ("", "-"):
                address = f"premium-requests/?ordering={way}{name}&"
                yield who, f"requests by {way}{name}", address, at(mine, f"{way}{name}", f"{way}pk")
    yield "noc", "changes", "changes/?", at(changes, "-pk")
    yield "jane", "changes", "changes/?", at(changes.filter(requests__nren=1), "-pk")
    yield "noc", "audit events", "audit-events/?", at(events, "-sequence")
    yield "jane", "audit events", "audit-events/?", at(events, "-sequence")
    yield (
        "noc",
        "moves",
        "moves/?",
        at(
            requests.filter(pk__in=Reservation.objects.filter(moving_to__isnull=False).values("request")),
            "pk",
        ),
    )
    for who, tokens in (
        ("adam", ApiToken.objects.all()),
        ("jane", ApiToken.objects.filter(user__username="jane")),
    ):
        yield who, "tokens", "tokens/?", at(tokens, "-pk")
        yield who, "tokens that live", "tokens/?live=true&", at(tokens.filter(revoked_at=None), "-pk")


def main() -> None:
    """Fill in one process and read in another: what filling takes is no memory of the pages."""
    if "--fill" not in sys.argv:
        subprocess.run([sys.executable, "-m", "tests.benchmarks.lists", "--fill"], check=True)
    import django

    django.setup()
    if "--fill" in sys.argv:
        fill()
        return
    from django.contrib.auth.models import User
    from django.test import Client
    from django.test.utils import setup_test_environment

    from inventory.models import Nren
    from provisioning.models import SYSTEM, ApiToken, AuditSeal
    from provisioning.services import tokens
    from tests.api.test_reading_on import sealed

    setup_test_environment()
    readers = {}
    for name, who in (("noc", "nora"), ("jane", "jane"), ("adam", "adam")):
        user = User.objects.get(username=who)
        nren = Nren.objects.order_by("pk")[0] if who == "jane" else None
        text = tokens.issue(actor=SYSTEM, user=user, nren=nren, name="reads")[1]
        readers[name] = Client(headers={"Authorization": f"Bearer {text}"})
    found = []
    for who, name, address, said in lists():
        values = [value.isoformat() if isinstance(value, datetime) else value for value in said()]
        first = read(readers[who], f"/api/v1/{address}page_size={PAGE}")
        middle = read(readers[who], f"/api/v1/{address}page_size={PAGE}&cursor={sealed(*values)}")
        found.append({"who": who, "name": name, "first": first, "middle": middle})
        tell(found[-1])
    half = AuditSeal.objects.count() // 2
    for who in ("noc", "jane"):
        first = read(readers[who], f"/api/v1/events/?limit={PAGE}")
        middle = read(readers[who], f"/api/v1/events/?limit={PAGE}&after={half}")
        found.append({"who": who, "name": "the event log", "first": first, "middle": middle})
        tell(found[-1])
        end = AuditSeal.objects.order_by("-position")[0].position
        waits = read(readers[who], f"/api/v1/events/?limit={PAGE}&after={end - 1}")
        found.append({"who": who, "name": "the end of the event log", "first": first, "middle": waits})
        tell(found[-1])
    text = tokens.issue(actor=SYSTEM, user=User.objects.get(username="nora"), nren=None, name="x")[1]
    signs = timed(lambda: tokens.authenticate(text=text, address="127.0.0.1"))
    live = list(
        ApiToken.objects.filter(revoked_at=None, name__startswith="t").order_by("pk")[: 2 * ROUNDS + 2]
    )
    ends = timed(lambda: tokens.revoke(actor=SYSTEM, token=live.pop(), reason="r"))
    for name, spent in (("a token signs in", signs), ("a token is revoked", ends)):
        found.append({"who": "100,000 tokens", "name": name, "first": spent, "middle": spent})
        tell(found[-1])
    print(json.dumps(found))


def tell(found: dict[str, Any]) -> None:
    first, middle = found["first"], found["middle"]
    print(
        f"  {found['who']:<6} {found['name']:<28} "
        + "   ".join(
            f"{what} {each['s'] * 1000:7.1f} ms {each['rows']:>8} rows {each['queries']:>3} statements"
            for what, each in (("page 1", first), ("middle", middle))
        ),
        file=sys.stderr,
        flush=True,
    )


def read(client: Any, address: str) -> dict[str, Any]:
    """Seconds, rows that PostgreSQL looked at, and statements of one page."""

    def ask() -> None:
        answer = client.get(address)
        assert answer.status_code == 200, (address, answer.content[:300])

    return timed(ask)


def timed(deed: Callable[[], object]) -> dict[str, Any]:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from tests.api.test_reading_on_at_size import read_by_postgresql

    deed()
    with CaptureQueriesContext(connection) as captured:
        deed()
    asked = [query["sql"] for query in captured]
    spent = []
    for _round in range(ROUNDS):
        gc.collect()
        began = time.perf_counter()
        deed()
        spent.append(time.perf_counter() - began)
    looked = sum(read_by_postgresql(sql)[0] for sql in asked if sql.startswith("SELECT") and "FOR" not in sql)
    return {"s": statistics.median(spent), "rows": looked, "queries": len(asked)}


if __name__ == "__main__":
    main()
