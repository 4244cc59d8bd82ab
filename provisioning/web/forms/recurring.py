"""The fields by which a window comes again; what they mean is the service's matter."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms

from provisioning.services.requests import SubmitRequest
from provisioning.services.series import SubmitSeries

_EVERY = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
NAMES = {
    "recurrence.rrule": "rrule",
    "recurrence.time_zone": "time_zone",
    "recurrence.exdates": "left_out",
}
"""What the service calls a field, and the form."""


class RecurringFields(forms.Form):
    """How often the window comes again: not, so many times, or by a rule."""

    repeat = forms.ChoiceField(
        label="Comes again",
        choices=[
            ("", "No, once"),
            *((name, f"Every {said}") for name, said in _EVERY.items()),
            ("rule", "By a rule of iCalendar (RRULE)"),
        ],
        required=False,
        help_text="Begins and Ends above are the first time.",
        error_messages={"invalid_choice": "Choose how often it comes again."},
    )
    times = forms.IntegerField(
        label="How many times",
        required=False,
        min_value=1,
        help_text="The first one counted.",
        error_messages={
            "invalid": "Write a whole number, for instance 12.",
            "min_value": "Write 1 or more.",
        },
    )
    rrule = forms.CharField(
        label="Rule",
        required=False,
        max_length=300,
        help_text="Such as FREQ=WEEKLY;BYDAY=TU,TH;UNTIL=20270630, with COUNT or UNTIL.",
        widget=forms.TextInput(attrs={"class": "field mono"}),
    )
    time_zone = forms.CharField(
        label="By the clocks of",
        required=False,
        initial="UTC",
        max_length=64,
        help_text="A time zone such as Europe/Athens: nine o'clock there stays nine o'clock when clocks change.",
    )
    left_out = forms.CharField(
        label="Not on these days",
        required=False,
        max_length=4000,
        help_text="Days there, such as 2026-12-29, with blanks between them.",
    )
    take = forms.ChoiceField(
        label="If some do not fit",
        choices=[("all", "Nothing is granted"), ("those-that-fit", "Those that fit are granted")],
        initial="all",
        required=False,
    )

    @property
    def comes_again(self) -> bool:
        """Whether a series is asked for; call it on a valid form only."""
        return bool(self.cleaned_data.get("repeat"))

    def clean_left_out(self) -> tuple[date, ...]:
        """The days as days."""
        try:
            return tuple(
                date.fromisoformat(day) for day in self.cleaned_data["left_out"].replace(",", " ").split()
            )
        except ValueError as error:
            raise forms.ValidationError("Write days such as 2026-12-29.") from error

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        repeat = cleaned.get("repeat")
        if repeat in _EVERY and not cleaned.get("times") and "times" not in self.errors:
            self.add_error("times", "Say how many times.")
        if repeat == "rule" and not cleaned.get("rrule"):
            self.add_error("rrule", "Write the rule, or choose how often.")
        return cleaned

    def to_series(self, asked: SubmitRequest) -> SubmitSeries:
        """Return what the service takes; call it on a valid form only."""
        data = self.cleaned_data
        rule = data["rrule"] if data["repeat"] == "rule" else f"FREQ={data['repeat']};COUNT={data['times']}"
        return SubmitSeries(
            asked=asked,
            rrule=rule,
            time_zone=data["time_zone"] or "UTC",
            left_out=data["left_out"],
            only_whole=data["take"] != "those-that-fit",
        )
