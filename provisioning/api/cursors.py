"""Reading a list on from where one is: a cursor names the last row that was read, not how many were before it.

A page by its number moves when a row is added or leaves; behind a cursor every row that was there all the time comes once. An
order that is to be read on over many rows has an index with the same columns in the same directions (`models.requests`).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db import models
from django.db.models import F, Func, OrderBy, Q, QuerySet, Value

from inventory.models.retiring import Retirable
from provisioning.api.problems import BadQuery

BEGINNING: Final = "*"
LONGEST_CURSOR: Final = 1200
"""Characters; what the service makes is shorter: a name of 200 letters, of four bytes each, makes one of 1,100."""
_REFUSED: Final = (
    f"is no cursor of this list: {BEGINNING} begins it, then take that of `next`, with the same parameters"
)


class _Step(NamedTuple):
    """One of the columns that a list is ordered by."""

    name: str
    field: models.Field[Any, Any]
    downwards: bool


def in_one_order(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return the rows in an order that leaves nothing open: by their keys where everything before is equal."""
    if any(step.field.unique or step.name in _named_once(rows.model) for step in _steps(rows)):
        return rows
    return rows.order_by(*_order(rows), "pk")


def _named_once(model: type[models.Model]) -> set[str]:
    """Fields in which no two rows in use are equal; a list is of rows in use."""
    if not issubclass(model, Retirable):
        return set()
    alone = (each for each in model._meta.constraints if isinstance(each, models.UniqueConstraint))
    return {each.fields[0] for each in alone if len(each.fields) == 1}


def read_on(rows: QuerySet[Any], cursor: str, most: int) -> tuple[list[Any], str | None]:
    """Return the next rows behind the one that the cursor names, `most` at most, and the cursor behind them; None at the end.

    400 where it is no cursor of this list. What is behind is read in parts, each one range of an index, and of no row but those
    of the page is more read than its place: what a page costs does not grow with the list. A handful of queries in all.
    """
    rows = in_one_order(rows)
    steps = _steps(rows)
    parts = [rows] if cursor == BEGINNING else _behind(rows, steps, _values(steps, cursor))
    columns = dict.fromkeys(["pk", *(step.name for step in steps)])
    places: list[dict[str, Any]] = []
    for part in parts:
        if len(places) <= most:
            places += part.values(*columns)[: most + 1 - len(places)]
    more = len(places) > most
    del places[most:]
    # Somebody may change the place of a row meanwhile, which is met twice then, or remove it.
    keys = list(dict.fromkeys(place["pk"] for place in places))
    found = rows.order_by().in_bulk(keys)
    following = _cursor(steps, [places[-1][step.name] for step in steps]) if more else None
    return [found[key] for key in keys if key in found], following


def _behind(rows: QuerySet[Any], steps: list[_Step], values: list[Any]) -> list[QuerySet[Any]]:
    """The rows behind these values, as parts in their order: those that are equal the longest first.

    Columns with one direction are compared as a row: of two conditions the planner of PostgreSQL takes the second for the
    narrower where many rows are equal in the first, and walks along the keys through all the others.
    """
    if any(step.downwards != steps[0].downwards for step in steps):
        return _one_by_one(rows, steps, values)
    if any(step.field.null for step in steps[1:]):
        return _one_by_one(rows, steps, values)
    step = steps[0]
    if not step.field.null:
        return [rows.filter(_RowBehind(steps, values))]
    # Said without the column that is none in all of them: PostgreSQL would sort them by it.
    none = rows.filter(**{f"{step.name}__isnull": True}).order_by(*_order(rows)[1:])
    if values[0] is None:
        later = [rows.filter(**{f"{step.name}__isnull": False})] if step.downwards else []
        return [*_behind(none, steps[1:], values[1:]), *later]
    return [rows.filter(_RowBehind(steps, values)), *([] if step.downwards else [none])]


