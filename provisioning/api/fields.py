"""Serializer fields that take the JSON type they name and nothing that merely looks like it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar, Final

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

PERCENT: Final = r"^(100(\.0{1,3})?|[0-9]{1,2}(\.[0-9]{1,3})?)$"


class Text(serializers.CharField):
    """A JSON string; numbers are not turned into text."""

    def to_internal_value(self, data: Any) -> str:
        """Return the text; invalid for another type, or for halves of surrogate pairs."""
        if not isinstance(data, str):
            self.fail("invalid")
        try:
            data.encode()
        except UnicodeEncodeError:
            self.fail("invalid")
        return str(super().to_internal_value(data))


class Whole(serializers.IntegerField):
    """A JSON number without a fraction; texts, fractions and booleans are not turned into one."""

    def to_internal_value(self, data: Any) -> int:
        """Return the number; invalid for another type."""
        if isinstance(data, bool) or not isinstance(data, int):
            self.fail("invalid")
        return int(data)


class Flag(serializers.BooleanField):
    """true or false."""

    def to_internal_value(self, data: Any) -> bool:
        """Return the flag; invalid for anything else."""
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class Instant(serializers.DateTimeField):
    """An instant in ISO 8601 with its offset; a local time without one is refused, not guessed."""

    default_error_messages = {
        "make_aware": "An instant needs its offset from UTC, as in 2030-01-01T12:00:00Z."
    }

    def to_internal_value(self, value: Any) -> datetime:
        """Return the aware instant; invalid for another type."""
        if not isinstance(value, str):
            self.fail("invalid", format="YYYY-MM-DDThh:mm[:ss[.uuuuuu]]+HH:MM|-HH:MM|Z")
        instant: datetime = super().to_internal_value(value)
        return instant

    def enforce_timezone(self, value: datetime) -> datetime:
        """Return `value` in UTC; invalid when it has no offset."""
        if timezone.is_naive(value):
            self.fail("make_aware")
        aware: datetime = super().enforce_timezone(value)
        return aware


@extend_schema_field(
    {"anyOf": [{"type": "string", "pattern": PERCENT}, {"type": "number", "minimum": 0, "maximum": 100}]}
)
class Percent(serializers.DecimalField):
    """From 0 to 100 with up to three decimals, as a number or as text (`12.5`), which is exact."""

    def __init__(self, **more: Any) -> None:
        super().__init__(max_digits=6, decimal_places=3, min_value=0, max_value=100, **more)

    def to_internal_value(self, data: Any) -> Decimal:
        """Return it; invalid for another type, and for text that is written otherwise."""
        if isinstance(data, bool) or not (isinstance(data, int | float) or _is_percent(data)):
            self.fail("invalid")
        return super().to_internal_value(data)


def _is_percent(data: Any) -> bool:
    return isinstance(data, str) and re.fullmatch(PERCENT, data, re.ASCII) is not None


class Strict(serializers.Serializer):  # type: ignore[type-arg]
    """A serializer that refuses members it does not know; of those in ``fixed`` it says why."""

    fixed: ClassVar[Mapping[str, str]] = {}

    def to_internal_value(self, data: Any) -> Any:
        """Return the values; every unknown member is an error of its own, beside the others."""
        errors: dict[str, Any] = {}
        try:
            values = super().to_internal_value(data)
        except serializers.ValidationError as error:
            if not isinstance(error.detail, dict):
                raise
            errors, values = dict(error.detail), None
        if isinstance(data, dict):
            errors |= {
                str(name)[:60]: [self.fixed.get(name, "is not a known field")]
                for name in data
                if name not in self.fields
            }
        if errors:
            raise serializers.ValidationError(errors)
        return values
