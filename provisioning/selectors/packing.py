"""Charges packed by the database, one value for each link direction and pool.

A charge is spoken of in 30 places: whoever takes a path of 30 links is charged the same on each. What is read by the hundred
thousand is therefore not made into values of ours row by row: each distinct charge is, once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from struct import Struct
from typing import Any

from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Aggregate, BinaryField, Case, F, QuerySet, When
from django.db.models.functions import Greatest

from provisioning.models import LedgerEntry
from provisioning.pipeline.failures import Span
from provisioning.pipeline.units import OPEN_TICKS, ticks_of

_CHARGE = Struct(">qqqq")
_CHUNKS = Struct(f"{_CHARGE.size}s")
_SINCE_2000 = ticks_of(datetime(2000, 1, 1, tzinfo=UTC))
_INFINITY = (1 << 63) - 1
_MEMORY = "64MB"
"""For the hash table of groups that grow. With the usual 4 MB PostgreSQL sorts the rows by link on disk instead, which takes
twice as long as all the rest."""


class _Packed(Aggregate):
    """Whose, start, end and rate of all charges of a group, in one value: 32 bytes each on PostgreSQL, whose own format of an
    instant is microseconds since 2000 (its manual, 8.5: Date/Time Types); text on SQLite.
    """

    output_field = BinaryField()
    arity = 4

    def as_sql(  # type: ignore[override]
        self, compiler: Any, connection: BaseDatabaseWrapper, **_more: Any
    ) -> Any:
        """The expression of either database."""
        parts, params = [], []
        for each in self.get_source_expressions()[:4]:
            sql, more = compiler.compile(each)
            parts.append(sql)
            params += more
        whose, start, end, rate = parts
        if connection.vendor == "postgresql":
            packed = (
                f"int8send({whose}) || timestamptz_send({start}) || "
                f"timestamptz_send(coalesce({end}, 'infinity')) || int8send({rate})"
            )
            return f"string_agg({packed}, ''::bytea)", params
        return (
            f"group_concat({whose} || '|' || {start} || '|' || coalesce({end}, '') || '|' || {rate})",
            params,
        )


def spans_of(
    rows: Iterable[QuerySet[LedgerEntry]], place_of: Callable[[str, str], int | None], now: datetime
) -> list[Span]:
    """All of ``rows``, each charge once with the places where it is made: ``place_of`` numbers link directions, None leaves one
    out. What is over and is charged all the same has no end, like in `ledger.window_of`.
    """
    parts = [_grouped(some, now) for some in rows]
    if not parts:
        return []
    with _memory():
        read = [row for part in parts for row in _fetched(part)]
    found: defaultdict[str, defaultdict[Any, list[int]]] = defaultdict(lambda: defaultdict(list))
    for link, direction, pool, packed in read:
        place = place_of(link, direction)
        if place is not None:
            here = found[pool]
            for chunk in _chunks(packed):
                here[chunk].append(place)
    decoded = _from_bytes if connection.vendor == "postgresql" else _from_text
    return [
        Span(*decoded(chunk), pool, places) for pool, each in found.items() for chunk, places in each.items()
    ]


def _grouped(rows: QuerySet[LedgerEntry], now: datetime) -> QuerySet[Any, Any]:
    end = Case(When(end__lte=now, then=None), default=F("end"))
    packed = _Packed("request_id", Greatest("start", now), end, "rate_bps")
    return rows.values_list("link", "direction", "pool").annotate(packed=packed)


@contextmanager
def _memory() -> Iterator[None]:
    """Let PostgreSQL group in memory; on SQLite, where a transaction waits for whoever writes, there is nothing to be done."""
    if connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic(savepoint=False):
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('work_mem', %s, true)", [_MEMORY])
        yield


def _fetched(rows: QuerySet[Any, Any]) -> Sequence[tuple[str, str, str, Any]]:
    """As the driver gives them, without the conversions of the mapper."""
    statement, words = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(statement, words)
        found: list[tuple[str, str, str, Any]] = cursor.fetchall()
    return found


def _chunks(packed: Any) -> Iterator[bytes] | list[str]:
    if isinstance(packed, str):
        return packed.split(",")
    return (chunk for (chunk,) in _CHUNKS.iter_unpack(packed))


def _from_bytes(chunk: bytes) -> tuple[int, int, int, int]:
    whose, start, end, rate = _CHARGE.unpack(chunk)
    return start + _SINCE_2000, OPEN_TICKS if end == _INFINITY else end + _SINCE_2000, rate, whose


def _from_text(chunk: str) -> tuple[int, int, int, int]:
    whose, start, end, rate = chunk.split("|")
    return _ticks(start), _ticks(end) if end else OPEN_TICKS, int(rate), int(whose)


def _ticks(text: str) -> int:
    """Django keeps instants there as text in UTC."""
    return ticks_of(datetime.fromisoformat(text).replace(tzinfo=UTC))
