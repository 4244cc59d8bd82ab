"""Reading a list on from where one is: a cursor names the last row that was read, not how many were before it.

A page by its number moves when a row is added or leaves; behind a cursor every row that was there all the time comes once.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db import models
from django.db.models import F, OrderBy, Q, QuerySet

from provisioning.api.problems import BadQuery

BEGINNING: Final = "*"
LONGEST_CURSOR: Final = 500
"""Characters; what the service makes is shorter."""
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
    if any(step.field.unique for step in _steps(rows)):
        return rows
    return rows.order_by(*_order(rows), "pk")


def read_behind(rows: QuerySet[Any], cursor: str) -> QuerySet[Any]:
    """Return the rows behind the one that the cursor names, `in_one_order`; 400 where it is none of this list."""
    steps = _steps(rows)
    if cursor == BEGINNING:
        return rows
    values = _values(steps, cursor)
    behind, same = Q(pk__in=[]), Q()
    for step, value in zip(steps, values, strict=True):
        behind |= same & _after(step, value)
        same &= Q(**{f"{step.name}__isnull": True} if value is None else {step.name: value})
    return rows.filter(behind)


def cursor_at(rows: QuerySet[Any], last: models.Model) -> str:
    """Return the cursor that names `last` in the order of the rows."""
    steps = _steps(rows)
    said = [_order_text(steps), *(step.field.value_from_object(last) for step in steps)]
    # Django's own encoder cuts instants to what JavaScript knows: here they are exact to the microsecond.
    text = json.dumps(said, default=datetime.isoformat, separators=(",", ":"))
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


def _after(step: _Step, value: Any) -> Q:
    """What comes behind a value in one column; none is behind every value, as the filters order it."""
    if step.downwards:
        return Q(**{f"{step.name}__isnull": False}) if value is None else Q(**{f"{step.name}__lt": value})
    if value is None:
        return Q(pk__in=[])
    more = Q(**{f"{step.name}__gt": value})
    return more | Q(**{f"{step.name}__isnull": True}) if step.field.null else more


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
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError
        return value.astimezone(UTC)
    return value


def _order_text(steps: list[_Step]) -> str:
    return ",".join(f"-{step.name}" if step.downwards else step.name for step in steps)
