"""The form in which the NOC says what an NREN may have at most."""

from __future__ import annotations

from typing import Any

from django import forms

from provisioning.errors import InvalidInput
from provisioning.pipeline.units import BitRate, rate_text
from provisioning.selectors.quotas import Limits
from provisioning.web.forms.reasons import ReasonForm

_COUNT = {"min_value": "It is 0 or more.", "invalid": "Write a whole number, or nothing."}


class QuotaForm(ReasonForm):
    """Bounds; an empty field is none."""

    rate = forms.CharField(
        label="Rate at any instant",
        max_length=60,
        required=False,
        help_text="The sum of what its requests hold or were granted, at layer 3, such as 20 Mbit/s.",
    )
    open_requests = forms.IntegerField(
        label="Open requests",
        min_value=0,
        max_value=2**31 - 1,
        required=False,
        help_text="Not decided; a series counts once.",
        error_messages=_COUNT,
    )
    holds = forms.IntegerField(
        label="Holds at once",
        min_value=0,
        max_value=2**31 - 1,
        required=False,
        help_text="A series counts once.",
        error_messages=_COUNT,
    )
    seen = forms.CharField(
        max_length=60,
        widget=forms.HiddenInput(),
        error_messages={"required": "Read the quota and set it from its own page."},
    )
    field_order = ("rate", "open_requests", "holds", "reason")

    def __init__(self, *args: Any, standing: Limits, **kwargs: Any) -> None:
        initial = {
            "rate": "" if standing.rate_bps is None else rate_text(standing.rate_bps),
            "open_requests": standing.open_requests,
            "holds": standing.holds,
            "seen": _written(standing),
        }
        super().__init__(*args, initial=initial, **kwargs)

    def clean_rate(self) -> int | None:
        """The rate in bit/s; None where nothing is written."""
        written = self.cleaned_data["rate"].strip()
        try:
            return BitRate.parse(written).bps if written else None
        except InvalidInput as error:
            raise forms.ValidationError("Say how many bit/s, for instance 20M, or nothing.") from error

    def clean_seen(self) -> Limits:
        """What was set for it when the page was read."""
        try:
            rate, requests, holds = self.cleaned_data["seen"].split("/")
            return Limits(*(None if one == "-" else int(one) for one in (rate, requests, holds)))
        except ValueError as error:
            raise forms.ValidationError("Read the quota and set it from its own page.") from error

    def read_again(self, standing: Limits) -> None:
        """Have what was written stand, and be set over ``standing`` when it is sent once more."""
        self.data = self.data.copy()
        self.data["seen"] = _written(standing)

    def limits(self) -> Limits:
        """Return what the service takes."""
        data = self.cleaned_data
        return Limits(data["rate"], data["open_requests"], data["holds"])


def _written(limits: Limits) -> str:
    return "/".join(
        "-" if one is None else str(one) for one in (limits.rate_bps, limits.open_requests, limits.holds)
    )
