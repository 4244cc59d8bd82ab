"""Rows of the network that have no page of their own: interfaces, line cards, peerings."""

from __future__ import annotations

from rest_framework import serializers

from inventory.models import Interface, LineCard, Peering


class InterfaceView(serializers.ModelSerializer[Interface]):
    """An interface with its three rates in bit/s; `exempt_reason`, where there is one, is why it needs no policy."""

    router = serializers.CharField(source="router.name")

    class Meta:
        model = Interface
        fields = [
            "id",
            "router",
            "name",
            "description",
            "pvc",
            "line_rate_bps",
            "bw_bps",
            "usable_bps",
            "exempt_reason",
        ]


class LineCardView(serializers.ModelSerializer[LineCard]):
    """A line card and its forwarding engine."""

    router = serializers.CharField(source="router.name")

    class Meta:
        model = LineCard
        fields = ["id", "router", "slot", "engine"]


class PeeringView(serializers.ModelSerializer[Peering]):
    """An interface towards a network without an agreement."""

    router = serializers.CharField(source="interface.router.name")
    interface = serializers.CharField(source="interface.name")
    prefix = serializers.CharField(allow_null=True)

    class Meta:
        model = Peering
        fields = ["id", "name", "peer", "router", "interface", "prefix"]
