"""Packs as the API takes the question and shows the answer."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from provisioning.api.choices import PACK_KINDS, TRAFFIC
from provisioning.api.fields import Strict
from provisioning.pipeline.advice import Traffic


class PackQuestion(Strict):
    """For which router a pack is asked; the values of a query are text."""

    traffic = serializers.ChoiceField(choices=TRAFFIC, default=Traffic.REAL_TIME.value)
    platform = serializers.CharField(max_length=32, default="", allow_blank=True)
    ios = serializers.CharField(max_length=32, default="", allow_blank=True)
    uplink = serializers.CharField(max_length=64, default="", allow_blank=True)

    def get_fields(self) -> dict[str, Any]:
        """Return the fields with ``for``, which is no name in Python."""
        return super().get_fields() | {"for": serializers.ChoiceField(choices=PACK_KINDS)}


class PackView(serializers.Serializer[Any]):
    """A pack: text to run on the NREN's own router, and how to undo it."""

    request = serializers.IntegerField(help_text="The request it carries out.")
    filename = serializers.CharField()
    text = serializers.CharField(trim_whitespace=False)
    undo = serializers.ListField(child=serializers.CharField(), help_text="What takes it off again.")
    notes = serializers.ListField(child=serializers.CharField())

    def get_fields(self) -> dict[str, Any]:
        """Return the fields with ``for``, which is no name in Python."""
        return super().get_fields() | {"for": serializers.ChoiceField(choices=PACK_KINDS)}
