"""When a change goes out and how much of it at once."""

from __future__ import annotations

from typing import Any

from django import forms

from provisioning.models import Change
from provisioning.web.forms.moments import MomentInput, as_shown
from provisioning.web.forms.reasons import ReasonForm

_MOMENT = {"invalid": "Write a day and a time, such as 2026-12-24 18:00."}


class RolloutForm(ReasonForm):
    """The course of a change; an empty field is no such rule. What is sent carries what the page showed of each rule too."""

    window_start = forms.DateTimeField(
        label="No router is begun before (UTC)",
        required=False,
        widget=MomentInput(),
        error_messages=_MOMENT,
    )
    window_end = forms.DateTimeField(
        label="... and none from then on (UTC)",
        required=False,
        widget=MomentInput(),
        help_text="What was begun ends. What was not waits for another window, or is aborted by a person.",
        error_messages=_MOMENT,
    )
    ticket = forms.CharField(
        label="Ticket",
        max_length=80,
        required=False,
        help_text="What the work is called where it is announced.",
    )
    canary = forms.IntegerField(
        label="Routers of each phase that go first",
        min_value=0,
        max_value=10_000,
        required=False,
        help_text="The others go when these are verified. Empty: one where a phase has many routers; 0: none.",
    )
    wave_size = forms.IntegerField(
        label="Routers in each wave after that",
        min_value=1,
        max_value=10_000,
        required=False,
        help_text="A wave begins when the one before is verified whole. Empty: all the others are one wave.",
    )
    at_once = forms.IntegerField(
        label="Routers at once, at most",
        min_value=1,
        max_value=10_000,
        required=False,
        help_text="Empty: as many as there are workers.",
    )
    field_order = ("window_start", "window_end", "ticket", "canary", "wave_size", "at_once", "reason")

    def __init__(self, *args: Any, change: Change, **kwargs: Any) -> None:
        rules = [name for name in self.base_fields if name != "reason"]
        super().__init__(*args, initial={name: as_shown(getattr(change, name)) for name in rules}, **kwargs)
        for name in rules:
            self.fields[name].show_hidden_initial = True

    def said(self) -> dict[str, Any]:
        """The reason, and the rules that are not as the page showed them: the others stay as whoever set them says."""
        return {
            name: value
            for name, value in self.cleaned_data.items()
            if name == "reason" or name in self.changed_data
        }
