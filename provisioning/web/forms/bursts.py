"""The form in which bursts are asked for; shape only, the pipeline decides."""

from __future__ import annotations

from django import forms

from provisioning.pipeline.advice import Traffic
from provisioning.pipeline.platforms import TYPED_AT
from provisioning.selectors.advice import DEFAULT_PACKET_BYTES

_PLATFORMS = [("", "No particular one"), *((each.name, each.title) for each in TYPED_AT)]


class BurstForm(forms.Form):
    """A rate, what kind of traffic, how large its packets are, and on which router the bursts are typed."""

    rate = forms.CharField(
        max_length=60,
        help_text="At layer 3, such as 5 Mbit/s or 64 kbit/s.",
        error_messages={"required": "Say how many bit/s, for instance 5M."},
    )
    traffic = forms.ChoiceField(
        choices=[
            (Traffic.REAL_TIME.value, "Real-time: audio, video"),
            (Traffic.ELASTIC.value, "Elastic: TCP, transfers"),
        ],
        initial=Traffic.REAL_TIME.value,
    )
    max_packet_bytes = forms.IntegerField(
        label="Largest packet in bytes", initial=DEFAULT_PACKET_BYTES, help_text="At layer 3."
    )
    platform = forms.ChoiceField(label="Router", choices=_PLATFORMS, required=False)
    ios = forms.CharField(
        label="IOS release",
        max_length=32,
        required=False,
        help_text="Such as 12.4(24)T; empty is a usual one.",
    )
