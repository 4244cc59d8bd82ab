"""Forms in which somebody changes what a request asks; shape only, the service decides (the same as for the API)."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils import timezone

from provisioning.errors import InvalidInput
from provisioning.models import PremiumRequest
from provisioning.pipeline.units import BitRate, rate_text
from provisioning.services.modifications import UNCHANGED, Modify
from provisioning.web.forms.moments import BAD_MOMENT, MomentInput, as_shown
from provisioning.web.forms.reasons import ReasonForm

_BAD_MOMENT = {"invalid": BAD_MOMENT}
_BAD_RATE = "Say how many bit/s, for instance 2M."


class ModifyForm(ReasonForm):
    """What a request is to become; the fields hold what it is now, and what is sent carries what the page showed of each."""

    rate = forms.CharField(
        max_length=60,
        help_text="At layer 3, such as 2 Mbit/s, 64 kbit/s or 2000000.",
        error_messages={"required": _BAD_RATE, "max_length": _BAD_RATE},
    )
    start = forms.DateTimeField(label="Begins (UTC)", widget=MomentInput(), error_messages=_BAD_MOMENT)
    end = forms.DateTimeField(
        label="Ends (UTC)",
        required=False,
        widget=MomentInput(),
        help_text="Empty means until further notice.",
        error_messages=_BAD_MOMENT,
    )
    source_prefixes = forms.CharField(
        label="Source prefixes",
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3, "class": "field mono"}),
        help_text="One per line.",
        error_messages={"required": "Name the addresses that send, for instance 2001:db8:1::/64."},
    )
    destination_prefixes = forms.CharField(
        label="Destination prefixes",
        max_length=4000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "class": "field mono"}),
        help_text="One per line. Empty means any.",
    )
    field_order = ("rate", "start", "end", "source_prefixes", "destination_prefixes", "reason")

    def __init__(self, *args: Any, asked: PremiumRequest, trying: bool = False, **kwargs: Any) -> None:
        initial = {
            "rate": rate_text(asked.rate_bps),
            "start": as_shown(asked.start),
            "end": as_shown(asked.end),
            "source_prefixes": "\n".join(asked.source_prefixes),
            "destination_prefixes": "\n".join(asked.destination_prefixes),
        }
        super().__init__(*args, initial=initial, **kwargs)
        self.asked = asked
        for name in initial:
            self.fields[name].show_hidden_initial = True
        if asked.start <= timezone.now():
            del self.fields["start"]
        if trying:
            self.fields["reason"].required = False

    def clean_rate(self) -> str:
        """The rate as written; only its spelling is looked at here."""
        written: str = self.cleaned_data["rate"]
        try:
            BitRate.parse(written)
        except InvalidInput as error:
            raise forms.ValidationError(_BAD_RATE) from error
        return written

    def wanted(self) -> Modify:
        """Return what the service takes. What was left as the page showed it is unchanged: as whoever changed it since has it."""
        data, changed = self.cleaned_data, set(self.changed_data)
        return Modify(
            rate=data["rate"] if "rate" in changed else None,
            start=data.get("start") if "start" in changed else None,
            end=data["end"] if "end" in changed else UNCHANGED,
            source_prefixes=_lines(data["source_prefixes"]) if "source_prefixes" in changed else None,
            destination_prefixes=_lines(data["destination_prefixes"])
            if "destination_prefixes" in changed
            else None,
        )


class EndEarlyForm(ReasonForm):
    """When a granted request is to end."""

    end = forms.DateTimeField(
        label="Ends (UTC)",
        required=False,
        widget=MomentInput(),
        help_text="Empty means now.",
        error_messages=_BAD_MOMENT,
    )
    field_order = ("end", "reason")


class ExtendForm(ReasonForm):
    """Until when a request is to last."""

    end = forms.DateTimeField(
        label="Ends (UTC)",
        required=False,
        widget=MomentInput(),
        help_text="Empty means until further notice.",
        error_messages=_BAD_MOMENT,
    )
    field_order = ("end", "reason")


def _lines(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.replace(",", " ").split() if part)
