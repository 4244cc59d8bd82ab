"""For which router of theirs an engineer wants a pack; shape only, the pipeline decides."""

from __future__ import annotations

from django import forms

from provisioning.pipeline.advice import Traffic
from provisioning.pipeline.packs import Kind
from provisioning.pipeline.platforms import TYPED_AT


class PackForm(forms.Form):
    """Which router, which interface, what kind of traffic."""

    kind = forms.ChoiceField(
        label="Your router",
        choices=[(Kind.LINUX.value, "Linux (tc and nftables)"), (Kind.IOS.value, "Cisco IOS")],
    )
    uplink = forms.CharField(
        label="Its interface towards the backbone",
        max_length=64,
        required=False,
        help_text="Such as eth0 or GigabitEthernet0/0/1; without it you attach it yourself.",
    )
    traffic = forms.ChoiceField(
        choices=[
            (Traffic.REAL_TIME.value, "Real-time: audio, video"),
            (Traffic.ELASTIC.value, "Elastic: TCP"),
        ]
    )
    platform = forms.ChoiceField(
        label="Platform, for IOS",
        choices=[(each.name, each.title) for each in reversed(TYPED_AT)],
        required=False,
    )
    ios = forms.CharField(label="IOS release", max_length=32, required=False)
