"""Who is told what happens."""

from __future__ import annotations

from typing import Any

from django import forms

from inventory.models import Nren
from provisioning.models import Topic


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
