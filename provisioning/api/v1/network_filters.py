"""Filters of the rows of the network that have no page of their own."""

from __future__ import annotations

import django_filters as filters

from inventory.models import Interface, LineCard, Peering
from provisioning.api.v1.filters import Rows


class InterfaceFilters(Rows):
    """By router or name."""

    router = filters.CharFilter(field_name="router__name")
    name = filters.CharFilter()

    class Meta:
        model = Interface
        fields: list[str] = []


class LineCardFilters(Rows):
    """By router."""

    router = filters.CharFilter(field_name="router__name")

    class Meta:
        model = LineCard
        fields: list[str] = []


class PeeringFilters(Rows):
    """By name, peer or router."""

    name = filters.CharFilter()
    peer = filters.CharFilter()
    router = filters.CharFilter(field_name="interface__router__name")

    class Meta:
        model = Peering
        fields: list[str] = []
