"""What a calendar is asked: from when until when, and of whom."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from django import forms
from django.http import QueryDict

from inventory.models import Nren
from provisioning.models.requests import STATES
from provisioning.pipeline.units import TimeWindow
from provisioning.web.forms.ever import EverField, ever
from provisioning.web.forms.when import WhenField, window_of

LONGEST: Final = timedelta(days=400)
WEEK: Final = timedelta(days=7)
_MINUTE: Final = timedelta(minutes=1)


def _text(label: str, hint: str, size: int) -> forms.CharField:
    return forms.CharField(
        label=label,
        required=False,
        max_length=size,
        widget=forms.TextInput(attrs={"placeholder": hint, "maxlength": str(size)}),
    )


class CalendarForm(forms.Form):
    """A stretch of time and a state, and for whoever sees the backbone an NREN, a link, a router. It stands in the address."""

    def __init__(self, data: QueryDict, now: datetime, *, everything: bool) -> None:
        super().__init__(data)
        self.now = now
        for name, label in (("from", "From (UTC)"), ("to", "To (UTC)")):
            widget = forms.TextInput(attrs={"placeholder": "2026-12-01 or monday", "maxlength": "60"})
            self.fields[name] = WhenField(label=label, required=False, widget=widget)
        if everything:
            self.fields["nren"] = EverField(ever(Nren), required=False, label="NREN", empty_label="Any")
            self.fields["link"] = _text("Link", "JANET@uk6:POS1/0", 200)
            self.fields["router"] = _text("Router", "nl6", 63)
        self.fields["state"] = forms.ChoiceField(
            choices=[("", "Any that stands"), *STATES], required=False, label="State"
        )

    def clean(self) -> dict[str, Any]:
        """Return what is asked, with the window; a week where one end is given, this week where none is."""
        asked = super().clean() or self.cleaned_data
        start, end = asked.get("from"), asked.get("to")
        if self.errors:
            return asked
        first = None if start is None else start.start
        last = None if end is None else _end_of(end)
        if end is not None and last is None:
            self.add_error("to", "It has no end.")
            return asked
        try:
            if first is None:
                first = window_of("this week", self.now).start if last is None else last - WEEK
            last = last or first + WEEK
        except OverflowError:
            self.add_error("from" if end is None else "to", "No calendar reaches there.")
            return asked
        if last <= first:
            self.add_error("to", "It is not after the beginning.")
        elif last - first > LONGEST:
            self.add_error("to", f"A calendar shows at most {LONGEST.days} days.")
        else:
            asked["window"] = TimeWindow(first, last)
        return asked

    def unknown(self) -> list[str]:
        """Return in sentences what the address asks for that there is not."""
        known = ", ".join(self.fields)
        return [
            f"There is no choice “{name[:60]}” here; there are: {known}."
            for name in self.data
            if name not in self.fields and name != "format"
        ]


def _end_of(window: TimeWindow) -> datetime | None:
    """Until when something is that ends then: a moment is itself the end, of a day it is when the day is over."""
    if window.end is None:
        return None
    return window.start if window.end - window.start == _MINUTE else window.end
