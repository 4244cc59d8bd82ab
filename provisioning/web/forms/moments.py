"""Days and times in forms: UTC, in the browser's own picker."""

from __future__ import annotations

from typing import Any

from django import forms


class MomentInput(forms.DateTimeInput):
    """A ``datetime-local`` field; what it sends is read as UTC, the time zone of this site."""

    input_type = "datetime-local"

    def __init__(self, **attrs: Any) -> None:
        super().__init__(attrs=attrs, format="%Y-%m-%dT%H:%M")