def _one_by_one(rows: QuerySet[Any], steps: list[_Step], values: list[Any]) -> list[QuerySet[Any]]:
    parts: list[QuerySet[Any]] = []
    for step, value in zip(steps, values, strict=True):
        parts[:0] = [rows.filter(each) for each in _after(step, value)]
        rows = rows.filter(**({f"{step.name}__isnull": True} if value is None else {step.name: value}))
    return parts


class _RowBehind(Func):
    """Columns that are behind values as rows are compared: ``(start, id) > ('2027-03-01', 7)``."""

    output_field = models.BooleanField()

    def __init__(self, steps: list[_Step], values: list[Any]) -> None:
        said = [Value(value, output_field=step.field) for step, value in zip(steps, values, strict=True)]
        super().__init__(*(F(step.name) for step in steps), *said)
        self.sign = "<" if steps[0].downwards else ">"

    def as_sql(self, compiler: Any, _connection: Any, **_more: Any) -> tuple[str, list[Any]]:
        """Return the comparison of the first half of what it was given with the second."""
        compiled = [compiler.compile(each) for each in self.source_expressions]
        half = len(compiled) // 2
        columns, values = (
            ", ".join(sql for sql, _params in part) for part in (compiled[:half], compiled[half:])
        )
        return f"({columns}) {self.sign} ({values})", [each for _sql, params in compiled for each in params]


def _cursor(steps: list[_Step], values: Sequence[Any]) -> str:
    said = [_order_text(steps), *values]
    # Django's own encoder cuts instants to what JavaScript knows: here they are exact to the microsecond.
    text = json.dumps(said, default=datetime.isoformat, separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _order(rows: QuerySet[Any]) -> Sequence[Any]:
    return rows.query.order_by or rows.model._meta.ordering


def _steps(rows: QuerySet[Any]) -> list[_Step]:
    """The columns of the order; that of a list ends with one that no two rows have alike."""
    return [_step(rows.model, each) for each in _order(rows)]


def _step(model: type[models.Model], by: Any) -> _Step:
    if isinstance(by, OrderBy):
        assert isinstance(by.expression, F), "lists are ordered by columns"
        name, downwards = by.expression.name, by.descending
    else:
        name, downwards = by.removeprefix("-"), by.startswith("-")
    try:
        field = model._meta.pk if name == "pk" else model._meta.get_field(name)
    except FieldDoesNotExist as error:
        raise AssertionError(f"lists are ordered by columns of their own, not {name}") from error
    return _Step(name, field, downwards)  # type: ignore[arg-type]


def _after(step: _Step, value: Any) -> list[Q]:
    """What comes behind a value in one column, in parts; none is behind every value, as the filters order it."""
    if step.downwards:
        return [Q(**{f"{step.name}__isnull": False} if value is None else {f"{step.name}__lt": value})]
    if value is None:
        return []
    none = [Q(**{f"{step.name}__isnull": True})] if step.field.null else []
    return [Q(**{f"{step.name}__gt": value}), *none]


def _values(steps: list[_Step], cursor: str) -> list[Any]:
    try:
        said = json.loads(base64.urlsafe_b64decode(cursor[:LONGEST_CURSOR] + "=" * (-len(cursor) % 4)))
        order, *values = said
        if order != _order_text(steps) or len(values) != len(steps):
            raise ValueError
        if not all(value is None or isinstance(value, str | int) for value in values):
            raise ValueError
        return [_exact(step.field.to_python(value)) for step, value in zip(steps, values, strict=True)]
    except (ValueError, TypeError, RecursionError, OverflowError, ValidationError) as error:
        raise BadQuery({"cursor": [_REFUSED]}) from error


def _exact(value: Any) -> Any:
    """A value that a database can be asked for; raises ValueError or OverflowError for any other."""
    if isinstance(value, str):
        value.encode()
        if "\0" in value:
            raise ValueError
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise OverflowError
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError
        return value.astimezone(UTC)
    return value


def _order_text(steps: list[_Step]) -> str:
    return ",".join(f"-{step.name}" if step.downwards else step.name for step in steps)
