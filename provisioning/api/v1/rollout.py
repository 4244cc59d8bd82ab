"""The course of a change, as the API shows it."""

from __future__ import annotations

from rest_framework import serializers

from provisioning.models import Change


class RolloutRow(serializers.ModelSerializer[Change]):
    """The course of a change as people set it; null: no such rule (`canary`: by the number of routers)."""

    class Meta:
        model = Change
        fields = ["canary", "wave_size", "at_once", "window_start", "window_end", "ticket"]
        read_only_fields = fields
