"""What a new token may, and how one is rotated."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms

from inventory.models import Nren
from provisioning.models import Actor
from provisioning.selectors.tokens import of_everybody
from provisioning.web.forms.reasons import ReasonForm

ON_A_DAY, NEVER = "day", "never"
READS = "read"


class TokenForm(forms.Form):
    """A token of one's own, for an administrator of anybody's."""

    name = forms.CharField(
        max_length=100,
        help_text="What uses it, such as nightly report: so that you know later what ends when you revoke it.",
        error_messages={"required": "Say what uses it."},
    )
    person = forms.CharField(
        label="Whose",
        max_length=150,
        required=False,
        help_text="A user name; without one it is yours. What is asked with it counts as yours, too.",
    )
    nren = forms.ModelChoiceField(
        label="Speaks for",
        required=False,
        queryset=Nren.objects.none(),
        empty_label="All that its user is",
        help_text="Of an NREN it can do what that NREN can, and has no other role.",
    )
    scope = forms.ChoiceField(
        label="May",
        choices=[(READS, "Read only"), ("write", "Read and write")],
        initial=READS,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose one of the two."},
    )
    expires = forms.ChoiceField(
        label="Expires",
        choices=[
            ("30", "In 30 days"),
            ("90", "In 90 days"),
            ("365", "In a year"),
            (ON_A_DAY, "At the end of the day below"),
            (NEVER, "Never"),
        ],
        initial="90",
    )
    last_day = forms.DateField(
        label="Last day (UTC)",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="Only where it expires on a day.",
        error_messages={"invalid": "Write a day, such as 2026-12-24."},
    )
    networks = forms.CharField(
        label="Used from",
        required=False,
        max_length=2500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Networks such as 192.0.2.0/24 or 2001:db8::/32, one a line. None: from anywhere.",
    )

    def __init__(self, *args: Any, actor: Actor, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        everybody = of_everybody(actor)
        nrens = Nren.objects.order_by("name")
        self.fields["nren"].queryset = nrens if everybody else nrens.filter(pk__in=actor.nren_ids)  # type: ignore[attr-defined]
        if not everybody:
            del self.fields["person"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if (
            cleaned.get("expires") == ON_A_DAY
            and not cleaned.get("last_day")
            and "last_day" not in self.errors
        ):
            self.add_error("last_day", "Say on which day it expires.")
        if cleaned.get("last_day") and cleaned.get("expires") not in (None, ON_A_DAY):
            self.add_error("expires", "Choose the day below, or leave it empty.")
        return cleaned

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes that were chosen."""
        return (READS,) if self.cleaned_data["scope"] == READS else (READS, "write")

    def expires_at(self, now: datetime) -> datetime | None:
        """Return when it expires; None: never."""
        chosen = self.cleaned_data["expires"]
        if chosen == NEVER:
            return None
        if chosen == ON_A_DAY:
            return datetime.combine(self.cleaned_data["last_day"] + timedelta(days=1), time(), UTC)
        return now + timedelta(days=int(chosen))


class RotateForm(ReasonForm):
    """Why, and how long the old one still works."""

    overlap = forms.TypedChoiceField(
        label="The old one works",
        coerce=int,
        choices=[
            (0, "No longer"),
            (1, "For one more hour"),
            (24, "For one more day"),
            (168, "For one more week"),
        ],
        help_text="Time to put the new one where the old one is used. After a leak: no longer.",
    )
    field_order = ("overlap", "reason")
