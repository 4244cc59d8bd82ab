"""Who is told what happens."""

from __future__ import annotations

from typing import Any

from django import forms

from inventory.models import Nren
from provisioning.models import Topic
from provisioning.web.forms.moments import BAD_MOMENT, MomentInput


class _WhatForm(forms.Form):
    """Of what somebody is told."""

    topics = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        choices=[(topic.value, topic.label) for topic in Topic if topic != Topic.TEST],
        label="Told of",
        help_text="None chosen means everything but decisions on requests.",
    )
    nren = forms.ModelChoiceField(
        required=False,
        queryset=Nren.objects.none(),
        empty_label="Nobody's: it is the NOC's",
        label="Only decisions on requests of",
        help_text="An address of an NREN is told of these, and of nothing else.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["nren"].queryset = Nren.objects.order_by("name")  # type: ignore[attr-defined]


class MailForm(_WhatForm):
    """A mail address."""

    address = forms.CharField(
        label="Mail address",
        max_length=254,
        help_text="One address, such as noc@example.net; a list of people is a list at your mail server.",
        error_messages={"required": "Write the address."},
    )
    field_order = ("address", "topics", "nren")


class WebhookForm(_WhatForm):
    """An address that is called."""

    url = forms.CharField(
        label="Address",
        max_length=2000,
        help_text="https:// only. It is stored encrypted and not shown again.",
        error_messages={"required": "Write the address."},
    )
    field_order = ("url", "topics", "nren")


class ReplayForm(forms.Form):
    """Which messages are sent again. `seen` carries how many the page said, so that no other number goes out by it."""

    since = forms.DateTimeField(
        label="Made since (UTC)",
        widget=MomentInput(),
        help_text="From when on its receiver lost them.",
        error_messages={"required": "Say since when.", "invalid": BAD_MOMENT},
    )
    until = forms.DateTimeField(
        label="Made before (UTC)",
        required=False,
        widget=MomentInput(),
        help_text="Empty means until now.",
        error_messages={"invalid": BAD_MOMENT},
    )
    seen = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput())
