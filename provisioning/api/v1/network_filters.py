"""What lists of the network can be narrowed to."""

from __future__ import annotations

import django_filters as filters

from inventory.models import AccessCase, AccessLink, CoreLink, Interface, LineCard, Nren, Peering, Router
from provisioning.api.v1.narrowing import Rows


class NrenFilters(Rows):
    """By name or country."""

    name = filters.CharFilter()
    country = filters.CharFilter()

    class Meta:
        model = Nren
        fields: list[str] = []


class RouterFilters(Rows):
    """By name or platform."""

    name = filters.CharFilter()
    platform = filters.CharFilter()

    class Meta:
        model = Router
        fields: list[str] = []


class AccessLinkFilters(Rows):
    """By name, NREN, router or case."""

    name = filters.CharFilter()
    nren = filters.CharFilter(field_name="nren__name")
    router = filters.CharFilter(field_name="interface__router__name")
    case = filters.ChoiceFilter(choices=AccessCase.choices)

    class Meta:
        model = AccessLink
        fields: list[str] = []


class CoreLinkFilters(Rows):
    """By name."""

    name = filters.CharFilter()

    class Meta:
        model = CoreLink
        fields: list[str] = []


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
