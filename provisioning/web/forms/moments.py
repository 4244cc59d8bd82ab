"""Days and times in forms: UTC, in the browser's own picker."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms

BAD_MOMENT = "Write a day and a time in UTC, for instance 2026-12-24 18:00."


class MomentInput(forms.DateTimeInput):
    """A ``datetime-local`` field; what it sends is read as UTC, the time zone of this site."""

    input_type = "datetime-local"

    def __init__(self, **attrs: Any) -> None:
        super().__init__(attrs=attrs, format="%Y-%m-%dT%H:%M")


def as_shown(value: Any) -> Any:
    """A value as its field shows it: an instant to the minute, anything else as it is."""
    return value.replace(second=0, microsecond=0) if isinstance(value, datetime) else value
